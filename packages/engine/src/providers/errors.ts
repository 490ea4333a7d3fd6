/** Converts failures of providers to error events. */
import { isAppError } from '@coppice/core';
import { redactKeys } from '../http/redact.ts';
import { type ProviderErrorCode, type ProviderErrorEvent, providerErrorKinds } from './contract.ts';

/** The codes after which the same call may succeed later, unless the failure itself says otherwise. */
const retryable: ReadonlySet<ProviderErrorCode> = new Set([
  'provider/unreachable',
  'provider/timeout',
  'provider/dropped',
  'provider/rate-limited',
  'provider/overloaded',
  'provider/failed',
  'provider/bad-response',
]);

/** Optional fields of an error event. */
export interface ErrorDetails {
  readonly retryable?: boolean | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly excerpt?: string | undefined;
}

/** Builds the last event of a stream that failed. Keys are removed from message and excerpt here. */
export function makeErrorEvent(
  code: ProviderErrorCode,
  message: string,
  details: ErrorDetails = {},
): ProviderErrorEvent {
  return {
    type: 'error',
    code,
    kind: providerErrorKinds[code],
    message: redactKeys(message),
    retryable: details.retryable ?? retryable.has(code),
    ...(details.retryAfterMs === undefined ? {} : { retryAfterMs: details.retryAfterMs }),
    ...(details.status === undefined ? {} : { status: details.status }),
    ...(details.excerpt === undefined ? {} : { excerpt: excerptOf(details.excerpt) }),
  };
}

/** Builds the last event of a stream that was stopped. */
export function makeAbortedEvent(): ProviderErrorEvent {
  return makeErrorEvent('provider/aborted', 'The reply was stopped.');
}

/** An exception that carries the error event for its stream. */
export class ProviderFailure extends Error {
  readonly event: ProviderErrorEvent;

  constructor(event: ProviderErrorEvent, cause?: unknown) {
    super(event.message, cause === undefined ? undefined : { cause });
    this.name = 'ProviderFailure';
    this.event = event;
  }
}

/** Throws a {@link ProviderFailure} with this error. */
export function throwProviderFailure(
  code: ProviderErrorCode,
  message: string,
  details: ErrorDetails = {},
  cause?: unknown,
): never {
  throw new ProviderFailure(makeErrorEvent(code, message, details), cause);
}

function isProviderCode(code: string): code is ProviderErrorCode {
  return Object.hasOwn(providerErrorKinds, code);
}

/** Builds the last event for a thrown value; an unexpected one becomes `provider/internal`. */
export function errorEventFromThrown(thrown: unknown): ProviderErrorEvent {
  if (thrown instanceof ProviderFailure) return thrown.event;
  if (isAppError(thrown) && isProviderCode(thrown.code))
    return makeErrorEvent(thrown.code, thrown.message, { retryable: thrown.retryable });
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return makeErrorEvent('provider/internal', `The provider failed unexpectedly: ${reason}`);
}

const mostExcerptBytes = 2048;
const mostLooked = 16 * 1024;

/** Returns at most 2 KB of a response, without keys and not cut inside a character. */
export function excerptOf(text: string): string {
  // Redacts before cutting, because half a key would not be recognised.
  const safe = redactKeys(text.slice(0, mostLooked));
  const bytes = new TextEncoder().encode(safe);
  if (bytes.length <= mostExcerptBytes && text.length <= mostLooked) return safe;
  const mark = '…';
  let end = Math.min(bytes.length, mostExcerptBytes - 3);
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)) + mark;
}
