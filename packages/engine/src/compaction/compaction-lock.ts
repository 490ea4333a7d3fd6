/** One compaction at a time in a tree: a second one that wants the same gets the first one's, any other waits. */
import { isAppError, type Store, type TreeId } from '@coppice/core';
import { generateError } from '../generate/errors.ts';
import { linkedController } from '../generate/stop.ts';
import type { Compacted } from './contract.ts';

interface RunningCompaction {
  /** Two with the same key want the same. */
  readonly key: string;
  readonly landing: Promise<Compacted>;
  /** Makes way for somebody who cannot wait; null if it does not. */
  readonly yields: (() => void) | null;
}

const runningCompactions = new WeakMap<Store, Map<TreeId, RunningCompaction>>();

/** How a compaction is asked for. */
export interface CompactionLock {
  readonly treeId: TreeId;
  readonly key: string;
  /** Whether it makes way for any other. */
  readonly yields: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Runs `work` when no other compaction of the tree is under way, or gives what one that wants the same comes to. */
export async function runExclusive(
  store: Store,
  { treeId, key, yields, signal }: CompactionLock,
  work: (signal: AbortSignal) => Promise<Compacted>,
): Promise<Compacted> {
  const under = runningCompactions.get(store) ?? new Map<TreeId, RunningCompaction>();
  runningCompactions.set(store, under);
  for (let other = under.get(treeId); other !== undefined; other = under.get(treeId)) {
    if (other.key !== key) {
      other.yields?.();
      await waitForTurn(other.landing.catch(ignoreRejection), signal);
      continue;
    }
    try {
      return await waitForTurn(other.landing, signal);
    } catch (thrown) {
      // Whoever began it gave up. We did not.
      if (!isAppError(thrown) || thrown.kind !== 'aborted' || signal?.aborted === true) throw thrown;
    }
  }
  const { controller, unlink } = linkedController(signal);
  const landing = work(controller.signal).finally(() => {
    unlink();
    under.delete(treeId);
  });
  under.set(treeId, { key, landing, yields: yields ? () => controller.abort() : null });
  return landing;
}

function ignoreRejection(): void {
  // Whoever began it is told.
}

/** A promise, or the end of the caller's patience. */
function waitForTurn<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(generateError('generate/aborted', 'The compaction was stopped.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
