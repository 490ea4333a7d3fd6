/** Completes the end of a command line: command names, options, labels, nodes, models. */
import { ask, type Node, type NodeId, nodeId, type ReadProgram } from '@coppice/core';
import { previewOf } from '@coppice/core/tree';
import type { CommandDefinition, CommandParameter, CommandScope, CommandWord } from './contract.ts';
import { quoteBeginning, roleLabelOf, stripControlCharacters } from './format.ts';
import { positionWords } from './node-references.ts';
import { quoteCommandWord, splitCommandWords } from './parse.ts';
import { makeArgumentPhrase, makePhrase, makeSummaryPhrase, type Phrase, phraseToEnglish } from './phrases.ts';

/** A suggestion of how the line continues. */
export interface LineCompletion {
  /** Replaces the line from {@link LineCompletions.from} on; quoted where necessary. */
  readonly value: string;
  readonly label: string;
  readonly about: string;
  /** The description as a code with values, if Coppice wrote it. */
  readonly phrase?: Phrase | undefined;
}

/** The suggestions for a line, and the offset from which they replace it. */
export interface LineCompletions {
  readonly from: number;
  readonly items: readonly LineCompletion[];
}

const most = 20;
// Completion offers this many ancestors; nodes further up are found by searching their text.
const nearby = 32;

/** Completes a line. The cost depends on the number of suggestions, not on the size of the tree. */
export async function completeCommandLine(line: string, scope: CommandScope): Promise<LineCompletions> {
  const { words, open } = splitCommandWords(line);
  const atNew = !open && (line === '' || /\s$/.test(line));
  const [first] = words;
  if (first === undefined || (words.length === 1 && !atNew)) return namesFor(first, line, scope);
  const command = scope.commands.find((one) => one.name === first.text.replace(/^\//, '').toLowerCase());
  const last = atNew ? undefined : words.at(-1);
  const typed = last?.text ?? '';
  const from = last?.at ?? line.length;
  if (command === undefined) return { from, items: [] };
  const before = words.slice(1, atNew ? undefined : -1);
  if (last !== undefined && !last.quoted && typed.startsWith('--'))
    return { from, items: optionsFor(command, before, typed) };
  const parameter = expectedArgument(command, before);
  const items = parameter === undefined ? [] : await valuesFor(scope, command, parameter, typed);
  return { from, items: items.length === 0 && typed === '' ? optionsFor(command, before, '') : items.slice(0, most) };
}

function namesFor(first: CommandWord | undefined, line: string, { commands }: CommandScope): LineCompletions {
  const typed = first?.text.replace(/^\//, '').toLowerCase() ?? '';
  const found = commands.filter((command) => command.name.startsWith(typed));
  return {
    from: first?.at ?? line.length,
    items: found.map((command) => ({
      value: `/${command.name}`,
      label: `/${command.name}`,
      about: command.summary,
      phrase: makeSummaryPhrase(command),
    })),
  };
}

function optionsFor(
  { name: command, parameters }: CommandDefinition,
  before: readonly CommandWord[],
  typed: string,
): LineCompletion[] {
  const used = new Set(before.filter((word) => !word.quoted).map((word) => word.text.replace(/=.*$/s, '')));
  return Object.entries(parameters)
    .filter(([name, { by }]) => by === 'name' && !used.has(`--${name}`) && `--${name}`.startsWith(typed))
    .map(([name, { about }]) => ({
      value: `--${name}`,
      label: `--${name}`,
      about,
      phrase: makeArgumentPhrase(command, name, about),
    }));
}

/** Returns the parameter that the next word is a value of; undefined if no parameter is left. */
function expectedArgument(
  { parameters }: CommandDefinition,
  before: readonly CommandWord[],
): CommandParameter | undefined {
  const placed = Object.values(parameters).filter(({ by }) => by === 'place');
  let at = 0;
  let open: CommandParameter | undefined;
  for (const { text, quoted: inQuotes } of before) {
    if (!inQuotes && text.startsWith('--')) {
      const name = text.slice(2);
      const found = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      open = found?.kind === 'flag' ? undefined : found;
    } else if (open === undefined) at = placed[at]?.kind === 'text' ? at : at + 1;
    else if (open.kind !== 'text') open = undefined;
  }
  return open ?? placed[at];
}

async function valuesFor(
  scope: CommandScope,
  { name: command, parameters }: CommandDefinition,
  parameter: CommandParameter,
  typed: string,
): Promise<LineCompletion[]> {
  const begins = (text: string) => text.toLowerCase().includes(typed.toLowerCase());
  switch (parameter.kind) {
    case 'node':
      return nodesFor(scope, typed);
    case 'choice': {
      const { about } = parameter;
      const [name = ''] = Object.entries(parameters).find(([, each]) => each === parameter) ?? [];
      const said = makeArgumentPhrase(command, name, about);
      return parameter.choices.filter(begins).map((value) => ({ value, label: value, about, phrase: said }));
    }
    case 'command':
      return scope.commands
        .filter(({ name }) => begins(name))
        .map((each) => ({ value: each.name, label: each.name, about: each.summary, phrase: makeSummaryPhrase(each) }));
    case 'model':
      return (scope.models?.list() ?? [])
        .filter(({ id, label }) => begins(id) || begins(label))
        .map(({ id, label, missing }) => ({ value: id, label: id, about: missing ?? label }));
    default:
      return [];
  }
}

async function nodesFor(scope: CommandScope, typed: string): Promise<LineCompletion[]> {
  const wanted = typed.toLowerCase();
  const { labels, nodes } = await scope.store.read(scope.treeId, () => readNearby(scope));
  const items: LineCompletion[] = [];
  for (const [word, code] of positionWords) {
    const said = makePhrase(code);
    if (wanted !== '' && word.startsWith(wanted))
      items.push({ value: word, label: word, about: phraseToEnglish(said), phrase: said });
  }
  for (const [title, node] of labels)
    if (title.toLowerCase().includes(wanted))
      items.push({
        value: quoteCommandWord(title),
        label: stripControlCharacters(title),
        about: completionLabel(node),
      });
  const offered = new Set<NodeId>();
  const offer = (node: Node) => {
    if (offered.has(node.id)) return;
    offered.add(node.id);
    items.push({ value: node.id, label: completionLabel(node), about: node.id });
  };
  for (const node of nodes)
    if (node.id.startsWith(wanted) || node.id.endsWith(wanted) || previewOf(node, 1).toLowerCase().includes(wanted))
      offer(node);
  for (const node of await searchNodes(scope, typed, items.length)) offer(node);
  return items;
}

/** Reads the labelled nodes, the nearest ancestors of the view's position, and the leaves of the newest branches. */
function* readNearby({ rootId, activeNodeId }: CommandScope): ReadProgram<{
  readonly labels: ReadonlyMap<string, Node>;
  readonly nodes: readonly Node[];
}> {
  const { bookmarks } = yield* ask('subtreeInfo', { of: rootId });
  const labels = new Map<string, Node>();
  for (const mark of bookmarks) {
    const node = yield* ask('node', { id: mark.nodeId });
    if (node !== null) labels.set(mark.title, node);
  }
  const path = activeNodeId === null ? [] : (yield* ask('path', { to: activeNodeId, limit: nearby })).nodes;
  return { labels, nodes: [...[...path].reverse(), ...(yield* ask('leaves', { limit: most }))] };
}

/** Finds further nodes by full-text search. */
async function searchNodes({ store, treeId }: CommandScope, typed: string, there: number): Promise<readonly Node[]> {
  if (typed.trim().length < 3 || there >= most || !store.supports.search) return [];
  const { items } = await store.search({ text: typed, treeId, limit: most });
  return store.read(treeId, function* (): ReadProgram<Node[]> {
    const nodes: Node[] = [];
    for (const hit of items) {
      const node = yield* ask('node', { id: nodeId(hit.nodeId) });
      if (node !== null) nodes.push(node);
    }
    return nodes;
  });
}

function completionLabel(node: Node): string {
  return `${roleLabelOf(node)} ${quoteBeginning(previewOf(node, 1))}`;
}
