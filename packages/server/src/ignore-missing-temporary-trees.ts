/** Lets requests about unknown trees and turns succeed on a server without temporary trees. */
import { isAppError } from '@coppice/core';

/**
 * Returns null for the error of a server without temporary trees, whose database user may not create their schema.
 * Throws any other error.
 */
export function ignoreMissingTemporaryTrees(error: unknown): null {
  if (isAppError(error) && error.code === 'tree/read-only') return null;
  throw error;
}
