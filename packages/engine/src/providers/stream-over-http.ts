/**
 * Makes one call over HTTP, from the request to the final event, with framing, limits and retries. Providers pass
 * functions that build the request and read the response.
 */
import { joinBytes } from '@coppice/content';
import {
  createLineSplitter,
  createSseSplitter,
  EventTooLargeError,
  endOfStreamMark,
  type RawStreamEvent,
  type StreamEventSplitter,
  WireAnswerFailure,
  type WireReader,
} from '@coppice/content/wires';
import type { Json } from '@coppice/core';
import { getMember } from '@coppice/core/decode';
import { defaultHttpLimits, type HttpLimits } from '../http/contract.ts';
import { findErrorInBody, makeBodyFailure, makeStatusFailure } from '../http/failures.ts';
import { type HttpRequest, type HttpResponse, joinRequestUrl, type KeyHeader, sendRequest } from '../http/request.ts';
import { type RequestTimers, startRequestTimers } from '../http/request-timers.ts';
import { systemClock } from './clock.ts';
import type { Clock, ProviderCall, ProviderErrorEvent, ProviderEvent } from './contract.ts';
import { errorEventFromThrown, makeErrorEvent, ProviderFailure, throwProviderFailure } from './errors.ts';

/** How one provider's request is sent and its response is read. */
export interface WireFormat {
  readonly path: string;
  /** The request body, which is sent as JSON. */
  readonly body: object;
  readonly streaming: boolean;
  readonly framing: 'sse' | 'lines';
  readonly keyHeader: KeyHeader;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Creates a reader for the response of one attempt. */
  reader(): WireReader;
  /** Converts a non-streamed response to events. */
  whole(body: Json): readonly ProviderEvent[];
}

const mediaTypes = { sse: 'text/event-stream', lines: 'application/x-ndjson' } as const;

/**
 * Makes the call. Retries it after 429, 5xx and dropped connections, but only while no part of the reply has arrived: a
 * later retry would repeat text or run a tool twice.
 */
export async function* streamOverHttp(wire: WireFormat, call: ProviderCall): AsyncGenerator<ProviderEvent, void, void> {
  const limits: HttpLimits = { ...defaultHttpLimits, ...call.limits };
  const clock = call.clock ?? systemClock;
  const host = joinRequestUrl(call.connection.baseUrl, wire.path).host;
  const watch = startRequestTimers(call.signal);
  watch.timer(limits.turnMs, () => timedOut(`${host} did not finish within ${limits.turnMs} ms.`));
  try {
    for (let attempt = 1; ; attempt++) {
      let begun = false;
      let failure: ProviderErrorEvent | null = null;
      try {
        for await (const event of attemptOnce(wire, call, limits, clock, watch, host)) {
          if (event.type === 'error') failure = event;
          else {
            begun ||= event.type !== 'usage';
            yield event;
          }
        }
      } catch (thrown) {
        failure = errorEventFromThrown(watch.signal.reason instanceof ProviderFailure ? watch.signal.reason : thrown);
      }
      if (failure === null) return;
      const waitMs = begun ? null : retryDelay(failure, attempt, limits, clock);
      if (waitMs === null || watch.signal.aborted) {
        yield failure;
        return;
      }
      call.onNotice?.({ type: 'retry', attempt, retries: limits.retries, waitMs, error: failure });
      try {
        await clock.wait(waitMs, watch.signal);
      } catch (thrown) {
        yield errorEventFromThrown(
          watch.signal.reason instanceof ProviderFailure ? watch.signal.reason : abortedCall(thrown),
        );
        return;
      }
    }
  } finally {
    watch.close();
  }
}

function abortedCall(cause: unknown): ProviderFailure {
  return new ProviderFailure(makeErrorEvent('provider/aborted', 'The reply was stopped.'), cause);
}

function timedOut(sentence: string): ProviderFailure {
  return new ProviderFailure(makeErrorEvent('provider/timeout', sentence));
}

const retriedCodes = new Set(['provider/rate-limited', 'provider/overloaded', 'provider/failed', 'provider/dropped']);

/** Returns the delay before the next attempt; null if the call must not be retried. */
function retryDelay(failure: ProviderErrorEvent, attempt: number, limits: HttpLimits, clock: Clock): number | null {
  if (attempt > limits.retries || !failure.retryable || !retriedCodes.has(failure.code)) return null;
  const requestedWaitMs = failure.retryAfterMs;
  if (requestedWaitMs !== undefined) return requestedWaitMs > limits.longestWaitMs ? null : requestedWaitMs;
  const most = Math.min(limits.longestWaitMs, limits.firstWaitMs * 2 ** (attempt - 1));
  // A random delay between half and all of it, so that clients that failed together do not retry together.
  return Math.round(most * (0.5 + clock.random() / 2));
}

async function* attemptOnce(
  wire: WireFormat,
  call: ProviderCall,
  limits: HttpLimits,
  clock: Clock,
  outer: RequestTimers,
  host: string,
): AsyncGenerator<ProviderEvent, void, void> {
  const watch = startRequestTimers(outer.signal);
  try {
    const firstByteMs = wire.streaming ? limits.firstByteMs : limits.wholeFirstByteMs;
    const firstByte = watch.timer(firstByteMs, () => timedOut(`${host} did not answer within ${firstByteMs} ms.`));
    const answer = await sendRequest(call.connection, requestOf(wire), limits, watch);
    firstByte.stop();
    const idle = watch.timer(limits.idleMs, () => timedOut(`${host} said nothing for ${limits.idleMs} ms.`));
    if (answer.status < 200 || answer.status > 299) {
      const body = await answer.start(64 * 1024).catch(() => '');
      const { status, headers, mediaType } = answer;
      throw makeStatusFailure({ host, status, headers, mediaType, body, now: clock.now() });
    }
    const kind = mediaKindOf(wire, answer, host);
    if (kind === 'page') await refusePage(answer, host);
    else if (kind === 'whole') yield* readWhole(wire, answer, host, idle.restart);
    else yield* readEvents(wire, answer, limits, host, idle.restart, watch);
  } finally {
    watch.abort(new ProviderFailure(makeErrorEvent('provider/aborted', 'The call is over.')));
    watch.close();
  }
}

function requestOf(wire: WireFormat): HttpRequest {
  return {
    method: 'POST',
    path: wire.path,
    body: JSON.stringify(wire.body),
    accept: wire.streaming ? mediaTypes[wire.framing] : 'application/json',
    headers: wire.headers,
    keyHeader: wire.keyHeader,
  };
}

function mediaKindOf(wire: WireFormat, answer: HttpResponse, host: string): 'page' | 'whole' | 'events' {
  const { mediaType } = answer;
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'page';
  if (!wire.streaming) return 'whole';
  // Some servers do not support streaming and return the whole response.
  if (mediaType === 'application/json') return wire.framing === 'sse' ? 'whole' : 'events';
  if (mediaType === '' || mediaType === 'text/plain' || mediaType === mediaTypes[wire.framing]) return 'events';
  if (wire.framing === 'lines' && /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)$/.test(mediaType)) return 'events';
  return throwProviderFailure('provider/bad-response', `${host} answered with ${mediaType} instead of a stream.`, {
    status: answer.status,
  });
}

async function refusePage(answer: HttpResponse, host: string): Promise<never> {
  const excerpt = await answer.start(4096);
  return throwProviderFailure('provider/bad-response', `${host} answered with a web page. Is the base URL right?`, {
    status: answer.status,
    excerpt,
    // An HTML page comes from a wrong URL or a captive portal, and would come again after a retry.
    retryable: false,
  });
}

function parseWireEvent(text: string, host: string, what: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return throwProviderFailure(
      'provider/bad-response',
      `${host} sent ${what} that is not valid JSON.`,
      { excerpt: text },
      cause,
    );
  }
}

async function* readWhole(
  wire: WireFormat,
  answer: HttpResponse,
  host: string,
  alive: () => void,
): AsyncGenerator<ProviderEvent, void, void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.chunks()) {
    pieces.push(piece);
    alive();
  }
  const text = new TextDecoder().decode(joinBytes(pieces));
  if (/^\s*</.test(text))
    throwProviderFailure('provider/bad-response', `${host} answered with a web page. Is the base URL right?`, {
      excerpt: text,
      retryable: false,
    });
  const body = parseWireEvent(text, host, 'an answer');
  const reported = failureIn(body);
  if (reported !== null) throw makeBodyFailure(host, reported, text);
  yield* convertReaderErrors(host, () => wire.whole(body));
}

function failureIn(body: Json) {
  return getMember(body, 'error') == null ? null : findErrorInBody(body);
}

async function* readEvents(
  wire: WireFormat,
  answer: HttpResponse,
  limits: HttpLimits,
  host: string,
  alive: () => void,
  watch: RequestTimers,
): AsyncGenerator<ProviderEvent, void, void> {
  const framing = wire.framing === 'sse' ? createSseSplitter(limits.eventBytes) : createLineSplitter(limits.eventBytes);
  const reader = wire.reader();
  const chunks = answer.chunks();
  // The beginning of the body, for the error message if it contains no event.
  let opening = '';
  let seen = 0;
  try {
    for await (const chunk of chunks) {
      if (seen === 0 && opening.length < 4096) opening += new TextDecoder().decode(chunk.subarray(0, 4096));
      for (const wired of cutText(framing, chunk, host)) {
        seen++;
        const events = readOne(reader, wired, host);
        if (events === null) continue;
        alive();
        // `yield*` would create a promise for each item of this synchronous list.
        for (const event of events) yield event;
      }
      if (reader.done) {
        // If the body ends within the grace period, its socket can be reused; otherwise it is closed.
        watch.timer(graceMs, () => new ProviderFailure(makeErrorEvent('provider/aborted', 'The call is over.')));
        await chunks.next().catch(() => undefined);
        yield* reader.end();
        return;
      }
    }
  } finally {
    await chunks.return().catch(() => undefined);
  }
  for (const wired of framing.end()) {
    seen++;
    // The blank line after the last event may be missing. If the JSON is incomplete too, the stream was cut.
    if (!(wired.data === endOfStreamMark || isValidJson(wired.data))) break;
    yield* readOne(reader, wired, host) ?? [];
  }
  if (seen === 0) refuseEmpty(opening, host);
  const rest = reader.end();
  yield* rest;
  if (!rest.some((event) => event.type === 'end'))
    throwProviderFailure('provider/dropped', `${host} ended the stream before the reply was complete.`);
}

const graceMs = 250;

function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function cutText(framing: StreamEventSplitter, chunk: Uint8Array, host: string): readonly RawStreamEvent[] {
  try {
    return framing.push(chunk);
  } catch (thrown) {
    if (!(thrown instanceof EventTooLargeError)) throw thrown;
    return throwProviderFailure('provider/too-large', `${host} sent an event larger than ${thrown.limit} bytes.`);
  }
}

function readOne(reader: WireReader, wired: RawStreamEvent, host: string): readonly ProviderEvent[] | null {
  if (wired.data === endOfStreamMark) return reader.read(endOfStreamMark, wired.event);
  const data = parseWireEvent(wired.data, host, 'an event');
  const reported = failureIn(data);
  if (reported !== null) throw makeBodyFailure(host, reported, wired.data);
  return convertReaderErrors(host, () => reader.read(data, wired.event));
}

/** Runs a wire reader; its errors become failures of the provider. */
function convertReaderErrors<T>(host: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof WireAnswerFailure)) throw thrown;
    const { reported, excerpt, message } = thrown;
    if (reported !== null) throw makeBodyFailure(host, reported, excerpt);
    return throwProviderFailure('provider/bad-response', message, { excerpt }, thrown);
  }
}

function refuseEmpty(opening: string, host: string): never {
  if (/^\s*</.test(opening))
    throwProviderFailure('provider/bad-response', `${host} answered with a web page. Is the base URL right?`, {
      excerpt: opening,
      retryable: false,
    });
  if (opening.trim() === '' || /^\s*:/.test(opening))
    throwProviderFailure('provider/dropped', `${host} ended the stream before any event.`);
  return throwProviderFailure('provider/bad-response', `${host} sent something that is not an event stream.`, {
    excerpt: opening,
  });
}
