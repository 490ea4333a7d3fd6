/** The loaded part of a tree, as an immutable value. Commits are applied to it as row changes. */
import type { Bookmark, Node, NodeId, RowChange } from '@coppice/core';
import { applyPatch } from '@coppice/core/tree';
import type { PageAnswer, TreeViewData } from './api-types.ts';
import { CopyOnWriteMap } from './copy-on-write-map.ts';

/** The loaded nodes of one path and of the groups on it, with all variants of each node. */
export interface LoadedBranch {
  readonly tree: TreeViewData;
  readonly nodes: ReadonlyMap<NodeId, Node>;
  /** The children of each parent, in order. A parent is missing if its children are not loaded. */
  readonly childrenByParent: ReadonlyMap<NodeId, readonly NodeId[]>;
  readonly bookmarks: ReadonlyMap<NodeId, Bookmark>;
  /** The end of the shown path. */
  readonly leaf: NodeId | null;
  /** The first loaded node, if there are older messages that are not loaded; else null. */
  readonly before: NodeId | null;
  /** The last shown node, if the view is in the middle of a long branch. Null if the view shows the end. */
  readonly until: NodeId | null;
}

/** Creates a branch without loaded nodes. */
export function createEmptyBranch(tree: TreeViewData): LoadedBranch {
  return {
    tree,
    nodes: new Map(),
    childrenByParent: new Map(),
    bookmarks: new Map(),
    leaf: null,
    before: null,
    until: null,
  };
}

/** Adds a page: as a new path that ends at `leaf`, or as older or newer messages of the shown path. */
export function addPage(
  part: LoadedBranch,
  page: PageAnswer,
  how: { readonly leaf: NodeId | null } | 'above' | 'below',
): LoadedBranch {
  const nodes = new CopyOnWriteMap(part.nodes);
  const kids = new CopyOnWriteMap(part.childrenByParent);
  const bookmarks = new CopyOnWriteMap(part.bookmarks);
  for (const node of page.nodes) {
    nodes.set(node.id, node);
    const group = page.groups[node.id];
    if (group !== undefined) for (const other of group) nodes.set(other.id, other);
    const ids = page.variants[node.id]?.ids;
    if (node.parentId !== null && ids !== undefined) kids.set(node.parentId, ids);
    const bookmark = page.bookmarks[node.id];
    if (bookmark === undefined) bookmarks.delete(node.id);
    else bookmarks.set(node.id, bookmark);
  }
  // All children of an empty tree are known, so its first messages are listed as variants.
  if (page.activeNodeId === null && page.nodes.length === 0) kids.set(page.rootId, []);
  const wanted = typeof how === 'string' ? part.leaf : how.leaf;
  const isKnown = wanted !== null && nodes.has(wanted);
  const leaf = typeof how === 'string' || isKnown ? wanted : (page.nodes.at(-1)?.id ?? wanted);
  const { activeNodeId, version } = page;
  const newer = version >= part.tree.version;
  return {
    tree: newer ? { ...part.tree, activeNodeId, version } : part.tree,
    nodes,
    childrenByParent: kids,
    bookmarks,
    leaf,
    before: how === 'below' ? part.before : page.before,
    until: how === 'below' ? page.after : how === 'above' ? part.until : null,
  };
}

/** Returns the shown messages, oldest first: the loaded path, or a section in the middle of a long branch. */
export function shownPath(part: LoadedBranch): readonly Node[] {
  return part.until === null ? loadedPath(part) : pathUp(part, part.until);
}

/** Returns the branch with its end shown instead of a section in the middle. */
export function showBranchEnd(part: LoadedBranch): LoadedBranch {
  if (part.until === null) return part;
  const [first] = pathUp({ ...part, before: null }, part.leaf);
  const top = first === undefined || first.parentId === part.tree.rootId;
  return { ...part, until: null, before: top ? null : first.id };
}

/** Shows the end of the branch if the shown section reaches it, or is no longer connected to loaded nodes. */
export function showEndIfReached(part: LoadedBranch): LoadedBranch {
  if (part.until === null) return part;
  const [first] = pathUp(part, part.until);
  const whole = first !== undefined && (first.id === part.before || first.parentId === part.tree.rootId);
  if (!whole) return showBranchEnd(part);
  const end = pathUp({ ...part, before: part.until }, part.leaf);
  return end[0]?.id === part.until ? { ...part, until: null } : part;
}

/**
 * Keeps older messages that were loaded before, so that a user who scrolled up can read on when the end of the branch
 * is read again. `before` is the first loaded node at that time.
 */
export function keepOlderPages(part: LoadedBranch, before: NodeId | null): LoadedBranch {
  let at = part.before === null ? undefined : part.nodes.get(part.before);
  for (let left = part.nodes.size; at !== undefined && left >= 0; left--) {
    if (at.id === before) return { ...part, before };
    if (at.parentId === part.tree.rootId) return before === null ? { ...part, before: null } : part;
    at = at.parentId === null ? undefined : part.nodes.get(at.parentId);
  }
  return part;
}

/** The loaded paths of branches, which several parts of a page read after each change. */
const loadedPaths = new WeakMap<LoadedBranch, readonly Node[]>();

/** Returns the loaded messages up to the end of the view, oldest first. The same branch returns the same list. */
export function loadedPath(part: LoadedBranch): readonly Node[] {
  const known = loadedPaths.get(part);
  if (known !== undefined) return known;
  const path = pathUp(part, part.leaf);
  loadedPaths.set(part, path);
  return path;
}

function pathUp(part: LoadedBranch, end: NodeId | null): readonly Node[] {
  const path: Node[] = [];
  let node = end === null ? undefined : part.nodes.get(end);
  while (node !== undefined && path.length <= part.nodes.size) {
    path.push(node);
    node = node.parentId === null || node.id === part.before ? undefined : part.nodes.get(node.parentId);
  }
  return path.reverse();
}

/**
 * Returns the end of a view that moves to a node, as far as nodes are loaded: the node itself, or the last visited leaf
 * below it. Returns null if the node is not connected to loaded nodes; then nothing can be shown before it is read.
 */
export function findLoadedEnd(part: LoadedBranch, id: NodeId, exactly: boolean): NodeId | null {
  let node = part.nodes.get(id);
  if (node === undefined || node.parentId === null) return null;
  if (node.parentId !== part.tree.rootId && !part.nodes.has(node.parentId)) return null;
  for (let left = part.nodes.size; !exactly && left > 0; left--) {
    const next: Node | undefined = node.lastChildId === null ? undefined : part.nodes.get(node.lastChildId);
    if (next === undefined || next.parentId !== node.id) break;
    node = next;
  }
  return node.id;
}

/**
 * Returns the last node to show after a branch was read. `before` is the branch at the time of the request, `now` the
 * current branch, and `end` the last node of the response. If new messages were added below `end` during the request,
 * the view stays at the last of them.
 */
export function chooseEndAfterRead(before: LoadedBranch, now: LoadedBranch, end: NodeId | null): NodeId | null {
  const above = end ?? now.tree.rootId;
  let at = now.leaf;
  while (at !== null && at !== above && !before.nodes.has(at)) at = now.nodes.get(at)?.parentId ?? null;
  return at === above ? now.leaf : end;
}

/** Returns the position of a node among its variants, from 1, and the ids of all variants in order. */
export function variantPositionOf(
  part: LoadedBranch,
  node: Pick<Node, 'id' | 'parentId'>,
): { readonly at: number; readonly ids: readonly NodeId[] } {
  const ids = (node.parentId === null ? undefined : part.childrenByParent.get(node.parentId)) ?? [node.id];
  const index = ids.indexOf(node.id);
  return index < 0 ? { at: ids.length + 1, ids: [...ids, node.id] } : { at: index + 1, ids };
}

interface BranchDraft {
  tree: TreeViewData;
  readonly nodes: CopyOnWriteMap<NodeId, Node>;
  readonly childrenByParent: CopyOnWriteMap<NodeId, readonly NodeId[]>;
  readonly bookmarks: CopyOnWriteMap<NodeId, Bookmark>;
  leaf: NodeId | null;
}

/**
 * Returns the changes of a commit that are not yet in a branch whose version already includes the commit. Such changes
 * exist because a page ends where the view ended: messages that were added below that end arrive only on the feed.
 */
export function filterUnloadedChanges(part: LoadedBranch, changes: readonly RowChange[]): readonly RowChange[] {
  return changes.filter((change) => {
    // An optimistic node has another creation number than the confirmed one.
    if (change.op === 'added') return part.nodes.get(change.node.id)?.seq !== change.node.seq;
    if (change.op !== 'updated') return false;
    const { contentIn = 0 } = change.set;
    return change.nodeIds.some((id) => (part.nodes.get(id)?.contentIn ?? 0) < contentIn);
  });
}

/** Applies the row changes of a commit. Nodes that are not loaded are skipped, and read when they are shown. */
export function applyRowChanges(part: LoadedBranch, changes: readonly RowChange[], version: number): LoadedBranch {
  if (changes.length === 0) return part;
  const draft: BranchDraft = {
    tree: { ...part.tree, version: Math.max(part.tree.version, version) },
    nodes: new CopyOnWriteMap(part.nodes),
    childrenByParent: new CopyOnWriteMap(part.childrenByParent),
    bookmarks: new CopyOnWriteMap(part.bookmarks),
    leaf: part.leaf,
  };
  for (const change of changes) applyOne(draft, change);
  return showEndIfReached({ ...part, ...draft });
}

function applyOne(draft: BranchDraft, change: RowChange): void {
  switch (change.op) {
    case 'added':
      draft.nodes.set(change.node.id, change.node);
      addChild(draft, change.node);
      break;
    case 'updated':
      for (const id of change.nodeIds) updateNode(draft, id, change);
      break;
    case 'marked':
      if (change.to !== null) removeLoaded(draft, change.nodeId);
      break;
    case 'bookmarked':
      if (change.bookmark === null) draft.bookmarks.delete(change.nodeId);
      else draft.bookmarks.set(change.nodeId, change.bookmark);
      break;
    case 'tree':
      if (change.activeNodeId !== undefined) draft.tree = { ...draft.tree, activeNodeId: change.activeNodeId };
      if (change.attributes !== undefined) draft.tree = withAttributes(draft.tree, change.attributes);
  }
}

function updateNode(draft: BranchDraft, id: NodeId, { set, meta }: Extract<RowChange, { op: 'updated' }>): void {
  const moves = set.parentId !== undefined || set.position !== undefined;
  // A list of variants may contain the id of a node that is not loaded.
  if (moves) for (const [parent, list] of draft.childrenByParent) if (list.includes(id)) dropChild(draft, parent, id);
  const node = draft.nodes.get(id);
  if (node === undefined) return;
  const changed = { ...node, ...set, meta: applyPatch(node.meta, meta ?? {}) };
  draft.nodes.set(id, changed);
  if (moves) addChild(draft, changed);
}

function addChild(draft: BranchDraft, node: Node): void {
  if (node.parentId === null) return;
  const list = draft.childrenByParent.get(node.parentId);
  // An unknown list of children stays unknown, unless the parent is the end of the view and had no children.
  if (list === undefined && node.parentId !== draft.leaf) return;
  const others = (list ?? []).filter((id) => id !== node.id);
  const at = others.findIndex((id) => (draft.nodes.get(id)?.position ?? '') > node.position);
  draft.childrenByParent.set(node.parentId, others.toSpliced(at < 0 ? others.length : at, 0, node.id));
}

function dropChild(draft: BranchDraft, parent: NodeId | null, id: NodeId): void {
  if (parent === null) return;
  const others = draft.childrenByParent.get(parent)?.filter((each) => each !== id);
  if (others !== undefined) draft.childrenByParent.set(parent, others);
}

function removeLoaded(draft: BranchDraft, id: NodeId): void {
  const node = draft.nodes.get(id);
  if (node === undefined) return;
  // If the removed node is on the shown path, the view ends at its parent.
  for (
    let at = draft.leaf === null ? undefined : draft.nodes.get(draft.leaf), left = draft.nodes.size;
    at !== undefined && left >= 0;
    left--
  ) {
    if (at.id === id) {
      draft.leaf = node.parentId !== null && draft.nodes.has(node.parentId) ? node.parentId : null;
      break;
    }
    at = at.parentId === null ? undefined : draft.nodes.get(at.parentId);
  }
  dropChild(draft, node.parentId, id);
  draft.bookmarks.delete(id);
  draft.nodes.delete(id);
}

type Attributes = NonNullable<Extract<RowChange, { op: 'tree' }>['attributes']>;

function withAttributes(tree: TreeViewData, set: Attributes): TreeViewData {
  const text = (value: unknown, now: string | null) =>
    value === undefined ? now : typeof value === 'string' ? value : null;
  return {
    ...tree,
    title: text(set.title, tree.title),
    autoTitle: text(set.autoTitle, tree.autoTitle),
    folder: text(set.folder, tree.folder),
    project: text(set.project, tree.project),
    pinned: set.pinned === undefined ? tree.pinned : set.pinned === true,
    tags: set.tags === undefined ? tree.tags : (set.tags ?? []),
    deletedAt: set.trashedAt === undefined ? tree.deletedAt : set.trashedAt,
  };
}

/** Returns the title of a tree, or the generated title; null if it has neither. */
export function treeTitleOf(tree: Pick<TreeViewData, 'title' | 'autoTitle'>): string | null {
  return tree.title ?? tree.autoTitle;
}
