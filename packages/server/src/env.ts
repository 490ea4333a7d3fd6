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
    began: number;
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

/** The `Host` that was asked for, in lower case. */
export function hostOf(context: ServerContext): string {
  return (context.req.header('host') ?? new URL(context.req.url).host).toLowerCase();
}
