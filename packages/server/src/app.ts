/** Joins the choke points, the routes and the page. Wiring only. */
import { Hono } from 'hono';
import type { ServerOptions } from './contract.ts';
import type { ServerContext, ServerEnv } from './env.ts';
import { httpRefusal, refuseHttp } from './http-errors.ts';
import { answerRefusal, onError } from './middleware/errors.ts';
import { checkHost } from './middleware/host.ts';
import { checkOrigin } from './middleware/origin.ts';
import { requestLog } from './middleware/request-log.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { createReference } from './reference-page.ts';
import { routes } from './routes/index.ts';
import { runRoute } from './run-route.ts';
import { createServices, type Services } from './services.ts';
import { createWeb } from './web.ts';

/** A server without a socket: it answers requests, and is closed when nobody asks any more. */
export interface CoppiceServer {
  readonly app: Hono<ServerEnv>;
  readonly services: Services;
  /** Answers one request; what a socket, a test or another program calls. */
  fetch(request: Request, bindings?: object): Response | Promise<Response>;
  /** Ends streams and cuts turns short, keeping what was said. The store stays open. */
  close(): Promise<void>;
}

/** Makes a server. It listens on nothing; see `serve`. */
export function createServer(options: ServerOptions): CoppiceServer {
  const closing = new AbortController();
  const services = createServices(options, closing.signal, createReference(routes));
  const web = createWeb(services);
  const app = new Hono<ServerEnv>();
  app.use(async (context, next) => {
    context.set('services', services);
    await next();
  });
  app.use(requestLog);
  app.use(securityHeaders);
  app.use(checkHost);
  app.use(checkOrigin);
  app.use(async (_context, next) => {
    if (closing.signal.aborted) refuseHttp('http/closing', 'The server is stopping.');
    await next();
  });
  for (const route of routes) app.on(route.method.toUpperCase(), [honoPath(route.path)], runRoute(route));
  app.notFound((context: ServerContext) => web(context) ?? unknownPath(context));
  app.onError(onError);
  return {
    app,
    services,
    fetch: (request, bindings) => app.fetch(request, bindings),
    async close() {
      closing.abort();
      await Promise.all([...services.rooms()].map((room) => room.close()));
    },
  };
}

function unknownPath(context: ServerContext): Response {
  const { method, path } = context.req;
  return answerRefusal(context, httpRefusal('http/not-found', `There is no ${method} ${path.slice(0, 200)}.`));
}

/** Hono writes parameters as `:tree`, the OpenAPI document as `{tree}`. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
