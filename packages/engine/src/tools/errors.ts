import { AppError } from '@coppice/core';
import { type ToolErrorCode, toolErrorKinds } from './contract.ts';

/** Creates an error with one of the tools' codes. */
export function makeToolError(
  code: ToolErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: toolErrorKinds[code], message, data, cause });
}
