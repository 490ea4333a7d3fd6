import { AppError, type ErrorKind } from '@coppice/core';

/** All error codes that commands add to those of core, and their kinds. */
export const commandErrorKinds = {
  'command/unknown': 'not-found',
  'command/bad-arguments': 'invalid',
  'command/no-such-node': 'not-found',
  'command/ambiguous': 'invalid',
  'command/unavailable': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

/** An error code of commands. */
export type CommandErrorCode = keyof typeof commandErrorKinds;

/** Creates an error with a code of commands. */
export function makeCommandError(
  code: CommandErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError({ code, kind: commandErrorKinds[code], message, data });
}
