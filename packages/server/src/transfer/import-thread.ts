/**
 * Imports files on a worker thread if the store can be opened twice. A conversation is stored in one transaction, which
 * may be long and would block the calling thread.
 */
import type { Worker } from 'node:worker_threads';
import { importErrorKinds } from '@coppice/content/formats';
import { type AbortSignalLike, AppError, type Store } from '@coppice/core';
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine/import';
import { startWorker } from '#platform/threads';
import { deserialiseError } from '../serialise-error.ts';
import type { WorkerStoreAddress } from '../threads.ts';
import type { FileSource } from './file-source.ts';
import { importOnThisThread } from './import-on-this-thread.ts';
import type { ImportJob, ImportSettings, ImportWorkerMessage, ImportWorkerRequest } from './import-protocol.ts';

export { allowsConcurrentOpen, type WorkerStoreAddress } from '../threads.ts';
export type { FileSource } from './file-source.ts';

/** Where an import writes, and on which thread. */
export interface ImportTarget {
  readonly store: Store;
  /**
   * The data with which a thread opens the same store for the same owner. Without it the import runs on the calling
   * thread.
   */
  readonly thread?: WorkerStoreAddress | undefined;
  /** Called if no thread can be started. The import then runs on the calling thread. */
  readonly onNoThread?: (error: unknown) => void;
  /** How long a stopped import may finish its current conversation before its thread is terminated, in milliseconds. */
  readonly graceMs?: number | undefined;
}

// This is enough for a conversation of about ten thousand messages. A shutdown does not wait longer.
const defaultGraceMs = 5_000;

/**
 * Imports files and yields progress events like `importInto`; the last event is the report. The generator ends when the
 * files are no longer read. A thread that ends unexpectedly causes `import/thread-ended`: uncommitted conversations are
 * missing, and a repeated import adds them.
 */
export async function* importFiles(
  { store, thread, onNoThread, graceMs = defaultGraceMs }: ImportTarget,
  files: readonly FileSource[],
  options: ImportIntoOptions = {},
): AsyncGenerator<ImportIntoEvent> {
  if (thread !== undefined) {
    const { actor, format, scope, strict, dryRun, follow } = options;
    const settings: ImportSettings = {
      ...{ actor, strict: strict === true, dryRun: dryRun === true, follow: follow === true },
      ...(format === undefined ? {} : { format }),
      ...(scope === undefined ? {} : { scope }),
    };
    const started = await ImportThread.start({ store: thread, files, settings }, onNoThread);
    if (started !== null) return yield* started.events(options.signal, graceMs);
  }
  yield* importOnThisThread(store, files, options);
}

// Imported objects are short-lived. With a small young generation the garbage collector frees them sooner, which saves
// memory.
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/** An import thread as its caller sees it. */
class ImportThread {
  readonly #worker: Worker;
  #reported: ImportWorkerMessage[] = [];
  #received = 0;
  /** Resolves when the thread has ended, with its error if there was one. */
  readonly #gone: Promise<unknown>;
  #isGone = false;
  #late: NodeJS.Timeout | undefined;
  #wake: () => void = () => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    let why: unknown;
    worker.on('error', (error) => {
      why = error;
    });
    worker.on('message', (reported: ImportWorkerMessage) => {
      this.#reported.push(reported);
      this.#wake();
    });
    this.#gone = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#isGone = true;
        resolve(why ?? new Error(`exit code ${code}`));
        this.#wake();
      });
    });
  }

  /** Starts a thread. If that fails, it calls `onNoThread` and returns null, and nothing was imported. */
  static async start(job: ImportJob, onNoThread: ImportTarget['onNoThread']): Promise<ImportThread | null> {
    try {
      const place = { module: 'import-worker', beside: import.meta.url };
      const options = { name: 'coppice-import', workerData: job, resourceLimits };
      const thread = new ImportThread(startWorker(place, options));
      const first = await thread.#next();
      if (first?.type === 'ready') return thread;
      throw await thread.#gone;
    } catch (error) {
      onNoThread?.(error);
      return null;
    }
  }

  /** Yields the events of the thread until it has finished. Ending the iteration stops the thread. */
  async *events(signal: AbortSignalLike | undefined, graceMs: number): AsyncGenerator<ImportIntoEvent> {
    const cancel = () => this.#cancel(graceMs);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
    try {
      let failed: Error | null = null;
      for (;;) {
        const reported = await this.#next();
        if (reported === null) {
          const why = await this.#gone;
          throw signal?.aborted === true ? stoppedError() : threadEnded(why);
        }
        if (reported.type === 'event') yield reported.event;
        else if (reported.type === 'failed') failed = deserialiseError(reported.error);
        else if (reported.type === 'over') break;
      }
      if (failed !== null) throw failed;
    } finally {
      signal?.removeEventListener('abort', cancel);
      cancel();
      // The caller may close the files only after the thread no longer reads them.
      await this.#gone;
      clearTimeout(this.#late);
    }
  }

  /**
   * Stops the thread between two conversations. A conversation that takes too long is interrupted, and its transaction
   * is rolled back.
   */
  #cancel(graceMs: number): void {
    this.#worker.postMessage({ type: 'cancel' } satisfies ImportWorkerRequest);
    this.#late ??= setTimeout(() => void this.#worker.terminate(), graceMs);
  }

  /** Returns the next message; null when the thread has ended and all messages were read. */
  async #next(): Promise<ImportWorkerMessage | null> {
    for (;;) {
      const reported = this.#reported[this.#received++];
      if (reported !== undefined) return reported;
      [this.#reported, this.#received] = [[], 0];
      if (this.#isGone) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

function stoppedError(): AppError {
  const code = 'import/aborted';
  return new AppError({ code, kind: importErrorKinds[code], message: 'The import was stopped.' });
}

function threadEnded(why: unknown): AppError {
  const reason = why instanceof Error ? why.message : String(why);
  const code = 'import/thread-ended';
  return new AppError({
    code,
    kind: importErrorKinds[code],
    message: `The thread of the import ended unexpectedly (${reason}). Imported conversations are complete; repeat the import to add the rest.`,
    retryable: true,
    cause: why,
  });
}
