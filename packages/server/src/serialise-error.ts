/** Converts errors for messages between threads, which would lose the class and the fields of an error. */
import { AppError, type AppErrorInit, isAppError } from '@coppice/core';

/** An error as a message between threads: an `AppError` with its fields, or the message of another error. */
export type SerialisedError =
  | { readonly typed: AppErrorInit }
  | { readonly message: string; readonly stack: string | undefined };

/** Converts a thrown value to a message. The cause of an error is left out. */
export function serialiseError(error: unknown): SerialisedError {
  if (isAppError(error)) {
    const { code, kind, message, retryable, data } = error;
    // Data may contain values that cannot be sent, such as functions.
    return { typed: { code, kind, message, retryable, data: JSON.parse(JSON.stringify(data)) } };
  }
  return error instanceof Error
    ? { message: error.message, stack: error.stack }
    : { message: String(error), stack: undefined };
}

/** Converts a message back to an error, with the stack of the other thread. */
export function deserialiseError(serialised: SerialisedError): Error {
  if ('typed' in serialised) return new AppError(serialised.typed);
  const error = new Error(serialised.message);
  if (serialised.stack !== undefined) error.stack = serialised.stack;
  return error;
}
