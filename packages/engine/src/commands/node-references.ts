/** What a word means that somebody typed for a node: the same to slash commands and on the command line. */
import { type AppError, ask, type Bookmark, type NodeId, type ReadProgram } from '@coppice/core';
import { commandError } from './errors.ts';

/** Words that stand for a place; a label cannot take them. */
export const positionWords: ReadonlyMap<string, string> = new Map([
  ['@here', 'where you are'],
  ['@start', 'before the first message'],
]);

/** A place that is told without a name: before the first message, or so many messages above where somebody is. */
export type PositionWord = 'start' | { readonly above: number };

/** The place that a word stands for: `@start`, `@here` or `@` for short, `@~2` for two above it; null for a name. */
export function positionOfWord(word: string): PositionWord | null {
  if (word === '@start') return 'start';
  const above = /^@(?:here)?(?:~(\d{1,6}))?$/.exec(word);
  return above === null ? null : { above: Number(above[1] ?? 0) };
}

/**
 * The node so many levels above another; null for the place before the first message, which is one above that. What
 * would be above that place is refused: whoever counted wrong does not want to begin anew.
 */
export function* nodeAbove(from: NodeId | null, levels: number): ReadProgram<NodeId | null> {
  const nodes = from === null ? [] : (yield* ask('path', { to: from, limit: levels + 1 })).nodes;
  if (levels > nodes.length) throw tooFar(levels, nodes.length);
  return nodes[nodes.length - 1 - levels]?.id ?? null;
}

function tooFar(levels: number, reach: number): AppError {
  const word = `@~${levels}`;
  const furthest =
    reach === 0
      ? 'there is no message yet, and @ is the place before the first one'
      : `the first message is @${reach === 1 ? '' : `~${reach - 1}`}, and @~${reach} the place before it`;
  return commandError('command/no-such-node', `There is no node ${word}: ${furthest}.`, { reach });
}

/** What a name stands for in a tree. */
export interface ReferencedNodes {
  /** None, one, or several where the name does not say which. */
  readonly ids: readonly NodeId[];
  /** The labels that there are, for whoever wants to say what could have been meant. */
  readonly labels: readonly string[];
}

/** The nodes with a label, exactly so or else in any case, or with this beginning or else this end of their ids. */
export function* nodesByReference(rootId: NodeId, name: string): ReadProgram<ReferencedNodes> {
  const { bookmarks } = yield* ask('subtreeInfo', { of: rootId });
  const labels = bookmarks.map((mark) => mark.title);
  const labelled = byLabel(bookmarks, name);
  const part = /^[0-9a-f-]{4,36}$/i.test(name) ? name.toLowerCase() : null;
  return { ids: labelled.length > 0 || part === null ? labelled : yield* byPart(rootId, part), labels };
}

function byLabel(bookmarks: readonly Bookmark[], name: string): NodeId[] {
  const same = bookmarks.filter((mark) => mark.title === name);
  const alike = same.length > 0 ? same : bookmarks.filter((mark) => mark.title.toLowerCase() === name.toLowerCase());
  return alike.map((mark) => mark.nodeId);
}

/** Nodes whose id begins so, or else ends so: ids made in the same minute begin alike, and lists show their ends. */
function* byPart(rootId: NodeId, part: string): ReadProgram<NodeId[]> {
  const nodes = yield* ask('topology', { of: rootId });
  const begin = nodes.filter((node) => node.id.startsWith(part));
  return (begin.length > 0 ? begin : nodes.filter((node) => node.id.endsWith(part))).map((node) => node.id);
}
