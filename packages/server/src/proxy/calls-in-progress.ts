/**
 * Tracks the calls in progress: a stopping server lets them finish for a limited time, and recording pauses for them
 * if it runs on the same thread.
 */

import { endsWithin, waitMs } from '@coppice/engine';
import { throwHttpError } from '../http-errors.ts';

// How long to wait for aborted calls to end.
const endingMs = 500;

export interface OpenCallEntry {
  /** Aborts when the server stops and the call has used up its time. */
  readonly ending: AbortSignal;
  end(): void;
}

/** The calls that a stopping server waits for, then aborts. */
export class OpenCalls {
  readonly #calls = new Set<AbortController>();
  #through: (() => void) | null = null;
  #hasStopped = false;

  /**
   * Registers a call. `stop` aborts the signal of a call that does not end in time. A call that begins after that is
   * refused with `http/closing`, because nothing would await or abort it.
   */
  begin(): OpenCallEntry {
    if (this.#hasStopped) throwHttpError('http/closing', 'The server is stopping.');
    const call = new AbortController();
    this.#calls.add(call);
    const end = () => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#through?.();
    };
    return { ending: call.signal, end };
  }

  /**
   * Waits at most `ms` for all calls, then aborts the rest. The app refuses new requests before it calls `stop`, but
   * some that it accepted before begin their call only later.
   */
  async stop(ms: number): Promise<void> {
    await this.#allThrough(ms);
    this.#hasStopped = true;
    for (const call of [...this.#calls]) call.abort();
    await this.#allThrough(endingMs);
  }

  async #allThrough(ms: number): Promise<void> {
    if (this.#calls.size === 0) return;
    const through = new Promise<void>((resolve) => {
      this.#through = resolve;
    });
    await endsWithin(through, ms);
  }
}

// The longest pause before a recording, and the length of its steps, in milliseconds.
const [maxPauseMs, pauseStepMs] = [250, 5];
// If more calls than this wait for recording, each pause is shorter.
const shortQueueLength = 16;

/** A call that delays recording while it is in progress. */
export interface ThrottledCall {
  /** Reports that the first byte of the response has arrived. */
  markAnswered(): void;
  /** Reports that the call has ended. */
  end(): void;
}

/** Counts the calls in progress, and pauses recording for them. */
export class RecordingThrottle {
  #inProgress = 0;
  /** The number of calls that wait for the first byte of their response. */
  #waitingForFirstByte = 0;

  begin(): ThrottledCall {
    let [isWaiting, isInProgress] = [true, true];
    this.#waitingForFirstByte += 1;
    this.#inProgress += 1;
    const markAnswered = () => {
      if (isWaiting) this.#waitingForFirstByte -= 1;
      isWaiting = false;
    };
    const end = () => {
      markAnswered();
      if (isInProgress) this.#inProgress -= 1;
      isInProgress = false;
    };
    return { markAnswered: markAnswered, end };
  }

  /** Waits while a call expects its first byte. The longer the queue, the shorter the wait. */
  async waitForCalls(waiting: number): Promise<void> {
    const steps = ((maxPauseMs / pauseStepMs) * shortQueueLength) / Math.max(shortQueueLength, waiting);
    for (let step = 0; step < steps; step++) {
      await waitMs(waiting > shortQueueLength ? 1 : pauseStepMs);
      if (this.#waitingForFirstByte === 0) return;
    }
  }

  /**
   * Pauses after a recording that took `ms`, so that short recordings use at most half of the thread's time while calls
   * are in progress.
   */
  async pauseRecording(ms: number): Promise<void> {
    if (this.#inProgress > 0) await waitMs(Math.min(ms, maxPauseMs));
  }
}
