/** Synchronises a session file with a tree of any store, in both directions. Ids are the same on both sides. */
import { deriveId, hasStoredBytes, messageKit, restoreInlineBlocks, storeInlineBytes } from '@coppice/content';
import { deriveSessionNodeId, encodeCommitLines, type SessionFiles } from '@coppice/content/sessions';
import {
  actId,
  ask,
  type Commit,
  type ExternalId,
  isUuid,
  type Message,
  type MessageKit,
  type Node,
  type NodeId,
  nodeId,
  type Plan,
  type ReadProgram,
  type Reads,
  refuse,
  type Step,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { fieldsOrEmpty } from '@coppice/core/decode';
import { orderParentsFirst, positionBetween, stepsFromRows, toNewNode } from '@coppice/core/tree';
import { newId } from '../new-id.ts';
import { SyncChanges } from './sync-changes.ts';

/** The session files, and who synchronises. */
export interface SyncOptions {
  readonly files: SessionFiles;
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** The nodes that a synchronisation added, and those whose content differs. */
export interface SyncResult {
  readonly treeId: TreeId;
  readonly added: readonly NodeId[];
  /** Nodes whose content differs; the target's content was not changed. */
  readonly differ: readonly NodeId[];
}

type SyncRows = NonNullable<Reads['rows']['answer']>;

/** The external id format for ids of session files. */
export const sessionFormat = 'session';

/**
 * Imports a session file into a store as a tree. Importing it again adds new entries and keeps the existing nodes. If
 * another tree of the store already uses an id, for example after a branch to another file, the node gets a new id and
 * the old one is stored as an external id.
 */
export async function syncSessionToStore(path: string, store: Store, options: SyncOptions): Promise<SyncResult> {
  const source = await options.files.store(path);
  try {
    const [item] = (await source.trees()).items;
    if (item === undefined) return refuse('tree/unknown-tree', `${path} contains no session.`, { path });
    const read = await source.read(item.id, () => ask('rows', {}));
    if (read === null) return refuse('tree/unknown-tree', `${path} contains no session.`, { path });
    const there = await store.read(item.id, () => ask('rows', {}));
    const rows = await loadStoredBytes(withHeader(read, headerInStore(path, options.files)), there, store);
    const scope = scopeOf(await source.externalIdsOf(item.id), item.id);
    const log = () => source.read(item.id, () => ask('log', { since: 0 }));
    const carried = await syncInto({ rows, log }, store, item.id, scope, options);
    // External ids of the file itself, and the original ids of nodes whose id was taken.
    const names = await source.externalIdsOf(item.id);
    const known = new Set(carried.renamed.keys());
    await store.putExternalIds([
      ...names.filter((name) => name.nodeId === null || !known.has(name.nodeId)),
      ...[...carried.renamed].map(([from, to]) => ({
        treeId: item.id,
        nodeId: to,
        format: sessionFormat,
        scope,
        id: names.find((name) => name.nodeId === from)?.id ?? from,
      })),
    ]);
    return carried;
  } finally {
    await source.close();
  }
}

// Header fields without an attribute of the tree. They are stored with the root, so that an export can write them
// again.
interface HeaderNote {
  readonly cwd?: string;
  readonly parentSession?: string;
}

function headerInStore(path: string, files: SessionFiles): HeaderNote {
  const file = files.open(path, { readOnly: true });
  const { header } = file;
  file.close();
  return noteIn(header);
}

function noteIn(fields: Readonly<Record<string, unknown>>): HeaderNote {
  const { cwd, parentSession } = fields;
  return {
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(typeof parentSession === 'string' ? { parentSession } : {}),
  };
}

function withHeader(rows: SyncRows, session: HeaderNote): SyncRows {
  const noted = { ...session };
  const nodes = rows.nodes.map((node) =>
    node.kind === 'root' ? { ...node, meta: { ...node.meta, session: noted } } : node,
  );
  return { ...rows, nodes };
}

function headerForTree({ nodes }: SyncRows): HeaderNote {
  return noteIn(fieldsOrEmpty(nodes.find((node) => node.kind === 'root')?.meta['session']));
}

function scopeOf(names: readonly ExternalId[], tree: TreeId): string {
  return names.find((name) => name.format === sessionFormat)?.scope ?? tree;
}

/** Changes the messages of nodes, except of those that the other side has with the same content. */
async function mapMessages(
  rows: SyncRows,
  there: SyncRows | null,
  change: (message: Message) => Promise<Message>,
): Promise<SyncRows> {
  const known = new Map(there?.nodes.map((node) => [node.id, node.key]));
  const nodes = await Promise.all(
    rows.nodes.map(async (node) =>
      node.message === null || known.get(node.id) === node.key
        ? node
        : { ...node, message: await change(node.message) },
    ),
  );
  return { ...rows, nodes };
}

/** Returns rows whose messages contain the bytes of images and files, because a session file has no blobs of its own. */
function withInlineBytes(rows: SyncRows, there: SyncRows | null, { blobs }: Store): Promise<SyncRows> {
  return mapMessages(rows, there, async (message) =>
    hasStoredBytes(message.content)
      ? { ...message, content: await restoreInlineBlocks(message.content, blobs) }
      : message,
  );
}

/** Returns the rows of a session with the bytes of images and files in the store. */
function loadStoredBytes(rows: SyncRows, there: SyncRows | null, { blobs }: Store): Promise<SyncRows> {
  return mapMessages(rows, there, (message) => storeInlineBytes(message, blobs));
}

/** The rows to transfer, and the log that they result from. */
interface SyncSource {
  readonly rows: SyncRows;
  readonly log: () => Promise<readonly Commit[]>;
}

/**
 * Adds missing nodes to a tree in one commit, and then applies the changes of the source that are later than those of
 * the target.
 */
async function syncInto(
  { rows, log }: SyncSource,
  to: Store,
  id: TreeId,
  scope: string,
  options: SyncOptions,
): Promise<SyncResult & { readonly renamed: ReadonlyMap<NodeId, NodeId> }> {
  const { now = Date.now, actor = to.owner, kit = messageKit } = options;
  const makeId = options.newId ?? (() => newId());
  const act = makeId();
  const names = await to.findExternalIds(
    sessionFormat,
    scope,
    rows.nodes.map((node) => node.id),
  );
  const here = new Map(names.filter((name) => name.treeId === id).map((name) => [name.id, name.nodeId]));
  const known = (node: NodeId): NodeId => here.get(node) ?? node;
  const context = { actor, actId: act, now, newId: makeId, kit };
  const changes = new SyncChanges({ rows, name: known, log }, to, id, context);
  await changes.restoreNodes();
  const gone = await changes.readRemovals();
  const { result } = await to.change(id, () => planSync(rows, id, known, gone), {
    actor,
    actId: actId(act),
    at: now(),
    additive: true,
  });
  await changes.applyChanges();
  const there = await to.read(id, () => ask('rows', {}));
  return { treeId: id, ...result, differ: there === null ? [] : findDifferingNodes(rows, there, known) };
}

/** Returns the nodes that exist on both sides with different content. */
function findDifferingNodes(rows: SyncRows, there: SyncRows, known: (node: NodeId) => NodeId): NodeId[] {
  const present = new Map(there.nodes.map((node) => [node.id, node]));
  return rows.nodes.flatMap((node) => {
    const other = present.get(known(node.id));
    return node.removedIn === null && other !== undefined && other.key !== node.key ? [other.id] : [];
  });
}

interface BroughtEntries {
  readonly added: readonly NodeId[];
  readonly renamed: ReadonlyMap<NodeId, NodeId>;
}

function* planSync(
  rows: SyncRows,
  id: TreeId,
  known: (node: NodeId) => NodeId,
  gone: { readonly labels: ReadonlySet<NodeId>; readonly name: boolean },
): ReadProgram<Plan<BroughtEntries>> {
  const there = yield* ask('rows', {});
  const live = rows.nodes.filter((node) => node.removedIn === null);
  const present = new Map((there?.nodes ?? []).map((node) => [node.id, node]));
  const fresh = live.filter((node) => !present.has(known(node.id)));
  const taken = new Set(yield* ask('taken', { ids: fresh.map((node) => node.id) }));
  const renamed = new Map<NodeId, NodeId>();
  for (const node of fresh) if (taken.has(node.id)) renamed.set(node.id, nodeId(deriveId('session-copy', id, node.id)));
  const name = (node: NodeId) => renamed.get(node) ?? known(node);
  const added = fresh.map((node) => name(node.id));
  if (there === null) {
    const steps = stepsFromRows(renamedRows({ ...rows, nodes: live }, name));
    return { steps, result: { added, renamed } };
  }
  const steps: Step[] = [];
  const ends = new Map<NodeId, string | null>();
  for (const node of orderParentsFirst(fresh)) {
    const mapped = mapNodeIds(node, name);
    const parentId = nearestLiveNode(mapped.parentId, present) ?? there.row.rootId;
    const before = ends.has(parentId) ? (ends.get(parentId) ?? null) : yield* ask('lastPosition', { of: parentId });
    const position = positionBetween(before, null);
    ends.set(parentId, position);
    steps.push({ type: 'insert', node: { ...toNewNode(mapped), parentId, position, groupId: 0 } });
  }
  const active = rows.row.activeNodeId === null ? null : name(rows.row.activeNodeId);
  const isLeft = active !== null && present.get(active)?.removedIn == null;
  if (steps.length > 0 && isLeft && active !== there.row.activeNodeId)
    steps.push({ type: 'select', after: active, before: there.row.activeNodeId });
  // New labels and a missing title are added; existing ones do not change.
  const marked = new Set(there.bookmarks.map((bookmark) => bookmark.nodeId));
  const came = new Set(added);
  for (const bookmark of rows.bookmarks) {
    const id = name(bookmark.nodeId);
    const isThere = present.get(id)?.removedIn === null || came.has(id);
    if (isThere && !marked.has(id) && !gone.labels.has(id))
      steps.push({ type: 'bookmark', nodeId: id, after: { ...bookmark, nodeId: id }, before: null });
  }
  const { title } = rows.row.attributes;
  if (title !== undefined && there.row.attributes.title === undefined && !gone.name)
    steps.push({ type: 'attributes', after: { title }, before: { title: null } });
  return { steps, result: { added, renamed } };
}

/** Returns the node, or its nearest live ancestor, because nothing can be added below a deleted node. */
function nearestLiveNode(id: NodeId | null, present: ReadonlyMap<NodeId, Node>): NodeId | null {
  let at = id;
  for (let node = at === null ? undefined : present.get(at); node?.removedIn != null; ) {
    at = node.parentId;
    node = at === null ? undefined : present.get(at);
  }
  return at;
}

/** Returns a node with its id and all ids that it refers to mapped. */
function mapNodeIds(node: Node, name: (id: NodeId) => NodeId): Node {
  const { marker } = node;
  return {
    ...node,
    id: name(node.id),
    parentId: node.parentId === null ? null : name(node.parentId),
    matchParent: node.matchParent === null ? null : name(node.matchParent),
    lastChildId: null,
    marker:
      marker === null
        ? null
        : {
            ...marker,
            ...(marker.firstKept === undefined ? {} : { firstKept: name(marker.firstKept) }),
            ...(marker.from === undefined ? {} : { from: name(marker.from) }),
          },
    aliases: node.aliases.map((alias) => ({ ...alias, matchParent: name(alias.matchParent) })),
  };
}

function renamedRows({ row, nodes, bookmarks }: SyncRows, name: (id: NodeId) => NodeId): SyncRows {
  const { rootId, activeNodeId } = row;
  return {
    row: { ...row, rootId: name(rootId), activeNodeId: activeNodeId === null ? null : name(activeNodeId) },
    nodes: nodes.map((node) => mapNodeIds(node, name)),
    bookmarks: bookmarks.map((bookmark) => ({ ...bookmark, nodeId: name(bookmark.nodeId) })),
  };
}

/** Part of a tree: the path to a node and, unless `pathOnly`, its descendants. */
export interface TreePart {
  readonly nodeId: NodeId;
  readonly pathOnly?: boolean;
}

/**
 * Writes the live nodes of a tree, or of a part of it, to a new session file with their original ids. A part becomes a
 * separate session.
 */
export async function writeTreeAsSession(
  store: Store,
  id: TreeId,
  to: { readonly folder: string } | { readonly path: string },
  options: SyncOptions & { readonly part?: TreePart },
): Promise<string> {
  const { files, now = Date.now, actor = store.owner, kit = messageKit } = options;
  const makeId = options.newId ?? (() => newId());
  const all = await store.read(id, () => ask('rows', {}));
  if (all === null) return refuse('tree/unknown-tree', `There is no chat ${id}.`, { treeId: id });
  const { part } = options;
  const rows = await withInlineBytes(part === undefined ? all : selectPart(all, part), null, store);
  const names = (await store.externalIdsOf(id)).filter((name) => name.format === sessionFormat);
  const byNode = new Map(names.flatMap((name) => (name.nodeId === null ? [] : [[String(name.nodeId), name.id]])));
  const scope = (part === undefined ? names[0]?.scope : makeId()) ?? id;
  // The same entry has a different node id in each file, so references are mapped to the id in this file.
  const nodeOf = (node: NodeId): NodeId => {
    const own = byNode.get(node);
    return own === undefined ? node : deriveSessionNodeId(scope, own);
  };
  const inFile = new Map([...byNode].map(([node, own]) => [String(nodeOf(nodeId(node))), own]));
  const at = now();
  const commit: Commit = {
    treeId: treeId(scope),
    version: 1,
    actId: actId(makeId()),
    actor,
    at,
    kind: 'do',
    seq: 0,
    structural: true,
    steps: stepsFromRows(renamedRows(rows, nodeOf)),
  };
  const fileId = (node: string) => inFile.get(node) ?? node;
  const [header, ...entries] = encodeCommitLines(commit, { before: null, fileId, newId: makeId, kit, header: {} });
  const createdFile = files.create(to, {
    uuid: header?.uuid ?? makeId(),
    id: scope,
    // A tree without a creation time gets that of its file.
    at: rows.row.createdAt === 0 ? at : rows.row.createdAt,
    ...headerForTree(all),
    entries,
    commit: { actId: commit.actId, actor, at },
  });
  createdFile.close();
  return createdFile.path;
}

/** Returns the rows of a part. Its active node is the tree's active node if that is included, else the given node. */
function selectPart({ row, nodes, bookmarks }: SyncRows, { nodeId: top, pathOnly = false }: TreePart): SyncRows {
  const byId = new Map(nodes.filter((node) => node.removedIn === null).map((node) => [node.id, node]));
  const wanted = new Set<NodeId>();
  for (let at = byId.get(top); at !== undefined; at = at.parentId === null ? undefined : byId.get(at.parentId))
    wanted.add(at.id);
  // Parents come first, so one pass is enough.
  const below = new Set<NodeId>([top]);
  if (!pathOnly)
    for (const node of orderParentsFirst([...byId.values()]))
      if (node.parentId !== null && below.has(node.parentId)) {
        below.add(node.id);
        wanted.add(node.id);
      }
  const active = row.activeNodeId !== null && wanted.has(row.activeNodeId) ? row.activeNodeId : top;
  return {
    row: { ...row, activeNodeId: active === row.rootId ? null : active },
    nodes: nodes.filter((node) => wanted.has(node.id)),
    bookmarks: bookmarks.filter((bookmark) => wanted.has(bookmark.nodeId)),
  };
}

/** Returns a log with mapped node ids. */
function mapLogIds(log: readonly Commit[], name: (id: NodeId) => NodeId): Commit[] {
  return log.map((commit) => ({
    ...commit,
    steps: commit.steps.map((step) => mapStepIds(step, name)),
  }));
}

function mapStepIds(step: Step, name: (id: NodeId) => NodeId): Step {
  if (step.type === 'insert') {
    const { node } = step;
    const parentId = node.parentId === null ? null : name(node.parentId);
    return { ...step, node: { ...node, id: name(node.id), parentId } };
  }
  if (step.type === 'move')
    return { ...step, nodeId: name(step.nodeId), to: { ...step.to, parentId: name(step.to.parentId) } };
  return 'nodeId' in step ? { ...step, nodeId: name(step.nodeId) } : step;
}

/**
 * Writes new nodes of a tree to its session file, and then the later moves, edits, metadata, labels and deletions.
 * Existing lines do not change. Returns the nodes whose content differs.
 */
export async function syncTreeToSession(
  store: Store,
  id: TreeId,
  path: string,
  options: SyncOptions,
): Promise<SyncResult> {
  const rows = await store.read(id, () => ask('rows', {}));
  if (rows === null) return refuse('tree/unknown-tree', `There is no chat ${id}.`, { treeId: id });
  const file = await options.files.store(path);
  try {
    const [item] = (await file.trees()).items;
    if (item?.id !== id) return refuse('tree/unknown-tree', `${path} is not the session ${id}.`, { path, treeId: id });
    // If the id of an entry was taken in the store, its node has another id there; the file uses the original.
    const names = (await store.externalIdsOf(id)).filter((name) => name.format === sessionFormat && isUuid(name.id));
    const own = new Map(names.flatMap((name) => (name.nodeId === null ? [] : [[name.nodeId, nodeId(name.id)]])));
    const name = (one: NodeId) => own.get(one) ?? one;
    const there = await file.read(id, () => ask('rows', {}));
    const renamed = await withInlineBytes(renamedRows(rows, name), there, store);
    const log = async () => mapLogIds(await store.read(id, () => ask('log', { since: 0 })), name);
    const { added, differ } = await syncInto({ rows: renamed, log }, file, id, '', options);
    return { treeId: id, added, differ };
  } finally {
    await file.close();
  }
}
