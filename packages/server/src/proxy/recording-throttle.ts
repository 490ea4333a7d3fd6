/** Gives forwarded calls priority: if the store writes on the proxy's thread, recording waits for them. */

// The longest wait per recording: in total, and per step.
const [politeMs, breathMs] = [250, 5];
// If more calls than this are queued, each waits for a shorter time.
const fewWaiting = 16;

/** A call in progress. */
export interface ThrottledCall {
  /** Marks the arrival of the first byte of its response. */
  answered(): void;
  /** Marks the end of the call. */
  end(): void;
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Counts calls in progress, and delays recording for them. */
export class RecordingThrottle {
  #underWay = 0;
  /** Calls that wait for the first byte of their response. */
  #pressing = 0;

  /** Registers a call. */
  begin(): ThrottledCall {
    let [pressing, underWay] = [true, true];
    this.#pressing += 1;
    this.#underWay += 1;
    const answered = () => {
      if (pressing) this.#pressing -= 1;
      pressing = false;
    };
    const end = () => {
      answered();
      if (underWay) this.#underWay -= 1;
      underWay = false;
    };
    return { answered, end };
  }

  /** Waits while a call expects its first byte; the longer the queue, the shorter the wait. */
  async letPass(waiting: number): Promise<void> {
    const turns = ((politeMs / breathMs) * fewWaiting) / Math.max(fewWaiting, waiting);
    for (let turn = 0; turn < turns; turn++) {
      await waitMs(waiting > fewWaiting ? 1 : breathMs);
      if (this.#pressing === 0) return;
    }
  }

  /**
   * Pauses recording: while calls are in progress, it uses at most half of the thread's time, and the queue grows
   * instead.
   */
  async rest(ms: number): Promise<void> {
    if (this.#underWay > 0) await waitMs(Math.min(ms, politeMs));
  }
}
