// From a conversation that was put right to the one command that stores it.
import {
  type ExternalId,
  type ImportCommand,
  type ImportNode,
  isUuid,
  type JsonObject,
  type Marker,
  type NodeId,
  nodeId,
  type TreeAttributes,
  type TreeId,
  treeId,
} from '@coppice/core';
import { importedNodeId, importedRootId, importedTreeId } from './ids.ts';
import { atOnce, type InTurns, stretch } from './in-turns.ts';
import { isKeepable, noteOf } from './records.ts';
import type { RepairedNode, RepairedTree } from './repair.ts';

/** A conversation ready to be stored: one command, one commit, and the names under which its parts are found again. */
export interface Incoming {
  readonly command: ImportCommand;
  readonly names: readonly ExternalId[];
  /** What each node was made of. */
  readonly sources: ReadonlyMap<string, RepairedNode>;
  /** Records that are parts of nodes which are there: an export wrote one node as several records. */
  readonly parts: number;
}

/** What is known of the tree that a conversation comes into. */
export interface Destination {
  /** Gives a tree of our own other ids, since somebody else has those that it brings. */
  readonly fresh?: boolean;
  /** Nodes of the tree that an export gave out under our own ids: what comes back under them is what is there. */
  readonly own?: ReadonlySet<string>;
}

const uuidLength = 36;

/** The id of ours that an id of a record may be, or that a part of one of our nodes may have gone out under. */
export function ownIdIn(externalId: string): NodeId | undefined {
  const id = externalId.slice(0, uuidLength);
  return (externalId.length === uuidLength || isPart(externalId)) && isUuid(id) ? nodeId(id) : undefined;
}

// What writers put behind the id of a node that becomes several records there, or that stands for several of ours.
function isPart(externalId: string): boolean {
  const next = externalId[uuidLength];
  return next === '-' || next === '/';
}

/** The node of ours that a record is only a part of. */
function wholeOf(externalId: string, own: ReadonlySet<string>): string | undefined {
  if (own.size === 0 || !isPart(externalId)) return undefined;
  const id = externalId.slice(0, uuidLength);
  return own.has(id) ? id : undefined;
}

/** Numbers for the groups of one parent: a group of one is none. */
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

function markerOf(node: RepairedNode, ids: ReadonlyMap<string, NodeId>): Marker | undefined {
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

function attributesOf(tree: RepairedTree, format: string): TreeAttributes {
  const { title, systemPrompt, createdAt, updatedAt, record, scope, externalId: id } = tree;
  const imported: JsonObject = {
    format,
    scope,
    id,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    ...(record === undefined || !isKeepable(record) ? {} : { record }),
  };
  return {
    ...tree.attributes,
    ...(title === undefined || title === '' ? {} : { title }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    metadata: { ...tree.attributes?.metadata, imported },
  };
}

const none: ReadonlySet<string> = new Set();

/** The ids that a conversation and its nodes get. */
interface Ids {
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly nodes: ReadonlyMap<string, NodeId>;
}

function* idsOf(
  tree: RepairedTree,
  format: string,
  owner: string,
  { fresh = false, own: ours = none }: Destination,
): InTurns<Ids> {
  const own = !fresh && tree.restores !== undefined && isUuid(tree.externalId) && isUuid(tree.restores.rootId);
  const nodes = new Map<string, NodeId>();
  const derived = importedTreeId({ owner, format, scope: tree.scope, id: tree.externalId });
  const kept = own && tree.nodes.every((node) => isUuid(node.externalId));
  for (const { externalId } of tree.nodes) {
    nodes.set(externalId, kept || ours.has(externalId) ? nodeId(externalId) : importedNodeId(derived, externalId));
    if (nodes.size % stretch === 0) yield;
  }
  if (!kept || tree.restores === undefined) return { treeId: derived, rootId: importedRootId(derived), nodes };
  return { treeId: treeId(tree.externalId), rootId: nodeId(tree.restores.rootId), nodes };
}

function namesOf(tree: RepairedTree, format: string, ids: Ids, own: ReadonlySet<string>): ExternalId[] {
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
    if (node === undefined || own.has(externalId) || wholeOf(externalId, own) !== undefined) continue;
    names.push({ treeId: id, nodeId: node, format, scope, id: externalId });
  }
  // The tree's own name comes last: where it is there, the others are.
  names.push({ treeId: id, nodeId: null, format, scope, id: tree.externalId });
  return names;
}

/** Records of a conversation that are parts of nodes which are there. */
class Parts {
  readonly #parents = new Map<string, string | null>();
  readonly #wholes = new Set<string>();
  /** How many of them are records of the source. */
  readonly records: number = 0;

  constructor({ nodes }: RepairedTree, own: ReadonlySet<string>) {
    if (own.size === 0) return;
    for (const { externalId, parentExternalId, records } of nodes) {
      const whole = wholeOf(externalId, own);
      if (whole === undefined) continue;
      this.#parents.set(externalId, parentExternalId);
      this.#wholes.add(whole);
      if (records > 0) this.records++;
    }
  }

  has(externalId: string): boolean {
    return this.#parents.has(externalId);
  }

  /** Whether a node went out in one piece. */
  isWhole(externalId: string): boolean {
    return !this.#wholes.has(externalId);
  }

  /** The nearest parent that is no part. */
  past(parent: string | null): string | null {
    let at = parent;
    for (let above = at; above !== null && this.#parents.has(above); at = above)
      above = this.#parents.get(above) ?? null;
    return at;
  }
}

/**
 * The command that stores a conversation for an owner. The same conversation always gives the same ids; a tree of our
 * own keeps the ones it has, unless `fresh` says that somebody else has them.
 */
export function toCommand(tree: RepairedTree, format: string, owner: string, fresh = false): Incoming {
  return atOnce(commanding(tree, format, owner, { fresh }));
}

/** As {@link toCommand}, with places where others may have a turn. */
export function* commanding(
  tree: RepairedTree,
  format: string,
  owner: string,
  destination: Destination = {},
): InTurns<Incoming> {
  const { scope } = tree;
  const { own = none } = destination;
  const ids = yield* idsOf(tree, format, owner, destination);
  const parts = new Parts(tree, own);
  const groups = groupNumbers(tree.nodes);
  const nodes: ImportNode[] = [];
  const sources = new Map<string, RepairedNode>();
  for (const node of tree.nodes) {
    const id = ids.nodes.get(node.externalId);
    if (id === undefined || parts.has(node.externalId)) continue;
    const above = parts.past(node.parentExternalId);
    const marker = markerOf(node, ids.nodes);
    const group = groups.get(node);
    const bookmark = typeof node.bookmark === 'string' ? { title: node.bookmark } : node.bookmark;
    const meta =
      tree.restores === undefined
        ? { ...node.meta, imported: noteOf({ format, scope, id: node.externalId }, node.message, node.record) }
        : (node.meta ?? {});
    const made: { -readonly [K in keyof ImportNode]: ImportNode[K] } = {
      id,
      parentId: above === null ? null : (ids.nodes.get(above) ?? null),
      order: node.order,
      message: node.message,
      kind: node.kind,
      meta,
    };
    if (node.status !== undefined) made.status = node.status;
    if (group !== undefined) made.group = group;
    if (marker !== undefined) made.marker = marker;
    if (node.createdAt !== undefined) made.createdAt = node.createdAt;
    if (node.removed === true) made.removed = true;
    if (bookmark !== undefined) made.bookmark = bookmark;
    nodes.push(made);
    // A node that went out in parts does not say all of itself in one of them.
    sources.set(id, parts.isWhole(node.externalId) ? node : { ...node, repeats: true });
    if (nodes.length % stretch === 0) yield;
  }
  const command: ImportCommand = {
    type: 'import',
    treeId: ids.treeId,
    rootId: ids.rootId,
    attributes: tree.restores === undefined ? attributesOf(tree, format) : (tree.attributes ?? {}),
    nodes,
    activeId: tree.activeExternalId === null ? null : (ids.nodes.get(tree.activeExternalId) ?? null),
  };
  return { command, names: namesOf(tree, format, ids, own), sources, parts: parts.records };
}
