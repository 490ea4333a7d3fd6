/** Serves the built page. Its files are loaded once, so that no request path reaches the file system. */
import { compressFile } from '#platform/compression';
import { type PageFile, readPageFolder } from '#platform/page-folder';
import { extname } from '#platform/system';
import { type ContentEncoding, chooseEncoding, minLengthToCompress } from './encodings.ts';
import { matchesEntityTag } from './entity-tags.ts';
import { hostOf, readRequestHeader, type ServerContext } from './env.ts';
import { makeSessionCookie } from './middleware/auth.ts';
import { frameContentPolicy, pageContentPolicy } from './middleware/content-policies.ts';
import { createResponse } from './middleware/create-response.ts';
import { isCrossSiteRequest } from './middleware/origin.ts';
import type { SharedServices } from './services.ts';

/** Paths that never return the page. Otherwise a mistyped API call would get HTML instead of an error. */
const notThePage = /^\/(?:api|v1|mcp|healthz|readyz|metrics)(?:\/|$)/;

/** Returns a function that responds with a file of the page, or null if the request is not for the page. */
export function createPageHandler(
  services: SharedServices,
): (context: ServerContext) => Response | Promise<Response> | null {
  const files = services.web === null ? new Map<string, PageFile>() : readPageFolder(services.web);
  return (context) => {
    const { method, path } = context.req;
    if ((method !== 'GET' && method !== 'HEAD') || notThePage.test(path)) return null;
    if (path === '/') {
      const { token, code } = context.req.query();
      if (token !== undefined) return signIn(context, token);
      if (code !== undefined && method === 'GET') return signInOnce(context, code);
    }
    const file = files.get(path) ?? (extname(path) === '' ? files.get('/index.html') : undefined);
    return file === undefined ? null : sendWebFile(context, file, path);
  };
}

/**
 * Handles the sign-in link that the command line prints: stores the token in a cookie, and redirects to a URL without
 * the token.
 */
function signIn(context: ServerContext, token: string): Response {
  context.set('pattern', 'sign-in');
  // A request from another site gets no cookie: its link could sign a user in to the account of an attacker.
  const cookie = isCrossSiteRequest(context)
    ? {}
    : {
        'Set-Cookie': makeSessionCookie(
          { host: hostOf(context), header: (name) => readRequestHeader(context, name) },
          token,
        ),
      };
  return createResponse(context, null, 303, { ...cookie, Location: '/' });
}

/** Handles a one-time sign-in link. If the code is invalid, the page opens and asks for the token. */
async function signInOnce(context: ServerContext, code: string): Promise<Response> {
  const { auth, signInCodes } = context.get('services');
  if (auth.mode === 'token' && (await signInCodes.useOnce(code))) return signIn(context, auth.token);
  context.set('pattern', 'sign-in');
  return createResponse(context, null, 303, { Location: '/' });
}

function sendWebFile(context: ServerContext, file: PageFile, path: string): Response {
  const framed = path.startsWith('/frames/');
  const headers = {
    'Content-Security-Policy': framed ? frameContentPolicy : pageContentPolicy,
    ...(framed ? { 'X-Frame-Options': 'SAMEORIGIN', 'X-DNS-Prefetch-Control': 'off' } : {}),
    // Names in `assets/` contain a hash of the content.
    'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(path.startsWith('/s/') ? { 'X-Robots-Tag': 'noindex' } : {}),
    Vary: 'Accept-Encoding',
    ETag: file.etag,
  };
  if (matchesEntityTag(readRequestHeader(context, 'if-none-match'), file.etag))
    return createResponse(context, null, 304, headers);
  const encoding = encodingFor(file, readRequestHeader(context, 'accept-encoding') ?? '');
  if (encoding === null) return createResponse(context, file.bytes, 200, { ...headers, 'Content-Type': file.type });
  return createResponse(context, compressPageFile(file, encoding), 200, {
    ...headers,
    'Content-Type': file.type,
    'Content-Encoding': encoding,
  });
}

const compressible = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;

function encodingFor({ type, bytes }: PageFile, accepted: string): ContentEncoding | null {
  return compressible.test(type) && bytes.length >= minLengthToCompress ? chooseEncoding(accepted) : null;
}

function compressPageFile({ bytes, encoded }: PageFile, encoding: ContentEncoding): Uint8Array<ArrayBuffer> {
  const compressed = encoded.get(encoding) ?? compressFile(bytes, encoding);
  encoded.set(encoding, compressed);
  return compressed;
}
