/** A request that was made before: its replies are there, or on their way in this process or another. */
import { ask } from '@coppice/core';
import { followReply } from '../runs/follow.ts';
import { saveLost } from '../runs/recover.ts';
import type { WrittenReply } from './contract.ts';
import { readReply } from './read-reply.ts';
import { commandContext, type Room } from './room.ts';
import { type Ground, idOf, type TurnState } from './state.ts';

/** The replies that an earlier try of the same request made, when they are through; null if this is the first try. */
export async function attach(room: Room, state: TurnState, ground: Ground): Promise<readonly WrittenReply[] | null> {
  if (state.options.requestId === undefined || ground.type === 'into') return null;
  const { treeId, signal, emit } = state;
  const tries = [true, false].map((compacted) =>
    state.models.map((_, index) => idOf(room, state, ground, index, compacted)),
  );
  const ids = await room.store.read(treeId, function* () {
    for (const made of tries) {
      const [first] = made;
      // All replies of a try come into being in one commit.
      if (first !== undefined && (yield* ask('head', { id: first })) !== null) return made;
    }
    return null;
  });
  if (ids === null) return null;
  const { clock, limits, store } = room;
  const { actor, now, newId, kit } = commandContext(room, state.actId, state.actor);
  return Promise.all(
    ids.map(async (nodeId) => {
      for await (const event of followReply(store, { treeId, nodeId }, { clock, everyMs: limits.followMs, signal })) {
        if (event.type === 'text-delta') emit(event);
        if (event.type === 'error' && event.code === 'generate/lost')
          await saveLost({ store, actor, now, newId, kit }, treeId, nodeId, '');
      }
      const reply = await readReply(room, treeId, nodeId);
      const { parentId, status, error } = reply;
      emit({ type: 'node', nodeId, parentId, role: 'assistant', status, ...(error === null ? {} : { error }) });
      return reply;
    }),
  );
}
