/** Where session files are, for a chat that goes on in one: copies of a session are files beside it. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { TreeId } from '@coppice/core';
import { openStore } from '@coppice/stores';

/** A session file and the folder that it is in. */
export interface SessionPlace {
  readonly folder: string;
  /** The tree that the file holds; null where the folder itself was named. */
  readonly treeId: TreeId | null;
}

/** What the URL of a store says of session files; null for other stores, and for a file that is still to be made. */
export async function sessionPlace(url: string, cwd: string): Promise<SessionPlace | null> {
  const place = /^jsonl:(.+)$/is.exec(url)?.[1];
  if (place === undefined) return null;
  const path = resolve(cwd, place);
  if (!existsSync(path)) return null;
  if (statSync(path).isDirectory()) return { folder: path, treeId: null };
  const file = await openStore(`jsonl:${path}`, { readOnly: true });
  try {
    const [row] = (await file.trees()).items;
    return row === undefined ? null : { folder: dirname(path), treeId: row.id };
  } finally {
    await file.close();
  }
}
