/** Codes that sign a browser in once: what starts it may be seen by other users of the machine, so it is no token. */
import { randomBytes } from 'node:crypto';
import { hashToken } from './auth.ts';

// Long enough for a browser that has to be started first.
const validMs = 2 * 60_000;

/** The codes of a server that were given out and not used. */
export class SignInCodes {
  readonly #validUntil = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A new code. */
  make(): string {
    const now = this.#now();
    for (const [hash, until] of this.#validUntil) if (until <= now) this.#validUntil.delete(hash);
    const code = randomBytes(24).toString('base64url');
    this.#validUntil.set(hashToken(code), now + validMs);
    return code;
  }

  /** Whether a code is good; it is not from then on. */
  spend(code: string): boolean {
    const hash = hashToken(code);
    const until = this.#validUntil.get(hash);
    this.#validUntil.delete(hash);
    return until !== undefined && this.#now() < until;
  }
}
