/** Chooses a node of the tree: an outline with filters, search and folding, as an immutable value. */
import { ask, type NodeId, type Page, type SearchHit, type Store, type TopologyNode, type TreeId } from '@coppice/core';
import { buildCommandOutline, type OutlineEntry, type OutlineFilter, outlineFilters } from '@coppice/engine';
import { chooseShapeLines, readTopologyNodes, readTreeShape, type SignificantNodes } from '../tree-shape.ts';

/** The state of the picker. */
export interface TreePicker {
  /** All nodes; empty for a large tree. */
  readonly nodes: readonly TopologyNode[];
  /** A large tree: its shape, and the rows that have been read. */
  readonly large: PartlyLoadedTree | null;
  readonly labels: ReadonlyMap<NodeId, string>;
  readonly current: NodeId | null;
  readonly filter: OutlineFilter;
  /** Lists only nodes whose title, label or text contains this text, case-insensitively. */
  readonly search: string;
  /** Nodes that the store found by their full text, because lines show only a title or the first words. */
  readonly found: ReadonlySet<NodeId>;
  readonly folded: ReadonlySet<NodeId>;
  /** The line of the cursor. */
  readonly at: number;
  readonly entries: readonly OutlineEntry[];
}

/** A large tree. Only the shown rows are read. */
export interface PartlyLoadedTree {
  readonly shape: SignificantNodes;
  readonly rows: ReadonlyMap<NodeId, TopologyNode>;
}

const shownAtMost = 20_000;
// Reading the topology of more messages would take too long.
const wholeAtMost = 5_000;

/** Reads a tree for the picker: all nodes of a small tree, only the shape of a large one. */
export async function readTreePicker(
  store: Pick<Store, 'read'>,
  treeId: TreeId,
  current: NodeId | null,
): Promise<TreePicker> {
  return store.read(treeId, function* () {
    const row = yield* ask('tree', {});
    if (row === null) return createTreePicker({ nodes: [], labels: new Map(), current });
    const marks = yield* ask('bookmarks', {});
    const labels = new Map(marks.map((mark) => [mark.nodeId, mark.title]));
    const keep = new Set([...labels.keys(), ...(current === null ? [] : [current])]);
    const shape = yield* readTreeShape(row.rootId, keep);
    if (shape.size > wholeAtMost)
      return createTreePicker({ nodes: [], labels, current, large: { shape, rows: new Map() } });
    return createTreePicker({ nodes: yield* ask('topology', { of: row.rootId }), labels, current });
  });
}

/** Returns a picker with the cursor on the current node. */
export function createTreePicker(
  source: Pick<TreePicker, 'nodes' | 'labels' | 'current'> & { readonly large?: PartlyLoadedTree },
): TreePicker {
  return withEntries(
    { large: null, ...source, filter: 'folded', search: '', found: new Set(), folded: new Set(), at: 0, entries: [] },
    source.current,
  );
}

function withEntries(picker: TreePicker, keep: NodeId | null): TreePicker {
  const { large } = picker;
  const entries = large === null ? entriesOf(picker) : largeEntries(picker, large);
  const at = entries.findIndex((entry) => entry.nodeId === keep);
  const near = at === -1 ? entries.findIndex((entry) => entry.current) : at;
  return { ...picker, entries, at: Math.max(0, near) };
}

function entriesOf({ nodes, labels, current, filter, search, found, folded }: TreePicker): readonly OutlineEntry[] {
  const all = buildCommandOutline({
    nodes,
    labels,
    current,
    filter: search === '' ? filter : 'all',
    limit: shownAtMost,
  }).entries;
  const wanted = search.toLowerCase();
  if (search === '') return omitFolded(all, folded);
  return all.filter((entry) => found.has(entry.nodeId) || matchesSearch(entry, wanted));
}

/** Returns the forks and leaves of a large tree; a search shows all nodes that the store found. */
function largeEntries(picker: TreePicker, { shape, rows }: PartlyLoadedTree): readonly OutlineEntry[] {
  const { labels, current, filter, search, found, folded } = picker;
  const label = (id: NodeId) => labels.get(id) ?? null;
  if (search !== '') {
    const wanted = search.toLowerCase();
    const named = [...labels].filter(([, title]) => title.toLowerCase().includes(wanted)).map(([id]) => id);
    const base = { parentId: null, depth: 0, forked: false, last: false, folded: 0, onPath: false, children: 0 };
    return [...new Set([...named, ...found])].map((id) => ({
      ...base,
      ...shownIn(rows, id),
      nodeId: id,
      label: label(id),
      current: id === current,
    }));
  }
  const shows = filter === 'labels' ? (id: NodeId) => labels.has(id) || id === current : undefined;
  const { lines } = chooseShapeLines(shape, current, shownAtMost, shows);
  const entries = lines.map(({ node, parentId, depth, forked, last, folded: between, onPath, current: isCurrent }) => ({
    nodeId: node.id,
    parentId,
    depth,
    forked,
    last,
    folded: between,
    children: node.childCount,
    ...shownIn(rows, node.id),
    label: label(node.id),
    onPath,
    current: isCurrent,
  }));
  return omitFolded(entries, folded);
}

/** Returns the content of a line; empty if its row has not been read. */
function shownIn(
  rows: PartlyLoadedTree['rows'],
  id: NodeId,
): Pick<OutlineEntry, 'role' | 'kind' | 'status' | 'preview'> {
  const row = rows.get(id);
  if (row === undefined) return { role: 'user', kind: 'message', status: 'success', preview: '…' };
  const { role, kind, status, preview } = row;
  return { role, kind, status, preview };
}

/** Returns the nodes around the cursor whose rows are missing. */
export function findMissingTreePickerRows({ large, entries, at }: TreePicker, lines: number): readonly NodeId[] {
  if (large === null) return [];
  const around = entries.slice(Math.max(0, at - lines), at + lines + 1);
  return around.filter(({ nodeId }) => !large.rows.has(nodeId)).map(({ nodeId }) => nodeId);
}

/** Reads rows of a large tree. */
export async function loadTreePickerRows(
  store: Pick<Store, 'read'>,
  treeId: TreeId,
  { large }: TreePicker,
  ids: readonly NodeId[],
): Promise<PartlyLoadedTree['rows']> {
  if (large === null) return new Map();
  return store.read(treeId, () => readTopologyNodes(ids, large.shape));
}

/** Adds rows to the picker. */
export function addTreePickerRows(picker: TreePicker, rows: PartlyLoadedTree['rows']): TreePicker {
  const { large } = picker;
  if (large === null || rows.size === 0) return picker;
  const entries = picker.entries.map((entry) =>
    rows.has(entry.nodeId) ? { ...entry, ...shownIn(rows, entry.nodeId) } : entry,
  );
  return { ...picker, entries, large: { ...large, rows: new Map([...large.rows, ...rows]) } };
}

function matchesSearch({ preview, label }: OutlineEntry, wanted: string): boolean {
  return preview.toLowerCase().includes(wanted) || (label?.toLowerCase().includes(wanted) ?? false);
}

/** Leaves out the descendants of folded nodes. */
function omitFolded(entries: readonly OutlineEntry[], folded: ReadonlySet<NodeId>): readonly OutlineEntry[] {
  if (folded.size === 0) return entries;
  const hidden = new Set<NodeId>();
  return entries.filter(({ nodeId, parentId }) => {
    const isHidden = parentId !== null && (hidden.has(parentId) || folded.has(parentId));
    if (isHidden) hidden.add(nodeId);
    return !isHidden;
  });
}

/** Returns the node at the cursor; null if the list is empty. */
export function findNodeAtCursor(picker: TreePicker): NodeId | null {
  return picker.entries[picker.at]?.nodeId ?? null;
}

/** Moves the cursor by a number of lines, within the list. */
export function moveTreePickerCursor(picker: TreePicker, lines: number): TreePicker {
  return { ...picker, at: Math.min(Math.max(0, picker.at + lines), Math.max(0, picker.entries.length - 1)) };
}

/** Switches to the next filter, and from the last filter to the first. */
export function cycleTreePickerFilter(picker: TreePicker): TreePicker {
  // In a large tree only shown nodes have a known role.
  const filters: readonly OutlineFilter[] = picker.large === null ? outlineFilters : ['folded', 'labels'];
  const next = filters[(filters.indexOf(picker.filter) + 1) % filters.length] ?? 'folded';
  return withEntries({ ...picker, filter: next }, findNodeAtCursor(picker));
}

/** Sets the search text. */
export function setTreePickerSearch(picker: TreePicker, search: string): TreePicker {
  return withEntries({ ...picker, search, found: new Set() }, findNodeAtCursor(picker));
}

/** Adds nodes that a full-text search found, unless the search text has changed. */
export function addSearchHits(picker: TreePicker, search: string, found: readonly NodeId[]): TreePicker {
  if (picker.search !== search || found.length === 0) return picker;
  return withEntries({ ...picker, found: new Set(found) }, findNodeAtCursor(picker));
}

const foundAtMost = 1000;

/**
 * Returns the nodes of a tree whose text contains a search text. Stops between two pages if the search was cancelled.
 */
export async function findNodesByText(
  store: Pick<Store, 'search'>,
  treeId: TreeId,
  text: string,
  isWanted: () => boolean = () => true,
): Promise<NodeId[]> {
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
  } while (cursor !== null && found.length < foundAtMost && isWanted());
  return found;
}

/** Folds or unfolds the node at the cursor. */
export function toggleTreePickerFold(picker: TreePicker): TreePicker {
  const id = findNodeAtCursor(picker);
  if (id === null) return picker;
  const folded = new Set(picker.folded);
  if (!folded.delete(id)) folded.add(id);
  return withEntries({ ...picker, folded }, id);
}
