/** Uploads on the disk: a file without a name, which the system takes back whatever becomes of the process. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { httpRefusal } from '../http-errors.ts';
import type { FileSource } from './file-source.ts';

/** What was uploaded, to be read as often as an import needs it. */
export interface Spool {
  readonly size: number;
  /** The bytes as a file of a name that people know it by; nothing is opened by it. */
  sourceNamed(name: string): FileSource;
  /** Gives the disk its room back. */
  close(): Promise<void>;
}

const noSpace: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * A file that no folder lists: its name is gone before the first byte is in it. Nobody else can open it, and after a
 * crash there is nothing to sweep.
 */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `coppice-import-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Writes all that comes, and says how much that was. A disk without room is a refusal that says so. */
export async function fill(handle: FileHandle, source: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const piece of source) {
    let at = 0;
    while (at < piece.byteLength) {
      const { bytesWritten } = await handle
        .write(piece, at, piece.byteLength - at, size)
        .catch((thrown: unknown) => refuseWrite(thrown));
      at += bytesWritten;
      size += bytesWritten;
    }
  }
  return size;
}

function refuseWrite(thrown: unknown): never {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (!noSpace.has(code)) throw thrown;
  throw httpRefusal('store/full', 'The disk of the server has no room for this upload; nothing was imported.');
}

/** Puts an upload on the disk of a folder. Whatever ends it early leaves nothing there. */
export async function spoolInto(folder: string, source: AsyncIterable<Uint8Array>): Promise<Spool> {
  const handle = await openNameless(folder);
  try {
    return spoolOf(handle, await fill(handle, source));
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

function spoolOf(handle: FileHandle, size: number): Spool {
  return {
    size,
    sourceNamed: (name) => ({ name, size, descriptor: handle.fd }),
    close: () => handle.close(),
  };
}
