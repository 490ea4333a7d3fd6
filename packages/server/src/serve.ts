/** Runs a server on a socket: address, access and shutdown. */
import type { Server as HttpServer } from 'node:http';
import { isIP } from 'node:net';
import { endsWithin } from '@coppice/engine';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type CoppiceServer, createServer } from './app.ts';
import { assertServerOptionNames, assertServerOptions } from './check-options.ts';
import type { AuthOptions, ServerOptions } from './contract.ts';
import { httpStatusOf, makeHttpError, throwHttpError, toHttpRefusal } from './http-errors.ts';
import { type ClosableHttpServer, createHttpServer } from './http-server.ts';
import { keepRecoveringReplies, keepSweepingRecords, keepTrimmingHistory } from './live/background-tasks.ts';

/** The options of a server, and the address where it listens. */
export interface ServeOptions extends ServerOptions {
  /** The host name or address; by default only loopback. */
  readonly host?: string | undefined;
  /** The port; 0 or undefined chooses a free one. */
  readonly port?: number | undefined;
}

export interface RunningServer {
  readonly server: CoppiceServer;
  readonly host: string;
  readonly port: number;
  /** The URL `http://…`, with a name that the server accepts. */
  readonly url: string;
  /** The URL with the token, which signs a browser in; null if each user has a token. */
  readonly signInUrl: string | null;
  /**
   * Returns a URL that signs one browser in, once and for a short time; null if each user has a token. The URL may be
   * part of a command line, which other users of this computer can see.
   */
  signInOnceUrl(): Promise<string | null>;
  /**
   * Stops the server: refuses new requests, stops turns (their text is kept) and ends streams, all within the time
   * limit. The caller closes the store.
   */
  close(): Promise<void>;
}

/** Whether an address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** Throws if the server would listen on a public address without authentication. */
export function assertSafeBind(host: string, auth: AuthOptions): void {
  if (isLoopback(host) || auth.mode === 'users' || auth.chosen === true) return;
  throwHttpError(
    'http/forbidden-host',
    `The address ${host} can be reached from other computers. Choose a token with COPPICE_TOKEN, or use --users.`,
    { host },
  );
}

/**
 * Listens, and recovers replies whose process has died. Throws on invalid options and on a public address without
 * authentication; rejects if the port is in use.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  assertServerOptionNames('serve', options);
  const { host = '127.0.0.1', port: wantedPort = 0, ...serverOptions } = options;
  assertServerOptions(options);
  assertSafeBind(host, options.auth);
  const server = createServer({ ...serverOptions, hosts: [...(options.hosts ?? []), ...safeHostNames(host)] });
  const listener = getRequestListener((request, env) => server.fetch(request, env), {
    errorHandler: respondToMalformedRequest,
  });
  const socketServer = createHttpServer(listener);
  const port = await listenOn(socketServer.http, wantedPort, host);
  server.services.bound.port = port;
  server.services.bound.isLoopback = isLoopback(host);
  void keepRecoveringReplies(server.services);
  void keepTrimmingHistory(server.services);
  keepSweepingRecords(server.services);
  const name = isLoopback(host) ? (host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host) : host;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : name;
  const url = `http://${shown}:${port}`;
  const { auth } = options;
  let closed: Promise<void> | null = null;
  return {
    server,
    host,
    port,
    url,
    get signInUrl() {
      return auth.mode === 'token' ? `${url}/?token=${encodeURIComponent(auth.token)}` : null;
    },
    signInOnceUrl: async () =>
      auth.mode === 'token' ? `${url}/?code=${await server.services.signInCodes.make()}` : null,
    close() {
      closed ??= stopServing(server, socketServer);
      return closed;
    },
  };
}

/** Returns the response to a request with an invalid host or path. Such a request reaches no route. */
function respondToMalformedRequest(thrown: unknown): Response {
  const isRequest = thrown instanceof RequestError;
  const reported = isRequest
    ? makeHttpError('http/invalid', 'The host or the path of this request cannot be read.')
    : toHttpRefusal(thrown);
  const { code, kind, message, data } = reported;
  return new Response(JSON.stringify({ error: { code, kind, message, data } }), {
    status: httpStatusOf(reported),
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  });
}

/**
 * Returns the names of an address that are safe as `Host`. An IP address is safe, because no page can make its own host
 * name resolve to it and keep it in `Host`. A wildcard address is not a host name.
 */
function safeHostNames(host: string): readonly string[] {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (plain === '0.0.0.0' || plain === '::') return [];
  return isIP(plain) === 6 ? [`[${plain}]`] : isIP(plain) === 4 ? [plain] : [];
}

function listenOn(http: HttpServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      http.off('error', reject);
      const address = http.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function stopServing(server: CoppiceServer, { http, closeUnusedConnections }: ClosableHttpServer): Promise<void> {
  const { stopMs } = server.services.limits;
  const connectionsClosed = new Promise<void>((resolve) => http.close(() => resolve()));
  closeUnusedConnections();
  // Connections of ended streams stay open for further requests. Without closing them, the shutdown would wait for
  // them.
  const sweep = setInterval(closeUnusedConnections, 20);
  await endsWithin(
    server.close().then(() => connectionsClosed),
    stopMs,
  );
  clearInterval(sweep);
  // Connections that are still open after the time limit are closed at once.
  http.closeAllConnections();
  await connectionsClosed;
}
