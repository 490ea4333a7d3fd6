import { AppError, type ErrorKind } from '@coppice/core';

/** The error codes that commands add to those of core. The kind decides HTTP status and exit code. */
export const commandErrorKinds = {
  'command/unknown': 'not-found',
  'command/bad-arguments': 'invalid',
  'command/no-such-node': 'not-found',
  'command/ambiguous': 'invalid',
  'command/unavailable': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

export type CommandErrorCode = keyof typeof commandErrorKinds;

/** Builds an AppError; its kind follows from the code. */
export function makeCommandError(
  code: CommandErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError({ code, kind: commandErrorKinds[code], message, data });
}
