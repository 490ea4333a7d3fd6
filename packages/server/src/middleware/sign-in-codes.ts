/**
 * Creates one-time codes that sign a browser in. Other users of the computer can see the command line that starts a
 * browser, so it must not contain a token.
 */
import type { SharedRecords } from '@coppice/core';
import { randomText } from '#platform/crypto';
import { hashToken } from './auth.ts';

// Enough time to start a browser.
const validMs = 2 * 60_000;
const group = 'sign-in';

/** The unused one-time codes of all servers. Only their hashes are stored. */
export class SignInCodes {
  readonly #records: SharedRecords;

  constructor(records: SharedRecords) {
    this.#records = records;
  }

  /** Creates a code that is valid for two minutes. */
  async make(): Promise<string> {
    const code = randomText(24, 'base64url');
    await this.#records.put(group, hashToken(code), {}, { keepMs: validMs });
    return code;
  }

  /** Returns whether a code is valid, and makes it invalid, whichever server made it. */
  async useOnce(code: string): Promise<boolean> {
    return (await this.#records.take(group, hashToken(code))) !== null;
  }
}
