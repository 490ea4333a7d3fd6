/**
 * Refuses requests from pages of other sites (CSRF): origins that the operator did not list may not call the API, and
 * cross-site requests may not change state.
 */
import { hostOf, readRequestHeader, type ServerContext } from '../env.ts';
import { throwHttpError } from '../http-errors.ts';
import { createResponse } from './create-response.ts';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** Whether an origin is the requested host itself, or one that the operator listed. */
function isOwnOrigin(origin: string, context: ServerContext): boolean {
  const host = hostOf(context);
  if (origin === `http://${host}` || origin === `https://${host}`) return true;
  return context.get('services').origins.includes(origin);
}

// The response headers that a page of another origin may read. CORS requires this list in each response.
const exposed = 'ETag, Retry-After, Content-Range, Content-Disposition, X-Request-Id, Request-Id';
const ourHeaders = 'Authorization, Content-Type, If-Match, Last-Event-ID';
const headerNames = /^[\w-]{1,64}(?:\s*,\s*[\w-]{1,64}){0,63}$/;

/**
 * Returns the preflight headers for a listed origin. All requested headers are allowed, because API clients send
 * headers of their own.
 */
function preflightHeaders(asked: string | undefined): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': asked !== undefined && headerNames.test(asked) ? asked : ourHeaders,
    'Access-Control-Max-Age': '600',
  };
}

/**
 * Whether a page of another site caused this request, by the header `Sec-Fetch-Site`. Programs do not send the header;
 * for bookmarks and the page of Coppice it is `none` or `same-origin`.
 */
export function isCrossSiteRequest(context: ServerContext): boolean {
  const site = readRequestHeader(context, 'sec-fetch-site');
  return site !== undefined && !ownSites.has(site);
}

/**
 * Checks the origin. Only origins that the operator listed get CORS headers. Returns the response to a preflight
 * request, else undefined.
 */
export function checkOrigin(context: ServerContext): Response | undefined {
  const origin = readRequestHeader(context, 'origin');
  const site = readRequestHeader(context, 'sec-fetch-site');
  if (origin === undefined && site === undefined) return undefined;
  if (origin !== undefined && !isOwnOrigin(origin, context))
    throwHttpError(
      'http/forbidden-origin',
      'Pages of other sites cannot call this server. The operator can allow an origin in the configuration.',
    );
  if (origin !== undefined && context.get('services').origins.includes(origin)) {
    context.set('cors', {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': exposed,
      Vary: 'Origin',
    });
    if (context.req.method !== 'OPTIONS') return undefined;
    return createResponse(
      context,
      null,
      204,
      preflightHeaders(readRequestHeader(context, 'access-control-request-headers')),
    );
  }
  if (!safeMethods.has(context.req.method) && isCrossSiteRequest(context))
    throwHttpError(
      'http/forbidden-origin',
      'A page of another site cannot change data. Use the page of this server, or a program with a token.',
    );
  return undefined;
}
