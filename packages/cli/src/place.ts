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
import { nodeAbove, nodesNamed, placeOfWord } from '@coppice/engine';

const shortest = 4;

/** The tree that changed last goes by this name. */
export const lastTree = 'last';

/** Whether a word stands for the tree that changed last. */
export function isLast(word: string): boolean {
  return word === lastTree || word === '-';
}

function notFound(what: string, word: string, hint: string): AppError {
  return new AppError({
    code: what === 'tree' ? 'tree/unknown-tree' : 'tree/unknown-node',
    kind: 'not-found',
    message: `There is no ${what} ${JSON.stringify(word)}. ${hint}`,
  });
}

function ambiguous(what: string, word: string, found: readonly string[]): AppError {
  return new AppError({
    code: 'cli/ambiguous',
    kind: 'invalid',
    message: `${JSON.stringify(word)} could be ${found.length} ${what}s: ${found.slice(0, 5).join(', ')}. Give more of its id.`,
    data: { found: found.slice(0, 20) },
  });
}

/** The tree of an id, of the beginning of one, of an exact title, or `last` for the one that changed last. */
export async function findTree(store: Store, word: string): Promise<TreeRow> {
  const whole: boolean = isUuid(word);
  if (whole) return store.read(treeId(word), () => readTree(treeId(word)));
  if (isLast(word)) {
    const newest = (await store.trees({ limit: 1 })).items[0];
    if (newest === undefined)
      throw notFound('tree', word, 'Nothing is kept here yet; coppice append --new begins a tree.');
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
    );
  return found[0] ?? Promise.reject(notFound('tree', word, 'coppice ls lists what there is.'));
}

/**
 * The node of an id, of the beginning or end of one, of a bookmark's title, or by place: `@` is the active node, `@~2` two
 * above it, `root` the root. A whole id is taken as it is: it may lie in the trash.
 */
export async function findNodeIn(store: Store, row: TreeRow, word: string): Promise<NodeId> {
  const whole: boolean = isUuid(word);
  if (whole) return nodeId(word);
  const place = word === 'root' ? 'start' : placeOfWord(word);
  if (place !== null) return place === 'start' ? row.rootId : above(store, row, place.above);
  const { ids } = await store.read(row.id, () => nodesNamed(row.rootId, word));
  if (ids.length > 1) throw ambiguous('node', word, ids);
  return ids[0] ?? Promise.reject(notFound('node', word, `coppice tree ${row.id} shows what there is.`));
}

async function above(store: Store, row: TreeRow, levels: number): Promise<NodeId> {
  return (await store.read(row.id, () => nodeAbove(row.activeNodeId, levels))) ?? row.rootId;
}

/** The tree and the node that two words mean; the active node if there is only one word. */
export async function findPlaceOf(
  store: Store,
  tree: string,
  node: string | undefined,
): Promise<{ readonly treeId: TreeId; readonly row: TreeRow; readonly nodeId: NodeId }> {
  const row = await findTree(store, tree);
  return {
    treeId: row.id,
    row,
    nodeId: node === undefined ? await above(store, row, 0) : await findNodeIn(store, row, node),
  };
}
