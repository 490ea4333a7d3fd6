import { isAppError, type NodeId, refuse } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { Prompt } from './prompt.ts';
import type { Room } from './room.ts';
import type { Ground, TurnState } from './state.ts';

/** Has older messages give way to a summary, once in a turn; gives the node to go on from, or null where nobody can. */
export async function compactOnce(
  room: Room,
  state: TurnState,
  ground: Ground,
  model: Model,
  reason: 'due' | 'full' | 'overflow',
): Promise<NodeId | null> {
  // A reply that is gone on with has its place already; a summary below it would come too late.
  if (room.compact === null || state.compacted || ground.type === 'into') return null;
  state.compacted = true;
  const { treeId, actId, signal } = state;
  try {
    const { nodeId } = await room.events.ask('compact', { treeId, nodeId: ground.parentId });
    const marker = await room.compact({ treeId, nodeId, model, reason, actId, signal });
    if (marker !== null) await room.events.tell('compact', { treeId, nodeId: marker });
    return marker;
  } catch (thrown) {
    if (isAppError(thrown) && (thrown.kind === 'aborted' || reason === 'full')) {
      if (thrown.code !== 'context/nothing-to-compact') throw thrown;
    }
    // Where it only would have been good, or something else went wrong before, a summary that fails stops nobody.
    return null;
  }
}

/**
 * Makes room where a window is full or nearly so; gives the node to go on from, or null where there is room enough to go
 * on without. Refuses `context/full` where there is not.
 */
export async function makeRoom(room: Room, state: TurnState, ground: Ground, tight: Prompt): Promise<NodeId | null> {
  const { model } = tight;
  const isFull = tight.room === 'short';
  const marker = await compactOnce(room, state, ground, model, isFull ? 'full' : 'due');
  if (marker !== null || !isFull) return marker;
  return refuse(
    'context/full',
    `The conversation fills the window of ${model.id} (${model.info.window} tokens): compact it, branch off earlier, or take a model with a larger window.`,
    { model: model.id, window: model.info.window },
  );
}
