/** Refuses what other sites' pages send: no other origin may call, and nothing that changes state comes cross-site. */
import { headerOf, hostOf, type ServerContext } from '../env.ts';
import { refuseHttp } from '../http-errors.ts';
import { respond } from './security-headers.ts';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Whether the origin of a page is ours: the very host that was asked for, or one that the operator wrote out. */
function isOwnOrigin(origin: string, context: ServerContext): boolean {
  const host = hostOf(context);
  if (origin === `http://${host}` || origin === `https://${host}`) return true;
  return context.get('services').origins.includes(origin);
}

const preflightHeaders = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, Last-Event-ID',
  'Access-Control-Expose-Headers': 'ETag',
  'Access-Control-Max-Age': '600',
};

/**
 * The check. An origin that the operator listed is told that it may call; nobody else ever gets a CORS header. Gives the
 * answer to such an origin's question whether it may, and nothing otherwise.
 */
export function checkOrigin(context: ServerContext): Response | undefined {
  const origin = headerOf(context, 'origin');
  const site = headerOf(context, 'sec-fetch-site');
  if (origin === undefined && site === undefined) return undefined;
  if (origin !== undefined && !isOwnOrigin(origin, context))
    refuseHttp('http/forbidden-origin', 'Pages of other sites may not call this server.');
  if (origin !== undefined && context.get('services').origins.includes(origin)) {
    context.set('cors', { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' });
    return context.req.method === 'OPTIONS' ? respond(context, null, 204, preflightHeaders) : undefined;
  }
  if (!safeMethods.has(context.req.method) && site !== undefined && !ownSites.has(site))
    refuseHttp(
      'http/forbidden-origin',
      'A change is asked for by a page of this server or by a program, not by others.',
    );
  return undefined;
}
