/** Delays recording while calls are in progress, if recording uses the proxy's own thread. */

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

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Counts the calls in progress, and pauses recording for them. */
export class RecordingThrottle {
  #inProgress = 0;
  /** Calls that wait for the first byte of their response. */
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
   * Pauses after a recording that took `ms`, so that recording uses at most half of the thread's time while calls are
   * in progress.
   */
  async pauseRecording(ms: number): Promise<void> {
    if (this.#inProgress > 0) await waitMs(Math.min(ms, maxPauseMs));
  }
}
