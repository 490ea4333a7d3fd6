/**
 * Reads and writes small files that several processes change. A file is replaced atomically and durably, by one writer
 * at a time, and only its owner can read it.
 */
import { chmod, dirname, isWindows, mkdir, open, processId, readFile, rename, rm, stat } from '#platform/system';
import { waitMs } from './event-loop.ts';

// A lock older than this was left by a process that died, and is ignored. No write takes so long.
const staleLockMs = 10_000;

/** Returns the code of a system error, for example `ENOENT`. */
export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Runs `work` while no other process changes the file. Creates the folder with access for its owner only. */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const lock = `${path}.lock`;
  for (;;) {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      break;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      const held = await stat(lock).catch(() => null);
      if (held !== null && Date.now() - held.mtimeMs > staleLockMs) await rm(lock, { force: true });
      else await waitMs(10 + Math.random() * 20);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Replaces a file atomically, with mode 0600. The file is durable when the promise resolves. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${processId}.tmp`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  // Syncing the folder makes the rename durable.
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/**
 * Reads a private file; null if it does not exist. If other users can read it, for example because it was copied, its
 * mode is set to 0600. Other failures are thrown as the error that `toError` makes.
 */
export async function readPrivateFile(
  path: string,
  toError: (code: string, cause: unknown) => Error,
): Promise<string | null> {
  try {
    const text = await readFile(path, 'utf8');
    if (!isWindows() && ((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
    return text;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw toError(String(code), error);
  }
}

/** Returns a text that changes when the file is replaced or written; empty if the file is missing or unreadable. */
export async function readFileStamp(path: string): Promise<string> {
  const file = await stat(path).catch(() => null);
  return file === null ? '' : `${file.mtimeMs} ${file.size} ${file.ino}`;
}
