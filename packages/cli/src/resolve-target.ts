/** Resolves words of the command line to trees and nodes. */
import {
  AppError,
  isUuid,
  type NodeId,
  nodeId,
  readTree,
  type Store,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { findNodeAbove, findNodesByReference, matchesIdPart, parsePositionWord } from '@coppice/engine/node-references';
import type { CliContext } from './cli-context.ts';
import { shortenId } from './short-ids.ts';
import { buildCommandLine } from './tree-changes.ts';

// The shortest part of an id that is accepted. A shorter word would match ids by accident.
const fewestCharacters = 4;

/** The word that stands for the tree that changed last. */
export const lastTreeName = 'last';

export function isLastTreeName(word: string): boolean {
  return word === lastTreeName || word === '-';
}

/** Returns the error for an unknown word. `line` is a command to run next, and `does` describes that command. */
function notFound(what: 'tree' | 'node', word: string, at: CliContext, line: string, does: string, why = ''): AppError {
  const next = buildCommandLine(at, line);
  return new AppError({
    code: what === 'tree' ? 'tree/unknown-tree' : 'tree/unknown-node',
    kind: 'not-found',
    message: `No ${what === 'tree' ? 'chat' : 'message'} matches ${JSON.stringify(word)}${why}.${next === null ? '' : ` ${does} ${next}.`}`,
  });
}

function ambiguous(
  what: string,
  word: string,
  found: readonly string[],
  how = 'Type more characters of the id.',
): AppError {
  return new AppError({
    code: 'cli/ambiguous',
    kind: 'invalid',
    message: `${JSON.stringify(word)} matches ${found.length} ${what === 'tree' ? 'chats' : 'messages'}: ${found.slice(0, 5).join(', ')}. ${how}`,
    data: { found: found.slice(0, 20) },
  });
}

/** Finds a tree by its id, the beginning or end of the id, its exact title, or `last` for the last changed one. */
export async function findTree(at: CliContext, word: string): Promise<TreeRow> {
  const store = await at.store();
  const whole: boolean = isUuid(word);
  if (whole) return store.read(treeId(word), () => readTree(treeId(word)));
  if (isLastTreeName(word)) {
    const newest = (await store.trees({ limit: 1 })).items[0];
    if (newest === undefined) {
      const trashed = (await store.trees({ limit: 1, trashed: true })).items.length > 0;
      throw trashed
        ? notFound('tree', word, at, 'coppice trash', 'List them with', ': every chat is in the trash')
        : notFound('tree', word, at, 'coppice chat', 'Start one with', ': there are no chats yet');
    }
    return newest;
  }
  const byId: TreeRow[] = [];
  const byTitle: TreeRow[] = [];
  const matchesId = matchIdPart(word);
  for (const trashed of [false, true]) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Store['trees']>> = await store.trees({
        limit: 200,
        trashed,
        ...(matchesId === null ? { title: word } : {}),
        ...(cursor === null ? {} : { cursor }),
      });
      for (const row of page.items) {
        if (matchesId?.(row.id) === true) byId.push(row);
        if ((row.attributes.title ?? row.attributes.autoTitle) === word) byTitle.push(row);
      }
      cursor = page.cursor;
    } while (cursor !== null);
  }
  const found = byTitle.length > 0 ? byTitle : byId;
  if (found.length > 1)
    throw ambiguous(
      'tree',
      word,
      found.map((row) => row.id),
      byTitle.length > 0 ? 'Use the id instead.' : undefined,
    );
  return found[0] ?? Promise.reject(notFound('tree', word, at, 'coppice ls', 'List them with'));
}

/**
 * Returns a test for ids that contain a word as {@link matchesIdPart} describes; null if the word cannot be part of an
 * id.
 */
function matchIdPart(word: string): ((id: string) => boolean) | null {
  if (word.length < fewestCharacters || !/^[0-9a-f-]+$/i.test(word)) return null;
  const part = word.toLowerCase();
  return (id) => matchesIdPart(id, part);
}

/** Finds a deleted message of a tree by its id or a part of the id, as `coppice trash` prints it. */
export async function findDeletedNode(at: CliContext, row: TreeRow, word: string): Promise<NodeId> {
  const matchesId = matchIdPart(word);
  const whole: boolean = isUuid(word);
  if (whole || matchesId === null) return findNodeInTree(at, row, word);
  const found = (await (await at.store()).trash(row.id)).map((item) => item.nodeId).filter(matchesId);
  if (found.length > 1) throw ambiguous('node', word, found);
  return found[0] ?? findNodeInTree(at, row, word);
}

/**
 * Finds a node by its id, part of the id, the title of a bookmark, or its position: `@` is the active node, `@~2` the
 * node two above it, `root` the root. A whole id is returned unchecked, because the node may be in the trash.
 */
export async function findNodeInTree(at: CliContext, row: TreeRow, word: string): Promise<NodeId> {
  const store = await at.store();
  const whole: boolean = isUuid(word);
  if (whole) return nodeId(word);
  const place = word === 'root' ? 'start' : parsePositionWord(word);
  if (place !== null) return place === 'start' ? row.rootId : nodeAboveTarget(store, row, place.above);
  const { ids } = await store.read(row.id, () => findNodesByReference(row.rootId, word));
  if (ids.length > 1) throw ambiguous('node', word, ids);
  return ids[0] ?? Promise.reject(notFound('node', word, at, `coppice tree ${shortenId(row.id)}`, 'See them with'));
}

async function nodeAboveTarget(store: Store, row: TreeRow, levels: number): Promise<NodeId> {
  return (await store.read(row.id, () => findNodeAbove(row.activeNodeId, levels))) ?? row.rootId;
}

/** Resolves two words to a tree and a node. Without a second word the node is the active one. */
export async function findTarget(
  at: CliContext,
  tree: string,
  node: string | undefined,
): Promise<{ readonly treeId: TreeId; readonly row: TreeRow; readonly nodeId: NodeId }> {
  const row = await findTree(at, tree);
  return {
    treeId: row.id,
    row,
    nodeId: node === undefined ? await nodeAboveTarget(await at.store(), row, 0) : await findNodeInTree(at, row, node),
  };
}
