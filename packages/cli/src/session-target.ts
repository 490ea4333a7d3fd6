/** Finds the session file in which a chat continues. Copies of a session become files next to it. */
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { run, type TreeAttributes, type TreeId, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores/open';
import type { CliContext } from './cli-context.ts';

/** A session file, its folder and its tree. */
export interface SessionTarget {
  readonly folder: string;
  /** The tree of the file; null if the URL names a folder. */
  readonly treeId: TreeId | null;
}

/** Returns the session file or folder that a store's URL names; null for other stores, and if the path is missing. */
export async function findSessionTarget(url: string, cwd: string): Promise<SessionTarget | null> {
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
 * Creates the session file that the store's URL names, so that a chat continues in it like in an existing file. Copies
 * of a session are files next to it, which a store of one file cannot create. Null if the file exists already or the
 * URL names no session file.
 */
export async function createNamedSession(at: CliContext, attributes: TreeAttributes): Promise<SessionTarget | null> {
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
