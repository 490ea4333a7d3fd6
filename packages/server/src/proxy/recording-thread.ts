/** The proxy's side of the recording thread. The thread starts on first use, and again if it ends unexpectedly. */
import { Worker } from 'node:worker_threads';
import { AppError } from '@coppice/core';
import { findWorkerFile } from '@coppice/engine';
import type { ThreadStore } from '../threads.ts';
import type { RecordedNodes } from './record.ts';
import type { CallPrice, CallSummary, RecordingBackend } from './recorder-contract.ts';
import {
  deserialiseError,
  type RecordingTask,
  type RecordingTaskResult,
  type RecordingThreadMessage,
  type RecordingThreadRequest,
} from './recording-protocol.ts';
import type { BackendCall, CallDigest } from './waiting-call.ts';

/** Options of the recording thread. */
export interface RecordingThreadOptions {
  readonly store: ThreadStore;
  /** The worker's module, if it is not next to this one. */
  readonly module?: URL | undefined;
  /** Used if no thread can be started. */
  readonly instead: RecordingBackend;
  /** Called when the thread has ended unexpectedly. Its tasks are retried. */
  readonly onEnded: (error: unknown) => void;
  /** Called when no thread can be started. */
  readonly onNoThread: (error: unknown) => void;
}

// After this number of unexpected ends in a row no further thread is started.
const mostEnds = 3;
const [shortestWaitMs, longestWaitMs] = [50, 5_000];
// A disk that does not respond blocks the thread, but must not delay the shutdown.
const closingMs = 1_000;

const threadClosed = () =>
  new AppError({ code: 'store/unavailable', kind: 'unavailable', message: 'The recorder is being closed.' });

/** The error of a task whose thread ended before it finished. */
class ThreadEnded extends AppError {}

interface AskedTask {
  readonly resolve: (done: RecordingTaskResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The data of a call that the thread has already parsed, which is not sent again. */
type ThreadTasks = 'nothing' | 'request' | 'all';

/** One run of the thread, from its start to its end. */
class ThreadLife {
  readonly worker: Worker;
  /** Rejects if the thread ends before it is ready. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the thread has ended. */
  readonly gone: Promise<ThreadEnded>;
  readonly has = new Map<number, ThreadTasks>();
  readonly #asked = new Map<number, AskedTask>();
  #asks = 0;
  #ended: ThreadEnded | null = null;

  constructor({ store, module }: RecordingThreadOptions) {
    const { file, execArgv } = findWorkerFile('recording-worker', import.meta.url);
    this.worker = new Worker(module ?? file, { name: 'coppice-recorder', workerData: store, execArgv });
    let why: unknown;
    this.worker.on('error', (error) => {
      why = error;
    });
    this.gone = new Promise((resolve) => {
      this.worker.once('exit', (code) => {
        const message = `The thread that records calls ended: ${why instanceof Error ? why.message : `code ${code}`}.`;
        const ended = new ThreadEnded({ code: 'proxy/thread-ended', kind: 'internal', message, cause: why });
        this.#ended = ended;
        resolve(ended);
        for (const one of this.#asked.values()) one.reject(ended);
        this.#asked.clear();
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.worker.on('message', (reported: RecordingThreadMessage) => {
        if ('ready' in reported) resolve();
        else this.#answered(reported);
      });
      void this.gone.then(reject);
    });
  }

  tell(reported: RecordingThreadRequest): void {
    this.worker.postMessage(reported);
  }

  /** Sends a task. The process stays alive for the result, but not for an idle thread. */
  ask(task: RecordingTask, transfer: readonly ArrayBuffer[]): Promise<RecordingTaskResult> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const ask = this.#asks++;
      this.#asked.set(ask, { resolve, reject });
      this.worker.ref();
      const reported: RecordingThreadRequest = { ask, task };
      this.worker.postMessage(reported, transfer);
    });
  }

  #answered(reported: Exclude<RecordingThreadMessage, { readonly ready: true }>): void {
    const one = this.#asked.get(reported.ask);
    this.#asked.delete(reported.ask);
    if (this.#asked.size === 0) this.worker.unref();
    if ('done' in reported) one?.resolve(reported.done);
    else one?.reject(deserialiseError(reported.refused));
  }
}

/** Parses and writes calls on another thread. */
export class RecordingThread implements RecordingBackend {
  readonly #options: RecordingThreadOptions;
  #life: ThreadLife | null = null;
  #starting: Promise<ThreadLife | null> | null = null;
  #noThread = false;
  #closed = false;
  /** The number of unexpected ends in a row, without a result between them. */
  #ends = 0;
  #again: Promise<void> = Promise.resolve();

  constructor(options: RecordingThreadOptions) {
    this.#options = options;
  }

  get aside(): boolean {
    return !this.#noThread;
  }

  async outline(call: BackendCall): Promise<CallDigest | null> {
    const done = await this.#ask({ verb: 'outline', call });
    return done === null ? this.#options.instead.outline(call) : (done.outline ?? null);
  }

  async keys(call: BackendCall): Promise<readonly string[]> {
    const done = await this.#ask({ verb: 'keys', call });
    return done === null ? this.#options.instead.keys(call) : (done.keys ?? []);
  }

  async placeAhead(call: BackendCall): Promise<void> {
    if ((await this.#ask({ verb: 'placeAhead', call })) === null) await this.#options.instead.placeAhead(call);
  }

  async heading(call: BackendCall): Promise<CallSummary | null> {
    const done = await this.#ask({ verb: 'heading', call });
    return done === null ? this.#options.instead.heading(call) : (done.heading ?? null);
  }

  async record(call: BackendCall, priced: CallPrice): Promise<RecordedNodes | null> {
    const done = await this.#ask({ verb: 'record', call, priced });
    return done === null ? this.#options.instead.record(call, priced) : (done.recorded ?? null);
  }

  forget(number: number): void {
    this.#options.instead.forget(number);
    if (this.#life?.has.delete(number) === true) this.#life.tell({ forget: number });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.instead.close();
    const life = this.#life;
    if (life === null) return;
    life.tell({ close: true });
    if (await beforeDeadline(life.gone)) return;
    // A blocked system call cannot be interrupted: the process exits without waiting for it.
    life.worker.unref();
    await beforeDeadline(life.worker.terminate());
  }

  /** The result of a task; null if no thread can be started. */
  async #ask(task: RecordingTask): Promise<RecordingTaskResult | null> {
    for (let ends = 0; ; ends += 1) {
      // After an unexpected end the tasks are retried one at a time, so that only the task that causes the crash is
      // given up.
      const through = ends === 0 ? null : await this.#inTurn();
      try {
        const life = await this.#living();
        if (life === null) return null;
        const done = await this.#send(life, task);
        this.#ends = 0;
        return done;
      } catch (error) {
        if (this.#closed) throw threadClosed();
        if (!(error instanceof ThreadEnded) || ends + 1 >= mostEnds) throw error;
      } finally {
        through?.();
      }
    }
  }

  async #inTurn(): Promise<() => void> {
    const before = this.#again;
    let through: () => void = () => undefined;
    this.#again = new Promise((resolve) => {
      through = resolve;
    });
    await before;
    return through;
  }

  async #send(life: ThreadLife, task: RecordingTask): Promise<RecordingTaskResult> {
    const { id, owner, project, wire, number, secrets, origin, request, call } = task.call;
    const had = life.has.get(number) ?? 'nothing';
    const transfer: ArrayBuffer[] = [];
    // Transfers a copy, because the original is needed for retries and for files.
    const handOver = (bytes: Uint8Array): Uint8Array => {
      const copy = new Uint8Array(bytes);
      transfer.push(copy.buffer);
      return copy;
    };
    const whole = task.verb === 'heading' || task.verb === 'record';
    const sent: BackendCall = {
      ...{ id, owner, project, wire, number, secrets, origin },
      request: request === null || had !== 'nothing' ? null : handOver(request),
      call:
        call === null || !whole
          ? null
          : { ...call, response: had === 'all' ? new Uint8Array() : handOver(call.response) },
    };
    life.has.set(number, had);
    const done = await life.ask({ ...task, call: sent }, transfer);
    // Only a result confirms that the call was parsed. A call that was forgotten meanwhile is not marked.
    if (life.has.has(number) && (request !== null || had !== 'nothing'))
      life.has.set(number, whole || life.has.get(number) === 'all' ? 'all' : 'request');
    return done;
  }

  /** The running thread, started if necessary; null if it cannot be started. */
  async #living(): Promise<ThreadLife | null> {
    if (this.#closed) throw threadClosed();
    if (this.#noThread) return null;
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<ThreadLife | null> {
    if (this.#ends > 0) {
      const ms = Math.min(shortestWaitMs * 2 ** (this.#ends - 1), longestWaitMs);
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (this.#closed) throw threadClosed();
    }
    try {
      const life = new ThreadLife(this.#options);
      this.#life = life;
      await life.ready;
      void life.gone.then((why) => this.#bury(why));
      return life;
    } catch (error) {
      this.#life = null;
      if (this.#closed) throw threadClosed();
      this.#noThread = true;
      this.#options.onNoThread(error);
      return null;
    }
  }

  #bury(why: ThreadEnded): void {
    this.#life = null;
    this.#starting = null;
    this.#ends += 1;
    if (!this.#closed) this.#options.onEnded(why);
  }
}

async function beforeDeadline(what: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), closingMs);
  });
  const there = await Promise.race([what.then(() => true), late]);
  clearTimeout(timer);
  return there;
}
