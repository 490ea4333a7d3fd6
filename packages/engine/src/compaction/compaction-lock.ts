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
  readonly outcome: Promise<CompactionOutcome>;
  /** Aborts the running compaction in favour of another request; null if it cannot be aborted. */
  readonly yields: (() => void) | null;
}

const runningCompactions = new WeakMap<Store, Map<TreeId, RunningCompaction>>();

/** The tree to lock, and the key by which requests share a result. */
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
export async function runExclusiveCompaction(
  store: Store,
  { treeId, key, yields, signal }: ExclusiveCompactionRequest,
  work: (signal: AbortSignal) => Promise<CompactionOutcome>,
): Promise<CompactionOutcome> {
  const byTree = runningCompactions.get(store) ?? new Map<TreeId, RunningCompaction>();
  runningCompactions.set(store, byTree);
  for (let other = byTree.get(treeId); other !== undefined; other = byTree.get(treeId)) {
    if (other.key !== key) {
      other.yields?.();
      await waitUnlessAborted(other.outcome.catch(ignoreRejection), signal);
      continue;
    }
    try {
      return await waitUnlessAborted(other.outcome, signal);
    } catch (thrown) {
      // Another caller started the compaction and aborted it. This caller still wants the result, so it starts again.
      if (!isAppError(thrown) || thrown.kind !== 'aborted' || signal?.aborted === true) throw thrown;
    }
  }
  const { controller, unlink } = createLinkedController(signal);
  const outcome = work(controller.signal).finally(() => {
    unlink();
    byTree.delete(treeId);
  });
  byTree.set(treeId, { key, outcome, yields: yields ? () => controller.abort() : null });
  return outcome;
}

function ignoreRejection(): void {
  // The caller that started the compaction handles the error.
}

/** Resolves with the promise, or rejects when the caller's signal aborts first. */
function waitUnlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(makeGenerateError('generate/aborted', 'The compaction was stopped.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
