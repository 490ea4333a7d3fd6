/** When a link or a token runs out. */
import { refuseHttp } from './http-errors.ts';

/** A time at which something that is made now is to run out. One that has passed is refused: it would be good for nothing. */
export function expiryAhead(expiresAt: number | null | undefined, now: number): number | null {
  if (expiresAt == null) return null;
  if (expiresAt <= now)
    refuseHttp(
      'http/invalid',
      `The time at which it runs out, ${expiresAt}, has passed: it is now ${now}, in milliseconds.`,
      {
        expiresAt,
        now,
      },
    );
  return expiresAt;
}
