/**
 * Converts errors to responses. The kind of an error decides its status, except for codes of the server itself and for
 * a full disk.
 */
import { AppError, type ErrorKind, httpStatusByErrorKind, isAppError, type Refusal } from '@coppice/core';
import { redactKeys } from '@coppice/engine';

/** The error codes of the server, and codes of other packages with an HTTP status of their own. */
export const httpErrorCodes = {
  'tree/version-required': { kind: 'invalid', status: 428 },
  'store/full': { kind: 'unavailable', status: 507 },
  'http/invalid': { kind: 'invalid', status: 400 },
  'http/unauthorized': { kind: 'refused', status: 401 },
  'http/forbidden': { kind: 'refused', status: 403 },
  'http/forbidden-host': { kind: 'refused', status: 403 },
  'http/forbidden-origin': { kind: 'refused', status: 403 },
  'http/not-found': { kind: 'not-found', status: 404 },
  'http/method': { kind: 'invalid', status: 405 },
  'http/too-slow': { kind: 'unavailable', status: 408 },
  'http/too-large': { kind: 'invalid', status: 413 },
  'http/media-type': { kind: 'invalid', status: 415 },
  'http/range': { kind: 'invalid', status: 416 },
  'http/too-many': { kind: 'unavailable', status: 429 },
  'http/closing': { kind: 'unavailable', status: 503 },
  'http/internal': { kind: 'internal', status: 500 },
} as const satisfies Record<string, { readonly kind: ErrorKind; readonly status: number }>;

/** An error code of the server. */
export type HttpErrorCode = keyof typeof httpErrorCodes;

/** Creates an error with a code of the server. */
export function makeHttpError(
  code: HttpErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError({ code, kind: httpErrorCodes[code].kind, message, data });
}

/** Throws an error with a code of the server. */
export function throwHttpError(
  code: HttpErrorCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): never {
  throw makeHttpError(code, message, data);
}

/** Returns the HTTP status of an error: by its code if the code has one, otherwise by its kind. */
export function httpStatusOf(error: Pick<Refusal, 'code' | 'kind'>): number {
  return isHttpCode(error.code) ? httpErrorCodes[error.code].status : httpStatusByErrorKind[error.kind];
}

function isHttpCode(code: string): code is HttpErrorCode {
  return Object.hasOwn(httpErrorCodes, code);
}

/** Converts a thrown value to an error for the client. The details of unexpected errors are only logged. */
export function toHttpRefusal(thrown: unknown): Refusal {
  if (isAppError(thrown)) {
    const { code, kind, message, data } = thrown;
    return { code, kind, message: shorten(redactKeys(message)), data: shortenTexts(data) };
  }
  return {
    code: 'http/internal',
    kind: 'internal',
    message: 'An internal error occurred. The log of the server has the details.',
    data: {},
  };
}

// A sentence may repeat a value of the request, such as an unknown id, and a request may have megabytes.
const maxTextLength = 1_000;

function shorten(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`;
}

function shortenTexts(data: Refusal['data']): Refusal['data'] {
  const isLong = (value: unknown) => typeof value === 'string' && value.length > maxTextLength;
  if (!Object.values(data).some(isLong)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? shorten(value) : value]),
  );
}
