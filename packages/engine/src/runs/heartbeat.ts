import type { Run, RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/** How a run is kept alive. All times in milliseconds. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Between two heartbeats. */
  readonly everyMs: number;
  /** Between two checks for a stop request. */
  readonly lookMs: number;
  /** Called once if the run no longer exists: another process considered it dead and recovered it. */
  readonly onLost: () => void;
  /** Called once if a stop was requested, perhaps by another process. */
  readonly onStop: () => void;
}

/** The run data that requests a stop. */
export const stopNote = { stop: true } as const;

/** Whether a stop was requested. */
function isToStop(run: Pick<Run, 'data'>): boolean {
  return run.data.stop === true;
}

/**
 * Sends heartbeats for a run and checks for stop requests, until it is stopped. An unreachable store counts as
 * neither lost nor stopped, and is tried again.
 */
export function startHeartbeat(
  runs: Pick<RunStore, 'beat' | 'find'>,
  runId: string,
  options: HeartbeatOptions,
): () => void {
  const { clock, everyMs, lookMs } = options;
  const stop = new AbortController();
  let beaten = clock.now();
  let isAsked = false;
  /** Whether the run still exists. */
  const look = async (): Promise<boolean> => {
    const now = clock.now();
    if (isAsked || now - beaten >= everyMs) {
      beaten = now;
      if (!(await runs.beat(runId))) return false;
    }
    if (isAsked) return true;
    const run = await runs.find(runId);
    if (run === null) return false;
    isAsked = isToStop(run);
    if (isAsked && !stop.signal.aborted) options.onStop();
    return true;
  };
  const watch = async () => {
    while (!stop.signal.aborted) {
      await clock.wait(isAsked ? everyMs : Math.min(everyMs, lookMs), stop.signal);
      const alive = await look().catch(() => true);
      if (!alive && !stop.signal.aborted) {
        options.onLost();
        return;
      }
    }
  };
  watch().catch(ignoreBeatError);
  return () => stop.abort();
}

function ignoreBeatError(): void {
  // A cancelled wait rejects, which ends the loop.
}
