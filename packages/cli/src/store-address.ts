/** Resolves the store that an option or the configuration names. For a path, it detects the kind of store. */
import { readdirSync, statSync } from 'node:fs';
import * as ownPaths from 'node:path';
import { AppError } from '@coppice/core';
import { makeUsageError } from './exit-codes.ts';

/**
 * Returns a URL unchanged. A path becomes the URL of the store that exists there, or of the kind that its name
 * suggests.
 */
export function toStoreUrl(
  address: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
  { join, resolve }: Pick<typeof ownPaths, 'join' | 'resolve'> = ownPaths,
): string {
  if (/^https?:/i.test(address))
    throw makeUsageError('An http address is that of a server, not of a store. Give it with --server.');
  // A single letter before the colon is a Windows drive.
  if (/^[a-z][a-z0-9+.-]+:/i.test(address)) return address;
  const path = /^~[/\\]/.test(address) ? join(home, address.slice(2)) : resolve(cwd, address);
  const kind = kindOfPath(path) ?? kindOfName(address);
  if (kind !== null) return `${kind}:${path}`;
  throw new AppError({
    code: 'cli/no-store',
    kind: 'not-found',
    message: `No store exists at ${address}. To create one, say which kind: sqlite:${address}, files:${address} or jsonl:${address}.`,
  });
}

function kindOfPath(path: string): 'sqlite' | 'files' | 'jsonl' | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (!found.isDirectory()) return path.endsWith('.jsonl') ? 'jsonl' : 'sqlite';
  const names = readdirSync(path);
  return !names.includes('roots.json') && names.some((name) => name.endsWith('.jsonl')) ? 'jsonl' : 'files';
}

function kindOfName(path: string): 'sqlite' | 'jsonl' | null {
  if (path.endsWith('.jsonl')) return 'jsonl';
  return /\.(?:db|sqlite3?)$/.test(path) ? 'sqlite' : null;
}
