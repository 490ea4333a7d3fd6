/**
 * Sends writes to the server one after the other. They wait while
 * the server is unreachable, and until the user has signed in.
 */
import { type HttpProblem, toHttpProblem } from './http.ts';

const retryMs = 2500;

/** A write. It is repeated until it succeeds or is refused. */
export interface WriteJob {
  run(): Promise<void>;
  /** Called when the server has refused the write, which is then not repeated. */
  refused(problem: HttpProblem): void;
}

/** The number of writes that wait, and whether the server is reachable. */
export interface WriteQueueState {
  readonly connected: boolean;
  readonly waiting: number;
}

/**
 * A queue of writes. Each write is sent after the previous one has succeeded or was refused, so that it is based on the
 * resulting version.
 */
export class WriteQueue {
  #jobs: WriteJob[] = [];
  #busy = false;
  #closed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting: Set<WriteQueue>;
  readonly #onChange: (state: WriteQueueState) => void;

  /** Creates an empty queue. `waiting` contains the queue while its writes wait for the server. */
  constructor(waiting: Set<WriteQueue>, onChange: (state: WriteQueueState) => void) {
    this.#waiting = waiting;
    this.#onChange = onChange;
  }

  /** Adds a write at the end of the queue. */
  push(job: WriteJob): void {
    this.#jobs.push(job);
    void this.work();
  }

  /** Stops reporting. Writes that wait are still sent, because opening another tree must not cancel them. */
  close(): void {
    this.#closed = true;
  }

  /** Sends the writes in order. While the server is unreachable, they are kept and sent again. */
  async work(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
        try {
          await job.run();
          this.#jobs.shift();
        } catch (thrown) {
          const problem = toHttpProblem(thrown);
          if (problem.offline || problem.signedOut) {
            this.#waiting.add(this);
            this.#report({ connected: false, waiting: this.#jobs.length });
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => void this.work(), retryMs);
            return;
          }
          this.#jobs.shift();
          job.refused(problem);
        }
        this.#report({ waiting: this.#jobs.length > 1 ? this.#jobs.length : 0, connected: true });
      }
    } finally {
      this.#busy = false;
      if (this.#jobs.length === 0) this.#waiting.delete(this);
    }
  }

  #report(state: WriteQueueState): void {
    if (!this.#closed) this.#onChange(state);
  }
}
