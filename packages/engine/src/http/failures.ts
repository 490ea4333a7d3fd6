/** Converts the status and body of a failed response to a typed failure, for all providers. */
import type { Json } from '@coppice/core';
import { getMember, getTextMember } from '@coppice/core/decode';
import type { ProviderErrorCode } from '../providers/contract.ts';
import { type ErrorDetails, makeErrorEvent, ProviderFailure } from '../providers/errors.ts';

/** The error that a provider reports in a response body. */
export interface BodyError {
  readonly message: string;
  /** Error codes and types found in the body, for example `insufficient_quota` or `overloaded_error`. */
  readonly marks: readonly string[];
}

/** Finds message and codes in the fields that the known providers use; null if the body is not an error. */
export function findErrorInBody(body: Json): BodyError | null {
  // Google wraps the error of a refused stream in a list.
  const first = Array.isArray(body) ? body[0] : body;
  const error = getMember(first, 'error') ?? (getMember(first, 'type') === 'error' ? first : undefined);
  if (error === undefined || error === null) {
    const message = getTextMember(first, 'message') ?? getTextMember(first, 'detail');
    return message === undefined ? null : { message, marks: [] };
  }
  if (typeof error === 'string') return { message: error, marks: [] };
  const marks = [getMember(error, 'type'), getMember(error, 'code'), getMember(error, 'status')]
    .filter((mark) => typeof mark === 'string' || typeof mark === 'number')
    .map(String);
  return { message: getTextMember(error, 'message') ?? JSON.stringify(error), marks };
}

// Matched in messages too, because most providers have no error code for an overflow.
const overflow =
  /context[_ ]length|context window|maximum context|prompt is too long|input token count.*exceeds|too many (?:input )?tokens|exceeds? the (?:model'?s )?(?:context|maximum)|reduce the length|input is too long|exceed_context_size|request_too_large/i;

function errorCodeIn(status: number, said: BodyError | null): ProviderErrorCode {
  const marks = said?.marks.join(' ') ?? '';
  if (/insufficient_quota|billing|credit balance/i.test(`${marks} ${said?.message ?? ''}`) && status !== 401)
    return 'provider/quota';
  if (status === 402) return 'provider/quota';
  if (
    status === 401 ||
    status === 403 ||
    /authentication_error|permission_error|invalid_api_key|UNAUTHENTICATED/.test(marks)
  )
    return 'provider/unauthorised';
  if (
    status === 413 ||
    ((status === 400 || status === 422 || status === 200) && overflow.test(`${marks} ${said?.message ?? ''}`))
  )
    return 'provider/context-overflow';
  if (status === 404 || /not_found/i.test(marks)) return 'provider/unknown-model';
  if (status === 429 || /rate_limit|RESOURCE_EXHAUSTED|too_many_requests/i.test(marks)) return 'provider/rate-limited';
  if (status === 529 || status === 503 || /overloaded|UNAVAILABLE/i.test(marks)) return 'provider/overloaded';
  if (status >= 500 || status === 408 || status === 409 || /api_error|server_error|timeout|INTERNAL/i.test(marks))
    return 'provider/failed';
  if (/content_filter|content_policy|safety/i.test(marks)) return 'provider/content-filter';
  return status >= 400 || /invalid_request|INVALID_ARGUMENT/.test(marks) ? 'provider/rejected' : 'provider/failed';
}

/** Returns the delay that the response asks for, in milliseconds; undefined if the header is missing or invalid. */
function retryAfterOf(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface FailedResponse {
  readonly host: string;
  readonly status: number;
  readonly headers: Headers;
  readonly mediaType: string;
  /** The first part of the response body. */
  readonly body: string;
  readonly now: number;
}

/** Builds the failure for a status other than 2xx, with the provider's message if the body contains one. */
export function makeStatusFailure(answer: FailedResponse): ProviderFailure {
  const { host, status } = answer;
  const said = readErrorBody(answer.body);
  const code = errorCodeIn(status, said);
  const reported = answer.headers.get('x-should-retry');
  const details: ErrorDetails = {
    status,
    retryAfterMs: retryAfterOf(answer.headers, answer.now),
    excerpt: answer.body === '' ? undefined : answer.body,
    ...(reported === 'true' || reported === 'false' ? { retryable: reported === 'true' } : {}),
  };
  const reason = said === null ? `It sent ${errorShape(answer)} instead of a reason.` : toSentence(said.message);
  const what = code === 'provider/unauthorised' ? `did not accept the key (status ${status})` : `answered ${status}`;
  return new ProviderFailure(makeErrorEvent(code, `${host} ${what}. ${reason}`, details));
}

/** Ends a provider's message like a sentence, because other sentences follow it. */
function toSentence(message: string): string {
  const text = message.trim();
  return text === '' || /[.!?:;…。！？]["'”’)\]]*$/.test(text) ? text : `${text}.`;
}

/** Builds the failure for an error that a provider reports with status 200, in a stream or a body. */
export function makeBodyFailure(host: string, said: BodyError, excerpt: string): ProviderFailure {
  const code = errorCodeIn(200, said);
  return new ProviderFailure(makeErrorEvent(code, `${host} reports: ${toSentence(said.message)}`, { excerpt }));
}

function readErrorBody(body: string): BodyError | null {
  try {
    return findErrorInBody(JSON.parse(body));
  } catch {
    return null;
  }
}

function errorShape(answer: FailedResponse): string {
  if (answer.body.trim() === '') return 'nothing';
  if (answer.mediaType === 'text/html' || /^\s*</.test(answer.body)) return 'a web page';
  return answer.mediaType === '' ? 'something unreadable' : answer.mediaType;
}
