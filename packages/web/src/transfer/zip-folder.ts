/** Packs a folder into one archive for the upload. Files stay on disk: the archive refers to them. */
import { buildZipDirectory, buildZipHeader, crc32, type ZipMember } from '@coppice/content/zip';
import type { FolderFile } from './sources.ts';

async function computeCrc(file: File, signal: AbortSignal): Promise<number> {
  let sum = 0;
  const reader = file.stream().getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (signal.aborted) await reader.cancel();
    signal.throwIfAborted();
    sum = crc32(piece.value, sum);
  }
  return sum;
}

/** The largest archive without the ZIP64 extension. */
export const maxArchiveBytes = 4 * 1024 ** 3 - 64 * 1024 ** 2;

/** Packs files without compression, which would take longer than the upload. */
export async function zipFolder(files: readonly FolderFile[], signal: AbortSignal): Promise<Blob> {
  const parts: BlobPart[] = [];
  const members: ZipMember[] = [];
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    parts.push(new Uint8Array(bytes));
    at += bytes.length;
  };
  for (const { path, file } of files) {
    const crc = await computeCrc(file, signal);
    const member = { name: path, method: 'store', crc, packed: file.size, size: file.size, offset: at } as const;
    put(buildZipHeader(member, member));
    parts.push(file);
    at += file.size;
    members.push(member);
  }
  for (const bytes of buildZipDirectory(members, at, false)) put(bytes);
  return new Blob(parts, { type: 'application/zip' });
}
