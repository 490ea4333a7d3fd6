/** Reads the lines of a file as bytes. Only byte 0x0A ends a line. */
import { closeSync, openSync, readSync } from 'node:fs';
import { withFileErrors } from '../disk/atomic-files.ts';
import { type FileBytes, sequentialReadSize } from './file-bytes.ts';

export interface RawLine {
  readonly line: number;
  readonly offset: number;
  readonly bytes: Buffer;
  /** Whether the line has a line end. The last line of a file may have none. */
  readonly ended: boolean;
}

/** Whether a line is blank: empty, or only spaces, tabs or a carriage return. */
export function isBlankLine(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}

/**
 * Returns the first line of a file that is not blank. If all lines are blank, returns the part after the last line end.
 */
export function readFirstLine(file: FileBytes): Omit<RawLine, 'ended'> {
  let bytes = Buffer.alloc(0);
  for (let [line, start] = [1, 0]; ; ) {
    const end = bytes.indexOf(0x0a, start);
    const more = end < 0 ? file.read(bytes.length, Math.max(1 << 16, bytes.length)) : null;
    if (more !== null && more.length > 0) bytes = Buffer.concat([bytes, more]);
    else {
      const found = bytes.subarray(start, end < 0 ? bytes.length : end);
      if (end < 0 || !isBlankLine(found)) return { line, offset: start, bytes: found };
      [line, start] = [line + 1, end + 1];
    }
  }
}

/**
 * Calls `take` for each complete line of an open file from an offset on. The buffer of a line is valid only during the
 * call. `isOdd` tells whether lines may have to be parsed completely, and is called once for many lines. Returns the
 * bytes after the last line end, and their offset.
 */
export function forEachLine(
  file: FileBytes,
  from: number,
  size: number,
  isOdd: (bytes: Buffer) => boolean,
  take: (bytes: Buffer, offset: number, mayBeOdd: boolean) => void,
): { readonly rest: Buffer | null; readonly offset: number } {
  let held: Buffer[] = [];
  let offset = from;
  // One buffer is used for all chunks. The part of a line that continues in the next chunk is copied.
  const space = Buffer.allocUnsafe(Math.min(sequentialReadSize, Math.max(0, size - from)));
  for (let at = from; at < size; ) {
    const chunk = file.readInto(space, at, Math.min(space.length, size - at));
    if (chunk.length === 0) break;
    const odd = isOdd(chunk);
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const piece = chunk.subarray(start, end);
      // A sequence that requires parsing may be split between two chunks, so such a line is always parsed.
      take(held.length === 0 ? piece : Buffer.concat([...held, piece]), offset, odd || held.length > 0);
      held = [];
      start = end + 1;
      offset = at + start;
    }
    if (start < chunk.length) held.push(Buffer.from(chunk.subarray(start)));
    at += chunk.length;
  }
  return { rest: held.length === 0 ? null : Buffer.concat(held), offset };
}

/** Yields the lines of a file, reading it in chunks. */
export function* readRawLines(path: string): Generator<RawLine, void, undefined> {
  const handle = withFileErrors(path, () => openSync(path, 'r'));
  try {
    let held: Buffer[] = [];
    let line = 0;
    let offset = 0;
    const next = (piece: Buffer, ended: boolean): RawLine => {
      const bytes = held.length === 0 ? piece : Buffer.concat([...held, piece]);
      held = [];
      const rawLine = { line: ++line, offset, bytes, ended };
      offset += bytes.length + 1;
      return rawLine;
    };
    for (;;) {
      const chunk = Buffer.allocUnsafe(sequentialReadSize);
      const read = withFileErrors(path, () => readSync(handle, chunk, 0, sequentialReadSize, null));
      if (read === 0) break;
      const bytes = chunk.subarray(0, read);
      let start = 0;
      for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
        yield next(bytes.subarray(start, end), true);
        start = end + 1;
      }
      if (start < read) held.push(bytes.subarray(start));
    }
    if (held.length > 0) yield next(Buffer.alloc(0), false);
  } finally {
    closeSync(handle);
  }
}
