/** Decides when a request body arrives too slowly. It has no timers: the reader of the body passes the current time. */
import type { ServerLimits } from '../contract.ts';

/** The kind of a body. JSON must arrive completely within its time; an upload must keep making progress. */
export type BodyKind = 'json' | 'upload';

type PaceLimits = Pick<ServerLimits, 'bodyMs' | 'uploadMs' | 'uploadWindowMs' | 'uploadWindowBytes'>;

export class BodyPaceMonitor {
  readonly #kind: BodyKind;
  readonly #limits: PaceLimits;
  readonly #beganAt: number;
  #windowAt: number;
  #windowBytes = 0;
  #pausedAt: number | null = null;

  constructor(kind: BodyKind, limits: PaceLimits, now: number) {
    this.#kind = kind;
    this.#limits = limits;
    this.#beganAt = now;
    this.#windowAt = now;
  }

  /** Returns the milliseconds until the next check is due. */
  msUntilCheck(now: number): number {
    const { bodyMs, uploadMs, uploadWindowMs } = this.#limits;
    const end = this.#beganAt + (this.#kind === 'json' ? bodyMs : uploadMs);
    const next = this.#kind === 'json' ? end : Math.min(end, this.#windowAt + uploadWindowMs);
    return Math.max(1, next - now);
  }

  /** Stops the clock while the server processes data, because the client is not responsible for that delay. */
  pause(now: number): void {
    this.#pausedAt ??= now;
  }

  /** Starts the clock again, because the server waits for more data. */
  resume(now: number): void {
    if (this.#pausedAt !== null) this.#windowAt += now - this.#pausedAt;
    this.#pausedAt = null;
  }

  /** Returns the reason to refuse the body, given the bytes received so far; null if it may continue. */
  check(now: number, bytes: number): string | null {
    const { bodyMs, uploadMs, uploadWindowMs, uploadWindowBytes } = this.#limits;
    const all = this.#kind === 'json' ? bodyMs : uploadMs;
    if (now - this.#beganAt >= all) return `The body did not arrive completely within ${seconds(all)} s.`;
    if (this.#kind === 'json' || this.#pausedAt !== null || now - this.#windowAt < uploadWindowMs) return null;
    if (bytes - this.#windowBytes < uploadWindowBytes)
      return `Less than ${uploadWindowBytes} bytes of the body arrived within ${seconds(uploadWindowMs)} s.`;
    this.#windowAt = now;
    this.#windowBytes = bytes;
    return null;
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
