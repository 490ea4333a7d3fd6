/** Decides when a body comes too slowly. It knows no timers: whoever reads the body asks it, and says what time it is. */
import type { ServerLimits } from '../contract.ts';

/** A JSON body has to be there in all within its time; an upload has to keep coming. */
export type BodyKind = 'json' | 'upload';

type PaceLimits = Pick<ServerLimits, 'bodyMs' | 'uploadMs' | 'uploadWindowMs' | 'uploadWindowBytes'>;

/** The pace of one body. */
export class BodyPace {
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

  /** How many milliseconds from now it has to be asked again. */
  msUntilCheck(now: number): number {
    const { bodyMs, uploadMs, uploadWindowMs } = this.#limits;
    const end = this.#beganAt + (this.#kind === 'json' ? bodyMs : uploadMs);
    const next = this.#kind === 'json' ? end : Math.min(end, this.#windowAt + uploadWindowMs);
    return Math.max(1, next - now);
  }

  /** This server is busy with what came: the client is not to blame for what does not come meanwhile. */
  pause(now: number): void {
    this.#pausedAt ??= now;
  }

  /** More is waited for. */
  resume(now: number): void {
    if (this.#pausedAt !== null) this.#windowAt += now - this.#pausedAt;
    this.#pausedAt = null;
  }

  /** Why the body is refused, given how many bytes of it have come so far; null where it may go on. */
  check(now: number, bytes: number): string | null {
    const { bodyMs, uploadMs, uploadWindowMs, uploadWindowBytes } = this.#limits;
    const all = this.#kind === 'json' ? bodyMs : uploadMs;
    if (now - this.#beganAt >= all) return `The body was not there after ${seconds(all)} s.`;
    if (this.#kind === 'json' || this.#pausedAt !== null || now - this.#windowAt < uploadWindowMs) return null;
    if (bytes - this.#windowBytes < uploadWindowBytes)
      return `Less than ${uploadWindowBytes} bytes of the body came in ${seconds(uploadWindowMs)} s.`;
    this.#windowAt = now;
    this.#windowBytes = bytes;
    return null;
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
