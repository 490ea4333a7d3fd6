/** Creates a server without a socket: connects middleware, routes and the page. */
import { refuse } from '@coppice/core';
import { assertStore } from '@coppice/core/decode';
import { Hono } from 'hono';
import { allowAnyListeners } from '#platform/system';
import { assertServerOptionNames } from './check-options.ts';
import type { ServerOptions } from './contract.ts';
import type { HonoEnv, ServerContext } from './env.ts';
import { makeHttpError, throwHttpError } from './http-errors.ts';
import { toErrorResponse, toRefusalResponse } from './middleware/errors.ts';
import { assertAllowedHost } from './middleware/host.ts';
import { checkOrigin } from './middleware/origin.ts';
import { createRequestIdGenerator } from './middleware/request-id.ts';
import { logRequest } from './middleware/request-log.ts';
import { createApiReference } from './reference-page.ts';
import type { RouteDefinition } from './routes/define.ts';
import { routes } from './routes/index.ts';
import { catchAllProxyRoutes } from './routes/proxy/other-calls.ts';
import { runRoute } from './run-route.ts';
import { createSharedServices, type SharedServices } from './services.ts';
import { createPageHandler } from './web.ts';

/** A server without a socket. It handles requests until it is closed. */
export interface CoppiceServer {
  readonly app: Hono<HonoEnv>;
  readonly services: SharedServices;
  /** Handles one request, from a socket, a test or another program. */
  fetch(request: Request, bindings?: object): Response | Promise<Response>;
  /** Ends streams and stops turns; their text so far is kept. The caller closes the store. */
  close(): Promise<void>;
}

/** Refuses options that a caller without types may forget, before the first request fails because of them. */
function assertOptions({ store, config, auth }: ServerOptions): void {
  assertStore('createServer', store);
  if (config?.generate === undefined)
    refuse('command/invalid', 'createServer needs a `config` of @coppice/engine, such as parseConfig(null, {}).');
  const hasToken = auth?.mode === 'token' && typeof auth.token === 'string' && auth.token !== '';
  if (!hasToken && auth?.mode !== 'users')
    refuse(
      'command/invalid',
      "createServer needs `auth`: { mode: 'token', token } with a token, or { mode: 'users' }.",
    );
}

/** Creates a server. It does not listen; see `serve`. */
export function createServer(options: ServerOptions): CoppiceServer {
  assertOptions(options);
  assertServerOptionNames('createServer', options);
  const closing = new AbortController();
  // Every running request adds a listener to this signal. From the eleventh on, Node would print a warning.
  allowAnyListeners(closing.signal);
  const services = createSharedServices(options, closing.signal, createApiReference(routes));
  const web = createPageHandler(services);
  const app = new Hono<HonoEnv>();
  const requestId = createRequestIdGenerator();
  // The checks that every request passes, in this order.
  app.use(async (context, next) => {
    const began = services.now();
    context.set('services', services);
    context.set('requestId', requestId(context));
    const passed = attempt(context, () => {
      assertAllowedHost(context);
      const answered = checkOrigin(context);
      if (closing.signal.aborted) throwHttpError('http/closing', 'The server is stopping.');
      return answered;
    });
    if (passed === undefined) await next();
    logRequest(context, began);
    return passed;
  });
  for (const route of [...routes, ...catchAllProxyRoutes])
    app.on(route.method.toUpperCase(), [honoPath(route.path)], runRoute(route));
  const otherMethods = methodsByPath(routes);
  app.notFound((context: ServerContext) => web(context) ?? otherMethods(context) ?? unknownPath(context));
  app.onError(toErrorResponse);
  return {
    app,
    services,
    fetch: (request, bindings) => app.fetch(request, bindings),
    async close() {
      closing.abort();
      const recorded = async () => {
        // Half of the time is for running calls; the rest is for recording them.
        await services.calls.stop(services.limits.stopMs / 2);
        await services.recorder.close();
        await services.recordedTitles?.close();
      };
      await services.imports.close();
      await Promise.all([recorded(), services.engine.close()]);
    },
  };
}

/** Runs a check of the request. An error that it throws becomes the response. */
function attempt(context: ServerContext, check: () => Response | undefined): Response | undefined {
  try {
    return check();
  } catch (thrown) {
    return toErrorResponse(thrown, context);
  }
}

function unknownPath(context: ServerContext): Response {
  const { method, path } = context.req;
  return toRefusalResponse(context, makeHttpError('http/not-found', `There is no ${method} ${path.slice(0, 200)}.`));
}

/**
 * Returns a function that makes the 405 response for a path that exists only with other methods. It returns null for an
 * unknown path.
 */
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
    const refusal = makeHttpError('http/method', `${path.slice(0, 200)} takes ${allow}, not ${method}.`, { allow });
    return toRefusalResponse(context, refusal);
  };
}

/** Converts a path from the OpenAPI form `{tree}` to Hono's `:tree`. `{rest}` matches the remaining path. */
function honoPath(path: string): string {
  return path.replace('{rest}', ':rest{.+}').replaceAll(/\{(\w+)\}/g, ':$1');
}
