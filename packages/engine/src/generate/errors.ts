/** How a turn says that it did not go well. */
import { AppError, type ErrorKind, isAppError, type Json, type JsonObject } from '@coppice/core';
import type { ErrorEvent } from '../providers/contract.ts';

/** Every code of a turn's own, and its kind. Promised across releases; sentences may improve. */
export const generateErrorKinds = {
  'generate/tools-need-one': 'invalid',
  'generate/tool-limit': 'refused',
  'generate/budget': 'refused',
  'generate/invalid': 'invalid',
  'generate/not-continuable': 'refused',
  'generate/lost': 'unavailable',
  'generate/closed': 'unavailable',
  'generate/empty': 'unavailable',
  'generate/aborted': 'aborted',
  'generate/internal': 'internal',
} as const satisfies Record<string, ErrorKind>;

/** A code of a turn's own. */
export type GenerateErrorCode = keyof typeof generateErrorKinds;

/** A refusal of a turn. */
export function generateError(code: GenerateErrorCode, message: string, data: Record<string, unknown> = {}): AppError {
  return new AppError({ code, kind: generateErrorKinds[code], message, data });
}

/** What went wrong with a reply, as it is kept with the node and told in events. */
export interface ReplyError {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  readonly excerpt?: string;
}

/** A provider's last word as the error of a reply. */
export function fromProvider(event: ErrorEvent): ReplyError {
  const { type: _type, ...error } = event;
  return error;
}

/** Anything that was thrown as an error to tell; what nobody foresaw is internal. */
export function fromThrown(thrown: unknown): ReplyError {
  if (isAppError(thrown))
    return { code: thrown.code, kind: thrown.kind, message: thrown.message, retryable: thrown.retryable };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'generate/internal', kind: 'internal', message, retryable: false };
}

/** An error of a reply as something to throw. */
export function toGenerateError(error: ReplyError, data: Record<string, unknown> = {}): AppError {
  const { code, kind, message, retryable } = error;
  return new AppError({ code, kind, message, retryable, data });
}

/** An error as JSON, for a node's meta. */
export function errorJson(error: ReplyError): JsonObject {
  const entries = Object.entries(error).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
