/** Stops replies that another process writes. */
import type { ActId, NodeId, Run, RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { stopNote } from './heartbeat.ts';

/** How others are asked, and how long they are waited for. */
export interface RequestRemoteStop {
  readonly runs: RunStore;
  /** Names this process, whose own runs are not meant. */
  readonly process: string;
  readonly clock: Clock;
  /** Milliseconds between two looks whether a run is through. */
  readonly everyMs: number;
  /** Saves the runs of processes that are gone. */
  readonly recover: () => Promise<unknown>;
}

/** Which runs are meant: those of an act, or the one that writes a node. */
export type RunsOf = { readonly actId: ActId } | { readonly nodeId: NodeId };

/**
 * Asks whoever writes these replies, in whatever process, to stop, and resolves when they have, or when what they had
 * written is saved because they are gone. False if nobody writes them.
 */
export async function requestRemoteStop(which: RunsOf, stop: RequestRemoteStop): Promise<boolean> {
  const { runs, process } = stop;
  const meant = (await runs.list()).filter((run) => run.process !== process && isMeant(run, which));
  const asked: string[] = [];
  for (const { id } of meant) if (await runs.note(id, stopNote)) asked.push(id);
  await Promise.all(asked.map((id) => isRunOver(id, stop)));
  return asked.length > 0;
}

function isMeant({ nodeId, data }: Run, which: RunsOf): boolean {
  return 'actId' in which ? data.actId === which.actId : nodeId === which.nodeId;
}

async function isRunOver(id: string, { runs, clock, everyMs, recover }: RequestRemoteStop): Promise<void> {
  const never = new AbortController();
  for (;;) {
    if ((await runs.find(id)) === null) return;
    // Only takes over what has been silent for too long by the store's clock.
    await recover();
    await clock.wait(everyMs, never.signal);
  }
}
