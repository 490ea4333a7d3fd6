/** Loads the user's hooks: modules in one folder of the home directory, never of the current directory. */
import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deriveSessionTreeId } from '@coppice/content/sessions';
import type { TreeId } from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';
import type { EventBus, HookFailure } from '@coppice/engine';
import { createSessionHookHost, loadHooks } from '@coppice/engine/sessions';
import type { CliContext } from './cli-context.ts';
import { toCliError } from './exit-codes.ts';
import { findSessionTarget } from './session-target.ts';

/** Returns the folder from which hooks are loaded. */
export function hooksFolderOf(home: string): string {
  return join(home, '.coppice', 'hooks');
}

/** A module in the folder, and the reason if it is not loaded. */
export interface FoundHook {
  readonly name: string;
  readonly path: string;
  readonly trouble: string | null;
}

/** Returns the modules in the folder, sorted by name. If others can change the folder, none of them is loaded. */
export async function findHooks(home: string): Promise<readonly FoundHook[]> {
  const folder = hooksFolderOf(home);
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    return [{ name: 'hooks', path: folder, trouble: `the folder cannot be read (${toCliError(error).message})` }];
  }
  const modules = names.filter((name) => /\.(?:[cm]?js|[cm]?ts)$/.test(name) && !/\.d\.[cm]?ts$/.test(name)).sort();
  const unsafe = await othersMayChange(folder);
  return Promise.all(
    modules.map(async (name) => {
      const path = join(folder, name);
      if (unsafe !== null) return { name, path, trouble: `its folder ${unsafe}` };
      const why = await othersMayChange(path);
      if (why !== null) return { name, path, trouble: `it ${why}` };
      return {
        name,
        path,
        trouble: isReadableFile(name) ? null : `Node ${process.versions.node} cannot load TypeScript`,
      };
    }),
  );
}

function isReadableFile(name: string): boolean {
  return !name.endsWith('ts') || Boolean(Reflect.get(process.features, 'typescript'));
}

function systemErrorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Returns why other users can change a path; null if they cannot, or if the system has no permission bits. */
async function othersMayChange(path: string): Promise<string | null> {
  try {
    const { uid, mode } = await stat(path);
    const user = process.getuid?.();
    if (user === undefined) return null;
    if (uid !== user) return 'belongs to another user';
    return (mode & 0o022) === 0 ? null : 'can be written by other users; run chmod go-w to prevent that';
  } catch (error) {
    return `cannot be read (${toCliError(error).message})`;
  }
}

/** Loads the user's hooks into the events of a chat, and reports hooks that were skipped or that fail later. */
export async function loadUserHooks(at: CliContext, events: EventBus, tell: (text: string) => void): Promise<void> {
  const found = await findHooks(at.host.home);
  if (found.length === 0) return;
  for (const { name, trouble } of found) if (trouble !== null) tell(`The hook ${name} was not loaded: ${trouble}.`);
  const { sessionFiles } = await import('@coppice/stores');
  const place = createSessionHookHost({
    files: sessionFiles,
    actor: at.context().actor,
    events,
    // The file is looked up on each call, because the first message creates it.
    async fileOf(treeId) {
      const sessions = await findSessionTarget(await at.storeUrl(), at.host.cwd);
      return sessions === null ? null : fileIn(sessions.folder, treeId);
    },
  });
  at.onClose(async () => place.close());
  await loadHooks(
    place,
    found.filter(({ trouble }) => trouble === null).map(({ path }) => path),
    {
      trusted: [hooksFolderOf(at.host.home)],
      realPath: (path) => realpath(path),
      importModule: (path) => import(pathToFileURL(path).href),
      onFailure: (failure) =>
        tell(`The hook ${hookName(failure)} was not loaded: ${toCliError(failure.error).message}`),
    },
  );
}

/** Returns the notice about a hook that failed. */
export function describeHookFailure(failure: HookFailure): string {
  return `The hook ${hookName(failure)} failed ${failure.event}: ${toCliError(failure.error).message}`;
}

function hookName({ from = 'without a name' }: HookFailure): string {
  return from.split(/[\\/]/).at(-1) ?? from;
}

/** Returns the file whose first line has the session's id. Files with the id in their name are read first. */
async function fileIn(folder: string, treeId: TreeId): Promise<string | null> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'));
  const likely = names.filter((name) => name.includes(treeId));
  for (const name of [...likely, ...names]) {
    const path = join(folder, name);
    const id = sessionIn(path);
    if (id !== null && deriveSessionTreeId(id) === treeId) return path;
  }
  return null;
}

const beginning = 1 << 16;

function sessionIn(path: string): string | null {
  const bytes = Buffer.alloc(beginning);
  const handle = openSync(path, 'r');
  try {
    const [line = ''] = bytes
      .toString('utf8', 0, readSync(handle, bytes, 0, beginning, 0))
      .trimStart()
      .split('\n');
    const header = fieldsOrEmpty(JSON.parse(line));
    const uuid = getText(header, 'uuid');
    return uuid === undefined ? null : (getText(header, 'id') ?? uuid);
  } catch {
    // The first line is not JSON, so the file is not a session.
    return null;
  } finally {
    closeSync(handle);
  }
}
