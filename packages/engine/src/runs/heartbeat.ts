import type { Run, RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';
import { type SharedTimer, waitForTick } from './shared-timer.ts';

/** How often a run reports that it is alive, and what to call if it is lost or stopped. All times in milliseconds. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly everyMs: number;
  /** The interval between two checks for a stop request. */
  readonly lookMs: number;
  /** The timer on which the server's replies write, so that checks share a transaction with the writes. */
  readonly ticks?: SharedTimer | undefined;
  /** Called once if the run no longer exists: another process considered it dead and recovered it. */
  readonly onLost: () => void;
  /** Called with the run after each check, for decisions that other processes left in its data. */
  readonly onCheck?: ((run: Run) => void) | undefined;
  /** Called once if a stop was requested, perhaps by another process. */
  readonly onStop: () => void;
}

/** The run data by which another process requests a stop. */
export const stopRequestData = { stop: true } as const;

/** Returns whether a process requested a stop. */
function isStopRequested(run: Pick<Run, 'data'>): boolean {
  return run.data.stop === true;
}

/**
 * Sends heartbeats for a run and checks for stop requests, until the returned function is called. If the store cannot
 * be reached, it tries again; the run counts as neither lost nor stopped.
 */
export function startHeartbeat(
  runs: Pick<RunStore, 'beat' | 'find'>,
  runId: string,
  options: HeartbeatOptions,
): () => void {
  const { clock, everyMs, lookMs, ticks } = options;
  const stop = new AbortController();
  let lastBeat = clock.now();
  let isAsked = false;
  /** Sends a heartbeat if it is due and checks for a stop request; returns whether the run still exists. */
  const beatAndCheck = async (): Promise<boolean> => {
    const now = clock.now();
    const isDue = isAsked || now - lastBeat >= everyMs;
    if (isDue) lastBeat = now;
    // Both requests are sent together, so that the store can run them in one transaction.
    const beating = isDue ? runs.beat(runId) : true;
    const [isThere, run] = await Promise.all([beating, isAsked ? null : runs.find(runId)]);
    if (!isThere) return false;
    if (isAsked) return true;
    if (run === null) return false;
    options.onCheck?.(run);
    isAsked = isStopRequested(run);
    if (isAsked && !stop.signal.aborted) options.onStop();
    return true;
  };
  const waitForNextCheck = async (ms: number) => {
    if (ticks === undefined) return clock.wait(ms, stop.signal);
    // The next tick is up to one interval away, so the wait before it is shorter.
    if (ms > ticks.everyMs) await clock.wait(ms - ticks.everyMs, stop.signal);
    await waitForTick(ticks, stop.signal);
  };
  const watch = async () => {
    while (!stop.signal.aborted) {
      await waitForNextCheck(isAsked ? everyMs : Math.min(everyMs, lookMs));
      const alive = await beatAndCheck().catch(() => true);
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
  // A cancelled wait rejects, and that ends the loop.
}
