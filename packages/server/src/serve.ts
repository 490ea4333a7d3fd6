/** A server on a socket: where it listens, who may reach it, and how it stops. */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { isIP } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type CoppiceServer, createServer } from './app.ts';
import { checkServerOptions } from './check-options.ts';
import type { AuthOptions, ServerOptions } from './contract.ts';
import { httpRefusal, httpRefusalOf, httpStatusOf, refuseHttp } from './http-errors.ts';
import { keepRecovering } from './live/recovery.ts';

/** Where a server listens, beside what it is made with. */
export interface ServeOptions extends ServerOptions {
  /** This machine alone if not given. */
  readonly host?: string | undefined;
  /** Any free one if 0 or not given. */
  readonly port?: number | undefined;
}

/** A server that listens. */
export interface Listening {
  readonly server: CoppiceServer;
  readonly host: string;
  readonly port: number;
  /** `http://…`, by a name that the server answers to. */
  readonly url: string;
  /** The same with the token, which signs a browser in; null where users have tokens of their own. */
  readonly signInUrl: string | null;
  /**
   * An address that signs one browser in, once and soon; null as above. For what others on this machine can see, as they
   * can the words that a program is started with.
   */
  signInOnceUrl(): string | null;
  /**
   * Stops: takes no more requests, cuts turns short keeping what was said, ends streams, and is through within the
   * limit whatever hangs. The store stays open.
   */
  close(): Promise<void>;
}

/** Whether an address can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** Refuses to open an address to others without a way to tell who comes. */
export function checkBind(host: string, auth: AuthOptions): void {
  if (isLoopback(host) || auth.mode === 'users' || auth.chosen === true) return;
  refuseHttp(
    'http/forbidden-host',
    `The address ${host} can be reached by others: choose a token, or users, before it is opened.`,
    { host },
  );
}

/**
 * Listens, and looks after replies whose process is gone. Refuses options that are not in order and a public address
 * without auth; rejects where the port is taken.
 */
export async function serve(options: ServeOptions): Promise<Listening> {
  const host = options.host ?? '127.0.0.1';
  checkServerOptions(options);
  checkBind(host, options.auth);
  const server = createServer({ ...options, hosts: [...(options.hosts ?? []), ...ownNames(host)] });
  const listener = getRequestListener((request, env) => server.fetch(request, env), { errorHandler: unreadableFile });
  // Headers that trickle in hold a connection: node's own limits for them stay, the body's time is the stream's own.
  const http = createHttpServer({ requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 60_000 }, listener);
  const port = await listenOn(http, options.port ?? 0, host);
  server.services.bound.port = port;
  void keepRecovering(server.services);
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
    signInUrl: auth.mode === 'token' ? `${url}/?token=${encodeURIComponent(auth.token)}` : null,
    signInOnceUrl: () => (auth.mode === 'token' ? `${url}/?code=${server.services.signInCodes.make()}` : null),
    close() {
      closed ??= stopServing(server, http);
      return closed;
    },
  };
}

/** Answers a request that is none, such as one with a host or a path that nobody can read; it reaches no route. */
function unreadableFile(thrown: unknown): Response {
  const isRequest = thrown instanceof RequestError;
  const reported = isRequest
    ? httpRefusal('http/invalid', 'The host or the path of this request cannot be read.')
    : httpRefusalOf(thrown);
  const { code, kind, message, data } = reported;
  return new Response(JSON.stringify({ error: { code, kind, message, data } }), {
    status: httpStatusOf(reported),
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  });
}

/** The address itself, where it is one: no page can make a name of its own mean it. A wildcard is no name of ours. */
function ownNames(host: string): readonly string[] {
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

async function stopServing(server: CoppiceServer, http: HttpServer): Promise<void> {
  const { stopMs } = server.services.limits;
  const gone = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, stopMs);
  });
  // A stream that has just ended leaves its connection open for another request, which nobody will answer.
  const sweep = setInterval(() => http.closeIdleConnections(), 20);
  await Promise.race([server.close().then(() => gone), late]);
  clearTimeout(timer);
  clearInterval(sweep);
  // Whoever still holds a connection has had the time that there was.
  http.closeAllConnections();
  await gone;
}
