/** Lets requests about unknown trees and turns succeed on a server without temporary trees. */
import { isAppError } from '@coppice/core';

/** Returns null if there are no temporary trees, because the database user may not create their schema. */
export function ignoreMissingTemporary(error: unknown): null {
  if (isAppError(error) && error.code === 'tree/read-only') return null;
  throw error;
}
