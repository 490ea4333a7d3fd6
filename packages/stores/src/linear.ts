/**
 * Conversations that are stored as lists: their rows, and the restrictions for owners whose conversations may not
 * branch.
 */
import { canonicalJson, deriveId, messageKit } from '@coppice/content';
import {
  type ActId,
  type AppliedCommit,
  actId,
  ask,
  checkMessage,
  isUuid,
  type MessageKit,
  type Node,
  type NodeId,
  nodeId,
  type ReadProgram,
  refuse,
  type Step,
  type StoredLinearConversation,
  type Tree,
  type TreeAttributes,
  type TreeId,
  unwrapResult,
} from '@coppice/core';
import { prepareCommit } from '@coppice/core/store';
import { allNodes, applyOrThrow, buildLinearSteps, emptyTree, rowChanges } from '@coppice/core/tree';

export { deriveId };

/**
 * Returns the node id of a message in a list: its own id if that is a UUID, else one derived from the tree id and the
 * index.
 */
function linearNodeId(record: Pick<StoredLinearConversation, 'treeId' | 'messages'>, index: number): NodeId {
  const own = record.messages[index]?.id;
  return nodeId(isUuid(own) ? own : deriveId('linear', record.treeId, index));
}

/** Returns the id of the root that a list gets when it is read as a tree. It is derived, because a list has no root. */
function linearRootId(treeId: TreeId): NodeId {
  return nodeId(deriveId('linear-root', treeId));
}

/**
 * A list that was converted to a tree: the value, the commit that stores it, and the indexes of blank messages, which
 * are left out.
 */
export interface LinearTree {
  readonly tree: Tree;
  readonly applied: AppliedCommit;
  readonly blank: readonly number[];
}

/**
 * Converts a list to a tree with one commit. The same record always gives the same ids, times and act, so that nodes
 * have the same ids before and after the list is stored as a tree. Throws on an invalid message, with its index.
 */
export function buildLinearTree(
  record: StoredLinearConversation,
  owner: string,
  kit: MessageKit = messageKit,
): LinearTree {
  const { treeId, title, systemPrompt, createdAt: at } = record;
  const messages = record.messages.map((item, index) => ({
    message:
      item.message.content.length === 0 ? item.message : unwrapResult(checkMessage(item.message, `messages[${index}]`)),
    id: linearNodeId(record, index),
    ...(item.meta === undefined ? {} : { meta: item.meta }),
    ...(item.createdAt === undefined ? {} : { createdAt: item.createdAt }),
  }));
  const attributes = {
    ...(title === undefined ? {} : { title }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
  const { steps, blank } = buildLinearSteps(
    { treeId, owner, attributes, rootId: linearRootId(treeId), messages },
    { now: at, newId: () => deriveId('linear-spare', treeId), kit },
  );
  const options = { actor: 'migration', actId: linearAct(treeId), at, additive: false };
  const prepared = prepareCommit(treeId, null, { steps, result: null }, options);
  if (prepared === null) throw new Error(`The list ${treeId} gave no steps.`);
  const { tree, changes } = applyOrThrow(emptyTree(treeId, owner, at), steps, { at });
  return { tree, applied: { ...prepared, changes }, blank };
}

function linearAct(treeId: TreeId): ActId {
  return actId(deriveId('linear-act', treeId));
}

/** Whether a conversation has not changed since it was stored as a list. */
export function isUnchangedLinearConversation(
  linear: LinearTree,
  stored: { readonly attributes: TreeAttributes; readonly nodes: readonly Node[] },
): boolean {
  const listed = allNodes(linear.tree);
  return (
    canonicalJson(stored.attributes) === canonicalJson(linear.tree.attributes) &&
    canonicalJson(stored.nodes.map(messageInList)) === canonicalJson(listed.map(messageInList))
  );
}

function messageInList({ id, parentId, createdAt, message, meta }: Node) {
  return { id, parentId, createdAt, message, meta };
}

/** Throws if a list cannot be stored: an id is not a UUID, an id is used twice, or a message is invalid. */
export function assertStorableLinearConversation(record: StoredLinearConversation): void {
  if (!isUuid(record.treeId))
    refuse(
      'id/invalid',
      `A tree id is a UUID in lower case, not ${JSON.stringify(String(record.treeId).slice(0, 64))}.`,
    );
  const seen = new Set<string>();
  for (const [index, item] of record.messages.entries()) {
    const id = linearNodeId(record, index);
    if (seen.has(id)) refuse('id/taken', `The id ${id} of messages[${index}] is used twice.`, { nodeId: id, index });
    seen.add(id);
    if (String(id) === record.treeId)
      refuse('id/taken', `The id ${id} of messages[${index}] is also the id of the tree.`, { nodeId: id, index });
    const read = checkMessage(item?.message, `messages[${index}]`);
    if (!read.ok && read.refusal.code !== 'message/blank') unwrapResult(read);
  }
}

/**
 * Throws `tree/branching-off` if steps would give a node a second live child. Continuing at a leaf, editing in place,
 * deleting and annotating are allowed while tree writes are off.
 */
export function* assertNoNewBranch(treeId: TreeId, steps: readonly Step[]): ReadProgram<void> {
  const counts = new Map<NodeId, number>();
  const gains = new Set<NodeId>();
  const parents = new Map<NodeId, NodeId | null>();
  const inserted = new Set<NodeId>();
  const add = function* (parent: NodeId | null, by: number): ReadProgram<void> {
    if (parent === null) return;
    const known = counts.get(parent) ?? (inserted.has(parent) ? 0 : (yield* ask('children', { of: parent })).length);
    counts.set(parent, known + by);
    if (by > 0) gains.add(parent);
  };
  const parentOf = function* (id: NodeId): ReadProgram<NodeId | null> {
    return parents.get(id) ?? (yield* ask('anyNode', { id }))?.parentId ?? null;
  };
  for (const change of rowChanges(steps, { version: 1, seq: 0, at: 0 })) {
    if (change.op === 'added') {
      const { id, parentId } = change.node;
      yield* add(parentId, 1);
      parents.set(id, parentId);
      inserted.add(id);
    } else if (change.op === 'marked') yield* add(yield* parentOf(change.nodeId), change.to === null ? 1 : -1);
    else if (change.op === 'updated' && change.set.parentId !== undefined)
      for (const id of change.nodeIds) {
        yield* add(yield* parentOf(id), -1);
        yield* add(change.set.parentId, 1);
        parents.set(id, change.set.parentId);
      }
  }
  for (const parent of gains)
    if ((counts.get(parent) ?? 0) > 1)
      refuse(
        'tree/branching-off',
        `The conversation ${treeId} is stored as a list. A second message below ${parent} would create a branch, and branching is switched off.`,
        { treeId, nodeId: parent },
      );
}
