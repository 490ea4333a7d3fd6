// Builds the command that stores a repaired conversation.
import {
  type ExternalId,
  type ImportCommand,
  type ImportNode,
  isUuid,
  type JsonObject,
  type Marker,
  type Message,
  type NodeId,
  nodeId,
  type TreeAttributes,
  type TreeId,
  treeId,
} from '@coppice/core';
import { titleFromMessages } from '../conversation-title.ts';
import { buildSubAgentLink } from '../sub-agent-links.ts';
import { type CooperativeTask, itemsPerPause, runWithoutPauses } from './cooperative.ts';
import { deriveImportedNodeId, deriveImportedRootId, deriveImportedTreeId } from './ids.ts';
import { buildImportMetadata, isStorableRecord } from './original-record.ts';
import type { RepairedNode, RepairedTree } from './repair.ts';

/** A conversation that can be stored: one command for one commit, and the external ids of its parts. */
export interface StorableTree {
  readonly command: ImportCommand;
  readonly names: readonly ExternalId[];
  /** The repaired node of each imported node id. */
  readonly sources: ReadonlyMap<string, RepairedNode>;
  /**
   * The number of records that are parts of existing nodes, or companions that an export of Coppice added. An export
   * may write one node as several records.
   */
  readonly parts: number;
}

/** What is known about the tree into which a conversation is imported. */
export interface ImportDestination {
  /** Whether an exported tree gets new ids, because another owner already has its ids. */
  readonly fresh?: boolean;
  /** Nodes of the tree that Coppice exported with their own ids. Records with these ids are the existing nodes. */
  readonly own?: ReadonlySet<string>;
  /** The ids of companions that Coppice's export added. They are not in the tree and are not imported. */
  readonly companions?: ReadonlySet<string>;
  /** The existing tree from which the conversation was exported, if its id differs from the derived id. */
  readonly treeId?: TreeId;
}

const uuidLength = 36;

/** Returns the node id in the id of a record: the whole id, or its beginning if the record is a part of a node. */
export function findCoppiceNodeId(externalId: string): NodeId | undefined {
  const id = externalId.slice(0, uuidLength);
  return (externalId.length === uuidLength || isPartId(externalId)) && isUuid(id) ? nodeId(id) : undefined;
}

// Writers append a suffix to the id of a node that becomes several records.
function isPartId(externalId: string): boolean {
  const next = externalId[uuidLength];
  return next === '-' || next === '/';
}

/** Returns the id of the existing node of which a record is only a part; undefined for other records. */
function wholeNodeOf(externalId: string, own: ReadonlySet<string>): string | undefined {
  if (own.size === 0 || !isPartId(externalId)) return undefined;
  const id = externalId.slice(0, uuidLength);
  return own.has(id) ? id : undefined;
}

/** Numbers the groups of each parent; a group with one member is dropped. */
function groupNumbers(nodes: readonly RepairedNode[]): Map<RepairedNode, number> {
  const families = new Map<string, Map<string, RepairedNode[]>>();
  for (const node of nodes) {
    if (node.group === undefined) continue;
    const parent = JSON.stringify(node.parentExternalId);
    const groups = families.get(parent) ?? new Map<string, RepairedNode[]>();
    families.set(parent, groups);
    const members = groups.get(node.group);
    if (members === undefined) groups.set(node.group, [node]);
    else members.push(node);
  }
  const numbers = new Map<RepairedNode, number>();
  for (const groups of families.values()) {
    let number = 0;
    for (const members of groups.values()) {
      if (members.length < 2) continue;
      number++;
      for (const member of members) numbers.set(member, number);
    }
  }
  return numbers;
}

function importedMarker(node: RepairedNode, ids: ReadonlyMap<string, NodeId>): Marker | undefined {
  if (node.marker === undefined) return undefined;
  const { firstKept, from, tokensBefore, details } = node.marker;
  const kept = firstKept === undefined ? undefined : ids.get(firstKept);
  const left = from === undefined ? undefined : ids.get(from);
  return {
    ...(kept === undefined ? {} : { firstKept: kept }),
    ...(left === undefined ? {} : { from: left }),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(details === undefined ? {} : { details }),
  };
}

/** Returns a title for a conversation without one: the first words of its user. */
function titleOf({ title, attributes, nodes }: RepairedTree): string | undefined {
  if ((title ?? '').trim() !== '' || attributes?.title !== undefined || attributes?.autoTitle !== undefined)
    return undefined;
  return titleFromMessages(userMessages(nodes));
}

function* userMessages(nodes: readonly RepairedNode[]): Generator<Message> {
  for (const { kind, removed, meta, message } of nodes)
    if (kind === 'message' && removed !== true && meta?.excluded !== true) yield message;
}

/** Builds the link from a subagent to the tree of the session that spawned it. That tree may be imported later. */
function spawnLink({ spawnedBy, scope }: RepairedTree, format: string, owner: string): JsonObject {
  if (spawnedBy === undefined) return {};
  const { session, call, agentType } = spawnedBy;
  return {
    spawnedBy: {
      session,
      treeId: deriveImportedTreeId({ owner, format, scope, id: session }),
      ...(call === undefined ? {} : { call }),
      ...(agentType === undefined ? {} : { agentType }),
    },
  };
}

function importedAttributes(tree: RepairedTree, format: string, owner: string): TreeAttributes {
  const { systemPrompt, createdAt, updatedAt, record, scope, externalId: id } = tree;
  const title = (tree.title ?? '').trim() === '' ? undefined : tree.title;
  const autoTitle = titleOf(tree);
  const imported: JsonObject = {
    format,
    scope,
    id,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    // The title is recorded, so that it is not written into a file that had no title.
    ...(autoTitle === undefined ? {} : { autoTitle }),
    ...(record === undefined || !isStorableRecord(record) ? {} : { record }),
  };
  return {
    ...tree.attributes,
    ...(title === undefined ? {} : { title }),
    ...(autoTitle === undefined ? {} : { autoTitle }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    metadata: { ...tree.attributes?.metadata, ...spawnLink(tree, format, owner), imported },
  };
}

const none: ReadonlySet<string> = new Set();

/** The tree, root and node ids that an import assigns. */
interface Ids {
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly nodes: ReadonlyMap<string, NodeId>;
}

/** Assigns node ids. The original ids in `ours` are kept, or all of them if it is null; other ids are derived. */
function nameNodes(
  ids: Map<string, NodeId>,
  nodes: readonly RepairedNode[],
  tree: TreeId,
  ours: ReadonlySet<string> | null,
): void {
  for (const { externalId } of nodes)
    ids.set(externalId, ours?.has(externalId) === false ? deriveImportedNodeId(tree, externalId) : nodeId(externalId));
}

function* importIds(
  tree: RepairedTree,
  format: string,
  owner: string,
  { fresh = false, own: ours = none, treeId: there }: ImportDestination,
): CooperativeTask<Ids> {
  const own = !fresh && tree.restores !== undefined && isUuid(tree.externalId) && isUuid(tree.restores.rootId);
  const nodes = new Map<string, NodeId>();
  const derived = there ?? deriveImportedTreeId({ owner, format, scope: tree.scope, id: tree.externalId });
  const kept = own && tree.nodes.every((node) => isUuid(node.externalId));
  for (let from = 0; from < tree.nodes.length; from += itemsPerPause) {
    nameNodes(nodes, tree.nodes.slice(from, from + itemsPerPause), derived, kept ? null : ours);
    yield;
  }
  if (!kept || tree.restores === undefined) return { treeId: derived, rootId: deriveImportedRootId(derived), nodes };
  return { treeId: treeId(tree.externalId), rootId: nodeId(tree.restores.rootId), nodes };
}

function namesOf(
  tree: RepairedTree,
  format: string,
  ids: Ids,
  own: ReadonlySet<string>,
  parts: ImportParts,
  owner: string,
): ExternalId[] {
  const { treeId: id } = ids;
  const { scope } = tree;
  const names: ExternalId[] = [];
  if (tree.restores !== undefined) {
    for (const one of tree.restores.names) {
      const node = one.nodeId === null ? null : ids.nodes.get(one.nodeId);
      if (node !== undefined) names.push({ ...one, treeId: id, nodeId: node });
    }
    return names;
  }
  for (const { externalId } of tree.nodes) {
    const node = ids.nodes.get(externalId);
    if (node === undefined || own.has(externalId) || parts.has(externalId)) continue;
    names.push({ treeId: id, nodeId: node, format, scope, id: externalId });
  }
  // This row links the session to its subagent.
  if (tree.spawnedBy !== undefined)
    names.push(buildSubAgentLink(id, deriveImportedTreeId({ owner, format, scope, id: tree.spawnedBy.session })));
  // A tree of Coppice is found by its id. For any other tree the external id of the tree comes last: if it exists, so
  // do the others.
  if (id === tree.externalId) return names;
  names.push({ treeId: id, nodeId: null, format, scope, id: tree.externalId });
  return names;
}

/** The records that become no nodes: parts of existing nodes, and companions that an export of Coppice added. */
class ImportParts {
  readonly #parents = new Map<string, string | null>();
  readonly #wholes = new Set<string>();
  /** The number of source records among the parts. */
  readonly records: number = 0;

  constructor({ nodes }: RepairedTree, own: ReadonlySet<string>, companions: ReadonlySet<string>) {
    if (own.size === 0 && companions.size === 0) return;
    for (const { externalId, parentExternalId, records } of nodes) {
      const whole = wholeNodeOf(externalId, own);
      if (whole === undefined && !companions.has(externalId)) continue;
      this.#parents.set(externalId, parentExternalId);
      if (whole !== undefined) this.#wholes.add(whole);
      if (records > 0) this.records++;
    }
  }

  has(externalId: string): boolean {
    return this.#parents.has(externalId);
  }

  /** Whether a node was exported as a single record. */
  isWhole(externalId: string): boolean {
    return !this.#wholes.has(externalId);
  }

  /** Returns the nearest ancestor that is not a part. */
  nearestWhole(parent: string | null): string | null {
    let at = parent;
    for (let above = at; above !== null && this.#parents.has(above); at = above)
      above = this.#parents.get(above) ?? null;
    return at;
  }
}

/**
 * Builds the command that stores a conversation for an owner. The same conversation always gets the same ids. A tree
 * that Coppice exported keeps its ids, unless `fresh` is set because another owner has them.
 */
export function toImportCommand(tree: RepairedTree, format: string, owner: string, fresh = false): StorableTree {
  return runWithoutPauses(buildImportCommand(tree, format, owner, { fresh }));
}

/** What {@link importNode} needs besides the node. */
interface CommandBuilder {
  readonly format: string;
  readonly scope: string;
  /** Whether Coppice exported the nodes, so that their metadata is complete. */
  readonly restored: boolean;
  readonly ids: Ids;
  readonly parts: ImportParts;
  readonly groups: ReadonlyMap<RepairedNode, number>;
}

// A separate function, because V8 compiles it sooner than a part of a generator.
function addNode(
  nodes: ImportNode[],
  sources: Map<string, RepairedNode>,
  node: RepairedNode,
  making: CommandBuilder,
): void {
  const { ids, parts } = making;
  const id = ids.nodes.get(node.externalId);
  if (id === undefined || parts.has(node.externalId)) return;
  nodes.push(importNode(node, id, making));
  // If a node was exported in parts, none of the parts is complete.
  sources.set(id, parts.isWhole(node.externalId) ? node : { ...node, repeats: true });
}

function importNode(
  node: RepairedNode,
  id: NodeId,
  { format, scope, restored, ids, parts, groups }: CommandBuilder,
): ImportNode {
  const above = parts.nearestWhole(node.parentExternalId);
  const marker = importedMarker(node, ids.nodes);
  const group = node.group === undefined ? undefined : groups.get(node);
  const bookmark = typeof node.bookmark === 'string' ? { title: node.bookmark } : node.bookmark;
  const made: { -readonly [K in keyof ImportNode]: ImportNode[K] } = {
    id,
    parentId: above === null ? null : (ids.nodes.get(above) ?? null),
    order: node.order,
    message: node.message,
    kind: node.kind,
    meta: restored
      ? (node.meta ?? {})
      : {
          ...node.meta,
          imported: buildImportMetadata({ format, scope, id: node.externalId }, node.message, node.record),
        },
  };
  if (node.status !== undefined) made.status = node.status;
  if (group !== undefined) made.group = group;
  if (marker !== undefined) made.marker = marker;
  if (node.createdAt !== undefined) made.createdAt = node.createdAt;
  if (node.removed === true) made.removed = true;
  if (bookmark !== undefined) made.bookmark = bookmark;
  return made;
}

/** Like {@link toImportCommand}, but pauses so that other work can run. */
export function* buildImportCommand(
  tree: RepairedTree,
  format: string,
  owner: string,
  destination: ImportDestination = {},
): CooperativeTask<StorableTree> {
  const { scope } = tree;
  const { own = none, companions = none } = destination;
  const ids = yield* importIds(tree, format, owner, destination);
  const parts = new ImportParts(tree, own, companions);
  const groups = groupNumbers(tree.nodes);
  const nodes: ImportNode[] = [];
  const sources = new Map<string, RepairedNode>();
  const making: CommandBuilder = { format, scope, restored: tree.restores !== undefined, ids, parts, groups };
  for (let from = 0; from < tree.nodes.length; from += itemsPerPause) {
    for (const node of tree.nodes.slice(from, from + itemsPerPause)) addNode(nodes, sources, node, making);
    yield;
  }
  const command: ImportCommand = {
    type: 'import',
    treeId: ids.treeId,
    rootId: ids.rootId,
    attributes: tree.restores === undefined ? importedAttributes(tree, format, owner) : (tree.attributes ?? {}),
    nodes,
    activeId: tree.activeExternalId === null ? null : (ids.nodes.get(tree.activeExternalId) ?? null),
  };
  return { command, names: namesOf(tree, format, ids, own, parts, owner), sources, parts: parts.records };
}
