/** Validates expiry times of share links and tokens. */
import { throwHttpError } from './http-errors.ts';

/** Throws if an expiry time is in the past, because the new link or token could not be used. Null means no expiry. */
export function requireFutureExpiry(expiresAt: number | null | undefined, now: number): number | null {
  if (expiresAt == null) return null;
  if (expiresAt <= now)
    throwHttpError(
      'http/invalid',
      `The time at which it runs out, ${expiresAt}, has passed: it is now ${now}, in milliseconds.`,
      {
        expiresAt,
        now,
      },
    );
  return expiresAt;
}
