/** Stops replies that another process writes. */
import type { ActId, NodeId, Run, RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { stopRequestData } from './heartbeat.ts';

/** Options for stopping replies of other processes. */
export interface RemoteStopOptions {
  readonly runs: RunStore;
  /** The id of this process, whose own runs are excluded. */
  readonly process: string;
  readonly clock: Clock;
  /** Polling interval in milliseconds. */
  readonly everyMs: number;
  /** Recovers the runs of processes that have died. */
  readonly recover: () => Promise<unknown>;
}

/** Selects runs: those of an act, or the one that writes a node. */
export type RunSelector = { readonly actId: ActId } | { readonly nodeId: NodeId };

/**
 * Asks other processes to stop these replies and waits until they have stopped or, if the process died, were recovered.
 * False if no other process writes them.
 */
export async function requestRemoteStop(which: RunSelector, stop: RemoteStopOptions): Promise<boolean> {
  const { runs, process } = stop;
  const meant = (await runs.list()).filter((run) => run.process !== process && isMeant(run, which));
  const asked: string[] = [];
  for (const { id } of meant) if (await runs.note(id, stopRequestData)) asked.push(id);
  await Promise.all(asked.map((id) => isRunOver(id, stop)));
  return asked.length > 0;
}

function isMeant({ nodeId, data }: Run, which: RunSelector): boolean {
  return 'actId' in which ? data.actId === which.actId : nodeId === which.nodeId;
}

async function isRunOver(id: string, { runs, clock, everyMs, recover }: RemoteStopOptions): Promise<void> {
  const never = new AbortController();
  for (;;) {
    if ((await runs.find(id)) === null) return;
    // Claims only runs without a recent heartbeat by the store's clock.
    await recover();
    await clock.wait(everyMs, never.signal);
  }
}
