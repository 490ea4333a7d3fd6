/** Refuses what other sites' pages send: no other origin may call, and nothing that changes state comes cross-site. */
import { hostOf, requestHeader, type ServerContext } from '../env.ts';
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

// What a page elsewhere may read of an answer beside its body; said with the answer itself, where browsers look for it.
const exposed = 'ETag, Retry-After, Content-Range, Content-Disposition, X-Request-Id, Request-Id';
const ourHeaders = 'Authorization, Content-Type, If-Match, Last-Event-ID';
const headerNames = /^[\w-]{1,64}(?:\s*,\s*[\w-]{1,64}){0,63}$/;

/** What a listed origin may send: what it asks for, since clients of services have headers of their own. */
function preflightHeaders(asked: string | undefined): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': asked !== undefined && headerNames.test(asked) ? asked : ourHeaders,
    'Access-Control-Max-Age': '600',
  };
}

/** Whether a page of another site sent the browser here; a program, a bookmark and our own page do not say so. */
export function isFromElsewhere(context: ServerContext): boolean {
  const site = requestHeader(context, 'sec-fetch-site');
  return site !== undefined && !ownSites.has(site);
}

/**
 * The check. An origin that the operator listed is told that it may call; nobody else ever gets a CORS header. Gives the
 * answer to such an origin's question whether it may, and nothing otherwise.
 */
export function checkOrigin(context: ServerContext): Response | undefined {
  const origin = requestHeader(context, 'origin');
  const site = requestHeader(context, 'sec-fetch-site');
  if (origin === undefined && site === undefined) return undefined;
  if (origin !== undefined && !isOwnOrigin(origin, context))
    refuseHttp('http/forbidden-origin', 'Pages of other sites may not call this server.');
  if (origin !== undefined && context.get('services').origins.includes(origin)) {
    context.set('cors', {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': exposed,
      Vary: 'Origin',
    });
    if (context.req.method !== 'OPTIONS') return undefined;
    return respond(context, null, 204, preflightHeaders(requestHeader(context, 'access-control-request-headers')));
  }
  if (!safeMethods.has(context.req.method) && isFromElsewhere(context))
    refuseHttp(
      'http/forbidden-origin',
      'A change is asked for by a page of this server or by a program, not by others.',
    );
  return undefined;
}
