/** Describes files so that another thread can read them: by path, by an open file descriptor, or as bytes. */
import type { InputFile } from '@coppice/content/formats';

/** A file to read. A file descriptor must stay open until all readers have finished. */
export type FileSource = { readonly name: string; readonly size: number } & (
  | { readonly path: string }
  | { readonly descriptor: number }
  | { readonly bytes: Uint8Array }
);

/** An upload that an import can read several times. */
export interface SpooledUpload {
  readonly size: number;
  /** Returns the upload as a file source with a display name. */
  sourceNamed(name: string): FileSource;
  /** Frees the space of the upload. */
  close(): Promise<void>;
}

const pieceBytes = 256 * 1024;

/** Opens a source whose bytes are in memory. */
export function openInMemoryFile({ name, bytes }: FileSource & { readonly bytes: Uint8Array }): InputFile {
  return {
    name,
    size: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
    async *stream() {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}
