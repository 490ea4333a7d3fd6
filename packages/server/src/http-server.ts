/** Creates the HTTP server behind a socket, which also answers requests that Node's parser refuses. */
import {
  createServer,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { type HttpErrorCode, httpStatusOf, makeHttpError } from './http-errors.ts';

/**
 * How long the rest of a malformed request is read. Closing the connection at once could make the client lose the
 * answer.
 */
const drainMs = 2_000;
const cutOff = 'HPE_INVALID_EOF_STATE';

/** A server behind a socket, and the connections that its shutdown need not wait for. */
export interface ClosableHttpServer {
  readonly http: Server;
  /**
   * Closes the connections without a running request. Unlike Node's `closeIdleConnections` this includes those on which
   * no whole request has arrived yet, such as the ones that a browser keeps in reserve.
   */
  closeUnusedConnections(): void;
}

/**
 * Creates a server that calls the listener for each request. `headersTimeout` is the time in milliseconds in which the
 * headers of a request must arrive; bodies have their own limits.
 */
export function createHttpServer(listener: RequestListener, headersTimeout = 30_000): ClosableHttpServer {
  const connections = new Set<Duplex>();
  const begun = new WeakMap<Duplex, readonly ServerResponse[]>();
  const refused = new WeakSet<Duplex>();
  const options = {
    requestTimeout: 0,
    headersTimeout,
    connectionsCheckingInterval: headersTimeout,
    keepAliveTimeout: 60_000,
    // A request without a host gets the answer of the listener, because Node's own answer has no body.
    requireHostHeader: false,
  };
  const http = createServer(options, (incoming, outgoing) => {
    const before = begun.get(incoming.socket)?.filter(isUnfinished) ?? [];
    begun.set(incoming.socket, [...before, outgoing]);
    listener(incoming, outgoing);
  });
  http.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  http.on('clientError', (error, socket) => {
    if (refused.has(socket)) {
      // The request was already refused. Further errors in the rest of its bytes are ignored, except for its end.
      if (codeOf(error) === cutOff) closeSocket(socket);
      return;
    }
    refused.add(socket);
    const responses = begun.get(socket)?.filter(isUnfinished) ?? [];
    const broken = responses.find(({ req }) => !req.complete);
    const refuse = () => {
      // The incomplete request may have been refused already, for example because its body is too large.
      if (socket.writable && broken?.headersSent !== true) socket.end(formatAnswer(error, headersTimeout));
      if (codeOf(error) === cutOff) return closeSocket(socket);
      socket.end();
      const timer = setTimeout(() => socket.destroy(), drainMs);
      socket.once('close', () => clearTimeout(timer));
    };
    // The client would take this answer for the one to an earlier request of the same connection.
    const earlier = responses.findLast(({ req }) => req.complete);
    if (earlier === undefined || !socket.writable) refuse();
    else earlier.once('close', refuse);
  });
  return {
    http,
    closeUnusedConnections() {
      for (const socket of connections)
        if (refused.has(socket) ? socket.writableFinished : begun.get(socket)?.some(isUnfinished) !== true)
          socket.destroy();
    },
  };
}

function isUnfinished(response: ServerResponse): boolean {
  return !response.writableFinished && !response.destroyed;
}

/** Closes a connection after the bytes that were written to it. */
function closeSocket(socket: Duplex): void {
  if (!socket.writable || socket.writableFinished) socket.destroy();
  else socket.end(() => socket.destroy());
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Returns the answer to a request that cannot be parsed, as bytes of HTTP. */
function formatAnswer(error: Error, headersTimeout: number): string {
  const { status, code, message } = explainParserError(error, headersTimeout);
  const { kind, data } = makeHttpError(code, message);
  const body = JSON.stringify({ error: { code, kind, message, data } });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

function explainParserError(
  error: Error,
  headersTimeout: number,
): { readonly status: number; readonly code: HttpErrorCode; readonly message: string } {
  const explain = (code: HttpErrorCode, message: string, status = httpStatusOf(makeHttpError(code, message))) => ({
    status,
    code,
    message,
  });
  switch (codeOf(error)) {
    case 'HPE_HEADER_OVERFLOW':
      // HTTP has the status 431 for headers that are too large.
      return explain('http/too-large', `The headers are too large: at most ${maxHeaderSize} bytes are allowed.`, 431);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return explain('http/too-large', 'The chunk extensions of the body are too large.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return explain('http/too-slow', `The headers did not arrive within ${Math.ceil(headersTimeout / 1_000)} s.`);
    case cutOff:
      return explain('http/invalid', 'The connection ended before the request was complete.');
    default: {
      const why = 'reason' in error && typeof error.reason === 'string' ? `: ${error.reason}` : '';
      return explain('http/invalid', `This request is not valid HTTP${why}.`);
    }
  }
}
