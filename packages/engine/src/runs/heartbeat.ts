import type { Run, RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/** How a run is kept alive. All times in milliseconds. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Between two beats. */
  readonly everyMs: number;
  /** Between two looks whether somebody wants it to stop. */
  readonly lookMs: number;
  /** Called once if the run is no more: someone took it for dead and saved what there was. */
  readonly onLost: () => void;
  /** Called once if somebody, perhaps in another process, wants it to stop. */
  readonly onStop: () => void;
}

/** What is noted with a run that is to stop. */
export const stopNote = { stop: true } as const;

/** Whether somebody wants a run to stop. */
function isToStop(run: Pick<Run, 'data'>): boolean {
  return run.data.stop === true;
}

/**
 * Says at intervals that a run is alive, and looks whether it is to stop, until it is stopped here. A store that cannot
 * be reached is neither, and is asked again.
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
  /** Whether the run is still there. */
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
  // A wait that was stopped rejects; that is how the loop ends.
}
