/** Limits the length of pages and histories. */
import { refuse } from '@coppice/core';

const usual = 50;
const longest = 1000;

/** The number of commits that a history returns if the caller gives no limit. */
export const defaultHistoryLength = 100;

/** Returns the length of a page: the requested one up to the maximum, or the default. Throws on an invalid length. */
export function clampPageLength(asked: number | undefined): number {
  if (asked === undefined) return usual;
  if (!Number.isSafeInteger(asked) || asked < 1)
    return refuse('command/invalid', `A page has 1 to ${longest} items; ${asked} were requested.`, {
      limit: asked,
    });
  return Math.min(asked, longest);
}
