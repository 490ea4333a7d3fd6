/** Adds the error words that chat applications use to the error codes of Coppice. */
import { AppError, type ErrorKind, isAppError } from '@coppice/core';

const words: Readonly<Record<ErrorKind, string>> = {
  invalid: 'VALIDATION_ERROR',
  'not-found': 'NOT_FOUND',
  conflict: 'CONFLICT',
  refused: 'INVALID_OPERATION',
  unavailable: 'SERVICE_UNAVAILABLE',
  aborted: 'ABORTED',
  internal: 'INTERNAL_SERVER_ERROR',
};

/** Runs `work`; an error keeps its code and gets its word as `data.code`, for example `INVALID_OPERATION`. */
export async function withServiceMessage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, kind, message, data, retryable } = error;
    throw new AppError({ code, kind, message, retryable, data: { ...data, code: words[kind] }, cause: error });
  }
}
