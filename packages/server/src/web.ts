/** Serves the built page. Its files are loaded once, so that no request path reaches the file system. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type ContentEncoding, chooseEncoding, minCompressedLength } from './encodings.ts';
import { matchesEntityTag } from './entity-tags.ts';
import { hostOf, readRequestHeader, type ServerContext } from './env.ts';
import { makeSessionCookie } from './middleware/auth.ts';
import { isCrossSiteRequest } from './middleware/origin.ts';
import { createResponse, framePolicy, pagePolicy } from './middleware/security-headers.ts';
import type { SharedServices } from './services.ts';

interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** Compressed forms by encoding: files that the build made, or forms that are created on the first request. */
  readonly encoded: Map<ContentEncoding, Uint8Array<ArrayBuffer>>;
}

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/** Paths that never return the page. Otherwise a mistyped API call would get HTML instead of an error. */
const notThePage = /^\/(?:api|v1|mcp|healthz|readyz|metrics)(?:\/|$)/;

/** Returns a function that responds with a file of the page, or null if the request is not for the page. */
export function createPageHandler(services: SharedServices): (context: ServerContext) => Response | null {
  const files = services.web === null ? new Map<string, WebFile>() : readWebFolder(services.web);
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
  // Otherwise a link on another site could sign a user in to an account of an attacker.
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
function signInOnce(context: ServerContext, code: string): Response {
  const { auth, signInCodes } = context.get('services');
  if (auth.mode === 'token' && signInCodes.useOnce(code)) return signIn(context, auth.token);
  context.set('pattern', 'sign-in');
  return createResponse(context, null, 303, { Location: '/' });
}

function sendWebFile(context: ServerContext, file: WebFile, path: string): Response {
  const framed = path.startsWith('/frames/');
  const headers = {
    'Content-Security-Policy': framed ? framePolicy : pagePolicy,
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
  return createResponse(context, compressFile(file, encoding), 200, {
    ...headers,
    'Content-Type': file.type,
    'Content-Encoding': encoding,
  });
}

const compressible = /^(?:text\/|application\/(?:json|manifest)|image\/svg)/;
// For larger files the best compression takes seconds and saves little.
const largeBytes = 500_000;

function encodingFor({ type, bytes }: WebFile, accepted: string): ContentEncoding | null {
  return compressible.test(type) && bytes.length >= minCompressedLength ? chooseEncoding(accepted) : null;
}

function compressFile({ bytes, encoded }: WebFile, encoding: ContentEncoding): Uint8Array<ArrayBuffer> {
  const known = encoded.get(encoding);
  if (known !== undefined) return known;
  const quality = bytes.length > largeBytes ? 5 : 9;
  const made =
    encoding === 'br'
      ? brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
      : gzipSync(bytes);
  const copy = new Uint8Array(made);
  encoded.set(encoding, copy);
  return copy;
}

const encodingsByEnding: ReadonlyMap<string, ContentEncoding> = new Map([
  ['.br', 'br'],
  ['.gz', 'gzip'],
]);

/**
 * Reads all regular files of a folder, by their URL path. Symbolic links are skipped. A compressed file next to the
 * plain one, such as `page.js.br`, is sent instead of the plain file and has no URL of its own.
 */
function readWebFolder(folder: string): ReadonlyMap<string, WebFile> {
  const files = new Map<string, WebFile>();
  const packed: { readonly at: string; readonly encoding: ContentEncoding; readonly bytes: Uint8Array<ArrayBuffer> }[] =
    [];
  const open: { readonly path: string; readonly at: string }[] = [{ path: folder, at: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of readdirSync(next.path)) {
      const path = join(next.path, name);
      const at = `${next.at}/${name}`;
      const stat = lstatSync(path);
      if (stat.isDirectory()) open.push({ path, at });
      if (!stat.isFile()) continue;
      const bytes = new Uint8Array(readFileSync(path));
      const ending = extname(name).toLowerCase();
      const encoding = encodingsByEnding.get(ending);
      if (encoding !== undefined) {
        packed.push({ at: at.slice(0, -ending.length), encoding, bytes });
        continue;
      }
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      files.set(at, { bytes, type: types.get(ending) ?? 'application/octet-stream', etag, encoded: new Map() });
    }
  }
  for (const { at, encoding, bytes } of packed) files.get(at)?.encoded.set(encoding, bytes);
  return files;
}
