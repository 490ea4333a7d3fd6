import type { RunStore } from '@coppice/core';
import type { Clock } from '../providers/contract.ts';

/**
 * Says at intervals that a run is alive, until it is stopped. `onLost` is called once if the run is no more: someone took
 * it for dead and saved what there was. A store that cannot be reached is not that, and is asked again.
 */
export function startHeartbeat(
  runs: Pick<RunStore, 'beat'>,
  runId: string,
  options: { readonly clock: Clock; readonly everyMs: number; readonly onLost: () => void },
): () => void {
  const stop = new AbortController();
  const beat = async () => {
    while (!stop.signal.aborted) {
      await options.clock.wait(options.everyMs, stop.signal);
      const alive = await runs.beat(runId, options.clock.now()).catch(() => true);
      if (!alive && !stop.signal.aborted) {
        options.onLost();
        return;
      }
    }
  };
  beat().catch(ignore);
  return () => stop.abort();
}

function ignore(): void {
  // A wait that was stopped rejects; that is how the loop ends.
}
