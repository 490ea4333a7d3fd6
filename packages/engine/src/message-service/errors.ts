/** Adds the error codes that chat applications know, such as `NOT_FOUND`, to the errors of Coppice. */
import { AppError, type ErrorKind, isAppError } from '@coppice/core';

const serviceCodes: Readonly<Record<ErrorKind, string>> = {
  invalid: 'VALIDATION_ERROR',
  'not-found': 'NOT_FOUND',
  conflict: 'CONFLICT',
  refused: 'INVALID_OPERATION',
  unavailable: 'SERVICE_UNAVAILABLE',
  aborted: 'ABORTED',
  internal: 'INTERNAL_SERVER_ERROR',
};

/** Runs `work`. An error keeps its own code; `data.code` is added, for example `INVALID_OPERATION`. */
export async function withServiceErrorCodes<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, kind, message, data, retryable } = error;
    throw new AppError({ code, kind, message, retryable, data: { ...data, code: serviceCodes[kind] }, cause: error });
  }
}
