// Prepares a tree for writers: its live nodes in order, their children, and their exported ids.
import {
  ask,
  type Bookmark,
  type ExternalId,
  type JsonObject,
  type Node,
  type NodeId,
  type NodeMeta,
  type ReadProgram,
  refuse,
  type TreeId,
} from '@coppice/core';
import { findSystemPrompt } from '@coppice/core/context';
import { isJsonObject } from '../json-copy.ts';
import type { ExportedTree } from './contract.ts';
import type { FormatLoss } from './findings.ts';
import { originalRecordOf } from './original-record.ts';
import { isFailedToolResult } from './tool-results.ts';

/** The part of a tree to export: all of it, the branch below a node with its path, or the path alone. */
export type ExportSelection =
  | { readonly what: 'tree' }
  | { readonly what: 'branch'; readonly nodeId: NodeId }
  | { readonly what: 'path'; readonly nodeId?: NodeId };

/**
 * Sorts live nodes by creation, parents before children. The creation number is not enough, because a moved or split
 * node may be older than its parent.
 */
function inWritingOrder(nodes: readonly Node[]): Node[] {
  const children = new Map<NodeId | null, Node[]>();
  const ids = new Set<NodeId>(nodes.map((node) => node.id));
  for (const node of nodes) {
    const parent = node.parentId !== null && ids.has(node.parentId) ? node.parentId : null;
    const family = children.get(parent);
    if (family === undefined) children.set(parent, [node]);
    else family.push(node);
  }
  const effective = new Map<NodeId, number>();
  const walked: Node[] = [];
  const stack: Node[] = [...(children.get(null) ?? [])];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const above = node.parentId === null ? -1 : (effective.get(node.parentId) ?? -1);
    effective.set(node.id, Math.max(above, node.seq));
    walked.push(node);
    for (const child of children.get(node.id) ?? []) stack.push(child);
  }
  const rank = new Map(walked.map((node, index) => [node.id, index]));
  return walked.sort(
    (a, b) => (effective.get(a.id) ?? 0) - (effective.get(b.id) ?? 0) || (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0),
  );
}

/** Returns the children of every node in stored order; the children of the root under the root's id. */
export function groupExportedNodesByParent(tree: Pick<ExportedTree, 'nodes'>): ReadonlyMap<NodeId, readonly Node[]> {
  const children = new Map<NodeId, Node[]>();
  for (const node of tree.nodes) {
    if (node.parentId === null) continue;
    const family = children.get(node.parentId);
    if (family === undefined) children.set(node.parentId, [node]);
    else family.push(node);
  }
  for (const family of children.values()) family.sort((a, b) => (a.position < b.position ? -1 : 1));
  return children;
}

/** Returns the nodes from the first message down to a node; by default to the active node. */
export function findExportedPath(tree: ExportedTree, to: NodeId | null = tree.activeNodeId): Node[] {
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  const thread: Node[] = [];
  for (let node = to === null ? undefined : byId.get(to); node !== undefined; ) {
    thread.push(node);
    node = node.parentId === null ? undefined : byId.get(node.parentId);
  }
  return thread.reverse();
}

/** Reads the part of a tree to export, in one snapshot. Throws if the tree or the node does not exist. */
export function* readExportedTree(
  treeId: TreeId,
  names: readonly ExternalId[] = [],
  selection: ExportSelection = { what: 'tree' },
): ReadProgram<ExportedTree> {
  const row = yield* ask('tree', { treeId });
  if (row === null) return refuse('tree/unknown-tree', `There is no chat ${treeId}.`, { treeId });
  const { rootId, attributes, createdAt, updatedAt, activeNodeId } = row;
  const base = { treeId, rootId, attributes, createdAt, updatedAt, names };
  if (selection.what === 'tree') {
    const all = yield* ask('rows', { treeId });
    const nodes = (all?.nodes ?? []).filter((node) => node.kind !== 'root');
    const live = inWritingOrder(nodes.filter((node) => node.removedIn === null));
    const trash = nodes.filter((node) => node.removedIn !== null);
    return { ...base, activeNodeId, nodes: live, trash, bookmarks: all?.bookmarks ?? [] };
  }
  const end = selection.nodeId ?? activeNodeId;
  if (end === null) return { ...base, activeNodeId: null, nodes: [], trash: [], bookmarks: [] };
  const { nodes: path } = yield* ask('path', { to: end, treeId });
  if (path.length === 0) return refuse('tree/unknown-node', `There is no message ${end}.`, { nodeId: end });
  const below = selection.what === 'path' ? [] : (yield* ask('subtree', { of: end, treeId })).slice(1);
  const nodes = [...path, ...below];
  const bookmarks: Bookmark[] = [];
  for (const node of nodes) {
    const bookmark = yield* ask('bookmark', { on: node.id });
    if (bookmark !== null) bookmarks.push(bookmark);
  }
  const inside = activeNodeId !== null && nodes.some((node) => node.id === activeNodeId);
  return { ...base, activeNodeId: inside ? activeNodeId : end, nodes: inWritingOrder(nodes), trash: [], bookmarks };
}

/** Returns the ids under which nodes are exported: their original ids in this format, if these are still unique. */
export function assignExportedIds(tree: ExportedTree, format: string): ReadonlyMap<NodeId, string> {
  const ids = new Map<NodeId, string>();
  const used = new Set<string>();
  const note = (node: Node, id: string): void => {
    ids.set(node.id, id);
    used.add(id);
  };
  // A copy has the same original id as its source. The unchanged or older node keeps that id.
  for (const node of tree.nodes) {
    const original = originalRecordOf(node, format);
    if (original?.unchanged === true && !used.has(original.id)) note(node, original.id);
  }
  for (const node of tree.nodes) {
    if (ids.has(node.id)) continue;
    const original = originalRecordOf(node, format);
    if (original !== undefined && !used.has(original.id) && node.meta.copiedFrom === undefined) note(node, original.id);
    else note(node, node.id);
  }
  return ids;
}

/** Returns the original record of a conversation in a format, and its id in that format. */
export function findOriginalTreeRecord(
  tree: ExportedTree,
  format: string,
): { readonly id: string; readonly scope: string; readonly record: JsonObject | undefined } | undefined {
  const imported = tree.attributes.metadata?.imported;
  if (!isJsonObject(imported) || imported.format !== format || typeof imported.id !== 'string') return undefined;
  const { id, scope, record } = imported;
  return { id, scope: typeof scope === 'string' ? scope : '', record: isJsonObject(record) ? record : undefined };
}

/** Returns a title that was generated in Coppice, but not a title that an import derived from the first words. */
export function findGeneratedTitle({ attributes }: ExportedTree): string | undefined {
  const { autoTitle, metadata } = attributes;
  const imported = metadata?.imported;
  return isJsonObject(imported) && imported.autoTitle === autoTitle ? undefined : autoTitle;
}

/** Returns when a conversation began and when it last changed, preferably by the times of its source. */
export function getConversationTimes(tree: ExportedTree): { readonly createdAt: number; readonly updatedAt: number } {
  const imported = tree.attributes.metadata?.imported;
  const own = isJsonObject(imported) ? imported : {};
  const createdAt = typeof own.createdAt === 'number' ? own.createdAt : tree.createdAt;
  const updatedAt = typeof own.updatedAt === 'number' ? own.updatedAt : tree.updatedAt;
  return { createdAt, updatedAt };
}

/** Builds the event for something that an export loses; without a node it concerns the whole tree. */
export function buildLossEvent(
  tree: ExportedTree,
  node: Node | null,
  what: string,
  message: string,
): { type: 'loss'; loss: FormatLoss } {
  return { type: 'loss', loss: { what, place: node === null ? tree.treeId : `${tree.treeId} ${node.id}`, message } };
}

/** Metadata that few formats can store: how to detect it on a node, and the sentence that reports its loss. */
const metadataFields = {
  usage: { has: ({ meta }: Node) => hasUsage(meta), said: 'Its token usage is left out.' },
  excluded: {
    has: ({ meta }: Node) => meta.excluded === true,
    said: 'It is written as an ordinary message, which the model sees.',
  },
  failures: {
    has: ({ role, meta }: Node) => role === 'tool' && isFailedToolResult(meta),
    said: 'The failure of its tool is left out.',
  },
  failed: { has: ({ status }: Node) => status === 'error', said: 'Its failure is left out.' },
  'cut-short': {
    has: ({ status }: Node) => status === 'interrupted' || status === 'aborted',
    said: 'Its interruption is left out.',
  },
  notes: { has: ({ meta }: Node) => hasAnnotations(meta), said: 'Title, custom data or parameters are left out.' },
} as const;

function hasUsage({ source }: NodeMeta): boolean {
  return isJsonObject(source?.usage) && Object.keys(source.usage).length > 0;
}

function hasAnnotations({ customData, title, source }: NodeMeta): boolean {
  const { parameters } = source ?? {};
  const asked = isJsonObject(parameters) && Object.keys(parameters).length > 0;
  return customData !== undefined || title !== undefined || asked;
}

/** Whether a message has a named author or any metadata. */
export function hasAuthorOrMetadata({ meta }: Node): boolean {
  const named = meta.source?.model_name !== undefined || meta.source?.tool_name !== undefined;
  return named || hasUsage(meta) || hasAnnotations(meta) || (meta.tags ?? []).length > 0;
}

/** The sentences for a writer's table of losses, by the code of the metadata. */
export const metadataLossTexts = {
  usage: 'Token usage of replies is left out.',
  excluded: 'Messages that are hidden from the model are written as ordinary messages.',
  failures: 'Results of failed tools are written as ordinary results.',
  failed: 'Failed messages are written as ordinary messages.',
  'cut-short': 'Interrupted replies are written as complete replies.',
  notes: 'Titles, custom data and parameters of messages are left out.',
  attributes: 'Pins, folders, tags and metadata of conversations are left out if the format has no field for them.',
} as const;

/** Yields losses of attributes of the conversation. `held` are the attributes that the format can store. */
export function* findAttributeLosses(
  tree: ExportedTree,
  format: string,
  held: readonly ('pinned' | 'tags')[] = [],
): Generator<{ type: 'loss'; loss: FormatLoss }> {
  const { pinned, folder, tags = [], metadata = {} } = tree.attributes;
  const lost: string[] = [];
  if (pinned === true && !held.includes('pinned')) lost.push('pin');
  if (folder !== undefined) lost.push('folder');
  if (tags.length > 0 && !held.includes('tags')) lost.push('tags');
  // Metadata that a reader took from the conversation is written back with its original record.
  const noted = Object.keys(metadata).some((key) => key !== 'imported');
  if (noted && findOriginalTreeRecord(tree, format) === undefined) lost.push('notes');
  if (lost.length > 0)
    yield buildLossEvent(tree, null, 'attributes', `Left out of the conversation: ${lost.join(', ')}.`);
}

/** Yields losses of metadata; a message that is written back unchanged loses nothing. */
export function* findMetadataLosses(
  tree: ExportedTree,
  format: string,
  lost: readonly (keyof typeof metadataFields)[],
): Generator<{ type: 'loss'; loss: FormatLoss }> {
  for (const node of tree.nodes) {
    const what = lost.filter((one) => metadataFields[one].has(node));
    if (what.length === 0) continue;
    const original = originalRecordOf(node, format);
    if (original?.unchanged === true && original.record !== undefined) continue;
    for (const one of what) yield buildLossEvent(tree, node, one, metadataFields[one].said);
  }
}

/** Yields losses of the author of summaries and injected messages, for formats that cannot store this author. */
export function* findProducerLosses(tree: ExportedTree, format: string): Generator<{ type: 'loss'; loss: FormatLoss }> {
  for (const node of tree.nodes) {
    if (node.kind === 'message' || !(hasUsage(node.meta) || node.meta.source?.model_name !== undefined)) continue;
    const original = originalRecordOf(node, format);
    if (original?.unchanged === true && original.record !== undefined) continue;
    yield buildLossEvent(tree, node, 'notes', 'Its model and token usage are left out.');
  }
}

/**
 * Returns the tree with the system prompt of its active node, because the prompt may change within a recorded session.
 */
export function applyActiveSystemPrompt(tree: ExportedTree): ExportedTree {
  const { systemPrompt } = tree.attributes;
  const active = findSystemPrompt(findExportedPath(tree), systemPrompt);
  return active === undefined || active === systemPrompt
    ? tree
    : { ...tree, attributes: { ...tree.attributes, systemPrompt: active } };
}

/** Yields losses of the exact status, for formats that do not distinguish why a reply was cut short. */
export function* findStatusLosses(
  tree: ExportedTree,
  format: string,
  status: 'aborted' | 'interrupted',
  what: string,
): Generator<{ type: 'loss'; loss: FormatLoss }> {
  const said =
    status === 'aborted'
      ? 'It was stopped; it is written as interrupted.'
      : 'It was interrupted; it is written as stopped.';
  for (const node of tree.nodes) {
    if (node.status !== status) continue;
    const original = originalRecordOf(node, format);
    if (original?.unchanged !== true || original.record === undefined) yield buildLossEvent(tree, node, what, said);
  }
}

/** Yields losses of bookmarks, for formats that cannot store them. */
export function* findBookmarkLosses(tree: ExportedTree): Generator<{ type: 'loss'; loss: FormatLoss }> {
  for (const { nodeId, title } of tree.bookmarks) {
    const message = `The bookmark ${JSON.stringify(title)} is left out.`;
    yield { type: 'loss', loss: { what: 'bookmarks', place: `${tree.treeId} ${nodeId}`, message } };
  }
}

/** Yields one loss for all bookmarks, for documents that people read. */
export function* summarizeBookmarkLosses(tree: ExportedTree): Generator<{ type: 'loss'; loss: FormatLoss }> {
  const { length } = tree.bookmarks;
  if (length === 0) return;
  const message = length === 1 ? 'A bookmark is left out.' : `${length} bookmarks are left out.`;
  yield buildLossEvent(tree, null, 'bookmarks', message);
}

/** Yields losses that all session files of other programs have: the system prompt, tags of messages and groups. */
export function* findSessionLosses(tree: ExportedTree): Generator<{ type: 'loss'; loss: FormatLoss }> {
  const { systemPrompt } = tree.attributes;
  if (systemPrompt !== undefined && systemPrompt !== '')
    yield buildLossEvent(tree, null, 'system-prompt', 'The system prompt is left out.');
  for (const node of tree.nodes) {
    if (node.meta.tags !== undefined && node.meta.tags.length > 0)
      yield buildLossEvent(tree, node, 'tags', 'Its tags are left out.');
    if (node.groupId > 0) yield buildLossEvent(tree, node, 'groups', 'Its group of variants is left out.');
  }
}
