/** Refuses what other sites' pages send: no other origin may call, and nothing that changes state comes cross-site. */
import { createMiddleware } from 'hono/factory';
import { hostOf, type ServerContext, type ServerEnv } from '../env.ts';
import { refuseHttp } from '../http-errors.ts';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Whether the origin of a page is ours: the very host that was asked for, or one that the operator wrote out. */
function isOwnOrigin(origin: string, context: ServerContext): boolean {
  const host = hostOf(context);
  if (origin === `http://${host}` || origin === `https://${host}`) return true;
  return context.get('services').origins.includes(origin);
}

/** The check. An explicitly allowed origin is told so; nobody else ever gets a CORS header. */
export const checkOrigin = createMiddleware<ServerEnv>(async (context, next) => {
  const origin = context.req.header('origin');
  const site = context.req.header('sec-fetch-site');
  const { origins } = context.get('services');
  if (origin !== undefined && !isOwnOrigin(origin, context))
    refuseHttp('http/forbidden-origin', 'Pages of other sites may not call this server.');
  const listed = origin !== undefined && origins.includes(origin);
  if (listed) {
    context.header('Access-Control-Allow-Origin', origin);
    context.header('Vary', 'Origin');
    if (context.req.method === 'OPTIONS') {
      context.header('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
      context.header('Access-Control-Allow-Headers', 'Authorization, Content-Type, If-Match, Last-Event-ID');
      context.header('Access-Control-Expose-Headers', 'ETag');
      context.header('Access-Control-Max-Age', '600');
      return context.body(null, 204);
    }
  }
  if (!listed && !safeMethods.has(context.req.method) && site !== undefined && !ownSites.has(site))
    refuseHttp(
      'http/forbidden-origin',
      'A change is asked for by a page of this server or by a program, not by others.',
    );
  await next();
});
