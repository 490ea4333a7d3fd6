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

/** The ids that a conversation and its nodes get. */
interface Ids {
  readonly treeId: TreeId;
  readonly rootId: NodeId;
  readonly nodes: ReadonlyMap<string, NodeId>;
}

function* idsOf(tree: RepairedTree, format: string, owner: string, fresh: boolean): InTurns<Ids> {
  const own = !fresh && tree.restores !== undefined && isUuid(tree.externalId) && isUuid(tree.restores.rootId);
  const nodes = new Map<string, NodeId>();
  const derived = importedTreeId({ owner, format, scope: tree.scope, id: tree.externalId });
  const kept = own && tree.nodes.every((node) => isUuid(node.externalId));
  for (const { externalId } of tree.nodes) {
    nodes.set(externalId, kept ? nodeId(externalId) : importedNodeId(derived, externalId));
    if (nodes.size % stretch === 0) yield;
  }
  if (!kept || tree.restores === undefined) return { treeId: derived, rootId: importedRootId(derived), nodes };
  return { treeId: treeId(tree.externalId), rootId: nodeId(tree.restores.rootId), nodes };
}

function namesOf(tree: RepairedTree, format: string, ids: Ids): ExternalId[] {
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
    if (node !== undefined) names.push({ treeId: id, nodeId: node, format, scope, id: externalId });
  }
  // The tree's own name comes last: where it is there, the others are.
  names.push({ treeId: id, nodeId: null, format, scope, id: tree.externalId });
  return names;
}

/**
 * The command that stores a conversation for an owner. The same conversation always gives the same ids; a tree of our
 * own keeps the ones it has, unless `fresh` says that somebody else has them.
 */
export function toCommand(tree: RepairedTree, format: string, owner: string, fresh = false): Incoming {
  return atOnce(commanding(tree, format, owner, fresh));
}

/** As {@link toCommand}, with places where others may have a turn. */
export function* commanding(tree: RepairedTree, format: string, owner: string, fresh = false): InTurns<Incoming> {
  const { scope } = tree;
  const ids = yield* idsOf(tree, format, owner, fresh);
  const groups = groupNumbers(tree.nodes);
  const nodes: ImportNode[] = [];
  const sources = new Map<string, RepairedNode>();
  for (const node of tree.nodes) {
    const id = ids.nodes.get(node.externalId);
    if (id === undefined) continue;
    const marker = markerOf(node, ids.nodes);
    const group = groups.get(node);
    const bookmark = typeof node.bookmark === 'string' ? { title: node.bookmark } : node.bookmark;
    const meta =
      tree.restores === undefined
        ? { ...node.meta, imported: noteOf({ format, scope, id: node.externalId }, node.message, node.record) }
        : (node.meta ?? {});
    const made: { -readonly [K in keyof ImportNode]: ImportNode[K] } = {
      id,
      parentId: node.parentExternalId === null ? null : (ids.nodes.get(node.parentExternalId) ?? null),
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
    sources.set(id, node);
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
  return { command, names: namesOf(tree, format, ids), sources };
}
