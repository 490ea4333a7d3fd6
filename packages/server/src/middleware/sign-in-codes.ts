/**
 * One-time codes that sign a browser in. The command line that starts a browser is visible to other users of the
 * machine, so it must not contain a token.
 */
import { randomBytes } from 'node:crypto';
import { hashToken } from './auth.ts';

// Long enough to start a browser.
const validMs = 2 * 60_000;

/** The unused codes of a server. */
export class SignInCodes {
  readonly #validUntil = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Creates a code. */
  make(): string {
    const now = this.#now();
    for (const [hash, until] of this.#validUntil) if (until <= now) this.#validUntil.delete(hash);
    const code = randomBytes(24).toString('base64url');
    this.#validUntil.set(hashToken(code), now + validMs);
    return code;
  }

  /** Whether a code is valid. Each code can be used only once. */
  spend(code: string): boolean {
    const hash = hashToken(code);
    const until = this.#validUntil.get(hash);
    this.#validUntil.delete(hash);
    return until !== undefined && this.#now() < until;
  }
}
