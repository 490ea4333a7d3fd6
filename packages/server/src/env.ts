import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from './caller.ts';
import type { SharedServices } from './services.ts';

/** The variables that middleware and routes store in the context of a request. */
export interface HonoEnv {
  // Undefined if the app is called without a socket.
  Bindings: Partial<HttpBindings>;
  Variables: {
    services: SharedServices;
    /** The pattern of the route. The path itself is not logged, because it may contain the token of a share link. */
    pattern: string;
    caller: Caller | undefined;
    requestId: string;
    /** The status of the response, for log and metrics. Reading it from the response would be slower. */
    status: number;
    /** CORS headers for an origin that the operator listed; undefined for all others. */
    cors: Readonly<Record<string, string>> | undefined;
    /** The error of the request, for the log; undefined if the request succeeded. */
    failure: { readonly code: string; readonly thrown: unknown } | undefined;
  };
}

export type ServerContext = Context<HonoEnv>;

/** Returns the address of the client; null without a socket. */
export function readRemoteAddress(context: ServerContext): string | null {
  return context.env?.incoming?.socket?.remoteAddress ?? null;
}

/**
 * Returns a header of the request, by its name in lower case. It reads Node's parsed headers if a socket exists,
 * because creating a Fetch `Headers` object costs more than all other checks.
 */
export function readRequestHeader(context: ServerContext, name: string): string | undefined {
  const parsed = context.env?.incoming?.headers;
  if (parsed === undefined) return context.req.header(name);
  const value = parsed[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Returns all headers of the request, by their names in lower case. */
export function readRequestHeaders(context: ServerContext): Record<string, string> {
  const parsed = context.env?.incoming?.headers;
  if (parsed === undefined) return context.req.header();
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsed))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}

/** Returns the `Host` header in lower case. */
export function hostOf(context: ServerContext): string {
  return (readRequestHeader(context, 'host') ?? new URL(context.req.url).host).toLowerCase();
}
