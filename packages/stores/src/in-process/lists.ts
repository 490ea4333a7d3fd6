/** Lists, search and trash of an owner's trees in memory. */
import {
  isAppError,
  libraryProject,
  type Node,
  type Page,
  type SearchHit,
  type SearchQuery,
  type TrashItem,
  type TreeId,
  type TreeQuery,
  type TreeRow,
  type TreeSummary,
} from '@coppice/core';
import { allNodes, findAnyNode, previewOf } from '@coppice/core/tree';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { clampPageLength } from '../limits.ts';
import { containsAllTerms, foldCase, snippetOf, splitSearchTerms } from '../search.ts';
import type { InProcessState } from './in-process-state.ts';
import { findIndexInLog, type LoadedTreeSlot, type TreeSlot } from './tree-slot.ts';

/** Returns the title that a list shows for a tree. */
function titleOfTree({ attributes }: Pick<TreeRow, 'attributes'>): string | null {
  return attributes.title ?? attributes.autoTitle ?? null;
}

function fitsQuery({ attributes }: TreeRow, query: TreeQuery): boolean {
  const { project, folder, tag, pinned, trashed = false, forest, title } = query;
  return (
    (attributes.trashedAt !== undefined) === trashed &&
    (project === undefined ? attributes.project !== libraryProject : attributes.project === project) &&
    (folder === undefined || attributes.folder === folder) &&
    (tag === undefined || attributes.tags?.includes(tag) === true) &&
    (pinned === undefined || (attributes.pinned === true) === pinned) &&
    (forest === undefined || (attributes.forestKey !== undefined) === forest) &&
    (title === undefined || foldCase(titleOfTree({ attributes }) ?? '').includes(foldCase(title)))
  );
}

/** Returns the time by which a list is sorted: trees in the trash by when they were deleted, others by last change. */
function listTimeOf({ updatedAt, attributes: { trashedAt } }: TreeRow): number {
  return trashedAt ?? updatedAt;
}

/** Returns a page of an owner's trees, sorted by last change or, in the trash, by deletion, newest first. */
export function listTreesInMemory(state: InProcessState, owner: string, query: TreeQuery): Page<TreeSummary> {
  const limit = clampPageLength(query.limit);
  const from = query.cursor == null ? null : decodeCursor('trees', ['number', 'string'], query.cursor);
  const found: TreeSlot[] = [];
  for (const slot of state.slotsOf(owner)) {
    const { row } = slot;
    if (from !== null && !isOlder(row, Number(from[0]), String(from[1]))) continue;
    if (fitsQuery(row, query)) found.push(slot);
  }
  found.sort((a, b) => listTimeOf(b.row) - listTimeOf(a.row) || (a.id < b.id ? 1 : -1));
  const part = found.slice(0, limit);
  const last = part[part.length - 1];
  const cursor =
    last === undefined || found.length <= limit ? null : encodeCursor('trees', [listTimeOf(last.row), last.id]);
  return { items: part.map(treeSummaryOf), cursor };
}

function isOlder(row: TreeRow, time: number, than: string): boolean {
  const own = listTimeOf(row);
  return own < time || (own === time && row.id < than);
}

function treeSummaryOf({ row, format }: TreeSlot): TreeSummary {
  const { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes } = row;
  return {
    id,
    owner,
    rootId,
    version,
    structureVersion,
    activeNodeId,
    nextSeq,
    createdAt,
    updatedAt,
    attributes,
    format,
  };
}

interface SearchFound {
  readonly slot: TreeSlot;
  readonly node: Node;
}

/** Returns a page of an owner's messages with every term, newest first. Trees in the trash are not searched. */
export async function searchMessages(
  state: InProcessState,
  owner: string,
  query: SearchQuery,
): Promise<Page<SearchHit>> {
  const limit = clampPageLength(query.limit);
  const terms = splitSearchTerms(query.text);
  const from = query.cursor == null ? null : decodeCursor('hits', ['number', 'string', 'number'], query.cursor);
  if (terms.length === 0) return { items: [], cursor: null };
  const found: SearchFound[] = [];
  for (const slot of [...state.slotsOf(owner)]) {
    const { attributes } = slot.row;
    if (attributes.trashedAt !== undefined) continue;
    if (query.treeId !== undefined && slot.id !== query.treeId) continue;
    if (query.project !== undefined && attributes.project !== query.project) continue;
    const loadedSlot =
      query.treeId === slot.id
        ? (await state.open(owner, slot.id)).loadedSlot
        : await loadSlotIfReadable(state, owner, slot.id);
    if (loadedSlot === null) continue;
    for (const node of allNodes(loadedSlot.tree)) {
      if (node.removedIn !== null || node.role === 'root' || !containsAllTerms(node.text, terms)) continue;
      if (query.roles !== undefined && !query.roles.includes(node.role)) continue;
      if (from === null || isAfter({ slot, node }, from)) found.push({ slot, node });
    }
  }
  found.sort(newestFirst);
  const part = found.slice(0, limit);
  const last = part[part.length - 1];
  const cursor =
    last === undefined || found.length <= limit
      ? null
      : encodeCursor('hits', [last.node.createdAt, last.slot.id, last.node.seq]);
  return { items: part.map((one) => searchHitOf(one, terms)), cursor };
}

/**
 * Returns a loaded tree, or null if it cannot be read. Operations over all trees skip such a tree: opening the store
 * has reported it, and a read of that tree reports it again.
 */
export async function loadSlotIfReadable(
  state: InProcessState,
  owner: string,
  id: TreeId,
): Promise<LoadedTreeSlot | null> {
  try {
    return (await state.open(owner, id)).loadedSlot;
  } catch (error) {
    if (!isAppError(error) || (error.code !== 'store/damaged' && error.code !== 'store/newer')) throw error;
    return null;
  }
}

function newestFirst(a: SearchFound, b: SearchFound): number {
  return (
    b.node.createdAt - a.node.createdAt ||
    (a.slot.id === b.slot.id ? b.node.seq - a.node.seq : a.slot.id < b.slot.id ? 1 : -1)
  );
}

function isAfter({ slot, node }: SearchFound, [time, id, seq]: readonly (string | number)[]): boolean {
  if (node.createdAt !== time) return node.createdAt < Number(time);
  return slot.id === id ? node.seq < Number(seq) : slot.id < String(id);
}

function searchHitOf({ slot, node }: SearchFound, terms: readonly string[]): SearchHit {
  return {
    treeId: slot.id,
    nodeId: node.id,
    role: node.role === 'root' ? 'system' : node.role,
    title: titleOfTree(slot.row),
    createdAt: node.createdAt,
    snippet: snippetOf(node.text, terms),
  };
}

/** Returns the removed subtrees of a tree that can be restored, sorted by removal, newest first. */
export function listTrash(slot: TreeSlot, { tree, log }: LoadedTreeSlot): TrashItem[] {
  const nodes = allNodes(tree);
  const removedRoots = new Map<string, { readonly node: Node; count: number }>();
  const topOf = new Map<string, string>();
  // Rows are not sorted by depth, so the path up from each node is followed. The result is cached for every node on
  // that path, which keeps the loop linear.
  for (const node of nodes) {
    if (node.removedIn === null) continue;
    const walked: Node[] = [];
    let at: Node = node;
    while (!topOf.has(at.id)) {
      walked.push(at);
      const parent = at.parentId === null ? undefined : findAnyNode(tree, at.parentId);
      if (parent === undefined || parent.removedIn !== at.removedIn) {
        removedRoots.set(at.id, { node: at, count: 0 });
        topOf.set(at.id, at.id);
        break;
      }
      at = parent;
    }
    const top = topOf.get(at.id) ?? at.id;
    for (const one of walked) topOf.set(one.id, top);
    const item = removedRoots.get(top);
    if (item !== undefined) item.count++;
  }
  const items: TrashItem[] = [];
  // The nodes are first sorted by creation. The later sort by removal is stable, so nodes of one removal stay in this
  // order.
  const found = [...removedRoots.values()].sort((a, b) => a.node.seq - b.node.seq);
  for (const { node, count } of found) {
    const removedIn = node.removedIn ?? 0;
    // If the commit of the removal was deleted from the log, the first remaining commit is the nearest known time.
    const at = log[findIndexInLog(log, removedIn)]?.at ?? tree.updatedAt;
    items.push({ treeId: slot.id, nodeId: node.id, removedIn, at, count, preview: previewOf(node, count - 1) });
  }
  return items.sort((a, b) => b.removedIn - a.removedIn);
}
