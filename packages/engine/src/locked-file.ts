/**
 * Small files that several processes change. They are replaced atomically and durably, by one writer at a time, and
 * only their owner can read them.
 */
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

// A process that died leaves its lock behind. An older lock than this is ignored, because no write takes so long.
const staleLockMs = 10_000;

/** The system's error code, for example `ENOENT`. */
export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Runs work while no other process changes the file. Creates its folder with access for the owner only. */
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
      else await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 20));
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
  const draft = `${path}.${process.pid}.tmp`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  // The rename itself is durable when the folder is.
  const folder = await open(dirname(path), 'r').catch(() => null);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
