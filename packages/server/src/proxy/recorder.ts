/**
 * The queue of exchanges to record. The client has received its bytes before recording starts, so recording can neither
 * delay nor fail a call. Calls beyond the memory limit are moved to files; calls beyond the limit of the files are
 * dropped and counted.
 */
import { performance } from 'node:perf_hooks';
import { type AppError, isAppError } from '@coppice/core';
import { CallBuffer, type QueuePosition } from './call-buffer.ts';
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
import { RecordingThread } from './recording-thread.ts';
import { RecordingThrottle } from './recording-throttle.ts';
import type { CapturedResponse, QueuedCallInput, WaitingCall } from './waiting-call.ts';

export type {
  CaptureHandle,
  RecordedCall,
  RecorderHealth,
  RecorderOptions,
  RecorderState,
} from './recorder-contract.ts';
export type { CapturedResponse, QueuedCallInput } from './waiting-call.ts';

const shownCalls = 200;
const longestWaitMs = 5_000;

/** The handle of a call while recording is paused. */
const notRecorded: CaptureHandle = {
  keep: () => false,
  giveBack: () => undefined,
  finish: () => undefined,
  cancel: () => undefined,
};

/** Creates the backend: a worker thread if one can open the store. */
function backendFor({ threadStore, ...options }: RecorderOptions, onEnded: (error: unknown) => void): RecordingBackend {
  const recording = new LocalRecording(options);
  if (threadStore === undefined) return recording;
  const onNoThread = (error: unknown) => options.onNoThread?.(error);
  return new RecordingThread({ store: threadStore, instead: recording, onEnded, onNoThread });
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #backend: RecordingBackend;
  readonly #holding: CallBuffer;
  readonly #failedCalls: FailedCalls;
  readonly #throttle = new RecordingThrottle();
  readonly #working = new Map<string, Promise<void>>();
  /** Queues that changed while they were being processed. */
  readonly #stirred = new Set<string>();
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
    const note = (error: unknown) => this.#note(error);
    this.#backend = backendFor(options, note);
    this.#failedCalls = new FailedCalls(options.spillFolder ?? null);
    this.#holding = new CallBuffer({
      ...options,
      note,
      drop: (place, error) => {
        note(error);
        // The call fitted neither in memory nor on disk, so only a note is kept.
        void this.#keepFailed(place, null, error, false);
      },
      forget: ({ number }) => this.#backend.forget(number),
      stir: (key) => this.#work(key),
    });
  }

  /** The last recorded calls, newest first. */
  get calls(): readonly RecordedCall[] {
    return this.#calls.toReversed();
  }

  get state(): RecorderState {
    const { waiting, waitingBytes, spilled, dropped } = this.#holding.figures;
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

  /** Adds a call to the queue of its owner and project. */
  enter(entered: QueuedCallInput): CaptureHandle {
    if (!this.#recording) return notRecorded;
    const taken = this.#holding.take(entered);
    const { key, place } = taken;
    let kept = 0;
    const underWay = this.#throttle.begin();
    return {
      keep: (bytes) => {
        underWay.answered();
        if (!this.#holding.admit(place, kept, bytes)) return false;
        kept += bytes;
        return true;
      },
      giveBack: (bytes) => {
        if (place.state !== 'open') return;
        kept -= bytes;
        this.#holding.giveBack(place, bytes);
      },
      finish: (call) => {
        underWay.end();
        if (place.state !== 'open') return;
        this.#holding.complete(taken, call);
        this.#work(key);
      },
      cancel: () => {
        underWay.end();
        if (place.state !== 'open') return;
        this.#holding.leave(taken);
        this.#work(key);
      },
    };
  }

  /** Adds a listener for calls that are recorded or given up; returns a function that removes it. */
  listen(listener: (call: RecordedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The calls of an owner in progress, by project and session. */
  running(owner: string): readonly RunningCall[] {
    return this.#holding.openCalls(owner).map(({ project, origin }) => ({ project, session: origin.session }));
  }

  /** The unacknowledged failed calls of an owner, newest first. */
  listFailed(owner: string): Promise<readonly FailedCall[]> {
    return this.#failedCalls.list(owner);
  }

  /** Removes failed calls of an owner from the list, by default all. Returns their number. */
  async acknowledgeFailed(owner: string, ids?: readonly string[]): Promise<number> {
    const count = await this.#failedCalls.acknowledge(owner, ids);
    // The last error was acknowledged. If the store still fails, the next call reports it again.
    if (this.#failedCalls.count === 0 && this.#holding.figures.waiting === 0) this.#lastError = null;
    return count;
  }

  /** Records a failed call again. Returns false if its bytes were not kept. */
  async retryFailed(owner: string, id: string): Promise<boolean> {
    const file = this.#failedCalls.fileOf(owner, id);
    if (file === null) return false;
    await this.#holding.takeFrom(file);
    await this.#failedCalls.acknowledge(owner, [id]);
    return true;
  }

  /** Reads the failed calls that other processes added or acknowledged. */
  refreshFailed(): Promise<void> {
    return this.#failedCalls.refresh();
  }

  /** Adds the files of earlier processes to the queues. */
  resume(): void {
    this.#holding.takeOver();
  }

  /** Resolves when all complete calls are recorded. */
  async idle(): Promise<void> {
    const { moves } = this.#holding;
    while (this.#working.size + moves.size > 0) await Promise.all([...this.#working.values(), ...moves]);
    await this.#failedCalls.waitForWrites();
  }

  /** Records waiting calls for at most so long, accepts no more, and leaves the rest in files for the next process. */
  async close(ms = 3_000): Promise<void> {
    this.#recording = false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.idle(), late]);
    clearTimeout(timer);
    this.#closing = true;
    for (const each of this.#timers.values()) clearTimeout(each);
    await this.#backend.close();
    await this.#holding.close();
  }

  #work(key: string): void {
    this.#stirred.add(key);
    if (this.#working.has(key) || this.#closing) return;
    this.#working.set(key, this.#drain(key));
  }

  async #drain(key: string): Promise<void> {
    try {
      while (!this.#closing) {
        this.#stirred.delete(key);
        const line = this.#holding.lines.get(key) ?? [];
        const next = findReadyFirstCall(line) ?? (await this.#nextBehind(line));
        if (next !== null) await this.#takeOn(key, next.place, next.before);
        else if (!this.#stirred.has(key)) {
          if (line.some((place) => place.state === 'ready')) this.#lookAgain(key);
          return;
        }
      }
    } finally {
      // Done synchronously at the end: a later caller must see that no worker is running.
      this.#working.delete(key);
    }
  }

  #nextBehind(line: readonly WaitingCall[]) {
    const { now, reorderTimeoutMs } = this.#options;
    return findNextCall(line, {
      now,
      reorderTimeoutMs,
      backend: this.#backend,
      note: (error) => this.#note(error),
    });
  }

  async #takeOn(key: string, place: WaitingCall, before: readonly WaitingCall[]): Promise<void> {
    // A call that is being moved to a file may be dropped, so this waits for the end of the move.
    if (place.moving !== null) return place.moving;
    place.state = 'recording';
    if (this.#recording) await this.#throttle.letPass(this.#holding.lines.get(key)?.length ?? 1);
    const began = performance.eventLoopUtilization();
    for (const earlier of before) await this.#placeAhead(earlier);
    if (await this.#record({ key, place })) this.#holding.leave({ key, place });
    else place.state = 'ready';
    // A worker thread does not use the time of this thread.
    if (this.#recording && !this.#backend.aside)
      await this.#throttle.rest(performance.eventLoopUtilization(began).active);
  }

  #lookAgain(key: string): void {
    if (this.#timers.has(key)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#work(key);
    }, reorderTimeoutOf(this.#options));
    this.#timers.set(key, timer.unref());
  }

  /**
   * Adds the history of an earlier call before a later call is recorded, so that requests stay in order even without an
   * answer.
   */
  async #placeAhead(earlier: WaitingCall): Promise<void> {
    if (earlier.placed || earlier.request === null) return;
    earlier.placed = true;
    try {
      await this.#backend.placeAhead(earlier);
    } catch (error) {
      this.#note(error);
    }
  }

  /**
   * Returns whether the call is finished. False only if the recorder is closing and leaves the call to the next
   * process.
   */
  async #record({ place }: QueuePosition): Promise<boolean> {
    try {
      if (place.file !== null) {
        const kept = await this.#holding.read(place.file);
        place.request = kept.request;
        place.call = kept.call;
      }
      const { call } = place;
      const heading = call === null ? null : await this.#backend.heading(place);
      return call === null || heading === null || (await this.#apply(place, call, heading));
    } catch (error) {
      if (this.#closing) return false;
      // An error caused by the input of a client or service must not stop the queue.
      await this.#giveUp(place, null, error);
      return true;
    }
  }

  /**
   * Retries until the store accepts the call. A store that is unavailable for a while is not a reason to drop calls.
   */
  async #apply(place: WaitingCall, call: CapturedResponse, heading: CallSummary): Promise<boolean> {
    const { model, usage } = heading;
    const cost = usage === null ? null : this.#options.costOf(call.provider, model, usage);
    for (let wait = 50; ; wait = Math.min(wait * 2, longestWaitMs)) {
      if (this.#closing) return false;
      try {
        const recorded = await this.#backend.record(place, { cost });
        this.#recorded += 1;
        if (this.#lastError !== null) this.#options.onRecovered?.();
        this.#lastError = null;
        this.#show(place, call, heading, recorded);
        return true;
      } catch (error) {
        if (this.#closing) return false;
        if (!mayPass(error)) {
          await this.#giveUp(place, heading, error);
          this.#show(place, call, heading, null);
          return true;
        }
        this.#note(error);
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  #show(
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
    if (this.#calls.length > shownCalls) this.#calls.shift();
    for (const listener of this.#listeners) listener(shown);
  }

  async #giveUp(place: WaitingCall, heading: CallSummary | null, error: unknown): Promise<void> {
    this.#setError(error);
    await this.#keepFailed(place, heading, error, true);
    this.#failed += 1;
  }

  async #keepFailed(
    place: WaitingCall,
    heading: CallSummary | null,
    error: unknown,
    keepsCall: boolean,
  ): Promise<void> {
    const about = { at: this.#options.now(), model: heading?.model ?? null, status: place.call?.status ?? null };
    const failed = await this.#failedCalls.add(place, about, error, keepsCall);
    this.#options.onFailed?.(failed, error);
  }

  #note(error: unknown): void {
    this.#setError(error);
    this.#options.onError?.(error);
  }

  #setError(error: unknown): void {
    this.#lastError = error instanceof Error ? error.message : String(error);
  }
}

function mayPass(error: unknown): error is AppError {
  return isAppError(error) && error.kind === 'unavailable';
}
