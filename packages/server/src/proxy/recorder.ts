/**
 * The line of exchanges that wait to be recorded. A client has its bytes before anything here begins, and nothing here can
 * delay or fail a call: what does not fit into memory goes to a file, and what does not fit there is dropped and counted.
 */
import { performance } from 'node:perf_hooks';
import { type AppError, isAppError } from '@coppice/core';
import { CallBuffer, type TakenPlace } from './call-buffer.ts';
import { type FailedCall, FailedCalls } from './failed-calls.ts';
import { firstCall, nextCall, reorderTimeoutOf } from './order-calls.ts';
import type { Recorded } from './record.ts';
import type {
  CallSummary,
  CaptureHandle,
  RecordedCall,
  RecorderHealth,
  RecorderOptions,
  RecorderState,
  RecordingBackend,
} from './recorder-contract.ts';
import { LocalRecording } from './recording-backend.ts';
import { RecordingThread } from './recording-thread.ts';
import { RecordingThrottle } from './recording-throttle.ts';
import type { CallEntered, CallTaken, WaitingCall } from './waiting-call.ts';

export type {
  CaptureHandle,
  RecordedCall,
  RecorderHealth,
  RecorderOptions,
  RecorderState,
} from './recorder-contract.ts';
export type { CallEntered, CallTaken } from './waiting-call.ts';

const shownCalls = 200;
const longestWaitMs = 5_000;

/** The place of a call of which nothing is kept. */
const notRecorded: CaptureHandle = {
  keep: () => false,
  giveBack: () => undefined,
  finish: () => undefined,
  cancel: () => undefined,
};

/** Whoever reads and writes the calls of a recorder: a thread of its own where one can open the store. */
function backendFor({ threadStore, ...options }: RecorderOptions, onEnded: (error: unknown) => void): RecordingBackend {
  const recording = new LocalRecording(options);
  if (threadStore === undefined) return recording;
  const onNoThread = (error: unknown) => options.onNoThread?.(error);
  return new RecordingThread({ store: threadStore, instead: recording, onEnded, onNoThread });
}

/** The recorder. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #backend: RecordingBackend;
  readonly #holding: CallBuffer;
  readonly #failedCalls: FailedCalls;
  readonly #throttle = new RecordingThrottle();
  readonly #working = new Map<string, Promise<void>>();
  /** Lines in which something changed while they were looked at. */
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
        // There was no room for it, in memory or on the disk: its note alone is kept.
        void this.#keepFailed(place, null, error, false);
      },
      forget: ({ number }) => this.#backend.forget(number),
      stir: (key) => this.#work(key),
    });
  }

  /** What was recorded last, newest first. */
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

  /** Goes on recording, or keeps nothing until told to again. */
  set recording(on: boolean) {
    this.#recording = on;
  }

  /** Takes a place in the line of an owner's project. */
  enter(entered: CallEntered): CaptureHandle {
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

  /** Tells of each call as soon as it is recorded, or is given up; what is returned ends that. */
  listen(listener: (call: RecordedCall) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The calls of an owner that could not be recorded and that nobody has acknowledged, newest first. */
  listFailed(owner: string): Promise<readonly FailedCall[]> {
    return this.#failedCalls.list(owner);
  }

  /** Takes failed calls of an owner off the list, all of them where none are named; gives how many. */
  async acknowledgeFailed(owner: string, ids?: readonly string[]): Promise<number> {
    const count = await this.#failedCalls.acknowledge(owner, ids);
    // What failed last was looked at; a store that still refuses says so with the next call.
    if (this.#failedCalls.count === 0 && this.#holding.figures.waiting === 0) this.#lastError = null;
    return count;
  }

  /** Records a failed call again; false where nothing of it is kept. */
  async retryFailed(owner: string, id: string): Promise<boolean> {
    const file = this.#failedCalls.fileOf(owner, id);
    if (file === null) return false;
    await this.#holding.takeFrom(file);
    await this.#failedCalls.acknowledge(owner, [id]);
    return true;
  }

  /** Reads what other processes added to the list of failed calls, or acknowledged. */
  refreshFailed(): Promise<void> {
    return this.#failedCalls.refresh();
  }

  /** Takes over what an earlier process left in files. */
  resume(): void {
    this.#holding.takeOver();
  }

  /** Resolves when everything that is through is recorded. */
  async idle(): Promise<void> {
    const { moves } = this.#holding;
    while (this.#working.size + moves.size > 0) await Promise.all([...this.#working.values(), ...moves]);
    await this.#failedCalls.settled();
  }

  /** Records what is waiting, for so long, takes nothing more, and leaves the rest in files for the next process. */
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
        const next = firstCall(line) ?? (await this.#nextBehind(line));
        if (next !== null) await this.#takeOn(key, next.place, next.before);
        else if (!this.#stirred.has(key)) {
          if (line.some((place) => place.state === 'ready')) this.#lookAgain(key);
          return;
        }
      }
    } finally {
      // Here and not later: whoever comes from now on finds that nobody is at work.
      this.#working.delete(key);
    }
  }

  #nextBehind(line: readonly WaitingCall[]) {
    const { now, patienceMs } = this.#options;
    return nextCall(line, { now, patienceMs, backend: this.#backend, note: (error) => this.#note(error) });
  }

  async #takeOn(key: string, place: WaitingCall, before: readonly WaitingCall[]): Promise<void> {
    // While it is on its way to a file, it may have to go.
    if (place.moving !== null) return place.moving;
    place.state = 'recording';
    if (this.#recording) await this.#throttle.letPass(this.#holding.lines.get(key)?.length ?? 1);
    const began = performance.eventLoopUtilization();
    for (const earlier of before) await this.#placeAhead(earlier);
    if (await this.#record({ key, place })) this.#holding.leave({ key, place });
    else place.state = 'ready';
    // Another thread takes nothing of the time of this one.
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

  /** What an earlier call asked goes into the tree before a later call: requests are in their order, answered or not. */
  async #placeAhead(earlier: WaitingCall): Promise<void> {
    if (earlier.placed || earlier.request === null) return;
    earlier.placed = true;
    try {
      await this.#backend.placeAhead(earlier);
    } catch (error) {
      this.#note(error);
    }
  }

  /** Whether it is through: false only where the recorder is closing and the call is left for the next one. */
  async #record({ place }: TakenPlace): Promise<boolean> {
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
      // Nothing that a client or a service can send may stop the line.
      await this.#giveUp(place, null, error);
      return true;
    }
  }

  /** Tries until the store takes it: a store that is away for a while is not a reason to forget. */
  async #apply(place: WaitingCall, call: CallTaken, heading: CallSummary): Promise<boolean> {
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
    call: CallTaken,
    { model, usage }: CallSummary,
    recorded: Recorded | null,
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
