/** Reads a page of a thread with all data that the app shows, from one snapshot of the store. */

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
import { omitUndefined } from '@coppice/core/decode';
import { rowChanges } from '@coppice/core/tree';
import { readBookmarksByNode } from './tree-view.ts';

/** The position of a message among its variants, from 0. */
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

// The largest number of nodes in a page. A client that needs more requests the whole path instead.
const maxPageNodes = 1_000;

interface CachedPath {
  readonly version: number;
  readonly ids: readonly NodeId[];
}

// The cache size per store in nodes, for example ten paths of 30,000 nodes.
const maxCachedNodes = 300_000;

// Cached paths. Reading a long branch downwards requests many pages of the same path, which has to be read only once.
const cachedPaths = new WeakMap<Store, Map<TreeId, CachedPath>>();

// After more changes than this, the path is read again, because checking the changes would take as long.
const maxCheckedChanges = 64;

/**
 * Updates a cached path to a later version and to a leaf on the path or below it. Returns null if a node of the path
 * was moved or removed; the path has to be read again then.
 */
function* updateCachedPath(known: CachedPath, end: NodeId, version: number): ReadProgram<readonly NodeId[] | null> {
  const changes = version - known.version;
  if (changes < 0 || changes > maxCheckedChanges) return null;
  const commits = changes === 0 ? [] : yield* ask('log', { since: known.version });
  if (commits.length !== changes) return null;
  const parentOfAdded = new Map<NodeId, NodeId>();
  for (const change of commits.flatMap((commit) => rowChanges(commit.steps, commit))) {
    if (change.op === 'added' && change.node.parentId !== null) parentOfAdded.set(change.node.id, change.node.parentId);
    // Removing or moving a node on the path changes the path; other changes do not.
    if (movedOrRemovedNodes(change).some((id) => parentOfAdded.has(id) || known.ids.includes(id))) return null;
  }
  const below: NodeId[] = [];
  let at = end;
  for (let next = parentOfAdded.get(at); next !== undefined; next = parentOfAdded.get(at)) {
    below.push(at);
    at = next;
  }
  const index = known.ids.lastIndexOf(at);
  return index < 0 ? null : [...known.ids.slice(0, index + 1), ...below.reverse()];
}

/** Returns the nodes that a change moves or removes. */
function movedOrRemovedNodes(change: RowChange): readonly NodeId[] {
  if (change.op === 'marked') return change.to === null ? [] : [change.nodeId];
  return change.op === 'updated' && change.set.parentId !== undefined ? change.nodeIds : [];
}

/** Returns the path to a node other than the root, from the cache or the store. */
function* readCachedPath(store: Store, treeId: TreeId, end: NodeId, version: number): ReadProgram<readonly NodeId[]> {
  const pathsByTree = cachedPaths.get(store) ?? new Map<TreeId, CachedPath>();
  cachedPaths.set(store, pathsByTree);
  const known = pathsByTree.get(treeId);
  const ids =
    (known === undefined ? null : yield* updateCachedPath(known, end, version)) ??
    (yield* ask('pathMeta', { to: end })).entries.map((note) => note.id);
  pathsByTree.delete(treeId);
  pathsByTree.set(treeId, { version, ids });
  let cachedNodes = 0;
  for (const path of pathsByTree.values()) cachedNodes += path.ids.length;
  for (const [oldest, path] of pathsByTree) {
    if (cachedNodes <= maxCachedNodes) break;
    pathsByTree.delete(oldest);
    cachedNodes -= path.ids.length;
  }
  return ids;
}

/** Reads the first nodes after a cursor on the path to a leaf, as a page. The root as cursor means the first page. */
function* readPageBelow(
  store: Store,
  treeId: TreeId,
  pageRequest: PageRequest,
  after: string,
): ReadProgram<BranchPage> {
  const { rootId, activeNodeId, version } = yield* readPage(treeId, { ...pageRequest, limit: 1 });
  const end = nodeId(pageRequest.nodeId ?? activeNodeId ?? rootId);
  // The path is read without contents. Only the nodes of the page are read with contents.
  const path = end === rootId ? [] : yield* readCachedPath(store, treeId, end, version);
  const pathIds: readonly string[] = path;
  const at = pathIds.indexOf(after);
  if (at < 0 && after !== rootId)
    refuse('tree/not-on-path', `The message ${after} is not on the path to ${end}.`, { nodeId: after });
  const page = path.slice(at + 1, at + 1 + (pageRequest.limit ?? 20));
  return yield* readPage(treeId, { ...pageRequest, nodeId: page.at(-1) ?? rootId, limit: Math.max(1, page.length) });
}

function* addVariantsAndBookmarks(page: BranchPage, end: string | undefined): ReadProgram<Omit<ThreadPage, 'runs'>> {
  const variants = new Map<string, VariantPosition>();
  const nodesWithParent = page.nodes.flatMap(({ id, parentId }) => (parentId === null ? [] : [{ id, parentId }]));
  // One read for all nodes, so that a page needs only a few round trips to a remote database.
  const children =
    nodesWithParent.length === 0 ? [] : yield* ask('childIds', { of: nodesWithParent.map((node) => node.parentId) });
  for (const [at, { id }] of nodesWithParent.entries()) {
    const ids = children[at] ?? [];
    variants.set(id, { index: ids.indexOf(id), total: ids.length, ids });
  }
  const bookmarks = yield* readBookmarksByNode(page.nodes.map((node) => node.id));
  const { groups, ...rest } = page;
  const last = page.nodes.at(-1)?.id ?? null;
  const after = last === (end ?? page.activeNodeId) ? null : last;
  return { ...rest, after, groups: Object.fromEntries(groups), variants: Object.fromEntries(variants), bookmarks };
}

/** Reads a page of a branch. Throws on an unknown tree or node, and on a cursor that is not on the path. */
export async function readThreadPage(store: Store, treeId: TreeId, request: ThreadPageRequest): Promise<ThreadPage> {
  const { limit, after, ...rest } = request;
  const pageRequest = omitUndefined({
    ...rest,
    limit: limit === undefined ? undefined : Math.min(limit, maxPageNodes),
  });
  const found = await store.read(treeId, function* () {
    const down = after !== undefined && request.before === undefined;
    return yield* addVariantsAndBookmarks(
      down ? yield* readPageBelow(store, treeId, pageRequest, after) : yield* readPage(treeId, pageRequest),
      request.nodeId,
    );
  });
  const shown = [...found.nodes, ...Object.values(found.groups).flat()];
  if (!shown.some((node) => node.status === 'pending')) return { ...found, runs: {} };
  const runs = await store.runs.list(treeId);
  return { ...found, runs: Object.fromEntries(runs.map((run) => [run.nodeId, run.id])) };
}
