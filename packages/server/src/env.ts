import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from './caller.ts';
import type { Services } from './services.ts';

/** What travels with a request through the app. */
export interface ServerEnv {
  // Not there where the app is asked without a socket.
  Bindings: Partial<HttpBindings>;
  Variables: {
    services: Services;
    /** The pattern of the route, never the path itself: a path may hold a share's token. */
    pattern: string;
    caller: Caller | undefined;
    /** The status of the answer, for log and figures: to look at the answer itself would unpack it. */
    status: number;
    /** What an origin that the operator listed is told; nobody else is told anything. */
    cors: Readonly<Record<string, string>> | undefined;
    /** What went wrong, for the log. */
    failure: { readonly code: string; readonly thrown: unknown } | undefined;
  };
}

/** A request on its way. */
export type ServerContext = Context<ServerEnv>;

/** The address at the other end of the socket; null where there is no socket. */
export function remoteAddress(context: ServerContext): string | null {
  return context.env?.incoming?.socket?.remoteAddress ?? null;
}

/**
 * A header of the request, by its name in lower case. Behind a socket it is where node's parser has put it already: to
 * make an object of the Fetch standard out of all of them costs more than everything else that is checked.
 */
export function requestHeader(context: ServerContext, name: string): string | undefined {
  const parsed = context.env?.incoming?.headers;
  if (parsed === undefined) return context.req.header(name);
  const value = parsed[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The `Host` that was asked for, in lower case. */
export function hostOf(context: ServerContext): string {
  return (requestHeader(context, 'host') ?? new URL(context.req.url).host).toLowerCase();
}
