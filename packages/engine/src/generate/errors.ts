/** The error codes of turns, and conversions between thrown errors and the errors of replies. */
import { AppError, type ErrorKind, isAppError, type Json, type JsonObject } from '@coppice/core';
import type { ProviderErrorEvent } from '../providers/contract.ts';

/** The error codes of turns and their kinds. Codes are stable across releases; messages may change. */
export const generateErrorKinds = {
  'generate/tools-need-one': 'invalid',
  'generate/tool-limit': 'refused',
  'generate/budget': 'refused',
  'generate/invalid': 'invalid',
  'generate/not-continuable': 'refused',
  'generate/not-combinable': 'refused',
  'generate/lost': 'unavailable',
  'generate/closed': 'unavailable',
  'generate/empty': 'unavailable',
  'generate/aborted': 'aborted',
  'generate/internal': 'internal',
} as const satisfies Record<string, ErrorKind>;

export type GenerateErrorCode = keyof typeof generateErrorKinds;

/** Builds an AppError of a turn; its kind follows from the code. */
export function makeGenerateError(
  code: GenerateErrorCode,
  message: string,
  data: Record<string, unknown> = {},
): AppError {
  return new AppError({ code, kind: generateErrorKinds[code], message, data });
}

/** The error of a reply, as stored with the node and sent in events. */
export interface ReplyError {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
  readonly excerpt?: string;
}

/** Converts a provider's error event to a reply error. */
export function replyErrorFromEvent(event: ProviderErrorEvent): ReplyError {
  const { type: _type, ...error } = event;
  return error;
}

/** Converts a thrown value to a reply error; one that is not an AppError becomes an internal error. */
export function replyErrorFromThrown(thrown: unknown): ReplyError {
  if (isAppError(thrown))
    return { code: thrown.code, kind: thrown.kind, message: thrown.message, retryable: thrown.retryable };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'generate/internal', kind: 'internal', message, retryable: false };
}

/** Converts a reply error to an AppError that can be thrown. */
export function toGenerateError(error: ReplyError, data: Record<string, unknown> = {}): AppError {
  const { code, kind, message, retryable } = error;
  return new AppError({ code, kind, message, retryable, data });
}

/** Converts a reply error to JSON, for the metadata of a node. */
export function replyErrorToJson(error: ReplyError): JsonObject {
  const entries = Object.entries(error).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
