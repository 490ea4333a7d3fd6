/** Refuses features that a browser does not have. */
import { refuse } from '@coppice/core';

/** Throws the error for a feature that needs Node or Bun. */
export function refuseInBrowser(what: string): never {
  return refuse('command/invalid', `${what} needs Node or Bun; a browser does not have it.`, { name: what });
}
