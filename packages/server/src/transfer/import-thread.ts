/** Files into a store, on a thread of their own where the store can be opened twice: a conversation is one transaction, however long. */
import { Worker } from 'node:worker_threads';
import { importErrorKinds } from '@coppice/content/formats';
import { type AbortSignalLike, AppError, type Store } from '@coppice/core';
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine/import';
import { type ThreadStore, threadFile } from '../threads.ts';
import type { FileSource } from './file-source.ts';
import { importHere } from './import-here.ts';
import {
  errorFromMessage,
  type FromImport,
  type ImportJob,
  type ImportSettings,
  type ToImport,
} from './import-protocol.ts';

export { allowsConcurrentOpen, type ThreadStore } from '../threads.ts';
export type { FileSource } from './file-source.ts';

/** Where files are imported to. */
export interface ImportTarget {
  readonly store: Store;
  /** How a thread opens the same store for the same owner; without it the import runs on the thread that asks. */
  readonly thread?: ThreadStore | undefined;
  /** No thread can be started: the import runs on the thread that asks. */
  readonly onNoThread?: (error: unknown) => void;
  /** How long one that is stopped may take to the end of its conversation before its thread is ended. */
  readonly graceMs?: number | undefined;
}

// Enough for a conversation of some ten thousand messages; whoever stops a server does not wait for more.
const defaultGraceMs = 5_000;

/**
 * Imports files and tells how it goes, as `importInto` does; the report comes last. Ends when nothing reads the files any
 * more. A thread that ends by itself is `import/thread-ended`: what it had not committed is not there, and the same
 * import again brings it.
 */
export async function* importFiles(
  { store, thread, onNoThread, graceMs = defaultGraceMs }: ImportTarget,
  files: readonly FileSource[],
  options: ImportIntoOptions = {},
): AsyncGenerator<ImportIntoEvent> {
  if (thread !== undefined) {
    const { actor, format, scope, strict, dryRun } = options;
    const settings: ImportSettings = {
      ...{ actor, strict: strict === true, dryRun: dryRun === true },
      ...(format === undefined ? {} : { format }),
      ...(scope === undefined ? {} : { scope }),
    };
    const started = await ImportThread.start({ store: thread, files, settings }, onNoThread);
    if (started !== null) return yield* started.events(options.signal, graceMs);
  }
  yield* importHere(store, files, options);
}

// What an import makes is used once: with little room for what is new the collector takes it away sooner, and less is held.
const resourceLimits = { maxYoungGenerationSizeMb: 16 };

/** The thread of one import as the one that asked for it sees it. */
class ImportThread {
  readonly #worker: Worker;
  #reported: FromImport[] = [];
  #received = 0;
  /** Resolves when it is gone, with what it ended by if that was an error. */
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
    worker.on('message', (reported: FromImport) => {
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

  /** Starts a thread; null where none comes up, which is told. Nothing was done then. */
  static async start(job: ImportJob, onNoThread: ImportTarget['onNoThread']): Promise<ImportThread | null> {
    try {
      const { file, execArgv } = threadFile('import-worker', import.meta.url);
      const options = { name: 'coppice-import', workerData: job, execArgv, resourceLimits };
      const thread = new ImportThread(new Worker(file, options));
      const first = await thread.#next();
      if (first?.type === 'ready') return thread;
      throw await thread.#gone;
    } catch (error) {
      onNoThread?.(error);
      return null;
    }
  }

  /** What it tells until it is through. Whoever stops listening stops it. */
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
          throw signal?.aborted === true ? stopped() : threadEnded(why);
        }
        if (reported.type === 'event') yield reported.event;
        else if (reported.type === 'failed') failed = errorFromMessage(reported.error);
        else if (reported.type === 'over') break;
      }
      if (failed !== null) throw failed;
    } finally {
      signal?.removeEventListener('abort', cancel);
      cancel();
      // The files stay open until nobody reads them.
      await this.#gone;
      clearTimeout(this.#late);
    }
  }

  /** Stops it between two conversations, or inside one that takes too long: its transaction is rolled back then. */
  #cancel(graceMs: number): void {
    this.#worker.postMessage({ type: 'cancel' } satisfies ToImport);
    this.#late ??= setTimeout(() => void this.#worker.terminate(), graceMs);
  }

  /** What it told next; null when it is gone and all was heard. */
  async #next(): Promise<FromImport | null> {
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

function stopped(): AppError {
  const code = 'import/aborted';
  return new AppError({ code, kind: importErrorKinds[code], message: 'The import was stopped.' });
}

function threadEnded(why: unknown): AppError {
  const said = why instanceof Error ? why.message : String(why);
  const code = 'import/thread-ended';
  return new AppError({
    code,
    kind: importErrorKinds[code],
    message: `The thread of the import ended before it was through (${said}). What is in is whole; the same import again brings the rest.`,
    retryable: true,
    cause: why,
  });
}
