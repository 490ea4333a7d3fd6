/** Resolves references to nodes; slash commands and the command line use the same rules. */
import { type AppError, ask, type Bookmark, type NodeId, type ReadProgram } from '@coppice/core';
import { makeCommandError } from './errors.ts';
import type { PhraseCode } from './phrases.ts';

/** The words that name a position. A label must not be one of them, because it could not be referenced. */
export const positionWords: ReadonlyMap<string, PhraseCode> = new Map([
  ['@here', 'position-here'],
  ['@start', 'position-start'],
]);

/** What a position word means: before the first message, or a number of messages above the current one. */
export type PositionWord = 'start' | { readonly above: number };

/** Parses a position word: `@start`, `@here` or `@` for short, `@~2` for two above it; null for any other word. */
export function parsePositionWord(word: string): PositionWord | null {
  if (word === '@start') return 'start';
  const above = /^@(?:here)?(?:~(\d{1,6}))?$/.exec(word);
  return above === null ? null : { above: Number(above[1] ?? 0) };
}

/**
 * Finds the node `levels` above another. Null is the position before the first message, one level above it. Throws if
 * there are not that many levels, because a wrong count should not move the user to the start.
 */
export function* findNodeAbove(from: NodeId | null, levels: number): ReadProgram<NodeId | null> {
  const nodes = from === null ? [] : (yield* ask('path', { to: from, limit: levels + 1 })).nodes;
  if (levels > nodes.length) throw makeTooFarError(levels, nodes.length);
  return nodes[nodes.length - 1 - levels]?.id ?? null;
}

function makeTooFarError(levels: number, reach: number): AppError {
  const word = `@~${levels}`;
  const furthest =
    reach === 0
      ? 'this branch has no message yet'
      : `the first message is @${reach === 1 ? '' : `~${reach - 1}`}, and @~${reach} is the start before it`;
  return makeCommandError('command/no-such-node', `There is no message ${word}: ${furthest}.`, { reach });
}

/** The nodes that a name matches, and all labels. */
export interface ReferencedNodes {
  /** Empty if nothing matches; several if the name is ambiguous. */
  readonly ids: readonly NodeId[];
  /** All labels, for suggestions in an error message. */
  readonly labels: readonly string[];
}

/** Finds the nodes with this label (exact, else case-insensitive), else those whose id starts or ends with the name. */
export function* findNodesByReference(rootId: NodeId, name: string): ReadProgram<ReferencedNodes> {
  const { bookmarks } = yield* ask('subtreeInfo', { of: rootId });
  const labels = bookmarks.map((mark) => mark.title);
  const labelled = findByLabel(bookmarks, name);
  const part = /^[0-9a-f-]{4,36}$/i.test(name) ? name.toLowerCase() : null;
  return { ids: labelled.length > 0 || part === null ? labelled : yield* findByIdPart(rootId, part), labels };
}

function findByLabel(bookmarks: readonly Bookmark[], name: string): NodeId[] {
  const same = bookmarks.filter((mark) => mark.title === name);
  const alike = same.length > 0 ? same : bookmarks.filter((mark) => mark.title.toLowerCase() === name.toLowerCase());
  return alike.map((mark) => mark.nodeId);
}

// Lists print the last characters of an id, because ids of the same minute begin alike.
const printedLength = 8;

/** Returns whether an id begins or ends with a text, or the part of the id that lists print begins with it. */
export function matchesIdPart(id: string, part: string): boolean {
  return id.startsWith(part) || id.endsWith(part) || id.slice(-printedLength).startsWith(part);
}

/** Finds the nodes whose id begins with `part`; if there are none, those that {@link matchesIdPart} accepts. */
function* findByIdPart(rootId: NodeId, part: string): ReadProgram<NodeId[]> {
  const nodes = yield* ask('topology', { of: rootId });
  const begin = nodes.filter((node) => node.id.startsWith(part));
  return (begin.length > 0 ? begin : nodes.filter((node) => matchesIdPart(node.id, part))).map((node) => node.id);
}
