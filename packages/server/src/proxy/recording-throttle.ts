/** Who goes first: a store may work on the very thread that passes calls on, so recording steps back for them. */

// In all for one recording, and at a time.
const [politeMs, breathMs] = [250, 5];
// With more calls than this in a line, each steps back for less.
const fewWaiting = 16;

/** A call that is under way. */
export interface RunningCalls {
  /** Its first byte is there. */
  answered(): void;
  /** It is through. */
  end(): void;
}

function waitMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Counts calls that are under way, and has whoever records wait for them. */
export class RecordingThrottle {
  #underWay = 0;
  /** Those that wait for the first byte of their answer. */
  #pressing = 0;

  /** A call begins. */
  begin(): RunningCalls {
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

  /** Steps back while somebody waits for a first byte; the less, the more there is to record. */
  async letPass(waiting: number): Promise<void> {
    const turns = ((politeMs / breathMs) * fewWaiting) / Math.max(fewWaiting, waiting);
    for (let turn = 0; turn < turns; turn++) {
      await waitMs(waiting > fewWaiting ? 1 : breathMs);
      if (this.#pressing === 0) return;
    }
  }

  /** While calls are under way, no more than half of the thread's time is for recording: the line grows instead. */
  async rest(ms: number): Promise<void> {
    if (this.#underWay > 0) await waitMs(Math.min(ms, politeMs));
  }
}
