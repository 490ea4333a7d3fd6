/** The lines of a file as bytes. They end at byte 0x0A and nowhere else. */
import { closeSync, openSync, readSync } from 'node:fs';
import { onFile } from '../disk/whole-files.ts';

/** One line. */
export interface RawLine {
  /** Counted from 1. */
  readonly line: number;
  readonly offset: number;
  readonly bytes: Buffer;
  /** Whether it has an end; the last one may have none. */
  readonly ended: boolean;
}

const chunkSize = 1 << 20;

/** The lines one after the other; the file is never held as a whole. */
export function* linesIn(path: string): Generator<RawLine, void, undefined> {
  const handle = onFile(path, () => openSync(path, 'r'));
  try {
    let held: Buffer[] = [];
    let line = 0;
    let offset = 0;
    const next = (piece: Buffer, ended: boolean): RawLine => {
      const bytes = held.length === 0 ? piece : Buffer.concat([...held, piece]);
      held = [];
      const made = { line: ++line, offset, bytes, ended };
      offset += bytes.length + 1;
      return made;
    };
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkSize);
      const read = onFile(path, () => readSync(handle, chunk, 0, chunkSize, null));
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
