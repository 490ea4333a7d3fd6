/** A page of a thread with all data that the app shows, from one snapshot. */
import {
  ask,
  type Bookmark,
  type BranchPage,
  type Node,
  type NodeId,
  nodeId,
  type PageRequest,
  type ReadProgram,
  type RowChange,
  readPage,
  refuse,
  type Store,
  type TreeId,
} from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';
import { omitUndefined } from './omit-undefined.ts';
import { readTreeBookmarks } from './tree-view.ts';

/** The position of a message among its variants. */
interface VariantPosition {
  readonly index: number;
  readonly total: number;
  readonly ids: readonly NodeId[];
}

/** A page of a branch for a response. */
export interface ThreadPage extends Omit<BranchPage, 'groups'> {
  /** The cursor of the next page towards the same leaf, for `after`; null if the page reaches the leaf. */
  readonly after: NodeId | null;
  readonly groups: Readonly<Record<string, readonly Node[]>>;
  readonly variants: Readonly<Record<string, VariantPosition>>;
  readonly bookmarks: Readonly<Record<string, Bookmark>>;
  /** The runs that write pending nodes of the page, by node. */
  readonly runs: Readonly<Record<string, string>>;
}

/** The cursor and size of the page to read. */
export interface ThreadPageRequest {
  readonly nodeId?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly siblings?: boolean | undefined;
}

// The largest number of nodes in a page. Clients that need the whole path request the path.
const mostNodes = 1_000;

interface PathPage {
  readonly version: number;
  readonly ids: readonly NodeId[];
}

// The cache size per store in nodes, for example ten paths of 30,000 nodes.
const mostRemembered = 300_000;

// Caches paths. Reading a long branch downwards requests many pages of the same path, which is then read only once.
const remembered = new WeakMap<Store, Map<TreeId, PathPage>>();

// After more changes than this the path is read again, because checking the changes would cost as much.
const mostChanges = 64;

/**
 * Updates a cached path to a later version and to a leaf on it or below it. Most changes are on other branches or at
 * the end. Null if the path has to be read again.
 */
function* readGrown(known: PathPage, end: NodeId, version: number): ReadProgram<readonly NodeId[] | null> {
  const changes = version - known.version;
  if (changes < 0 || changes > mostChanges) return null;
  const commits = changes === 0 ? [] : yield* ask('log', { since: known.version });
  if (commits.length !== changes) return null;
  const grown = new Map<NodeId, NodeId>();
  for (const change of commits.flatMap((commit) => rowChanges(commit.steps, commit))) {
    if (change.op === 'added' && change.node.parentId !== null) grown.set(change.node.id, change.node.parentId);
    // Removing or moving a node on the path changes the path; other changes do not.
    if (movedNodes(change).some((id) => grown.has(id) || known.ids.includes(id))) return null;
  }
  const below: NodeId[] = [];
  let at = end;
  for (let next = grown.get(at); next !== undefined; next = grown.get(at)) {
    below.push(at);
    at = next;
  }
  const place = known.ids.lastIndexOf(at);
  return place < 0 ? null : [...known.ids.slice(0, place + 1), ...below.reverse()];
}

/** The nodes that a change removes or moves. */
function movedNodes(change: RowChange): readonly NodeId[] {
  if (change.op === 'marked') return change.to === null ? [] : [change.nodeId];
  return change.op === 'updated' && change.set.parentId !== undefined ? change.nodeIds : [];
}

/** The path to a node other than the root, at a version. */
function* readPathPage(store: Store, treeId: TreeId, end: NodeId, version: number): ReadProgram<readonly NodeId[]> {
  const ways = remembered.get(store) ?? new Map<TreeId, PathPage>();
  remembered.set(store, ways);
  const known = ways.get(treeId);
  const ids =
    (known === undefined ? null : yield* readGrown(known, end, version)) ??
    (yield* ask('pathMeta', { to: end })).entries.map((note) => note.id);
  ways.delete(treeId);
  ways.set(treeId, { version, ids });
  let held = 0;
  for (const way of ways.values()) held += way.ids.length;
  for (const [oldest, way] of ways) {
    if (held <= mostRemembered) break;
    ways.delete(oldest);
    held -= way.ids.length;
  }
  return ids;
}

/** The first nodes below a cursor on the path to a leaf, as a page. The root as cursor means the beginning. */
function* readPageBelow(store: Store, treeId: TreeId, wish: PageRequest, after: string): ReadProgram<BranchPage> {
  const { rootId, activeNodeId, version } = yield* readPage(treeId, { ...wish, limit: 1 });
  const end = nodeId(wish.nodeId ?? activeNodeId ?? rootId);
  // The path is read without contents. The nodes of the page are read like any other page.
  const way = end === rootId ? [] : yield* readPathPage(store, treeId, end, version);
  const places: readonly string[] = way;
  const at = places.indexOf(after);
  if (at < 0 && after !== rootId)
    refuse('tree/not-on-path', `The node ${after} is not on the path to ${end}.`, { nodeId: after });
  const page = way.slice(at + 1, at + 1 + (wish.limit ?? 20));
  return yield* readPage(treeId, { ...wish, nodeId: page.at(-1) ?? rootId, limit: Math.max(1, page.length) });
}

function* readSurrounded(page: BranchPage, end: string | undefined): ReadProgram<Omit<ThreadPage, 'runs'>> {
  const variants = new Map<string, VariantPosition>();
  const hung = page.nodes.flatMap(({ id, parentId }) => (parentId === null ? [] : [{ id, parentId }]));
  // One read for all nodes, so that a page needs only a few round trips to a remote database.
  const children = hung.length === 0 ? [] : yield* ask('childIds', { of: hung.map((node) => node.parentId) });
  for (const [at, { id }] of hung.entries()) {
    const ids = children[at] ?? [];
    variants.set(id, { index: ids.indexOf(id), total: ids.length, ids });
  }
  const bookmarks = yield* readTreeBookmarks(page.nodes.map((node) => node.id));
  const { groups, ...rest } = page;
  const last = page.nodes.at(-1)?.id ?? null;
  const after = last === (end ?? page.activeNodeId) ? null : last;
  return { ...rest, after, groups: Object.fromEntries(groups), variants: Object.fromEntries(variants), bookmarks };
}

/** Reads a page. Throws on an unknown tree or node and on a cursor that is not on the path. */
export async function readThreadPage(store: Store, treeId: TreeId, request: ThreadPageRequest): Promise<ThreadPage> {
  const { limit, after, ...rest } = request;
  const wish = omitUndefined({ ...rest, limit: limit === undefined ? undefined : Math.min(limit, mostNodes) });
  const found = await store.read(treeId, function* () {
    const down = after !== undefined && request.before === undefined;
    return yield* readSurrounded(
      down ? yield* readPageBelow(store, treeId, wish, after) : yield* readPage(treeId, wish),
      request.nodeId,
    );
  });
  const shown = [...found.nodes, ...Object.values(found.groups).flat()];
  if (!shown.some((node) => node.status === 'pending')) return { ...found, runs: {} };
  const runs = await store.runs.list(treeId);
  return { ...found, runs: Object.fromEntries(runs.map((run) => [run.nodeId, run.id])) };
}
