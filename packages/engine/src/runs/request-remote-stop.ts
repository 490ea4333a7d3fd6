/** Stops replies that another process writes. */
import type { ActId, NodeId, Run, RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { stopRequestData } from './heartbeat.ts';

/** The run store to send stop requests through, and how to wait for their effect. */
export interface RemoteStopOptions {
  readonly runs: RunStore;
  /** The id of this process; its own runs are not selected. */
  readonly process: string;
  readonly clock: Clock;
  /** The polling interval in milliseconds. */
  readonly everyMs: number;
  /** Recovers the runs of processes that have died. */
  readonly recover: () => Promise<unknown>;
}

/** Selects the runs of an act, or the run that writes a node. */
export type RunSelector = { readonly actId: ActId } | { readonly nodeId: NodeId };

/**
 * Asks other processes to stop these replies, and waits until they have stopped or, if their process died, were
 * recovered. Returns false if no other process writes them.
 */
export async function requestRemoteStop(which: RunSelector, stop: RemoteStopOptions): Promise<boolean> {
  const { runs, process } = stop;
  const meant = (await runs.list()).filter((run) => run.process !== process && isSelected(run, which));
  const stoppingIds: string[] = [];
  for (const { id } of meant) if (await runs.note(id, stopRequestData)) stoppingIds.push(id);
  await Promise.all(stoppingIds.map((id) => waitForRunEnd(id, stop)));
  return stoppingIds.length > 0;
}

function isSelected({ nodeId, data }: Run, which: RunSelector): boolean {
  return 'actId' in which ? data.actId === which.actId : nodeId === which.nodeId;
}

async function waitForRunEnd(id: string, { runs, clock, everyMs, recover }: RemoteStopOptions): Promise<void> {
  const never = new AbortController();
  for (;;) {
    if ((await runs.find(id)) === null) return;
    // Recovers a run only if its process has died, judged by its heartbeats.
    await recover();
    await clock.wait(everyMs, never.signal);
  }
}
