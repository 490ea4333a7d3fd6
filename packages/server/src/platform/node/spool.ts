/** Stores uploads on disk in an unlinked file, which the operating system frees even after a crash. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeHttpError } from '../../http-errors.ts';
import type { SpooledUpload } from '../../transfer/file-source.ts';

const noSpace: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Creates a file and unlinks it before writing. No other process can open it, and the operating system removes it after
 * a crash.
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

/** Writes all chunks and returns their size. Throws a specific error if the disk is full. */
export async function writeChunks(handle: FileHandle, source: AsyncIterable<Uint8Array>): Promise<number> {
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
  throw makeHttpError(
    'store/full',
    'The disk of the server is full: the upload was not stored, and nothing was imported.',
  );
}

/** Stores an upload in a folder. If the upload ends early, the file is removed. */
export async function spoolUpload(folder: string, source: AsyncIterable<Uint8Array>): Promise<SpooledUpload> {
  const handle = await openNameless(folder);
  try {
    return spoolOf(handle, await writeChunks(handle, source));
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

function spoolOf(handle: FileHandle, size: number): SpooledUpload {
  return {
    size,
    sourceNamed: (name) => ({ name, size, descriptor: handle.fd }),
    close: () => handle.close(),
  };
}
