/** Parses the arguments of a command, from words or from an object. */

import { findNearestName } from '@coppice/core/decode';
import type { CommandDefinition, CommandParameter, CommandParameters, CommandWord, RawArguments } from './contract.ts';
import { makeCommandError } from './errors.ts';

/** The validated arguments of one call, by parameter name. */
export type ArgumentValues = { readonly [name: string]: string | number | boolean | undefined };

type ArgumentReader = Pick<CommandDefinition, 'name' | 'usage' | 'parameters'>;

/** Parses the arguments of a command. Throws `command/bad-arguments` with the command's usage. */
export function readArguments(command: ArgumentReader, given: RawArguments): ArgumentValues {
  const found = 'words' in given ? argumentsFromWords(command, given.words) : fromObject(command, given.args);
  const values: [string, string | number | boolean | undefined][] = [];
  for (const [name, parameter] of Object.entries(command.parameters)) {
    const value = found.get(name);
    if (parameter.required && (value === undefined || (typeof value === 'string' && value.trim() === '')))
      throw badArgument(command, `/${command.name} needs ${article(parameter)}`, { missing: name });
    values.push([name, parameter.kind === 'flag' ? value === true : value]);
  }
  return Object.fromEntries(values);
}

const nouns = {
  node: 'a message',
  text: 'a text',
  model: 'a model',
  choice: 'one of its values',
  tree: 'the id of a chat',
  command: 'the name of a command',
  count: 'a whole number',
  flag: 'no value',
} as const;

function article({ kind }: CommandParameter): string {
  return nouns[kind];
}

function badArgument(command: ArgumentReader, why: string, data: Readonly<Record<string, unknown>> = {}) {
  return makeCommandError('command/bad-arguments', `${why}. Usage: ${command.usage}`, {
    command: command.name,
    ...data,
  });
}

type FoundArgument = Map<string, string | number | boolean>;

function argumentsFromWords(command: ArgumentReader, words: readonly CommandWord[]): FoundArgument {
  const found: FoundArgument = new Map();
  const placed: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || isEnd(word)) continue;
    if (!isOption(word)) {
      placed.push(word.text);
      continue;
    }
    const { name, value, parameter } = readOption(command, word);
    if (found.has(name)) throw badArgument(command, `--${name} is given twice`, { option: name });
    if (parameter.kind === 'flag') {
      if (value !== undefined) throw badArgument(command, `--${name} takes no value`, { option: name });
      found.set(name, true);
      continue;
    }
    const taken: string[] = value === undefined ? [] : [value];
    // A text continues until the next option; a value of any other kind is one word.
    const most = parameter.kind === 'text' ? Number.POSITIVE_INFINITY : 1;
    for (
      let next = words[at + 1];
      value === undefined && next !== undefined && taken.length < most;
      next = words[at + 1]
    ) {
      if (isOption(next) || isEnd(next)) break;
      taken.push(next.text);
      at++;
    }
    if (taken.length === 0 && !parameter.bare)
      throw badArgument(command, `--${name} needs ${article(parameter)}`, { option: name });
    found.set(name, convertArgument(command, name, parameter, taken.join(' ')));
  }
  placeArgument(command, placed, found);
  return found;
}

function isOption(word: CommandWord): boolean {
  return !word.quoted && word.text.startsWith('--') && word.text.length > 2;
}

/** A bare `--` ends the text of an option. */
function isEnd(word: CommandWord): boolean {
  return !word.quoted && word.text === '--';
}

function readOption(command: ArgumentReader, word: CommandWord) {
  const text = word.text.slice(2);
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const value = equals === -1 ? undefined : text.slice(equals + 1);
  const parameter = namedArgument(command.parameters, name);
  if (parameter?.by !== 'name') {
    const known = Object.keys(command.parameters).filter((key) => command.parameters[key]?.by === 'name');
    const meant = findNearestName(name, known);
    const hint = meant === undefined ? '' : `; did you mean --${meant}?`;
    throw badArgument(command, `/${command.name} has no option --${name.slice(0, 64)}${hint}`, { option: name });
  }
  return { name, value, parameter };
}

function namedArgument(parameters: CommandParameters, name: string): CommandParameter | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function placeArgument(command: ArgumentReader, words: readonly string[], found: FoundArgument): void {
  let at = 0;
  for (const [name, parameter] of Object.entries(command.parameters)) {
    if (parameter.by !== 'place' || at >= words.length) continue;
    const taken = parameter.kind === 'text' ? words.slice(at) : words.slice(at, at + 1);
    at += taken.length;
    found.set(name, convertArgument(command, name, parameter, taken.join(' ')));
  }
  if (at < words.length)
    throw badArgument(
      command,
      `/${command.name} does not take the argument ${JSON.stringify(words[at]?.slice(0, 64))}`,
      {},
    );
}

function convertArgument(
  command: ArgumentReader,
  name: string,
  parameter: CommandParameter,
  text: string,
): string | number {
  if (parameter.kind === 'count')
    return countArgument(command, name, /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
  if (parameter.kind === 'choice') return choiceArgument(command, name, parameter, text);
  return text;
}

function countArgument(command: ArgumentReader, name: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1)
    throw badArgument(command, `${name} is a whole number from 1`, { parameter: name });
  return value;
}

function choiceArgument(command: ArgumentReader, name: string, { choices }: CommandParameter, text: string): string {
  if (choices.includes(text)) return text;
  const meant = findNearestName(text, choices);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw badArgument(
    command,
    `${name} is one of ${choices.join(', ')}, not ${JSON.stringify(text.slice(0, 64))}${hint}`,
    {
      parameter: name,
    },
  );
}

function fromObject(command: ArgumentReader, args: Readonly<Record<string, unknown>>): FoundArgument {
  const found: FoundArgument = new Map();
  for (const [name, value] of Object.entries(args)) {
    const parameter = namedArgument(command.parameters, name);
    if (parameter === undefined)
      throw badArgument(command, `/${command.name} has no argument ${name.slice(0, 64)}`, { name });
    if (value === undefined || value === null) continue;
    found.set(name, checkArgument(command, name, parameter, value));
  }
  return found;
}

function checkArgument(
  command: ArgumentReader,
  name: string,
  parameter: CommandParameter,
  value: unknown,
): string | number | boolean {
  const wrong = () =>
    badArgument(command, `${name} is ${article(parameter)}, not ${typeof value}`, { parameter: name });
  switch (parameter.kind) {
    case 'flag':
      if (typeof value !== 'boolean')
        throw makeCommandError('command/bad-arguments', `${name} is true or false.`, { name });
      return value;
    case 'count':
      if (typeof value !== 'number') throw wrong();
      return countArgument(command, name, value);
    default:
      if (typeof value !== 'string') throw wrong();
      return convertArgument(command, name, parameter, value);
  }
}
