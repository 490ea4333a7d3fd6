// From a conversation that was put right to the one command that stores it.
import type { ExternalId, ImportCommand, ImportNode, JsonObject, Marker, NodeId, TreeAttributes } from '@coppice/core';
import { importedNodeId, importedRootId, importedTreeId } from './ids.ts';
import { isKeepable, noteOf } from './records.ts';
import type { RepairedNode, RepairedTree } from './repair.ts';

/** A conversation ready to be stored: one command, one commit, and the names under which its parts are found again. */
export interface Incoming {
  readonly command: ImportCommand;
  readonly names: readonly ExternalId[];
  /** How many records of the source each node stands for. */
  readonly records: ReadonlyMap<string, number>;
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

/** The command that stores a conversation for an owner. The same conversation always gives the same ids. */
export function toCommand(tree: RepairedTree, format: string, owner: string): Incoming {
  const { scope } = tree;
  const treeId = importedTreeId({ owner, format, scope, id: tree.externalId });
  const ids = new Map<string, NodeId>();
  for (const { externalId } of tree.nodes) ids.set(externalId, importedNodeId(treeId, externalId));
  const groups = groupNumbers(tree.nodes);
  const nodes: ImportNode[] = [];
  const names: ExternalId[] = [];
  const records = new Map<string, number>();
  for (const node of tree.nodes) {
    const id = ids.get(node.externalId) ?? importedNodeId(treeId, node.externalId);
    const marker = markerOf(node, ids);
    const group = groups.get(node);
    const note = noteOf({ format, scope, id: node.externalId }, node.message, node.record);
    nodes.push({
      id,
      parentId: node.parentExternalId === null ? null : (ids.get(node.parentExternalId) ?? null),
      order: node.order,
      message: node.message,
      kind: node.kind,
      meta: { ...node.meta, imported: note },
      ...(node.status === undefined ? {} : { status: node.status }),
      ...(group === undefined ? {} : { group }),
      ...(marker === undefined ? {} : { marker }),
      ...(node.createdAt === undefined ? {} : { createdAt: node.createdAt }),
      ...(node.removed === true ? { removed: true } : {}),
      ...(node.bookmark === undefined ? {} : { bookmark: node.bookmark }),
    });
    names.push({ treeId, nodeId: id, format, scope, id: node.externalId });
    records.set(id, node.records);
  }
  // The tree's own name comes last: where it is there, the others are.
  names.push({ treeId, nodeId: null, format, scope, id: tree.externalId });
  const activeId = tree.activeExternalId === null ? null : (ids.get(tree.activeExternalId) ?? null);
  const command: ImportCommand = {
    type: 'import',
    treeId,
    rootId: importedRootId(treeId),
    attributes: attributesOf(tree, format),
    nodes,
    activeId,
  };
  return { command, names, records };
}
