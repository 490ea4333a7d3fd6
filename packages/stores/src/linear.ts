/** Conversations that are still lists: how they read as trees, and what may be written while trees are switched off. */
import { derivedId, messageKit } from '@coppice/content';
import {
  type ActId,
  actId,
  ask,
  checkMessage,
  isUuid,
  type LinearRecord,
  type MessageKit,
  type NodeId,
  nodeId,
  type PreparedCommit,
  type ReadProgram,
  refuse,
  type Step,
  type Tree,
  type TreeId,
  valueOf,
} from '@coppice/core';
import { prepareCommit } from '@coppice/core/store';
import { applyOrThrow, emptyTree, linearSteps } from '@coppice/core/tree';

export { derivedId };

/** The id of a message of a list: its own where it is one of ours, else one made of the tree's id and its place. */
export function linearNodeId(record: Pick<LinearRecord, 'treeId' | 'messages'>, index: number): NodeId {
  const own = record.messages[index]?.id;
  return nodeId(isUuid(own) ? own : derivedId('linear', record.treeId, index));
}

/** The id of the root that a list gets when it is read as a tree. */
export function linearRootId(treeId: TreeId): NodeId {
  return nodeId(derivedId('linear-root', treeId));
}

/** A list read as a tree: the value, the commit that stores it, and the messages that say nothing and are left out. */
export interface LinearTree {
  readonly tree: Tree;
  readonly settled: PreparedCommit;
  readonly blank: readonly number[];
}

/**
 * Reads a list as a tree of one commit. The same record gives the same ids, times and act, so whoever read it before
 * it was stored finds the same nodes afterwards. Refuses a message that is none, naming its index.
 */
export function treeOfLinear(record: LinearRecord, owner: string, kit: MessageKit = messageKit): LinearTree {
  const { treeId, title, systemPrompt, createdAt: at } = record;
  const messages = record.messages.map((item, index) => ({
    message:
      item.message.content.length === 0 ? item.message : valueOf(checkMessage(item.message, `messages[${index}]`)),
    id: linearNodeId(record, index),
    ...(item.meta === undefined ? {} : { meta: item.meta }),
    ...(item.createdAt === undefined ? {} : { createdAt: item.createdAt }),
  }));
  const attributes = {
    ...(title === undefined ? {} : { title }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
  const { steps, blank } = linearSteps(
    { treeId, owner, attributes, rootId: linearRootId(treeId), messages },
    { now: at, newId: () => derivedId('linear-spare', treeId), kit },
  );
  const options = { actor: 'migration', actId: linearAct(treeId), at, additive: false };
  const settled = prepareCommit(treeId, null, { steps, result: null }, options);
  if (settled === null) throw new Error(`The list ${treeId} gave no steps.`);
  return { tree: applyOrThrow(emptyTree(treeId, owner, at), steps, { at }).tree, settled, blank };
}

function linearAct(treeId: TreeId): ActId {
  return actId(derivedId('linear-act', treeId));
}

/** Refuses a list that cannot be kept: an id that is none of ours, or one that is there twice. */
export function checkLinear(record: LinearRecord): void {
  if (!isUuid(record.treeId))
    refuse(
      'id/invalid',
      `A tree id is a UUID in lower case, not ${JSON.stringify(String(record.treeId).slice(0, 64))}.`,
    );
  const seen = new Set<string>();
  for (const [index, item] of record.messages.entries()) {
    const id = linearNodeId(record, index);
    if (seen.has(id)) refuse('id/taken', `The id ${id} of messages[${index}] is there twice.`, { nodeId: id, index });
    seen.add(id);
    if (String(id) === record.treeId)
      refuse('id/taken', `The id ${id} of messages[${index}] is the tree's own.`, { nodeId: id, index });
    const read = checkMessage(item?.message, `messages[${index}]`);
    if (!read.ok && read.refusal.code !== 'message/blank') valueOf(read);
  }
}

/**
 * Refuses, with `tree/branching-off`, steps that would give a node a second live child. What goes on at an end of the
 * conversation, is edited in place, deleted or noted stays possible where tree writes are switched off.
 */
export function* refuseBranching(treeId: TreeId, steps: readonly Step[]): ReadProgram<void> {
  const counts = new Map<NodeId, number>();
  const gains = new Set<NodeId>();
  const add = function* (parent: NodeId, by: number, known = false): ReadProgram<void> {
    const now = counts.get(parent) ?? (known ? 0 : (yield* ask('children', { of: parent })).length);
    counts.set(parent, now + by);
    if (by > 0) gains.add(parent);
  };
  const inserted = new Set<NodeId>();
  for (const step of steps) {
    if (step.type === 'insert') {
      inserted.add(step.node.id);
      const { parentId } = step.node;
      if (parentId !== null) yield* add(parentId, 1, inserted.has(parentId));
    } else if (step.type === 'move') {
      yield* add(step.from.parentId, -1, inserted.has(step.from.parentId));
      yield* add(step.to.parentId, 1, inserted.has(step.to.parentId));
    } else if (step.type === 'remove' || step.type === 'restore') {
      const node = yield* ask('anyNode', { id: step.nodeId });
      if (node?.parentId != null) yield* add(node.parentId, step.type === 'remove' ? -1 : 1);
    }
  }
  for (const parent of gains)
    if ((counts.get(parent) ?? 0) > 1)
      refuse(
        'tree/branching-off',
        `The conversation ${treeId} is kept as a list: a second message below ${parent} would branch it, which is switched off.`,
        { treeId, nodeId: parent },
      );
}
