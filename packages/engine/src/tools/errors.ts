import { AppError } from '@coppice/core';
import { type ToolErrorCode, toolErrorKinds } from './contract.ts';

/** A failure with one of the tools' own codes. */
export function toolError(
  code: ToolErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: toolErrorKinds[code], message, data, cause });
}
