/** The part of a tree that the page has loaded, as a value; steps land on it by the rows that core gives for them. */
import type { Bookmark, Node, NodeId, RowChange } from '@coppice/core';
import { applyPatch } from '@coppice/core/tree';
import type { PageAnswer, TreeViewData } from './api-types.ts';

/** A loaded part: nodes of one path and of the groups on it, and the whole list of variants for each of them. */
export interface LoadedBranch {
  readonly tree: TreeViewData;
  readonly nodes: ReadonlyMap<NodeId, Node>;
  /** All children of a parent, in order, where they are known. */
  readonly childrenByParent: ReadonlyMap<NodeId, readonly NodeId[]>;
  readonly bookmarks: ReadonlyMap<NodeId, Bookmark>;
  /** Where this view is: the end of its path. */
  readonly leaf: NodeId | null;
  /** The first loaded node where there is more above it. */
  readonly before: NodeId | null;
  /** The last node that is shown where the view stands in the midst of a long branch, far from its end. */
  readonly until: NodeId | null;
}

/** A part with nothing loaded yet. */
export function emptyBranch(tree: TreeViewData): LoadedBranch {
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

/** Lays a page over a part: as a new path with its end at `leaf`, if that is known, or as what lies above or below the shown stretch. */
export function withPage(
  part: LoadedBranch,
  page: PageAnswer,
  how: { readonly leaf: NodeId | null } | 'above' | 'below',
): LoadedBranch {
  const nodes = new Map(part.nodes);
  const kids = new Map(part.childrenByParent);
  const bookmarks = new Map(part.bookmarks);
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

/** The shown stretch of a part, oldest first: the loaded path, or the part of it in the midst of a long branch. */
export function shownPath(part: LoadedBranch): readonly Node[] {
  return part.until === null ? pathToNode(part) : pathUp(part, part.until);
}

/** A part that is shown down to its end, whatever stretch was shown before. */
export function moveToEnd(part: LoadedBranch): LoadedBranch {
  if (part.until === null) return part;
  const [first] = pathUp({ ...part, before: null }, part.leaf);
  const top = first === undefined || first.parentId === part.tree.rootId;
  return { ...part, until: null, before: top ? null : first.id };
}

/** A part whose shown stretch has met what is loaded of the end is shown down to it; one that hangs on nothing, too. */
export function joinPages(part: LoadedBranch): LoadedBranch {
  if (part.until === null) return part;
  const [first] = pathUp(part, part.until);
  const whole = first !== undefined && (first.id === part.before || first.parentId === part.tree.rootId);
  if (!whole) return moveToEnd(part);
  const end = pathUp({ ...part, before: part.until }, part.leaf);
  return end[0]?.id === part.until ? { ...part, until: null } : part;
}

/**
 * A part that goes on above its page as far as it was loaded before: whoever has scrolled far up keeps what he reads when
 * the end of the branch is read again. `before` is where the loaded path began then.
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

/** The loaded path to where the view is, oldest first. */
export function pathToNode(part: LoadedBranch): readonly Node[] {
  return pathUp(part, part.leaf);
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
 * Where a view stands that goes to a node, as far as is loaded: at the node itself, or below it along what was last
 * visited. Null where the node does not hang on what is loaded: then nothing can be shown before it is read.
 */
export function loadedEnd(part: LoadedBranch, id: NodeId, exactly: boolean): NodeId | null {
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
 * Where a view stands after its branch was read down to an end: there, unless the view went along with what grew below
 * that end meanwhile, which the answer cannot know of. `before` is what was loaded when it was asked.
 */
export function endAfter(before: LoadedBranch, now: LoadedBranch, end: NodeId | null): NodeId | null {
  const above = end ?? now.tree.rootId;
  let at = now.leaf;
  while (at !== null && at !== above && !before.nodes.has(at)) at = now.nodes.get(at)?.parentId ?? null;
  return at === above ? now.leaf : end;
}

/** A node's place among its variants, counted from one. */
export function variantOf(
  part: LoadedBranch,
  node: Pick<Node, 'id' | 'parentId'>,
): { readonly at: number; readonly ids: readonly NodeId[] } {
  const ids = (node.parentId === null ? undefined : part.childrenByParent.get(node.parentId)) ?? [node.id];
  const index = ids.indexOf(node.id);
  return index < 0 ? { at: ids.length + 1, ids: [...ids, node.id] } : { at: index + 1, ids };
}

interface BranchDraft {
  tree: TreeViewData;
  readonly nodes: Map<NodeId, Node>;
  readonly childrenByParent: Map<NodeId, readonly NodeId[]>;
  readonly bookmarks: Map<NodeId, Bookmark>;
  leaf: NodeId | null;
}

/**
 * What a commit has to tell that a page read after it need not have had: a page ends where the view ended, and what grew
 * below that comes with the feed alone, however late.
 */
export function unread(part: LoadedBranch, changes: readonly RowChange[]): readonly RowChange[] {
  return changes.filter((change) => {
    // One that is shown before the server told of it has a number of its own.
    if (change.op === 'added') return part.nodes.get(change.node.id)?.seq !== change.node.seq;
    return change.op === 'written' && (part.nodes.get(change.nodeId)?.contentIn ?? 0) < change.version;
  });
}

/** Lands what a commit writes. What is not loaded is passed over: it is read when it is looked at. */
export function applyRowChanges(part: LoadedBranch, changes: readonly RowChange[], version: number): LoadedBranch {
  if (changes.length === 0) return part;
  const draft: BranchDraft = {
    tree: { ...part.tree, version: Math.max(part.tree.version, version) },
    nodes: new Map(part.nodes),
    childrenByParent: new Map(part.childrenByParent),
    bookmarks: new Map(part.bookmarks),
    leaf: part.leaf,
  };
  for (const change of changes) applyOne(draft, change);
  return joinPages({ ...part, ...draft });
}

function applyOne(draft: BranchDraft, change: RowChange): void {
  switch (change.op) {
    case 'added':
      draft.nodes.set(change.node.id, change.node);
      addChild(draft, change.node);
      break;
    case 'written': {
      const { nodeId, content, version } = change;
      update(draft, nodeId, (node) => ({ ...node, ...content, contentIn: version }));
      break;
    }
    case 'annotated':
      update(draft, change.nodeId, (node) => ({ ...node, meta: applyPatch(node.meta, change.set) }));
      break;
    case 'grouped':
      update(draft, change.nodeId, (node) => ({ ...node, groupId: change.groupId }));
      break;
    case 'placed':
      placeNode(draft, change);
      break;
    case 'removed':
      removeLoaded(draft, change.nodeId);
      break;
    case 'pointed':
      draft.tree = { ...draft.tree, activeNodeId: change.nodeId };
      break;
    case 'bookmarked':
      if (change.bookmark === null) draft.bookmarks.delete(change.nodeId);
      else draft.bookmarks.set(change.nodeId, change.bookmark);
      break;
    case 'attributed':
      draft.tree = withAttributes(draft.tree, change.set);
      break;
    default:
      break;
  }
}

function update(draft: BranchDraft, id: NodeId, change: (node: Node) => Node): void {
  const node = draft.nodes.get(id);
  if (node !== undefined) draft.nodes.set(id, change(node));
}

function addChild(draft: BranchDraft, node: Node): void {
  if (node.parentId === null) return;
  const list = draft.childrenByParent.get(node.parentId);
  // A list that is not known stays unknown, unless the parent is the end of the view and had none.
  if (list === undefined && node.parentId !== draft.leaf) return;
  const others = (list ?? []).filter((id) => id !== node.id);
  const at = others.findIndex((id) => (draft.nodes.get(id)?.position ?? '') > node.position);
  draft.childrenByParent.set(
    node.parentId,
    at < 0 ? [...others, node.id] : [...others.slice(0, at), node.id, ...others.slice(at)],
  );
}

function dropChild(draft: BranchDraft, parent: NodeId | null, id: NodeId): void {
  const list = parent === null ? undefined : draft.childrenByParent.get(parent);
  if (parent !== null && list !== undefined)
    draft.childrenByParent.set(
      parent,
      list.filter((each) => each !== id),
    );
}

function placeNode(draft: BranchDraft, { nodeId, to, from }: Extract<RowChange, { op: 'placed' }>): void {
  dropChild(draft, from, nodeId);
  const node = draft.nodes.get(nodeId);
  if (node === undefined) return;
  const moved = { ...node, ...to };
  draft.nodes.set(nodeId, moved);
  addChild(draft, moved);
}

function removeLoaded(draft: BranchDraft, id: NodeId): void {
  const node = draft.nodes.get(id);
  if (node === undefined) return;
  // The view steps back to what is above, if it stood at or below what goes.
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

type Attributes = Extract<RowChange, { op: 'attributed' }>['set'];

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

/** The title to show for a tree. */
export function titleOfNode(tree: Pick<TreeViewData, 'title' | 'autoTitle'>): string | null {
  return tree.title ?? tree.autoTitle;
}
