/** A turn is somebody's also while no reply is written: it can be found, and stopped, in the time that its tools take. */
import { startHeartbeat } from '../runs/heartbeat.ts';
import type { WrittenReply } from './contract.ts';
import type { TurnState } from './state.ts';
import type { TurnServices } from './turn-services.ts';

/** What the data of a run says that writes no reply but waits for the tools that one called. */
const toolsPhase = 'tools';

/** Does `work` with a run on the reply that called. A store that keeps no run is no reason not to run the tools. */
export async function withToolRun<T>(
  services: TurnServices,
  state: TurnState,
  { nodeId }: WrittenReply,
  work: () => Promise<T>,
): Promise<T> {
  const { clock, limits, process } = services;
  const { runs } = services.store;
  const { treeId, actId, round, stop } = state;
  const id = services.newId();
  const now = clock.now();
  const data = { actId, round, phase: toolsPhase };
  const isKept = await runs.start({ id, treeId, nodeId, process, startedAt: now, data }).then(
    () => true,
    () => false,
  );
  const stopBeating = isKept
    ? startHeartbeat(runs, id, {
        clock,
        everyMs: limits.heartbeatMs,
        lookMs: limits.lookMs,
        // Nobody can take the tools over; the turn goes on.
        onLost: () => undefined,
        onStop: stop,
      })
    : () => undefined;
  try {
    return await work();
  } finally {
    stopBeating();
    if (isKept) await runs.end(id).catch(() => undefined);
  }
}
