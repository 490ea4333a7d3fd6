import { AppError } from '@coppice/core';
import { type ToolErrorCode, toolErrorKinds } from './contract.ts';

/** Builds an AppError of a tool call; its kind follows from the code. */
export function makeToolError(
  code: ToolErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): AppError {
  return new AppError({ code, kind: toolErrorKinds[code], message, data, cause });
}
