/** Expiry times of links and tokens. */
import { throwHttpError } from './http-errors.ts';

/** Validates an expiry time. A time in the past is refused, because the new link or token would be useless. */
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
