/**
 * Creates one-time codes that sign a browser in. Other users of the computer can see the command line that starts a
 * browser, so it must not contain a token.
 */
import { randomBytes } from 'node:crypto';
import { hashToken } from './auth.ts';

// Enough time to start a browser.
const validMs = 2 * 60_000;

/** The unused one-time codes of a server. */
export class SignInCodes {
  readonly #validUntil = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Creates a code that is valid for two minutes. */
  make(): string {
    const now = this.#now();
    for (const [hash, until] of this.#validUntil) if (until <= now) this.#validUntil.delete(hash);
    const code = randomBytes(24).toString('base64url');
    this.#validUntil.set(hashToken(code), now + validMs);
    return code;
  }

  /** Returns whether a code is valid, and makes it invalid. */
  useOnce(code: string): boolean {
    const hash = hashToken(code);
    const until = this.#validUntil.get(hash);
    this.#validUntil.delete(hash);
    return until !== undefined && this.#now() < until;
  }
}
