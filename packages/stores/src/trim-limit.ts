/** Which commits of a tree its share links need. */
import type { ShareLink } from '@coppice/core';

/**
 * Returns the highest version with which the log of a tree may begin, so that its usable share links can still be
 * shown; infinite if there are none. A link shows a version, and reading a version needs all later commits.
 */
export function findFirstVersionForShares(shares: readonly ShareLink[], now: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { version, revokedAt, expiresAt } of shares) {
    const usable = revokedAt === null && (expiresAt === null || expiresAt > now);
    if (usable && version !== null) first = Math.min(first, version + 1);
  }
  return first;
}
