/**
 * Builds the command line from the list of subcommands. Parsing, help, errors and exit codes are the same for all of
 * them.
 */

import { AppError, deprecationText, isAppError } from '@coppice/core';
import { Command, Argument as CommanderArgument, CommanderError, Option as CommanderOption } from 'commander';
import { createCliContext, type GlobalOptions } from './cli-context.ts';
import { exitCodes, makeUsageError, toCliError } from './exit-codes.ts';
import {
  createOutputWriter,
  type OutputWriter,
  type ProcessHost,
  terminalSizeOrDefault,
  toJsonText,
} from './output.ts';
import { shortenIdsIn } from './short-ids.ts';
import type { Subcommand, SubcommandInput, SubcommandOption } from './subcommands/contract.ts';
import { loadSubcommands, subcommandNames } from './subcommands/index.ts';
import { wrapLines } from './terminal/wrap.ts';
import { cliVersion } from './version.ts';

/** The options that may stand before or after any subcommand. */
export const globalOptions: readonly SubcommandOption[] = [
  { name: 'store', value: 'url', summary: 'store to use: a path, or a URL such as postgres://host/db' },
  {
    name: 'server',
    value: 'url',
    summary: 'work on a running server, such as http://127.0.0.1:4747 (token: COPPICE_TOKEN)',
  },
  { name: 'owner', value: 'name', summary: 'act as this user in a shared store' },
  { name: 'json', summary: 'print JSON on one line' },
  { name: 'color', summary: 'use colours even without a terminal' },
  { name: 'no-color', summary: 'disable colours' },
  { name: 'raw', summary: 'print texts exactly as stored, escape sequences included' },
];

/** The heading of the global options in the help of a subcommand. */
const globalGroup = 'Options of every command:';

/** The subcommand of a command line that names none. */
const defaultSubcommand = 'serve';

/**
 * Runs a command line, given without the name of the program, and returns the exit code. Never rejects. If the line
 * names a subcommand, only that one is loaded.
 */
export async function runCli(
  words: readonly string[],
  host: ProcessHost,
  given?: readonly Subcommand[],
): Promise<number> {
  const names = given?.map(({ name }) => name) ?? subcommandNames;
  const line = withSubcommand(words, names);
  const members = given ?? (await loadForLine(line));
  let code = 0;
  let output = createOutputWriter(host);
  let json = false;
  const program = buildProgram(members, host, async (subcommand, input, options) => {
    json = options.json;
    output = options.output;
    const server = serverFor(subcommand, options, host);
    const context = createCliContext(host, options.output, {
      ...options,
      server,
      begins: subcommand.begins === true,
      prints: subcommand.paged === true,
      bare: words.length === 0,
    });
    try {
      const answer = await subcommand.run(input, context);
      if (answer === null) return;
      if (options.json) output.json(answer.data);
      else if (!(await printPaged(answer.lines, subcommand, output, host)))
        for (const line of answer.lines) output.print(line);
      code = answer.exitCode ?? 0;
    } catch (thrown) {
      // The error of the store says only "read-only"; the user needs the reason, for example a full disk.
      const { readOnlyBecause } = context;
      throw readOnlyBecause !== null && isAppError(thrown) && thrown.code === 'tree/read-only'
        ? readOnlyBecause
        : thrown;
    } finally {
      await context.close();
    }
  });
  try {
    await program.parseAsync(line, { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const error =
      thrown instanceof CommanderError ? makeUsageError(usageText(thrown, words, names)) : toCliError(thrown);
    // The words after `--` are text and not options.
    const end = words.indexOf('--');
    json ||= (end === -1 ? words : words.slice(0, end)).includes('--json');
    if (json) host.stderr.write(`${toJsonText({ error: error.toJSON() })}\n`);
    else
      host.stderr.write(
        `${output.style.bad(wrapMessage(output.foreign(shortenIdsIn(error.message, words)), host, output))}\n`,
      );
    return exitCodes[error.kind];
  }
  return code;
}

/** Prints through the user's pager if one is wanted and installed. Returns false if nothing was printed. */
async function printPaged(
  lines: Iterable<string>,
  { paged }: Subcommand,
  { screen, safe }: OutputWriter,
  { pager }: ProcessHost,
): Promise<boolean> {
  if (paged !== true || screen === null || pager === undefined) return false;
  await pager(safeLines(lines, safe));
  return true;
}

function* safeLines(lines: Iterable<string>, safe: (text: string) => string): Generator<string> {
  for (const line of lines) yield safe(line.endsWith('\n') ? line : `${line}\n`);
}

/** Wraps a message between words. A terminal would break lines anywhere. */
function wrapMessage(message: string, { stderr }: ProcessHost, { liveColumns }: OutputWriter): string {
  if (stderr.isTTY !== true) return message;
  return wrapLines(message, liveColumns)
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Returns the server to work on: from the option, or from the environment unless the line names a store. */
function serverFor(
  { name, worksOn = 'any', insteadOnServer }: Subcommand,
  options: GlobalOptions,
  { env }: ProcessHost,
): string | undefined {
  const { server, store } = options;
  if (server !== undefined && store !== undefined) throw makeUsageError('Give --store or --server, not both.');
  const named = server ?? (store === undefined ? env['COPPICE_SERVER'] || undefined : undefined);
  if (named === undefined || worksOn === 'any') return named;
  // Subcommands that never work on a store ignore the environment variable.
  if (worksOn === 'this-computer' && server === undefined) return undefined;
  throw new AppError({
    code: 'cli/not-on-server',
    kind: 'refused',
    message: `coppice ${name} does not work with --server. ${insteadOnServer?.(named.replace(/\/+$/, '')) ?? 'It only works on this computer. Leave out --server.'}`,
  });
}

/**
 * Inserts the default subcommand if the line names none. An unknown word is left in place, so that the parser refuses
 * it.
 */
function withSubcommand(words: readonly string[], names: readonly string[]): string[] {
  const [first, second, ...rest] = words;
  // The parser's own help command ignores unknown words.
  if (first === 'help' && second !== undefined && !second.startsWith('-'))
    return names.includes(second) ? [second, '--help'] : [second, ...rest];
  const asksForHelp = words.some((word) => ['-h', '--help', '-V', '--version'].includes(word));
  const named = words.some((word) => names.includes(word));
  const starts = !asksForHelp && !named && (first === undefined || first.startsWith('-'));
  return starts ? [defaultSubcommand, ...words] : [...words];
}

/**
 * Loads the subcommand that a line names after the global options. Loads all subcommands if it names none, because the
 * general help and the suggestion for a mistyped name list all of them.
 */
function loadForLine(line: readonly string[]): Promise<readonly Subcommand[]> {
  let at = 0;
  for (let word = line[at]; word?.startsWith('--') === true; word = line[at]) {
    const [name = '', value] = word.slice(2).split('=', 2);
    const option = globalOptions.find((each) => each.name === name);
    if (option === undefined) return loadSubcommands();
    at += option.value !== undefined && value === undefined ? 2 : 1;
  }
  const first = line[at];
  return first !== undefined && subcommandNames.includes(first) ? loadSubcommands([first]) : loadSubcommands();
}

type SubcommandRun = (
  subcommand: Subcommand,
  given: SubcommandInput,
  options: GlobalOptions & { readonly output: OutputWriter },
) => Promise<void>;

/** Builds the parser from the subcommands. */
function buildProgram(members: readonly Subcommand[], host: ProcessHost, run: SubcommandRun): Command {
  const program = new Command('coppice')
    .description('Chat with language models and keep every branch as a tree.')
    .version(cliVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help for the program or a command')
    .addHelpCommand(new Command('help').argument('[command]').summary('show help for a command').helpGroup('Manage:'))
    .showSuggestionAfterError(true)
    // On a terminal, help wraps at its width. In a pipe, each entry stays on one line, so that it can be searched.
    .configureHelp({
      minWidthToWrap: host.stdout.isTTY === true ? 16 : 40,
      subcommandTerm: (command) => command.name(),
    })
    .addHelpText('after', gettingStartedHelp)
    .enablePositionalOptions(false);
  const quiet = (command: Command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      // Errors are printed once, by the caller.
      writeErr: () => undefined,
      getOutHelpWidth: () => (host.stdout.isTTY === true ? terminalSizeOrDefault(host.stdout.columns, 80) : 80),
    });
  quiet(program);
  for (const option of globalOptions) program.addOption(commanderOption(option));
  for (const member of members) {
    const hidden = member.deprecated !== undefined;
    const command = quiet(program.command(member.name, { hidden }).helpGroup(`${member.group}:`));
    command.summary(member.summary).description(usageSentence(member.summary));
    for (const { name, summary, optional, many } of member.arguments ?? []) {
      const shown = many === true ? `${name}...` : name;
      command.addArgument(new CommanderArgument(optional === true ? `[${shown}]` : `<${shown}>`, summary));
    }
    for (const option of member.options ?? []) command.addOption(commanderOption(option));
    for (const option of globalOptions) command.addOption(commanderOption(option).helpGroup(globalGroup));
    command.addHelpOption(new CommanderOption('-h, --help', 'show this help').helpGroup(globalGroup));
    if (namesMessages(member)) command.addHelpText('after', namingHelp);
    command.addHelpText('after', `\nExamples:\n${member.examples.map((line) => `  ${line}`).join('\n')}`);
    command.action(async (...all: unknown[]) => {
      const words = all.slice(0, -2);
      const options = { ...program.opts<Record<string, unknown>>(), ...command.opts<Record<string, unknown>>() };
      for (const sentence of deprecationsOf(member, command)) host.stderr.write(`${sentence}\n`);
      await run(member, givenOf(member, words, options), globalsOf(options, host));
    });
  }
  return program;
}

/** Returns the deprecation notices of a command line: for its command and for each deprecated option. */
function deprecationsOf({ name, deprecated, options = [] }: Subcommand, command: Command): readonly string[] {
  const used = options.flatMap((option) =>
    option.deprecated !== undefined && command.getOptionValueSource(commanderOption(option).attributeName()) === 'cli'
      ? [{ name: `--${option.name}`, ...option.deprecated }]
      : [],
  );
  return [...(deprecated === undefined ? [] : [{ name: `coppice ${name}`, ...deprecated }]), ...used].map(
    deprecationText,
  );
}

/** The end of `coppice --help`: the first commands that new users need. */
const gettingStartedHelp = `
Get started:
  coppice                 start the server and open the page
  coppice chat            chat in the terminal
  coppice import --found  import your chats from other programs
  coppice doctor          check your setup

Run coppice <command> --help for the options and examples of a command.`;

/** The help text about naming messages, for commands that take a message. */
const namingHelp = `
Name a message by its id or a part of it, by its bookmark, or by its position:
@ is the active message, @~2 the one two above it, root the beginning.`;

function namesMessages(member: Subcommand): boolean {
  return [...(member.arguments ?? []), ...(member.options ?? [])].some(({ completes }) => completes === 'node');
}

function commanderOption(option: SubcommandOption): CommanderOption {
  const flags = `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}${option.value === undefined ? '' : ` <${option.value}>`}`;
  const commanderOption = new CommanderOption(flags, option.summary).hideHelp(option.deprecated !== undefined);
  if (option.many !== true) return commanderOption;
  return commanderOption.argParser((value: string, before: unknown) => [
    ...(Array.isArray(before) ? before : []),
    value,
  ]);
}

function usageSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** Returns the message for a wrong command line, with a pointer to the right help. */
function usageText(error: CommanderError, words: readonly string[], names: readonly string[]): string {
  const problem = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?');
  const first = words.find((word) => !word.startsWith('-'));
  const help = first === undefined || !names.includes(first) ? 'coppice --help' : `coppice ${first} --help`;
  const hint =
    error.code === 'commander.unknownOption' ? ' To pass a text that begins with a dash, put -- before it.' : '';
  const sentence = usageSentence(problem.replace(/^option '(.*)' argument missing$/, "option '$1' needs a value"));
  return `${sentence.replace(/([.?])\.$/, '$1')}${hint} See ${help}.`;
}

function globalsOf(
  options: Readonly<Record<string, unknown>>,
  host: ProcessHost,
): GlobalOptions & { readonly output: OutputWriter } {
  const { store, owner, server } = options;
  const color = typeof options['color'] === 'boolean' ? options['color'] : undefined;
  return {
    ...(typeof store === 'string' ? { store } : {}),
    ...(typeof owner === 'string' ? { owner } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    json: options['json'] === true,
    output: createOutputWriter(host, {
      raw: options['raw'] === true,
      ...(color === undefined ? {} : { color }),
    }),
  };
}

function givenOf(
  member: Subcommand,
  words: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): SubcommandInput {
  const values = new Map<string, unknown>();
  // The parser reports `--no-x` as `--x` with the value false.
  for (const { name } of member.options ?? [])
    values.set(
      name,
      name.startsWith('no-') ? options[toCamelCase(name.slice(3))] === false : options[toCamelCase(name)],
    );
  for (const [at, argument] of (member.arguments ?? []).entries()) values.set(argument.name, words[at]);
  const optional = (name: string): string | undefined => {
    const value = values.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  for (const option of member.options ?? []) assertListed(option, optional(option.name));
  return {
    optional,
    text: (name) => {
      const value = optional(name);
      if (value === undefined) throw makeUsageError(`Missing argument: ${name}. See coppice ${member.name} --help.`);
      return value;
    },
    many: (name) => {
      const value = values.get(name);
      return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
    },
    flag: (name) => values.get(name) === true,
    count: (name, least = 1) => {
      const value = optional(name);
      if (value === undefined) return undefined;
      if (!/^\d{1,15}$/.test(value) || Number(value) < least)
        throw makeUsageError(`Invalid value for --${name}: ${value}. Use a whole number from ${least}.`);
      return Number(value);
    },
  };
}

/** Throws if the help of an option lists its values, as in `--by <project|program>`, but not the given one. */
function assertListed({ name, value: placeholder }: SubcommandOption, value: string | undefined): void {
  const listed = placeholder?.split('|') ?? [];
  if (listed.length > 1 && value !== undefined && !listed.includes(value))
    throw makeUsageError(`Unknown value for --${name}: ${value}. Use one of ${listed.join(', ')}.`);
}

function toCamelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
