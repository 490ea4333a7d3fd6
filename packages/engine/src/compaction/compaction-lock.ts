/**
 * Runs one compaction per tree at a time. A request with the same key as the running one shares its result; any other
 * waits.
 */
import { isAppError, type Store, type TreeId } from '@coppice/core';
import { makeGenerateError } from '../generate/errors.ts';
import { createLinkedController } from '../generate/stop.ts';
import type { CompactionOutcome } from './contract.ts';

interface RunningCompaction {
  /** Requests with the same key share the result. */
  readonly key: string;
  readonly landing: Promise<CompactionOutcome>;
  /** Aborts the running compaction in favour of another request; null if it cannot be aborted. */
  readonly yields: (() => void) | null;
}

const runningCompactions = new WeakMap<Store, Map<TreeId, RunningCompaction>>();

/** Which tree to lock, and which requests may share the result. */
export interface ExclusiveCompactionRequest {
  readonly treeId: TreeId;
  readonly key: string;
  /** Whether this compaction can be aborted in favour of another one. */
  readonly yields: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `work` when no other compaction of the tree is running, or returns the result of a running one with the same
 * key.
 */
export async function runExclusive(
  store: Store,
  { treeId, key, yields, signal }: ExclusiveCompactionRequest,
  work: (signal: AbortSignal) => Promise<CompactionOutcome>,
): Promise<CompactionOutcome> {
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
      // Another caller started the compaction and aborted it. This caller still wants the result, so it starts again.
      if (!isAppError(thrown) || thrown.kind !== 'aborted' || signal?.aborted === true) throw thrown;
    }
  }
  const { controller, unlink } = createLinkedController(signal);
  const landing = work(controller.signal).finally(() => {
    unlink();
    under.delete(treeId);
  });
  under.set(treeId, { key, landing, yields: yields ? () => controller.abort() : null });
  return landing;
}

function ignoreRejection(): void {
  // The caller that started the compaction handles the error.
}

/** Resolves with the promise, or rejects when the caller's signal aborts first. */
function waitForTurn<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(makeGenerateError('generate/aborted', 'The compaction was stopped.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
