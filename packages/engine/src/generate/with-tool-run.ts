/**
 * Stores a run while the tools of a turn run, so that other processes can find and stop the turn, and decide about its
 * calls, although no reply is being written.
 */
import { startHeartbeat } from '../runs/heartbeat.ts';
import type { TurnApprovals } from './approvals.ts';
import type { WrittenReply } from './contract.ts';
import type { TurnState } from './state.ts';
import type { TurnServices } from './turn-services.ts';

/** The value of `phase` in the data of a run that waits for tools. */
const toolsPhase = 'tools';

/** Runs `work` with a run on the reply that called the tools. If the run cannot be stored, the tools run anyway. */
export async function withToolRun<T>(
  services: TurnServices,
  state: TurnState,
  { nodeId }: WrittenReply,
  approvals: TurnApprovals,
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
        ticks: services.timers(limits.flushMs),
        // No other process can take over tools, so the turn continues, and its calls are decided here.
        onLost: () => approvals.shareThrough(null),
        onStop: stop,
        onCheck: (run) => approvals.takeDecisions(run.data),
      })
    : () => undefined;
  if (isKept) approvals.shareThrough((added) => runs.note(id, added));
  try {
    return await work();
  } finally {
    approvals.shareThrough(null);
    stopBeating();
    if (isKept) await runs.end(id).catch(() => undefined);
  }
}
