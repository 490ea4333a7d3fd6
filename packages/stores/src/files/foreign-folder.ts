/**
 * Reads tree folders that other programs wrote: a registry and one file per node, but no journal. If a file cannot be
 * read, the whole folder is refused with the name of that file.
 */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageKit, normaliseMessage, parseJson } from '@coppice/content';
import type { FieldMap } from '@coppice/core';
import {
  actId,
  type Commit,
  type ExternalId,
  isAppError,
  isBlank,
  isUuid,
  type Json,
  type JsonObject,
  type Message,
  type MessageKit,
  type NewNode,
  type NodeId,
  type NodeMeta,
  nodeId,
  type Step,
  type Tree,
  type TreeAttributes,
  type TreeId,
  treeId,
} from '@coppice/core';
import { isFieldMap, isJsonObject, MalformedError, objectField, ownField, requiredText } from '@coppice/core/decode';
import { prepareCommit } from '@coppice/core/store';
import { applyOrThrow, buildLinearSteps, emptyTree, positionsBetween } from '@coppice/core/tree';
import { listNamesInFolder, makeDamagedFileError, readTextFile, withFileErrors } from '../disk/atomic-files.ts';
import { describeUnreadable, isJsonData, UnreadableValueError } from '../disk/decode.ts';
import { deriveId } from '../linear.ts';
import type { JournalOrigin } from './journal.ts';

/** A tree of another program, converted to one commit that is stored with the first change. */
export interface ForeignFolder {
  readonly tree: Tree;
  readonly commit: Commit;
  readonly origin: JournalOrigin;
  /** The ids of the tree and its nodes in the other program. */
  readonly names: readonly ExternalId[];
  /** Sentences about contradictions between the files. All messages were read nevertheless. */
  readonly notes: readonly string[];
}

/** The registry entry of a tree that another program wrote. */
export interface ForeignRoot {
  readonly id: string;
  /** The fields of the entry; empty if the registry could not be read. */
  readonly entry: FieldMap;
}

function createdOf({ entry }: ForeignRoot): string {
  const createdAt = ownField(entry, 'createdAt');
  return typeof createdAt === 'string' ? createdAt : '';
}

/** Returns the id of the tree in this store: the original id if it is a UUID, else one derived from it and its time. */
export function foreignTreeIdOf(root: ForeignRoot): TreeId {
  return treeId(isUuid(root.id) ? root.id : deriveId('loom', root.id, createdOf(root)));
}

interface FoundNode {
  readonly path: string;
  readonly id: string;
  readonly parent: string;
  readonly listed: readonly string[];
  readonly message: Message;
  readonly at: number;
  readonly metadata: FieldMap;
  readonly rest: readonly (readonly [string, Json])[];
}

const nodeFields = new Set(['id', 'root_id', 'parent_id', 'child_ids', 'message', 'metadata', 'coppice']);
const rootFields = new Set(['id', 'createdAt', 'child_ids', 'config', 'metadata', 'deleted', 'coppice']);

function timeInFile(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

function restOfFile(fields: FieldMap, known: ReadonlySet<string>): (readonly [string, Json])[] {
  return Object.entries(fields).flatMap(([key, value]): [string, Json][] =>
    known.has(key) || !isJsonData(value) ? [] : [[key, value]],
  );
}

function readFound(path: string, rootId: string): FoundNode {
  const text = readTextFile(path) ?? '';
  const json = parseJson(text, path, 1000);
  if (!json.ok) throw makeDamagedFileError(path, text === '' ? 'is empty' : `cannot be read (${json.refusal.message})`);
  if (!isFieldMap(json.value)) throw makeDamagedFileError(path, 'is not a node');
  const fields = json.value;
  try {
    if (requiredText(fields, 'root_id') !== rootId)
      throw new UnreadableValueError(`belongs to the root ${JSON.stringify(ownField(fields, 'root_id'))}`);
    const message = normaliseMessage(ownField(fields, 'message'), { where: 'Its message', blank: 'keep' });
    if (!message.ok) throw new UnreadableValueError(`has a message that cannot be read: ${message.refusal.message}`);
    const metadata = ownField(fields, 'metadata') === undefined ? {} : objectField(fields, 'metadata');
    const children = ownField(fields, 'child_ids');
    return {
      path,
      id: requiredText(fields, 'id'),
      parent: requiredText(fields, 'parent_id'),
      listed: Array.isArray(children) ? children.filter((id) => typeof id === 'string') : [],
      message: message.value,
      at: timeInFile(ownField(metadata, 'timestamp')) ?? 0,
      metadata,
      rest: restOfFile(fields, nodeFields),
    };
  } catch (error) {
    if (error instanceof MalformedError) throw makeDamagedFileError(path, describeUnreadable(error));
    throw error;
  }
}

/** Reads the node files in a folder into a map by node id. */
function readNodeFolder(folder: string, rootId: string): Map<string, FoundNode> {
  const found = new Map<string, FoundNode>();
  const nodes = join(folder, 'nodes');
  for (const name of listNamesInFolder(nodes)) {
    if (!name.endsWith('.json')) continue;
    const path = join(nodes, name);
    // Symbolic links are refused, because one could lead to any file.
    if (!withFileErrors(path, () => lstatSync(path)).isFile())
      throw makeDamagedFileError(path, 'is not a regular file');
    const node = readFound(path, rootId);
    const twice = found.get(node.id);
    if (twice !== undefined)
      throw makeDamagedFileError(path, `has the id ${JSON.stringify(node.id)}, as ${twice.path} has`);
    found.set(node.id, node);
  }
  return found;
}

/**
 * Deletes the files of purged nodes from the folder that a tree was imported from, or without `nodeIds` the whole
 * folder. Nothing else writes to such a folder.
 */
export function deleteFromOriginalFolder(
  place: string,
  tree: TreeId,
  origin: string,
  nodeIds?: ReadonlySet<NodeId>,
): void {
  // Only a folder directly in the store is changed, and never the tree's own folder, which is written from the journal.
  if (origin === tree || !listNamesInFolder(place).includes(origin)) return;
  const folder = join(place, origin);
  if (nodeIds === undefined) {
    withFileErrors(folder, () => rmSync(folder, { recursive: true, force: true }));
    return;
  }
  for (const name of listNamesInFolder(join(folder, 'nodes'))) {
    const path = join(folder, 'nodes', name);
    const foreign = foreignIdIn(path) ?? name.replace(/\.json$/, '');
    const own = nodeId(isUuid(foreign) ? foreign : deriveId('loom', tree, foreign));
    if (nodeIds.has(own)) withFileErrors(path, () => rmSync(path, { force: true }));
  }
}

/** Returns the node id in a file of another program; null if the file cannot be read. */
function foreignIdIn(path: string): string | null {
  try {
    const json: unknown = JSON.parse(readTextFile(path) ?? '');
    const id = isFieldMap(json) ? ownField(json, 'id') : undefined;
    return typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}

// Ids with counters, such as node-9 and node-10, are compared as numbers.
const byAge = new Intl.Collator('en', { numeric: true });

function olderFirst(a: FoundNode, b: FoundNode): number {
  return a.at - b.at || byAge.compare(a.id, b.id);
}

/**
 * Returns the children of each node. The parent ids in the files decide who the children are; the parent's list decides
 * only their order.
 */
function childrenOfNode(
  root: ForeignRoot,
  found: ReadonlyMap<string, FoundNode>,
  notes: string[],
): Map<string, readonly FoundNode[]> {
  const below = new Map<string, FoundNode[]>();
  for (const node of found.values()) {
    if (node.parent !== root.id && !found.has(node.parent))
      throw makeDamagedFileError(node.path, `has the parent ${JSON.stringify(node.parent)}, which is missing`);
    const list = below.get(node.parent);
    if (list === undefined) below.set(node.parent, [node]);
    else list.push(node);
  }
  const rootList = ownField(root.entry, 'child_ids');
  const listedBy = (id: string): readonly unknown[] =>
    id === root.id ? (Array.isArray(rootList) ? rootList : []) : (found.get(id)?.listed ?? []);
  for (const id of [root.id, ...found.keys()]) {
    const ranks = new Map(listedBy(id).map((child, at) => [child, at]));
    const children = below.get(id) ?? [];
    children.sort((a, b) => (ranks.get(a.id) ?? ranks.size) - (ranks.get(b.id) ?? ranks.size) || olderFirst(a, b));
    if (ranks.size !== children.length || children.some((child) => !ranks.has(child.id)))
      notes.push(`${id} lists other children than it has; the nodes that name it as parent were read.`);
  }
  return below;
}

/** Sorts nodes by age, with parents before children. Throws if the parent ids form a cycle. */
function orderedNodes(rootId: string, found: ReadonlyMap<string, FoundNode>): FoundNode[] {
  const done = new Set<string>([rootId]);
  const order: FoundNode[] = [];
  for (const node of [...found.values()].sort(olderFirst)) {
    const ancestors: FoundNode[] = [];
    const passed = new Set<string>();
    for (let at: FoundNode | undefined = node; at !== undefined && !done.has(at.id); at = found.get(at.parent)) {
      if (passed.has(at.id)) throw makeDamagedFileError(at.path, 'is its own ancestor');
      passed.add(at.id);
      ancestors.push(at);
    }
    for (const one of ancestors.reverse()) {
      done.add(one.id);
      order.push(one);
    }
  }
  return order;
}

function foreignMeta(node: FoundNode, rootId: string, idOf: (id: string) => NodeId): NodeMeta {
  const { metadata } = node;
  const known = new Map<string, unknown>();
  const take = (name: string, note: string, fits: (value: unknown) => boolean) => {
    const value = ownField(metadata, name);
    if (value !== undefined && value !== null && fits(value)) known.set(note, value);
    else return;
    used.add(name);
  };
  const used = new Set(['timestamp']);
  const isText = (value: unknown) => typeof value === 'string';
  take('source_info', 'source', isFieldMap);
  take('title', 'title', isText);
  take('auto_title', 'autoTitle', isText);
  take('tags', 'tags', (value) => Array.isArray(value) && value.every(isText));
  take('custom_data', 'customData', isFieldMap);
  take('split_source', 'splitSource', isText);
  take('original_root_id', 'originalRootId', isText);
  const split = known.get('splitSource');
  if (typeof split === 'string') known.set('splitSource', idOf(split));
  if (known.get('originalRootId') === rootId) known.delete('originalRootId');
  // Unknown fields are stored in the node's metadata, so that nothing is lost.
  const rest = [...node.rest, ...restOfFile(metadata, used).map(([key, value]) => [`metadata.${key}`, value] as const)];
  if (rest.length > 0) known.set('loom', Object.fromEntries(rest));
  return Object.fromEntries(known);
}

function foreignAttributes(root: ForeignRoot, at: number): TreeAttributes {
  const { entry } = root;
  const config = ownField(entry, 'config');
  const systemPrompt = isFieldMap(config) ? ownField(config, 'systemPrompt') : undefined;
  const metadata = ownField(entry, 'metadata');
  const rest: JsonObject = Object.fromEntries(restOfFile(entry, rootFields));
  return {
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    ...(isJsonObject(metadata) ? { metadata } : {}),
    ...(ownField(entry, 'deleted') === true ? { trashedAt: at } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { loom: rest }),
  };
}

export interface ForeignReadOptions {
  readonly owner: string;
  /** The path of the store. Ids of the other program are unique only within it, so external ids need this scope. */
  readonly scope: string;
  readonly kit: MessageKit | undefined;
}

/** Returns a position for each child, in the order of the lists. */
function positionsOfChildren(families: Iterable<readonly { readonly id: string }[]>): ReadonlyMap<string, string> {
  const positions = new Map<string, string>();
  for (const children of families) {
    const keys = positionsBetween(null, null, children.length);
    for (const [at, child] of children.entries()) positions.set(child.id, keys[at] ?? '');
  }
  return positions;
}

/** Converts a message of the other program to a new node at a place. */
function toForeignNode(
  { message, at }: Pick<FoundNode, 'message' | 'at'>,
  place: Pick<NewNode, 'id' | 'parentId' | 'position' | 'meta'>,
  kit: MessageKit,
): NewNode {
  return {
    ...place,
    kind: 'message',
    message,
    // The other program writes a blank message if a reply was interrupted.
    status: isBlank(message) ? 'interrupted' : 'success',
    groupId: 0,
    createdAt: at,
    matchParent: place.parentId,
    key: kit.key(message),
    text: kit.text(message),
    tokens: kit.tokens(message),
    marker: null,
    aliases: [],
  };
}

/** Reads the folder of a tree that another program wrote. The same files give the same ids at every call. */
export function readForeignFolder(folder: string, root: ForeignRoot, options: ForeignReadOptions): ForeignFolder {
  const { owner, scope, kit = messageKit } = options;
  const notes: string[] = [];
  const found = readNodeFolder(folder, root.id);
  const below = childrenOfNode(root, found, notes);
  const order = orderedNodes(root.id, found);
  const id = foreignTreeIdOf(root);
  const ids = new Map<string, NodeId>();
  const rootId = nodeId(deriveId('loom-root', id));
  const idOf = (foreign: string): NodeId => {
    const known = foreign === root.id ? rootId : ids.get(foreign);
    if (known !== undefined) return known;
    const ownId = nodeId(isUuid(foreign) ? foreign : deriveId('loom', id, foreign));
    ids.set(foreign, ownId);
    return ownId;
  };
  const positions = positionsOfChildren(below.values());
  const name = (node: NodeId | null, foreign: string): ExternalId => ({
    treeId: id,
    nodeId: node,
    format: 'loom',
    scope,
    id: foreign,
  });
  const at = timeInFile(createdOf(root)) ?? order[0]?.at ?? 0;
  const steps: Step[] = [
    ...buildLinearSteps(
      { treeId: id, owner, attributes: foreignAttributes(root, at), rootId, messages: [] },
      { now: at, newId: () => rootId, kit },
    ).steps,
  ];
  for (const node of order) {
    const parentId = idOf(node.parent);
    const position = positions.get(node.id) ?? '';
    const meta = foreignMeta(node, root.id, idOf);
    const inserted = toForeignNode(node, { id: idOf(node.id), parentId, position, meta }, kit);
    steps.push({ type: 'insert', node: inserted });
  }
  const last = [...order].reverse().find((node) => !below.has(node.id));
  if (last !== undefined) steps.push({ type: 'select', after: idOf(last.id), before: null });
  return {
    ...importCommit(folder, id, owner, steps, at),
    origin: { format: 'loom', scope, id: root.id },
    notes,
    names: [name(null, root.id), ...order.map((node) => name(idOf(node.id), node.id))],
  };
}

function importCommit(
  folder: string,
  id: TreeId,
  owner: string,
  steps: readonly Step[],
  at: number,
): { readonly tree: Tree; readonly commit: Commit } {
  try {
    const act = actId(deriveId('loom-act', id));
    const prepared = prepareCommit(
      id,
      null,
      { steps, result: null },
      { actor: 'migration', actId: act, at, additive: false },
    );
    if (prepared === null) throw new Error(`The tree ${id} gave no steps.`);
    return { commit: prepared.commit, tree: applyOrThrow(emptyTree(id, owner, at), steps, { at }).tree };
  } catch (error) {
    if (isAppError(error)) throw makeDamagedFileError(folder, `does not contain a valid tree: ${error.message}`);
    throw error;
  }
}
