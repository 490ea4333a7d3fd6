import { AppError, type ErrorKind } from '@coppice/core';

/** Every code that a command refuses with beside core's, and its kind. */
export const commandErrorKinds = {
  'command/unknown': 'not-found',
  'command/bad-arguments': 'invalid',
  'command/no-such-node': 'not-found',
  'command/ambiguous': 'invalid',
  'command/unavailable': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

/** A code that a command refuses with. */
export type CommandErrorCode = keyof typeof commandErrorKinds;

/** A refusal with one of the commands' own codes. */
export function commandError(
  code: CommandErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError({ code, kind: commandErrorKinds[code], message, data });
}
