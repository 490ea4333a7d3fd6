/** Validates expiry times of share links and tokens. */
import { throwHttpError } from './http-errors.ts';

/** Throws if an expiry time is in the past, because the new link or token could not be used. Null means no expiry. */
export function requireFutureExpiry(expiresAt: number | null | undefined, now: number): number | null {
  if (expiresAt == null) return null;
  if (expiresAt <= now)
    throwHttpError(
      'http/invalid',
      `The expiry time ${expiresAt} is in the past; the time is now ${now}, in milliseconds since 1970.`,
      {
        expiresAt,
        now,
      },
    );
  return expiresAt;
}
