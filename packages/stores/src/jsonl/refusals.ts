/** Makes the errors of reading and writing a session file. */
import { AppError, refusalKinds } from '@coppice/core';

/** Makes the error for a write to a file that was replaced since it was opened. */
export function makeFileReplacedError(path: string): AppError {
  return new AppError({
    code: 'store/locked',
    kind: refusalKinds['store/locked'],
    message: `${path} was deleted, replaced or cut by another program: close it and open it again.`,
    data: { path },
  });
}

/** Makes the error for a write to a file that was opened read-only. */
export function makeReadOnlyFileError(path: string): AppError {
  return new AppError({
    code: 'tree/read-only',
    kind: refusalKinds['tree/read-only'],
    message: `${path} was opened read-only.`,
    data: { path },
  });
}

/** Makes the error for reading or writing a file that was closed. */
export function makeFileClosedError(path: string): AppError {
  return new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: `${path} was closed here: open it again.`,
    data: { path },
  });
}

/**
 * Makes the error for a commit whose version is no longer the next one: another process added a commit, or a write that
 * had failed turned out to be on disk.
 */
export function makeFileChangedError(
  { path, version }: { readonly path: string; readonly version: number },
  expected: number,
): AppError {
  return new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: `${path} is at version ${version}, which was not expected: try again.`,
    data: { path, version, expected },
    retryable: true,
  });
}

/**
 * Makes the error for an entry that cannot be serialised, because it contains itself, has a number that JSON cannot
 * represent, or is too long.
 */
export function makeNotStorableError(uuid: string, cause: unknown): AppError {
  const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
  return new AppError({
    code: 'message/invalid',
    kind: refusalKinds['message/invalid'],
    message: `The entry ${uuid} cannot be written as JSON: ${why}.`,
    data: { nodeId: uuid },
    cause,
  });
}
