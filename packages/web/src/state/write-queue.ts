/** Writes on their way to the server, one after the other; they wait while it is away. */
import { asProblem, type HttpProblem } from './http.ts';

const retryMs = 2500;

/** A write. Exactly one of `done` and `refused` is called, unless the page goes before. */
export interface WriteJob {
  run(): Promise<void>;
  /** It was refused: it will not be tried again. */
  refused(problem: HttpProblem): void;
}

/** How the line is: what waits, and whether the server answers. */
export interface LineState {
  readonly connected: boolean;
  readonly waiting: number;
}

/** A line of writes: the next one goes when the one before is through, so that each knows the version it stands on. */
export class WriteQueue {
  #jobs: WriteJob[] = [];
  #busy = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #tell: (state: LineState) => void;

  constructor(tell: (state: LineState) => void) {
    this.#tell = tell;
  }

  /** Puts a write at the end of the line. */
  push(job: WriteJob): void {
    this.#jobs.push(job);
    void this.work();
  }

  /** Nobody looks any more. What waits is still sent: whoever goes to another tree has not taken his words back. */
  close(): void {
    this.#closed = true;
  }

  /** Sends what waits. Where the server is away, all of it stays in order and is tried again. */
  async work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
        try {
          await job.run();
          this.#jobs.shift();
        } catch (thrown) {
          const problem = asProblem(thrown);
          if (problem.offline) {
            full.add(this);
            this.#say({ connected: false, waiting: this.#jobs.length });
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => void this.work(), retryMs);
            return;
          }
          this.#jobs.shift();
          job.refused(problem);
        }
        this.#say({ waiting: this.#jobs.length > 1 ? this.#jobs.length : 0, connected: true });
      }
    } finally {
      this.#busy = false;
      if (this.#jobs.length === 0) full.delete(this);
    }
  }

  #say(state: LineState): void {
    if (!this.#closed) this.#tell(state);
  }
}

/** The lines in which something waits for a server that is away. */
const full = new Set<WriteQueue>();

// The browser asks whether to go, in its own words: what waits here is nowhere else yet.
globalThis.addEventListener?.('beforeunload', (event) => {
  if (full.size > 0) event.preventDefault();
});
