/** A page of a thread with all that a page of the app shows of it, from one look at the store. */
import {
  ask,
  type Bookmark,
  type BranchPage,
  type Node,
  type NodeId,
  nodeId,
  type PageRequest,
  type Reading,
  readPage,
  refuse,
  type Store,
  type TreeId,
} from '@coppice/core';
import { given } from './given.ts';
import { readBookmarks } from './tree-view.ts';

/** Where a message stands among its variants. */
export interface Variants {
  readonly index: number;
  readonly total: number;
  readonly ids: readonly NodeId[];
}

/** A page of a branch, as it crosses the wire. */
export interface ThreadPage extends Omit<BranchPage, 'groups'> {
  /** Pass it as `after` to get the page below, towards the same end; null where the page reaches it. */
  readonly after: NodeId | null;
  readonly groups: Readonly<Record<string, readonly Node[]>>;
  readonly variants: Readonly<Record<string, Variants>>;
  readonly bookmarks: Readonly<Record<string, Bookmark>>;
  /** The runs that write pending nodes of the page, by node. */
  readonly runs: Readonly<Record<string, string>>;
}

/** Which page is wanted. */
export interface ThreadPageRequest {
  readonly nodeId?: string | undefined;
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly siblings?: boolean | undefined;
}

// A page past this is no page; whoever wants the whole path asks for the path.
const mostNodes = 1_000;

/** The first nodes below a cursor on the way to an end, as a page; the root stands for the beginning. */
function* readBelow(treeId: TreeId, wish: PageRequest, after: string): Reading<BranchPage> {
  const { rootId, activeNodeId } = yield* readPage(treeId, { ...wish, limit: 1 });
  const end = nodeId(wish.nodeId ?? activeNodeId ?? rootId);
  // The way is read without what it says; what is on the page is read as any page that ends there.
  const { notes } = end === rootId ? { notes: [] } : yield* ask('pathNotes', { to: end });
  const at = notes.findIndex((note) => note.id === after);
  if (at < 0 && after !== rootId)
    refuse('tree/not-on-path', `The node ${after} is not on the path to ${end}.`, { nodeId: after });
  const page = notes.slice(at + 1, at + 1 + Math.max(1, wish.limit ?? 20));
  return yield* readPage(treeId, { ...wish, nodeId: page.at(-1)?.id ?? rootId, limit: page.length });
}

function* readSurrounded(page: BranchPage, end: string | undefined): Reading<Omit<ThreadPage, 'runs'>> {
  const variants = new Map<string, Variants>();
  const hung = page.nodes.flatMap(({ id, parentId }) => (parentId === null ? [] : [{ id, parentId }]));
  // One question for all of them: a page costs a database far away the same few round trips however long it is.
  const children = hung.length === 0 ? [] : yield* ask('childIds', { of: hung.map((node) => node.parentId) });
  for (const [at, { id }] of hung.entries()) {
    const ids = children[at] ?? [];
    variants.set(id, { index: ids.indexOf(id), total: ids.length, ids });
  }
  const bookmarks = yield* readBookmarks(page.nodes.map((node) => node.id));
  const { groups, ...rest } = page;
  const last = page.nodes.at(-1)?.id ?? null;
  const after = last === (end ?? page.activeNodeId) ? null : last;
  return { ...rest, after, groups: Object.fromEntries(groups), variants: Object.fromEntries(variants), bookmarks };
}

/** Reads a page. Refuses an unknown tree or node and a cursor off the path. */
export async function readThreadPage(store: Store, treeId: TreeId, request: ThreadPageRequest): Promise<ThreadPage> {
  const { limit, after, ...rest } = request;
  const wish = given({ ...rest, limit: limit === undefined ? undefined : Math.min(limit, mostNodes) });
  const found = await store.read(treeId, function* () {
    const down = after !== undefined && request.before === undefined;
    return yield* readSurrounded(
      down ? yield* readBelow(treeId, wish, after) : yield* readPage(treeId, wish),
      request.nodeId,
    );
  });
  const shown = [...found.nodes, ...Object.values(found.groups).flat()];
  if (!shown.some((node) => node.status === 'pending')) return { ...found, runs: {} };
  const runs = await store.runs.list(treeId);
  return { ...found, runs: Object.fromEntries(runs.map((run) => [run.nodeId, run.id])) };
}
