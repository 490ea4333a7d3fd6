/** Sends all HTTP requests of the engine to providers, within their limits. */
import { joinBytes } from '@coppice/content';
import { fetchPublicAddress } from '#platform/public-fetch';
import { makeErrorEvent, ProviderFailure, throwProviderFailure } from '../providers/errors.ts';
import type { HttpConnection, HttpLimits } from './contract.ts';
import type { RequestTimers } from './request-timers.ts';

/** The name of the header that carries the key, and the text before it. */
export interface KeyHeader {
  readonly name: string;
  /** The text before the key, including a space: `Bearer `. */
  readonly prefix: string;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** The path below the connection's base URL. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly keyHeader: KeyHeader;
}

/** A response whose body has not been read yet. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The media type without parameters, in lower case; empty if the header is missing. */
  readonly mediaType: string;
  /** Yields the decompressed body in chunks; throws `provider/too-large` at the size limit. */
  chunks(): AsyncGenerator<Uint8Array, void, void>;
  /** Returns up to `most` bytes of the body as text. */
  start(most: number): Promise<string>;
  /** Returns the whole body as text. */
  text(): Promise<string>;
}

/**
 * Sends a request and resolves when the status has arrived; rejects with a {@link ProviderFailure}. Redirects are not
 * followed, because they would send the key to another host. The timers can abort the request at any time, even while
 * the body is read.
 */
export async function sendRequest(
  connection: HttpConnection,
  request: HttpRequest,
  limits: HttpLimits,
  watch: RequestTimers,
): Promise<HttpResponse> {
  const url = joinRequestUrl(connection.baseUrl, request.path);
  let response: Response;
  try {
    const init = {
      method: request.method,
      headers: buildHeaders(connection, request, url),
      body: request.body ?? null,
      signal: watch.signal,
    };
    response =
      connection.publicOnly === true
        ? await fetchPublicAddress(url, init)
        : await fetch(url, { ...init, redirect: 'manual' });
  } catch (thrown) {
    throw networkFailure(thrown, watch, url, 'before');
  }
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    const to = response.headers.get('location') ?? 'somewhere';
    throwProviderFailure(
      'provider/redirected',
      `${url.host} redirects to ${to}; put the final address into the configuration.`,
      {
        status,
      },
    );
  }
  return toHttpResponse(response, url, limits, watch);
}

/** Joins a base URL and a path. Throws if the base is not an http(s) URL or contains credentials. */
export function joinRequestUrl(baseUrl: string, path: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (base === null || !/^https?:$/.test(base.protocol))
    throwProviderFailure(
      'provider/rejected',
      `${JSON.stringify(baseUrl)} is not an http or https URL; check base_url.`,
    );
  if (base.username !== '' || base.password !== '')
    throwProviderFailure(
      'provider/rejected',
      `The base URL of ${base.host} holds a name or password; put the key into api_key.`,
    );
  const [place = '', query] = path.split('?');
  base.pathname = base.pathname.replace(/\/+$/, '') + place;
  base.hash = '';
  if (query !== undefined) base.search = query;
  return base;
}

function buildHeaders(connection: HttpConnection, request: HttpRequest, url: URL): Record<string, string> {
  const { keyHeader } = request;
  return {
    accept: request.accept,
    // Compression gains nothing for streams, and an uncompressed body cannot be a decompression bomb. The size is
    // limited in any case.
    'accept-encoding': 'identity',
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': 'coppice',
    ...connection.headers,
    ...request.headers,
    // Set last, so that no configured header can override it. `for` throws for every host but the configured one.
    ...(connection.key === undefined ? {} : { [keyHeader.name]: keyHeader.prefix + connection.key.for(url) }),
  };
}

function toHttpResponse(response: Response, url: URL, limits: HttpLimits, watch: RequestTimers): HttpResponse {
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    let total = 0;
    let over = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          over = true;
          return;
        }
        total += value.byteLength;
        if (total > limits.bodyBytes)
          throwProviderFailure(
            'provider/too-large',
            `The answer of ${url.host} is larger than ${limits.bodyBytes} bytes.`,
          );
        yield value;
      }
    } catch (thrown) {
      throw networkFailure(thrown, watch, url, 'inside');
    } finally {
      // A body that is not read keeps its socket open; cancelling closes it.
      if (!over) reader.cancel().catch(() => undefined);
      reader.releaseLock();
    }
  }
  const start = async (most: number) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of chunks()) {
      pieces.push(piece);
      size += piece.length;
      if (size >= most) break;
    }
    return new TextDecoder().decode(joinBytes(pieces).subarray(0, most));
  };
  return {
    status: response.status,
    headers: response.headers,
    mediaType: (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    chunks,
    start,
    text: () => start(Number.POSITIVE_INFINITY),
  };
}

// Error codes for a server that cannot be reached; other codes mean that the connection broke.
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function networkCodeOf(thrown: unknown): string {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if ('code' in error && typeof error.code === 'string') return error.code;
    // Several addresses were tried, and all failed.
    if (error instanceof AggregateError && error.errors.length > 0) return networkCodeOf(error.errors[0]);
  }
  return '';
}

function networkFailure(thrown: unknown, watch: RequestTimers, url: URL, when: 'before' | 'inside'): unknown {
  if (thrown instanceof ProviderFailure) return thrown;
  const { signal } = watch;
  if (signal.aborted) {
    if (signal.reason instanceof ProviderFailure) return signal.reason;
    return new ProviderFailure(makeErrorEvent('provider/aborted', 'The reply was stopped.'), thrown);
  }
  // Errors of the engine itself, for example a key that is bound to another host, are passed on unchanged.
  if (thrown instanceof Error && thrown.name === 'AppError') return thrown;
  const code = networkCodeOf(thrown);
  const reason = code === '' && thrown instanceof Error ? thrown.message : code;
  if (/^(?:Z_|ERR_.*BROTLI)/.test(code))
    return new ProviderFailure(
      makeErrorEvent('provider/bad-response', `The answer of ${url.host} cannot be decompressed (${reason}).`),
      thrown,
    );
  if (when === 'inside' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE')
    return new ProviderFailure(
      makeErrorEvent('provider/dropped', `${url.host} closed the connection (${reason}).`),
      thrown,
    );
  const hint = unreachableCodes.has(code)
    ? 'Is it running, and is the address right?'
    : 'The connection could not be made.';
  return new ProviderFailure(
    makeErrorEvent('provider/unreachable', `${url.host} cannot be reached (${reason}). ${hint}`),
    thrown,
  );
}
