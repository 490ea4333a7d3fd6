import { isAppError, type NodeId, refuse } from '@coppice/core';
import { fromThrown } from './errors.ts';
import type { Prompt } from './prompt.ts';
import type { Room } from './room.ts';
import type { Ground, TurnState } from './state.ts';

/**
 * Has older messages give way to a summary where a window is full, once in a turn; gives the node to go on from, or null
 * where there is room enough to go on without. Refuses `context/full` where there is not.
 */
export async function makeRoom(room: Room, state: TurnState, ground: Ground, tight: Prompt): Promise<NodeId | null> {
  const { treeId, actId, signal } = state;
  const isFull = tight.room === 'short';
  // A reply that is gone on with has its place already; a summary below it would come too late.
  if (room.compact !== null && !state.compacted && ground.type !== 'into') {
    state.compacted = true;
    const asked = await room.events.ask('compact', { treeId, nodeId: ground.parentId });
    const reason = isFull ? 'full' : 'due';
    try {
      const marker = await room.compact({ ...asked, model: tight.model, reason, actId, signal });
      if (marker !== null) {
        await room.events.tell('compact', { treeId, nodeId: marker });
        return marker;
      }
    } catch (thrown) {
      // Where it only would have been good, a summary that cannot be made stops nobody.
      if (isFull && !(isAppError(thrown) && thrown.code === 'context/nothing-to-compact')) throw thrown;
      if (!isFull && fromThrown(thrown).kind === 'aborted') throw thrown;
    }
  }
  if (!isFull) return null;
  return refuse(
    'context/full',
    `The conversation fills the window of ${tight.model.id} (${tight.model.info.window} tokens): compact it, branch off earlier, or take a model with a larger window.`,
    { model: tight.model.id, window: tight.model.info.window },
  );
}
