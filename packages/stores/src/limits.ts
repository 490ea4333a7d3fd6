/** How long a part of a list may be. */
import { refuse } from '@coppice/core';

const usual = 50;
const longest = 1000;

/** How many commits a history tells of if nobody says. */
export const usualHistory = 100;

/** The length of a part of a list: what was asked for within bounds. Refuses what is no length. */
export function pageLimit(asked: number | undefined): number {
  if (asked === undefined) return usual;
  if (!Number.isSafeInteger(asked) || asked < 1)
    return refuse('command/invalid', `A list is asked for in parts of 1 to ${longest}, not ${asked}.`, {
      limit: asked,
    });
  return Math.min(asked, longest);
}
