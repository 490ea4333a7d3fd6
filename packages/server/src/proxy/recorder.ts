/**
 * The queue of exchanges to record. The client has received its bytes before recording starts, so recording can neither
 * delay nor fail a call. Calls beyond the memory limit are moved to files; calls beyond the limit of the files are
 * dropped and counted.
 */
import { type AppError, isAppError } from '@coppice/core';
import { endsWithin, waitMs } from '@coppice/engine';
import { measureBusyMs, unrefTimer } from '#platform/system';
import { CallBuffer, type CallInQueue } from './call-buffer.ts';
import { RecordingThrottle } from './calls-in-progress.ts';
import { type FailedCall, FailedCalls } from './failed-calls.ts';
import { findNextCall, findReadyFirstCall, reorderTimeoutOf } from './order-calls.ts';
import type { RecordedNodes } from './record.ts';
import type {
  CallSummary,
  CaptureHandle,
  RecordedCall,
  RecorderHealth,
  RecorderOptions,
  RecorderState,
  RecordingBackend,
  RunningCall,
} from './recorder-contract.ts';
import { LocalRecording } from './recording-backend.ts';
import type { CapturedResponse, QueuedCallInput, WaitingCall } from './waiting-call.ts';
import { WorkerRecording } from './worker-recording.ts';

export type {
  CaptureHandle,
  RecordedCall,
  RecorderHealth,
  RecorderOptions,
  RecorderState,
} from './recorder-contract.ts';
export type { CapturedResponse, QueuedCallInput } from './waiting-call.ts';

const maxListedCalls = 200;
const longestWaitMs = 5_000;

/** The handle of calls that arrive while recording is paused. Nothing of them is stored. */
const ignoredCall: CaptureHandle = {
  keep: () => false,
  releaseBytes: () => undefined,
  finish: () => undefined,
  cancel: () => undefined,
};

/** Creates the backend: a worker thread if it can open the store, otherwise on this thread. */
function createBackend(
  { threadStore, ...options }: RecorderOptions,
  onEnded: (error: unknown) => void,
): RecordingBackend {
  const recording = new LocalRecording(options);
  if (threadStore === undefined) return recording;
  const onNoThread = (error: unknown) => options.onNoThread?.(error);
  return new WorkerRecording({ store: threadStore, fallback: recording, onEnded, onNoThread });
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #backend: RecordingBackend;
  readonly #buffer: CallBuffer;
  readonly #failedCalls: FailedCalls;
  readonly #throttle = new RecordingThrottle();
  readonly #workers = new Map<string, Promise<void>>();
  /** Queues that changed while they were being processed. */
  readonly #changedQueues = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #calls: RecordedCall[] = [];
  readonly #listeners = new Set<(call: RecordedCall) => void>();
  #recording: boolean;
  #closing = false;
  #recorded = 0;
  #failed = 0;
  #lastError: string | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#recording = options.recording;
    const reportError = (error: unknown) => this.#reportError(error);
    this.#backend = createBackend(options, reportError);
    this.#failedCalls = new FailedCalls(options.spillFolder ?? null);
    this.#buffer = new CallBuffer({
      ...options,
      onError: reportError,
      drop: (waitingCall, error) => {
        reportError(error);
        // The call fits neither in memory nor on disk, so only the reason is stored.
        void this.#keepFailed(waitingCall, null, error, false);
      },
      forget: ({ number }) => this.#backend.forget(number),
      onChanged: (key) => this.#startWorker(key),
    });
  }

  /** The last recorded calls, newest first. */
  get calls(): readonly RecordedCall[] {
    return this.#calls.toReversed();
  }

  get state(): RecorderState {
    const { waiting, waitingBytes, spilled, dropped } = this.#buffer.figures;
    return {
      recording: this.#recording,
      health: this.#health(spilled),
      waiting,
      waitingBytes,
      spilled,
      recorded: this.#recorded,
      dropped,
      failed: this.#failed,
      unacknowledged: this.#failedCalls.count,
      lastError: this.#lastError,
    };
  }

  #health(spilled: number): RecorderHealth {
    if (this.#lastError !== null || this.#failedCalls.count > 0) return 'failing';
    if (!this.#recording) return 'paused';
    return spilled > 0 ? 'behind' : 'recording';
  }

  /** Resumes or pauses recording. */
  set recording(on: boolean) {
    this.#recording = on;
  }

  /** Adds a call to the queue of its owner and project. Returns its handle, which receives the response. */
  enter(input: QueuedCallInput): CaptureHandle {
    if (!this.#recording) return ignoredCall;
    const position = this.#buffer.add(input);
    const { key, waitingCall } = position;
    let keptBytes = 0;
    const throttled = this.#throttle.begin();
    return {
      keep: (bytes) => {
        throttled.markAnswered();
        if (!this.#buffer.reserveBytes(waitingCall, keptBytes, bytes)) return false;
        keptBytes += bytes;
        return true;
      },
      releaseBytes: (bytes) => {
        if (waitingCall.state !== 'open') return;
        keptBytes -= bytes;
        this.#buffer.releaseBytes(waitingCall, bytes);
      },
      finish: (call) => {
        throttled.end();
        if (waitingCall.state !== 'open') return;
        this.#buffer.complete(position, call);
        this.#startWorker(key);
      },
      cancel: () => {
        throttled.end();
        if (waitingCall.state !== 'open') return;
        this.#buffer.remove(position);
        this.#startWorker(key);
      },
    };
  }

  /**
   * Calls the listener with every call that is recorded or has failed. Returns a function that removes the listener.
   */
  listen(listener: (call: RecordedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns the calls of an owner in progress, by project and session. */
  running(owner: string): readonly RunningCall[] {
    return this.#buffer.openCalls(owner).map(({ project, origin }) => ({ project, session: origin.session }));
  }

  /** Returns the unacknowledged failed calls of an owner, newest first. */
  listFailed(owner: string): Promise<readonly FailedCall[]> {
    return this.#failedCalls.list(owner);
  }

  /** Removes failed calls of an owner from the list, by default all. Returns their number. */
  async acknowledgeFailed(owner: string, ids?: readonly string[]): Promise<number> {
    const count = await this.#failedCalls.acknowledge(owner, ids);
    // If the store still fails, the next call reports the error again.
    if (this.#failedCalls.count === 0 && this.#buffer.figures.waiting === 0) this.#lastError = null;
    return count;
  }

  /** Records a failed call again. Returns false if its bytes were not kept. */
  async retryFailed(owner: string, id: string): Promise<boolean> {
    const file = this.#failedCalls.fileOf(owner, id);
    if (file === null) return false;
    await this.#buffer.addFromFile(file);
    await this.#failedCalls.acknowledge(owner, [id]);
    return true;
  }

  /** Reads the failed calls that other processes added or acknowledged. */
  refreshFailed(): Promise<void> {
    return this.#failedCalls.refresh();
  }

  /** Adds the files of earlier processes to the queues. */
  resume(): void {
    this.#buffer.adoptEarlierFiles();
  }

  /** Resolves when all complete calls are recorded or have failed. */
  async idle(): Promise<void> {
    const { moves } = this.#buffer;
    while (this.#workers.size + moves.size > 0) await Promise.all([...this.#workers.values(), ...moves]);
    await this.#failedCalls.waitForWrites();
  }

  /**
   * Accepts no more calls, records waiting calls for at most `ms`, and leaves the rest in files for the next process.
   */
  async close(ms = 3_000): Promise<void> {
    this.#recording = false;
    await endsWithin(this.idle(), ms);
    this.#closing = true;
    for (const each of this.#timers.values()) clearTimeout(each);
    await this.#backend.close();
    await this.#buffer.close();
  }

  #startWorker(key: string): void {
    this.#changedQueues.add(key);
    if (this.#workers.has(key) || this.#closing) return;
    this.#workers.set(key, this.#drain(key));
  }

  async #drain(key: string): Promise<void> {
    try {
      while (!this.#closing) {
        this.#changedQueues.delete(key);
        const queue = this.#buffer.queues.get(key) ?? [];
        const next = findReadyFirstCall(queue) ?? (await this.#findNextCall(queue));
        if (next !== null) await this.#processCall(key, next.waitingCall, next.before);
        else if (!this.#changedQueues.has(key)) {
          if (queue.some((waitingCall) => waitingCall.state === 'ready')) this.#scheduleRetry(key);
          return;
        }
      }
    } finally {
      // No await may follow: a new call must see that no worker runs, and start another one.
      this.#workers.delete(key);
    }
  }

  #findNextCall(queue: readonly WaitingCall[]) {
    const { now, reorderTimeoutMs } = this.#options;
    return findNextCall(queue, {
      now,
      reorderTimeoutMs,
      backend: this.#backend,
      onError: (error) => this.#reportError(error),
    });
  }

  async #processCall(key: string, waitingCall: WaitingCall, before: readonly WaitingCall[]): Promise<void> {
    // A call that is being moved to a file may be dropped, so this waits until it is moved.
    if (waitingCall.moving !== null) return waitingCall.moving;
    waitingCall.state = 'recording';
    if (this.#recording) await this.#throttle.waitForCalls(this.#buffer.queues.get(key)?.length ?? 1);
    const began = measureBusyMs();
    for (const earlier of before) await this.#recordHistory(earlier);
    if (await this.#record({ key, waitingCall })) this.#buffer.remove({ key, waitingCall });
    else waitingCall.state = 'ready';
    // No pause is needed if a worker thread records, because this thread stays free.
    if (this.#recording && !this.#backend.usesOtherThread) await this.#throttle.pauseRecording(measureBusyMs() - began);
  }

  #scheduleRetry(key: string): void {
    if (this.#timers.has(key)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#startWorker(key);
    }, reorderTimeoutOf(this.#options));
    this.#timers.set(key, unrefTimer(timer));
  }

  /**
   * Adds the history of an earlier call before a later call is recorded, so that the messages stay in the order of the
   * requests.
   */
  async #recordHistory(earlier: WaitingCall): Promise<void> {
    if (earlier.placed || earlier.request === null) return;
    earlier.placed = true;
    try {
      await this.#backend.recordHistory(earlier);
    } catch (error) {
      this.#reportError(error);
    }
  }

  /** Records a call. Returns false only if the recorder is closing and leaves the call to the next process. */
  async #record({ waitingCall }: CallInQueue): Promise<boolean> {
    try {
      if (waitingCall.file !== null) {
        const keptBytes = await this.#buffer.read(waitingCall.file);
        waitingCall.request = keptBytes.request;
        waitingCall.call = keptBytes.call;
      }
      const { call } = waitingCall;
      const summary = call === null ? null : await this.#backend.summary(waitingCall);
      return call === null || summary === null || (await this.#recordWithRetries(waitingCall, call, summary));
    } catch (error) {
      if (this.#closing) return false;
      // An error in the data of a client or service must not stop the queue.
      await this.#failCall(waitingCall, null, error);
      return true;
    }
  }

  /** Records a call, and retries while the store is unavailable. Other errors make the call a failed call. */
  async #recordWithRetries(waitingCall: WaitingCall, call: CapturedResponse, summary: CallSummary): Promise<boolean> {
    const { model, usage } = summary;
    const cost = usage === null ? null : this.#options.costOf(call.provider, model, usage);
    for (let wait = 50; ; wait = Math.min(wait * 2, longestWaitMs)) {
      if (this.#closing) return false;
      try {
        const recorded = await this.#backend.record(waitingCall, { cost });
        this.#recorded += 1;
        if (this.#lastError !== null) this.#options.onRecovered?.();
        this.#lastError = null;
        this.#addRecordedCall(waitingCall, call, summary, recorded);
        return true;
      } catch (error) {
        if (this.#closing) return false;
        if (!isTemporary(error)) {
          await this.#failCall(waitingCall, summary, error);
          this.#addRecordedCall(waitingCall, call, summary, null);
          return true;
        }
        this.#reportError(error);
        await waitMs(wait, { idle: true });
      }
    }
  }

  #addRecordedCall(
    { owner, project }: WaitingCall,
    call: CapturedResponse,
    { model, usage }: CallSummary,
    recorded: RecordedNodes | null,
  ): void {
    const { startedAt, firstMs, totalMs } = call.timing;
    const shown: RecordedCall = {
      owner,
      at: startedAt,
      project,
      model,
      status: call.status,
      usage,
      firstMs,
      totalMs,
      treeId: recorded?.treeId ?? null,
      nodeId: recorded?.added[0] ?? recorded?.parentId ?? null,
      nodes: recorded?.nodes ?? 0,
    };
    this.#calls.push(shown);
    if (this.#calls.length > maxListedCalls) this.#calls.shift();
    for (const listener of this.#listeners) listener(shown);
  }

  async #failCall(waitingCall: WaitingCall, summary: CallSummary | null, error: unknown): Promise<void> {
    this.#setError(error);
    await this.#keepFailed(waitingCall, summary, error, true);
    this.#failed += 1;
  }

  async #keepFailed(
    waitingCall: WaitingCall,
    summary: CallSummary | null,
    error: unknown,
    keepsCall: boolean,
  ): Promise<void> {
    const about = { at: this.#options.now(), model: summary?.model ?? null, status: waitingCall.call?.status ?? null };
    const failed = await this.#failedCalls.add(waitingCall, about, error, keepsCall);
    this.#options.onFailed?.(failed, error);
  }

  #reportError(error: unknown): void {
    this.#setError(error);
    this.#options.onError?.(error);
  }

  #setError(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
  }
}

function isTemporary(error: unknown): error is AppError {
  return isAppError(error) && error.kind === 'unavailable';
}
