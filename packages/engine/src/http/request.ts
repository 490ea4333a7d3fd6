/** The one door to the network: every request of the engine to a model goes through here, with all its limits. */
import { errorEvent, fail, ProviderFailure } from '../providers/errors.ts';
import type { HttpConnection, HttpLimits } from './contract.ts';
import type { RequestTimers } from './request-timers.ts';

/** How a key is shown to a provider. */
export interface KeyHeader {
  readonly name: string;
  /** What stands before the key, such as `Bearer `. */
  readonly prefix: string;
}

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Added to the connection's base URL. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly keyHeader: KeyHeader;
}

/** An answer whose body is still to be read. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The media type without its parameters, in lower case; empty when not said. */
  readonly mediaType: string;
  /** The body in pieces, decompressed, cut with `provider/too-large` at the limit. */
  chunks(): AsyncGenerator<Uint8Array, void, void>;
  /** Up to `most` bytes of the body as text. */
  start(most: number): Promise<string>;
  /** The whole body as text. */
  text(): Promise<string>;
}

/**
 * Sends a request and resolves when the status is there; rejects with a {@link ProviderFailure} that says what went
 * wrong. Redirects are not followed: the key would go along. The watch ends it at any time, body included.
 */
export async function sendRequest(
  connection: HttpConnection,
  request: HttpRequest,
  limits: HttpLimits,
  watch: RequestTimers,
): Promise<HttpAnswer> {
  const url = requestUrl(connection.baseUrl, request.path);
  let response: Response;
  try {
    response = await fetch(url, {
      method: request.method,
      headers: headersOf(connection, request, url),
      body: request.body ?? null,
      redirect: 'manual',
      signal: watch.signal,
    });
  } catch (thrown) {
    throw networkFailure(thrown, watch, url, 'before');
  }
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    const to = response.headers.get('location') ?? 'somewhere';
    fail('provider/redirected', `${url.host} redirects to ${to}; put the final address into the configuration.`, {
      status,
    });
  }
  return answerOf(response, url, limits, watch);
}

/** The address of a path under a base URL. Refuses what is no http(s) address or carries a name and password. */
export function requestUrl(baseUrl: string, path: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (base === null || !/^https?:$/.test(base.protocol))
    fail('provider/rejected', `${JSON.stringify(baseUrl)} is no http or https address; check base_url.`);
  if (base.username !== '' || base.password !== '')
    fail('provider/rejected', `The base URL of ${base.host} holds a name or password; put the key into api_key.`);
  const [place = '', query] = path.split('?');
  base.pathname = base.pathname.replace(/\/+$/, '') + place;
  base.hash = '';
  if (query !== undefined) base.search = query;
  return base;
}

function headersOf(connection: HttpConnection, request: HttpRequest, url: URL): Record<string, string> {
  const { keyHeader } = request;
  return {
    accept: request.accept,
    // Streams gain nothing from compression, and what is not compressed is no bomb. Answers are bounded all the same.
    'accept-encoding': 'identity',
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    'user-agent': 'coppice',
    ...connection.headers,
    ...request.headers,
    // Last, so that no configured header can stand in its place; `for` refuses every host but the configured one.
    ...(connection.key === undefined ? {} : { [keyHeader.name]: keyHeader.prefix + connection.key.for(url) }),
  };
}

function answerOf(response: Response, url: URL, limits: HttpLimits, watch: RequestTimers): HttpAnswer {
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
          fail('provider/too-large', `The answer of ${url.host} is larger than ${limits.bodyBytes} bytes.`);
        yield value;
      }
    } catch (thrown) {
      throw networkFailure(thrown, watch, url, 'inside');
    } finally {
      // A body that is not read to its end keeps its socket; cancelling closes it.
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
    return new TextDecoder().decode(Buffer.concat(pieces).subarray(0, most));
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

// What the operating system and Node call a server that is not there, as opposed to one that went away.
const notThere = new Set([
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
    // Several addresses were tried, and each failed.
    if (error instanceof AggregateError && error.errors.length > 0) return networkCodeOf(error.errors[0]);
  }
  return '';
}

function networkFailure(thrown: unknown, watch: RequestTimers, url: URL, when: 'before' | 'inside'): unknown {
  if (thrown instanceof ProviderFailure) return thrown;
  const { signal } = watch;
  if (signal.aborted) {
    if (signal.reason instanceof ProviderFailure) return signal.reason;
    return new ProviderFailure(errorEvent('provider/aborted', 'The reply was stopped.'), thrown);
  }
  // Refusals of ours, such as a key that is bound to another host.
  if (thrown instanceof Error && thrown.name === 'AppError') return thrown;
  const code = networkCodeOf(thrown);
  const said = code === '' && thrown instanceof Error ? thrown.message : code;
  if (/^(?:Z_|ERR_.*BROTLI)/.test(code))
    return new ProviderFailure(
      errorEvent('provider/bad-response', `The answer of ${url.host} cannot be unpacked (${said}).`),
      thrown,
    );
  if (when === 'inside' || code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' || code === 'EPIPE')
    return new ProviderFailure(
      errorEvent('provider/dropped', `${url.host} broke the connection off (${said}).`),
      thrown,
    );
  const hint = notThere.has(code) ? 'Is it running, and is the address right?' : 'The connection could not be made.';
  return new ProviderFailure(
    errorEvent('provider/unreachable', `${url.host} cannot be reached (${said}). ${hint}`),
    thrown,
  );
}
