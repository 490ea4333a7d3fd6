/** Reads files by path or by an open file descriptor. */
import { createReadStream, read as readAt } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { InputFile } from '@coppice/content/formats';
import { type FileSource, openInMemoryFile } from '../../transfer/file-source.ts';

const pieceBytes = 256 * 1024;
const readInto = promisify(readAt);

async function readRange(descriptor: number, size: number, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await readInto(descriptor, bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  return bytes;
}

/** Opens a source as an input file, which an import can read several times. */
export function openFileSource(source: FileSource): InputFile {
  const { name, size } = source;
  if ('bytes' in source) return openInMemoryFile(source);
  if ('path' in source) {
    const { path } = source;
    return {
      name,
      size,
      stream: () => createReadStream(path),
      async read(start, end) {
        const file = await open(path, 'r');
        try {
          return await readRange(file.fd, size, start, end);
        } finally {
          await file.close();
        }
      },
    };
  }
  const { descriptor } = source;
  return {
    name,
    size,
    read: (start, end) => readRange(descriptor, size, start, end),
    async *stream() {
      for (let at = 0; at < size; at += pieceBytes) yield await readRange(descriptor, size, at, at + pieceBytes);
    },
  };
}
