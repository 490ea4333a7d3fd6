/** Which tree and which node a word on the command line means. */
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
import { nodeAbove, nodesByReference, positionOfWord } from '@coppice/engine';
import { commandLineFor } from './changing.ts';
import type { CliContext } from './cli-context.ts';

const shortest = 4;

/** The tree that changed last goes by this name. */
export const lastTree = 'last';

/** Whether a word stands for the tree that changed last. */
export function isLast(word: string): boolean {
  return word === lastTree || word === '-';
}

/** Nothing goes by that word. `line` is one to run next, and `does` what it does. */
function notFound(what: 'tree' | 'node', word: string, at: CliContext, line: string, does: string, why = ''): AppError {
  const next = commandLineFor(at, line);
  return new AppError({
    code: what === 'tree' ? 'tree/unknown-tree' : 'tree/unknown-node',
    kind: 'not-found',
    message: `No ${what === 'tree' ? 'conversation' : 'message'} matches ${JSON.stringify(word)}${why}.${next === null ? '' : ` ${does} ${next}.`}`,
  });
}

function ambiguous(what: string, word: string, found: readonly string[], how = 'Give more of the id.'): AppError {
  return new AppError({
    code: 'cli/ambiguous',
    kind: 'invalid',
    message: `${JSON.stringify(word)} matches ${found.length} ${what === 'tree' ? 'conversations' : 'messages'}: ${found.slice(0, 5).join(', ')}. ${how}`,
    data: { found: found.slice(0, 20) },
  });
}

/** The tree of an id, of the beginning of one, of an exact title, or `last` for the one that changed last. */
export async function findTree(at: CliContext, word: string): Promise<TreeRow> {
  const store = await at.store();
  const whole: boolean = isUuid(word);
  if (whole) return store.read(treeId(word), () => readTree(treeId(word)));
  if (isLast(word)) {
    const newest = (await store.trees({ limit: 1 })).items[0];
    if (newest === undefined) {
      const trashed = (await store.trees({ limit: 1, trashed: true })).items.length > 0;
      throw trashed
        ? notFound('tree', word, at, 'coppice trash', 'List them with', ': every conversation is in the trash')
        : notFound('tree', word, at, 'coppice append --new', 'Start one with', ': there are none yet');
    }
    return newest;
  }
  const byId: TreeRow[] = [];
  const byTitle: TreeRow[] = [];
  const isPrefix = word.length >= shortest && /^[0-9a-f-]+$/i.test(word);
  const beginning = word.toLowerCase();
  for (const trashed of [false, true]) {
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<Store['trees']>> = await store.trees({
        limit: 200,
        trashed,
        ...(isPrefix ? {} : { title: word }),
        ...(cursor === null ? {} : { cursor }),
      });
      for (const row of page.items) {
        if (isPrefix && row.id.startsWith(beginning)) byId.push(row);
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
 * The node of an id, of the beginning or end of one, of a bookmark's title, or by place: `@` is the active node, `@~2` two
 * above it, `root` the root. A whole id is taken as it is: it may lie in the trash.
 */
export async function findNodeIn(at: CliContext, row: TreeRow, word: string): Promise<NodeId> {
  const store = await at.store();
  const whole: boolean = isUuid(word);
  if (whole) return nodeId(word);
  const place = word === 'root' ? 'start' : positionOfWord(word);
  if (place !== null) return place === 'start' ? row.rootId : nodeAboveTarget(store, row, place.above);
  const { ids } = await store.read(row.id, () => nodesByReference(row.rootId, word));
  if (ids.length > 1) throw ambiguous('node', word, ids);
  return ids[0] ?? Promise.reject(notFound('node', word, at, `coppice tree ${row.id}`, 'See them with'));
}

async function nodeAboveTarget(store: Store, row: TreeRow, levels: number): Promise<NodeId> {
  return (await store.read(row.id, () => nodeAbove(row.activeNodeId, levels))) ?? row.rootId;
}

/** The tree and the node that two words mean; the active node if there is only one word. */
export async function findTarget(
  at: CliContext,
  tree: string,
  node: string | undefined,
): Promise<{ readonly treeId: TreeId; readonly row: TreeRow; readonly nodeId: NodeId }> {
  const row = await findTree(at, tree);
  return {
    treeId: row.id,
    row,
    nodeId: node === undefined ? await nodeAboveTarget(await at.store(), row, 0) : await findNodeIn(at, row, node),
  };
}
