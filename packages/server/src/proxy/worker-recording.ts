/** Records calls on a worker thread. The thread starts with the first call, and again if it ends unexpectedly. */
import type { Worker } from 'node:worker_threads';
import { AppError } from '@coppice/core';
import { endsWithin, waitMs } from '@coppice/engine';
import { startWorker } from '#platform/threads';
import { deserialiseError } from '../serialise-error.ts';
import type { WorkerStoreAddress } from '../threads.ts';
import type { RecordedNodes } from './record.ts';
import type { CallPrice, CallSummary, RecordingBackend } from './recorder-contract.ts';
import type {
  RecordingTask,
  RecordingTaskResult,
  RecordingWorkerMessage,
  RecordingWorkerRequest,
} from './recording-protocol.ts';
import type { CallDigest, CallToRecord } from './waiting-call.ts';

/** The store of the thread, and what to do if the thread ends or cannot start. */
export interface WorkerRecordingOptions {
  readonly store: WorkerStoreAddress;
  /** The module of the worker. Defaults to the module beside this one. */
  readonly module?: URL | undefined;
  /** The backend to use if no thread can be started. */
  readonly fallback: RecordingBackend;
  /** Called when the thread has ended unexpectedly. Its tasks are retried. */
  readonly onEnded: (error: unknown) => void;
  /** Called when no thread can be started. */
  readonly onNoThread: (error: unknown) => void;
}

// After this many unexpected ends in a row, no further thread is started.
const maxCrashes = 3;
const [shortestWaitMs, longestWaitMs] = [50, 5_000];
// The time limit of closing. A disk that does not respond blocks the thread, but must not block the shutdown.
const closeTimeoutMs = 1_000;

const threadClosed = () =>
  new AppError({ code: 'store/unavailable', kind: 'unavailable', message: 'The recorder is being closed.' });

/** The error of tasks that were unfinished when their thread ended. */
class ThreadEnded extends AppError {}

interface PendingTask {
  readonly resolve: (done: RecordingTaskResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Which data of a call the worker has already parsed, so that it is not sent again. */
type SentData = 'nothing' | 'request' | 'all';

/** A running worker thread, from its start to its end. */
class RecordingWorker {
  readonly worker: Worker;
  /** Rejects if the thread ends before it is ready. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the thread has ended. */
  readonly ended: Promise<ThreadEnded>;
  readonly sentData = new Map<number, SentData>();
  readonly #pendingTasks = new Map<number, PendingTask>();
  #taskCount = 0;
  #ended: ThreadEnded | null = null;

  constructor({ store, module }: WorkerRecordingOptions) {
    const place = { module: module ?? 'recording-worker', beside: import.meta.url };
    this.worker = startWorker(place, { name: 'coppice-recorder', workerData: store });
    let why: unknown;
    this.worker.on('error', (error) => {
      why = error;
    });
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', (code) => {
        const message = `The thread that records calls ended: ${why instanceof Error ? why.message : `code ${code}`}.`;
        const ended = new ThreadEnded({ code: 'proxy/thread-ended', kind: 'internal', message, cause: why });
        this.#ended = ended;
        resolve(ended);
        for (const pendingTask of this.#pendingTasks.values()) pendingTask.reject(ended);
        this.#pendingTasks.clear();
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.worker.on('message', (message: RecordingWorkerMessage) => {
        if ('ready' in message) resolve();
        else this.#settleTask(message);
      });
      void this.ended.then(reject);
    });
  }

  post(message: RecordingWorkerRequest): void {
    this.worker.postMessage(message);
  }

  /** Sends a task. The process stays alive for the result, but not for an idle thread. */
  ask(task: RecordingTask, transfer: readonly ArrayBuffer[]): Promise<RecordingTaskResult> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const ask = this.#taskCount++;
      this.#pendingTasks.set(ask, { resolve, reject });
      this.worker.ref();
      const message: RecordingWorkerRequest = { ask, task };
      this.worker.postMessage(message, transfer);
    });
  }

  #settleTask(message: Exclude<RecordingWorkerMessage, { readonly ready: true }>): void {
    const pendingTask = this.#pendingTasks.get(message.ask);
    this.#pendingTasks.delete(message.ask);
    if (this.#pendingTasks.size === 0) this.worker.unref();
    if ('done' in message) pendingTask?.resolve(message.done);
    else pendingTask?.reject(deserialiseError(message.refused));
  }
}

/** Parses and records calls on another thread. */
export class WorkerRecording implements RecordingBackend {
  readonly #options: WorkerRecordingOptions;
  #worker: RecordingWorker | null = null;
  #starting: Promise<RecordingWorker | null> | null = null;
  #noThread = false;
  #closed = false;
  /** How many times in a row the thread has ended unexpectedly, without a result in between. */
  #crashes = 0;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(options: WorkerRecordingOptions) {
    this.#options = options;
  }

  get usesOtherThread(): boolean {
    return !this.#noThread;
  }

  async digest(call: CallToRecord): Promise<CallDigest | null> {
    const done = await this.#ask({ verb: 'digest', call });
    return done === null ? this.#options.fallback.digest(call) : (done.digest ?? null);
  }

  async keys(call: CallToRecord): Promise<readonly string[]> {
    const done = await this.#ask({ verb: 'keys', call });
    return done === null ? this.#options.fallback.keys(call) : (done.keys ?? []);
  }

  async recordHistory(call: CallToRecord): Promise<void> {
    if ((await this.#ask({ verb: 'recordHistory', call })) === null) await this.#options.fallback.recordHistory(call);
  }

  async summary(call: CallToRecord): Promise<CallSummary | null> {
    const done = await this.#ask({ verb: 'summary', call });
    return done === null ? this.#options.fallback.summary(call) : (done.summary ?? null);
  }

  async record(call: CallToRecord, priced: CallPrice): Promise<RecordedNodes | null> {
    const done = await this.#ask({ verb: 'record', call, priced });
    return done === null ? this.#options.fallback.record(call, priced) : (done.recorded ?? null);
  }

  forget(number: number): void {
    this.#options.fallback.forget(number);
    if (this.#worker?.sentData.delete(number) === true) this.#worker.post({ forget: number });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.fallback.close();
    const worker = this.#worker;
    if (worker === null) return;
    worker.post({ close: true });
    if (await endsWithin(worker.ended, closeTimeoutMs)) return;
    // A blocked system call cannot be interrupted. The process exits without waiting for it.
    worker.worker.unref();
    await endsWithin(worker.worker.terminate(), closeTimeoutMs);
  }

  /** Runs a task and returns its result; null if no thread can be started. */
  async #ask(task: RecordingTask): Promise<RecordingTaskResult | null> {
    for (let crashes = 0; ; crashes += 1) {
      // After a crash the tasks are retried one at a time, so that only the task that causes the crash fails.
      const releaseTurn = crashes === 0 ? null : await this.#waitForTurn();
      try {
        const worker = await this.#openWorker();
        if (worker === null) return null;
        const done = await this.#send(worker, task);
        this.#crashes = 0;
        return done;
      } catch (error) {
        if (this.#closed) throw threadClosed();
        if (!(error instanceof ThreadEnded) || crashes + 1 >= maxCrashes) throw error;
      } finally {
        releaseTurn?.();
      }
    }
  }

  async #waitForTurn(): Promise<() => void> {
    const before = this.#lastTurn;
    let releaseTurn: () => void = () => undefined;
    this.#lastTurn = new Promise((resolve) => {
      releaseTurn = resolve;
    });
    await before;
    return releaseTurn;
  }

  async #send(worker: RecordingWorker, task: RecordingTask): Promise<RecordingTaskResult> {
    const { id, owner, project, wire, number, secrets, origin, request, call } = task.call;
    const alreadySent = worker.sentData.get(number) ?? 'nothing';
    const transfer: ArrayBuffer[] = [];
    // The worker gets a copy, because retries and files need the original.
    const copyForTransfer = (bytes: Uint8Array): Uint8Array => {
      const copy = new Uint8Array(bytes);
      transfer.push(copy.buffer);
      return copy;
    };
    const needsResponse = task.verb === 'summary' || task.verb === 'record';
    const sent: CallToRecord = {
      ...{ id, owner, project, wire, number, secrets, origin },
      request: request === null || alreadySent !== 'nothing' ? null : copyForTransfer(request),
      call:
        call === null || !needsResponse
          ? null
          : { ...call, response: alreadySent === 'all' ? new Uint8Array() : copyForTransfer(call.response) },
    };
    worker.sentData.set(number, alreadySent);
    const done = await worker.ask({ ...task, call: sent }, transfer);
    // Only a result confirms that the call was parsed. A call that was forgotten meanwhile is not marked.
    if (worker.sentData.has(number) && (request !== null || alreadySent !== 'nothing'))
      worker.sentData.set(number, needsResponse || worker.sentData.get(number) === 'all' ? 'all' : 'request');
    return done;
  }

  /** Returns the running thread, started if necessary; null if it cannot be started. */
  async #openWorker(): Promise<RecordingWorker | null> {
    if (this.#closed) throw threadClosed();
    if (this.#noThread) return null;
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<RecordingWorker | null> {
    if (this.#crashes > 0) {
      const ms = Math.min(shortestWaitMs * 2 ** (this.#crashes - 1), longestWaitMs);
      await waitMs(ms);
      if (this.#closed) throw threadClosed();
    }
    try {
      const worker = new RecordingWorker(this.#options);
      this.#worker = worker;
      await worker.ready;
      void worker.ended.then((why) => this.#handleCrash(why));
      return worker;
    } catch (error) {
      this.#worker = null;
      if (this.#closed) throw threadClosed();
      this.#noThread = true;
      this.#options.onNoThread(error);
      return null;
    }
  }

  #handleCrash(why: ThreadEnded): void {
    this.#worker = null;
    this.#starting = null;
    this.#crashes += 1;
    if (!this.#closed) this.#options.onEnded(why);
  }
}
