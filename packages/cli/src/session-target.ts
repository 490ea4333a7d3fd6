/** Where session files are, for a chat that goes on in one: copies of a session are files beside it. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { run, type TreeAttributes, type TreeId, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import type { CliContext } from './cli-context.ts';

/** A session file and the folder that it is in. */
export interface SessionTarget {
  readonly folder: string;
  /** The tree that the file holds; null where the folder itself was named. */
  readonly treeId: TreeId | null;
}

/** What the URL of a store says of session files; null for other stores, and for a file that is still to be made. */
export async function sessionTarget(url: string, cwd: string): Promise<SessionTarget | null> {
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

/**
 * Begins the session of a file that is named and not there yet, so that a chat goes on in it as in one that is: copies of a
 * session are files beside it, which a store of one file does not make. Null where there is nothing to begin.
 */
export async function beginSession(at: CliContext, attributes: TreeAttributes): Promise<SessionTarget | null> {
  const place = /^jsonl:(.+\.jsonl)$/is.exec(await at.storeUrl())?.[1];
  const path = place === undefined ? null : resolve(at.host.cwd, place);
  if (path === null || existsSync(path)) return null;
  const beginning = at.on(`jsonl:${path}`);
  const context = at.context();
  const id = treeId(context.newId());
  try {
    await run(await beginning.store(), { type: 'create', treeId: id, attributes }, context);
  } finally {
    await beginning.close();
  }
  return { folder: dirname(path), treeId: id };
}
