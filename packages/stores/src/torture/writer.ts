/** A writer that makes one change after another in a separate branch of a tree. */
import { messageKit } from '@coppice/content';
import {
  ask,
  type Command,
  isAppError,
  type NodeId,
  nodeId,
  run,
  type Store,
  type TreeId,
  textMessage,
  treeId,
} from '@coppice/core';
import { findSubtreeIds, type WriterAct, WriterBranch } from './branch.ts';
import type { WorkerReport, WriterTask } from './protocol.ts';
import { SeededRandom } from './seeded-random.ts';

function commandOf(act: WriterAct, tree: TreeId, rootId: NodeId): Command {
  switch (act.act) {
    case 'append':
      return {
        type: 'append',
        treeId: tree,
        parentId: act.parent === null ? rootId : nodeId(act.parent),
        messages: act.ids.map((id, index) => ({
          id,
          message: textMessage(index % 2 === 0 ? 'user' : 'assistant', act.texts[index] ?? ''),
        })),
      };
    case 'save':
      return { type: 'edit', treeId: tree, nodeId: nodeId(act.id), content: act.text, mode: 'in-place' };
    case 'vary':
      return { type: 'edit', treeId: tree, nodeId: nodeId(act.id), content: act.text, mode: 'branch', id: act.newId };
    case 'split':
      return { type: 'split', treeId: tree, nodeId: nodeId(act.id), position: act.position, id: act.newId };
    case 'splice':
    case 'cascade':
      return { type: 'delete', treeId: tree, nodeIds: [nodeId(act.id)], mode: act.act };
    case 'move':
      return { type: 'move', treeId: tree, nodeId: nodeId(act.id), parentId: nodeId(act.parent) };
    case 'undo':
      return { type: 'undo', treeId: tree };
  }
}

/** Chooses a random act that is valid on a branch. */
export function chooseAct(branch: WriterBranch, random: SeededRandom, mark: string): WriterAct {
  const ids = [...branch.nodes.keys()];
  const append = (): WriterAct => {
    const count = 1 + random.below(3);
    return {
      act: 'append',
      parent: ids.length === 0 || random.once(12) ? null : random.pick(ids),
      ids: Array.from({ length: count }, () => random.uuid()),
      texts: Array.from({ length: count }, () => random.text(mark)),
    };
  };
  if (ids.length < 3) return append();
  const id = random.pick(ids);
  const roll = random.below(100);
  if (roll < 15) return { act: 'save', id, text: random.text(mark) };
  if (roll < 28) return { act: 'vary', id, newId: random.uuid(), text: random.text(mark) };
  // A text is split only if it begins with plain characters; a cut inside a grapheme would be refused.
  if (roll < 36 && /^[\w-][\w -]{8}/.test(branch.nodes.get(id)?.text ?? ''))
    return { act: 'split', id, newId: random.uuid(), position: 1 + random.below(4) };
  if (roll < 46) return { act: 'splice', id };
  if (roll < (ids.length > 60 ? 60 : 50)) return { act: 'cascade', id };
  if (roll < 66) {
    const below = findSubtreeIds(branch.nodes, id);
    const parents = ids.filter((one) => !below.has(one) && one !== branch.nodes.get(id)?.parent);
    if (parents.length > 0) return { act: 'move', id, parent: random.pick(parents) };
  }
  if (roll < 74 && branch.canUndo) return { act: 'undo' };
  return append();
}

/** Writes until it is told to stop, and reports every answer of the store at once. */
export async function runWriter(
  store: Store,
  task: WriterTask,
  tell: (reported: WorkerReport) => void,
  ended: () => boolean,
): Promise<void> {
  const { name } = task;
  const tree = treeId(task.treeId);
  const random = new SeededRandom('writer', task.seed);
  const context = { actor: name, kit: messageKit, now: () => Date.now(), newId: () => random.uuid() };
  let branch = WriterBranch.from(task.branch);
  const fail = (error: unknown): void => {
    if (!isAppError(error)) throw error;
    // If the store was unavailable, the last write may still have been stored.
    tell({
      reported: 'failed',
      writer: name,
      code: error.code,
      message: error.message,
      unknown: error.code === 'store/unavailable',
    });
  };
  let rootId: NodeId;
  try {
    await run(store, { type: 'create', treeId: tree }, context);
    rootId = (await store.read(tree, () => ask('tree', {})))?.rootId ?? nodeId('');
  } catch (error) {
    return fail(error);
  }
  let again = task.again;
  while (!ended()) {
    const act = again ?? chooseAct(branch, random, name);
    // A repeated append finds its messages. Without a selection it commits nothing, whatever node is active now.
    const retried = again !== undefined;
    const next = retried ? branch : branch.after(act);
    again = undefined;
    tell({ reported: 'tries', writer: name, act });
    try {
      const command = commandOf(act, tree, rootId);
      const { version } = await run(
        store,
        retried && command.type === 'append' ? { ...command, select: false } : command,
        context,
      );
      branch = next;
      tell({ reported: 'done', writer: name, version });
    } catch (error) {
      fail(error);
      if (isAppError(error) && error.code === 'store/locked') continue;
      return;
    }
  }
}
