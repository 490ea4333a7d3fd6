/** Why a session file is not written to. */
import { AppError, refusalKinds } from '@coppice/core';

/** The refusal of a write to a file that is not the one which was opened. */
export function fileReplaced(path: string): AppError {
  return new AppError({
    code: 'store/locked',
    kind: refusalKinds['store/locked'],
    message: `${path} was deleted, replaced or cut by somebody else: close it and open it again.`,
    data: { path },
  });
}

/** The refusal of a write to a file that was opened without its lease. */
export function openedReadOnly(path: string): AppError {
  return new AppError({
    code: 'tree/read-only',
    kind: refusalKinds['tree/read-only'],
    message: `${path} was opened to be read only.`,
    data: { path },
  });
}

/** The refusal to read or write a file by whoever has closed it. */
export function sessionClosed(path: string): AppError {
  return new AppError({
    code: 'store/unavailable',
    kind: refusalKinds['store/unavailable'],
    message: `${path} was closed here: open it again.`,
    data: { path },
  });
}

/** The refusal of a write that was planned before somebody added a commit, or before one that failed turned up. */
export function fileChanged(
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

/** The refusal of an entry that cannot be printed: it contains itself, has a number that JSON lacks, or is too long. */
export function notStorable(uuid: string, cause: unknown): AppError {
  const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
  return new AppError({
    code: 'message/invalid',
    kind: refusalKinds['message/invalid'],
    message: `The entry ${uuid} cannot be written as JSON: ${why}.`,
    data: { nodeId: uuid },
    cause,
  });
}
