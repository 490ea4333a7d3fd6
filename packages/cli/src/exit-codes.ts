/** Maps errors to exit codes and messages. */
import { AppError, type ErrorKind, isAppError } from '@coppice/core';

/** The exit code of each kind of error. */
export const exitCodes: Readonly<Record<ErrorKind, number>> = {
  invalid: 2,
  'not-found': 3,
  conflict: 4,
  refused: 5,
  unavailable: 6,
  aborted: 130,
  internal: 1,
};

/** The error codes of the command line itself. Errors of other packages keep their codes. */
export const cliErrorKinds = {
  'cli/usage': 'invalid',
  'cli/ambiguous': 'invalid',
  'cli/no-file': 'not-found',
  'cli/no-store': 'not-found',
  'cli/exists': 'conflict',
  'cli/too-many-files': 'refused',
  'cli/port': 'unavailable',
  'cli/output': 'unavailable',
  'cli/not-on-server': 'refused',
  'cli/signed-out': 'refused',
  'cli/server-unreachable': 'unavailable',
  'cli/no-document': 'not-found',
  'cli/no-server': 'unavailable',
  'cli/no-link': 'not-found',
  'cli/no-key': 'not-found',
  'cli/aborted': 'aborted',
  'cli/internal': 'internal',
} as const satisfies Readonly<Record<string, ErrorKind>>;

/** Converts a thrown value to an error with a code and a message for the user. */
export function toCliError(thrown: unknown): AppError {
  if (isAppError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const name = thrown instanceof Error ? thrown.name : '';
  if (name === 'AbortError') return new AppError({ code: 'cli/aborted', kind: 'aborted', message: 'Stopped.' });
  return portRefused(thrown) ?? new AppError({ code: 'cli/internal', kind: 'internal', message, cause: thrown });
}

/** Returns an error that explains how to choose another port; null for any other error. */
function portRefused(thrown: unknown): AppError | null {
  if (!(thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'listen' && 'code' in thrown)) return null;
  const port = 'port' in thrown ? `Port ${thrown.port}` : 'The port';
  const why =
    thrown.code === 'EADDRINUSE'
      ? 'is taken by another program'
      : thrown.code === 'EACCES'
        ? 'is not open to this user'
        : null;
  if (why === null) return null;
  const message = `${port} ${why}. Choose another with --port; --port 0 takes any that is free.`;
  return new AppError({ code: 'cli/port', kind: 'unavailable', message, cause: thrown });
}

/** Returns the error for a wrong command line. */
export function makeUsageError(message: string): AppError {
  return new AppError({ code: 'cli/usage', kind: 'invalid', message });
}
