/** Choosing a node of the tree: an outline with filters, search and folding, as a value that keys change. */
import type { NodeId, Page, SearchHit, Store, TopologyNode, TreeId } from '@coppice/core';
import { type OutlineEntry, type OutlineFilter, outlineFilters, outlineOf } from '@coppice/engine';

/** Where the picker is. */
export interface Picker {
  readonly nodes: readonly TopologyNode[];
  readonly labels: ReadonlyMap<NodeId, string>;
  readonly current: NodeId | null;
  readonly filter: OutlineFilter;
  /** Only nodes whose title, label or text has this in it, in any case. */
  readonly search: string;
  /** Nodes that have it somewhere in their text, as the store knows: lines show a title or the beginning only. */
  readonly found: ReadonlySet<NodeId>;
  readonly folded: ReadonlySet<NodeId>;
  /** The line that the cursor is on. */
  readonly at: number;
  readonly entries: readonly OutlineEntry[];
}

const shownAtMost = 20_000;

/** A picker with the cursor on the current node. */
export function openPicker(source: Pick<Picker, 'nodes' | 'labels' | 'current'>): Picker {
  return withEntries(
    { ...source, filter: 'folded', search: '', found: new Set(), folded: new Set(), at: 0, entries: [] },
    source.current,
  );
}

function withEntries(picker: Picker, keep: NodeId | null): Picker {
  const { nodes, labels, current, filter, search, found, folded } = picker;
  const all = outlineOf({ nodes, labels, current, filter: search === '' ? filter : 'all', limit: shownAtMost }).entries;
  const wanted = search.toLowerCase();
  const entries =
    search === '' ? unfolded(all, folded) : all.filter((entry) => found.has(entry.nodeId) || matches(entry, wanted));
  const at = entries.findIndex((entry) => entry.nodeId === keep);
  const near = at === -1 ? entries.findIndex((entry) => entry.current) : at;
  return { ...picker, entries, at: Math.max(0, near) };
}

function matches({ preview, label }: OutlineEntry, wanted: string): boolean {
  return preview.toLowerCase().includes(wanted) || (label?.toLowerCase().includes(wanted) ?? false);
}

/** Leaves out what lies below a folded node. */
function unfolded(entries: readonly OutlineEntry[], folded: ReadonlySet<NodeId>): readonly OutlineEntry[] {
  if (folded.size === 0) return entries;
  const hidden = new Set<NodeId>();
  return entries.filter(({ nodeId, parentId }) => {
    const isHidden = parentId !== null && (hidden.has(parentId) || folded.has(parentId));
    if (isHidden) hidden.add(nodeId);
    return !isHidden;
  });
}

/** The node that the cursor is on. */
export function picked(picker: Picker): NodeId | null {
  return picker.entries[picker.at]?.nodeId ?? null;
}

/** Moves the cursor by so many lines, and stays inside. */
export function moveBy(picker: Picker, lines: number): Picker {
  return { ...picker, at: Math.min(Math.max(0, picker.at + lines), Math.max(0, picker.entries.length - 1)) };
}

/** Shows another selection of nodes; the next one if none is named. */
export function filterBy(picker: Picker, filter?: OutlineFilter): Picker {
  const next = outlineFilters[(outlineFilters.indexOf(picker.filter) + 1) % outlineFilters.length] ?? 'folded';
  return withEntries({ ...picker, filter: filter ?? next }, picked(picker));
}

/** Shows what has this text in it. */
export function searchFor(picker: Picker, search: string): Picker {
  return withEntries({ ...picker, search, found: new Set() }, picked(picker));
}

/** Shows also what was found in whole texts, unless something else is looked for by now. */
export function withFound(picker: Picker, search: string, found: readonly NodeId[]): Picker {
  if (picker.search !== search || found.length === 0) return picker;
  return withEntries({ ...picker, found: new Set(found) }, picked(picker));
}

const foundAtMost = 1000;

/** The nodes of a tree that have a text somewhere in theirs. */
export async function findInTexts(store: Pick<Store, 'search'>, treeId: TreeId, text: string): Promise<NodeId[]> {
  const found: NodeId[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<SearchHit> = await store.search({
      text,
      treeId,
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { nodeId } of page.items) found.push(nodeId);
    cursor = page.cursor;
  } while (cursor !== null && found.length < foundAtMost);
  return found;
}

/** Folds what is below the cursor, or shows it again. */
export function fold(picker: Picker): Picker {
  const id = picked(picker);
  if (id === null) return picker;
  const folded = new Set(picker.folded);
  if (!folded.delete(id)) folded.add(id);
  return withEntries({ ...picker, folded }, id);
}
