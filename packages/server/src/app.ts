/** Joins the choke points, the routes and the page. Wiring only. */
import { setMaxListeners } from 'node:events';
import { Hono } from 'hono';
import type { ServerOptions } from './contract.ts';
import type { ServerContext, ServerEnv } from './env.ts';
import { httpRefusal, refuseHttp } from './http-errors.ts';
import { answerRefusal, failedAnswer } from './middleware/errors.ts';
import { checkHost } from './middleware/host.ts';
import { checkOrigin } from './middleware/origin.ts';
import { logRequest } from './middleware/request-log.ts';
import { createReference } from './reference-page.ts';
import type { RouteDefinition } from './routes/define.ts';
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
  // Every body that comes waits for it as well; node would print a warning from the eleventh on.
  setMaxListeners(0, closing.signal);
  const services = createServices(options, closing.signal, createReference(routes));
  const web = createWeb(services);
  const app = new Hono<ServerEnv>();
  // What every request passes, in this order, whatever it asks for.
  app.use(async (context, next) => {
    const began = services.now();
    context.set('services', services);
    const passed = attempt(context, () => {
      checkHost(context);
      const answered = checkOrigin(context);
      if (closing.signal.aborted) refuseHttp('http/closing', 'The server is stopping.');
      return answered;
    });
    if (passed === undefined) await next();
    logRequest(context, began);
    return passed;
  });
  for (const route of routes) app.on(route.method.toUpperCase(), [honoPath(route.path)], runRoute(route));
  const otherMethods = methodsByPath(routes);
  app.notFound((context: ServerContext) => web(context) ?? otherMethods(context) ?? unknownPath(context));
  app.onError(failedAnswer);
  return {
    app,
    services,
    fetch: (request, bindings) => app.fetch(request, bindings),
    async close() {
      closing.abort();
      const recorded = async () => {
        // Half of the time is for calls that are under way, the rest to write down what came of them.
        await services.calls.stop(services.limits.stopMs / 2);
        await services.recorder.close();
      };
      await services.imports.close();
      await Promise.all([recorded(), services.engine.close()]);
    },
  };
}

/** Runs checks that may refuse; a refusal is answered like any other. */
function attempt(context: ServerContext, check: () => Response | undefined): Response | undefined {
  try {
    return check();
  } catch (thrown) {
    return failedAnswer(thrown, context);
  }
}

function unknownPath(context: ServerContext): Response {
  const { method, path } = context.req;
  return answerRefusal(context, httpRefusal('http/not-found', `There is no ${method} ${path.slice(0, 200)}.`));
}

/** Answers for paths that are there under other methods, and says which; null for those that are not there at all. */
function methodsByPath(all: readonly RouteDefinition[]): (context: ServerContext) => Response | null {
  const table = all.map(({ method, path }) => ({
    method: method.toUpperCase(),
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (context) => {
    const { method, path } = context.req;
    const there = table.filter(({ pattern }) => pattern.test(path)).map((each) => each.method);
    if (there.length === 0) return null;
    const allow = [...new Set(there.includes('GET') ? [...there, 'HEAD'] : there)].join(', ');
    const refusal = httpRefusal('http/method', `${path.slice(0, 200)} takes ${allow}, not ${method}.`, { allow });
    return answerRefusal(context, refusal);
  };
}

/** Hono writes parameters as `:tree`, the OpenAPI document as `{tree}`. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
