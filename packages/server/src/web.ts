/** The built page. Its files are read into a table once, so that no path of a request ever reaches the file system. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { noneMatch } from './entity-tags.ts';
import { requestHeader, type ServerContext } from './env.ts';
import { sessionCookie } from './middleware/auth.ts';
import { isFromElsewhere } from './middleware/origin.ts';
import { pagePolicy, respond } from './middleware/security-headers.ts';
import type { Services } from './services.ts';

interface WebFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
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

/** Paths that are never the page, so that a mistyped call is told so instead of being answered with HTML. */
const notThePage = /^\/(?:api|v1|mcp|healthz|readyz|metrics)(?:\/|$)/;

/** Answers with files of the page; null where the request is for something else. */
export function createWeb(services: Services): (context: ServerContext) => Response | null {
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

/** The link that the command line prints: the token goes into a cookie and out of the address bar. */
function signIn(context: ServerContext, token: string): Response {
  context.set('pattern', 'sign-in');
  // A page elsewhere that leads here with a token of its own would have people write into somebody else's trees.
  const cookie = isFromElsewhere(context) ? {} : { 'Set-Cookie': sessionCookie(context, token) };
  return respond(context, null, 303, { ...cookie, Location: '/' });
}

/** The link that a browser is started with. A code that was used, or never given out, leads to the page, which asks. */
function signInOnce(context: ServerContext, code: string): Response {
  const { auth, signInCodes } = context.get('services');
  if (auth.mode === 'token' && signInCodes.spend(code)) return signIn(context, auth.token);
  context.set('pattern', 'sign-in');
  return respond(context, null, 303, { Location: '/' });
}

function sendWebFile(context: ServerContext, file: WebFile, path: string): Response {
  const headers = {
    'Content-Security-Policy': pagePolicy,
    // Names under assets/ carry a hash of what is in them.
    'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(path.startsWith('/s/') ? { 'X-Robots-Tag': 'noindex' } : {}),
    ETag: file.etag,
  };
  if (noneMatch(requestHeader(context, 'if-none-match'), file.etag)) return respond(context, null, 304, headers);
  return respond(context, file.bytes, 200, { ...headers, 'Content-Type': file.type });
}

/** Every plain file below a folder by its path in the address; links are passed over. */
function readWebFolder(folder: string): ReadonlyMap<string, WebFile> {
  const files = new Map<string, WebFile>();
  const open: { readonly path: string; readonly at: string }[] = [{ path: folder, at: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const name of readdirSync(next.path)) {
      const path = join(next.path, name);
      const at = `${next.at}/${name}`;
      const stat = lstatSync(path);
      if (stat.isDirectory()) open.push({ path, at });
      if (!stat.isFile()) continue;
      const bytes = new Uint8Array(readFileSync(path));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      files.set(at, { bytes, type: types.get(extname(name).toLowerCase()) ?? 'application/octet-stream', etag });
    }
  }
  return files;
}
