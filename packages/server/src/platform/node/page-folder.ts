/** Reads the files of the built page. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ContentEncoding } from './compression.ts';
import { sha256 } from './crypto.ts';

/** A file of the page. */
export interface PageFile {
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

const encodingsByEnding: ReadonlyMap<string, ContentEncoding> = new Map([
  ['.br', 'br'],
  ['.gz', 'gzip'],
]);

/**
 * Reads all regular files of a folder, by their URL path. Symbolic links are skipped. A compressed file next to the
 * plain one, such as `page.js.br`, is sent instead of the plain file and has no URL of its own.
 */
export function readPageFolder(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
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
      const etag = `"${sha256(bytes, 'base64url').slice(0, 22)}"`;
      files.set(at, { bytes, type: types.get(ending) ?? 'application/octet-stream', etag, encoded: new Map() });
    }
  }
  for (const { at, encoding, bytes } of packed) files.get(at)?.encoded.set(encoding, bytes);
  return files;
}
