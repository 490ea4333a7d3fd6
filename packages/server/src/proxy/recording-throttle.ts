/** Gives forwarded calls priority: if the store writes on the proxy's thread, recording waits for them. */

// The longest wait per recording: in total, and per step.
const [maxPauseMs, pauseStepMs] = [250, 5];
// If more calls than this are queued, each waits for a shorter time.
const shortQueueLength = 16;

/** A call in progress. */
export interface ThrottledCall {
  /** Marks the arrival of the first byte of its response. */
  markAnswered(): void;
  /** Marks the end of the call. */
  end(): void;
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Counts calls in progress, and delays recording for them. */
export class RecordingThrottle {
  #inProgress = 0;
  /** Calls that wait for the first byte of their response. */
  #waitingForFirstByte = 0;

  /** Registers a call. */
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

  /** Waits while a call expects its first byte; the longer the queue, the shorter the wait. */
  async waitForCalls(waiting: number): Promise<void> {
    const steps = ((maxPauseMs / pauseStepMs) * shortQueueLength) / Math.max(shortQueueLength, waiting);
    for (let step = 0; step < steps; step++) {
      await waitMs(waiting > shortQueueLength ? 1 : pauseStepMs);
      if (this.#waitingForFirstByte === 0) return;
    }
  }

  /**
   * Pauses recording: while calls are in progress, it uses at most half of the thread's time, and the queue grows
   * instead.
   */
  async pauseRecording(ms: number): Promise<void> {
    if (this.#inProgress > 0) await waitMs(Math.min(ms, maxPauseMs));
  }
}
