import { copyBytes, joinBytes } from './bytes.ts';
import { refuseImport } from './findings.ts';

/** A line of a file, not decoded yet. */
export interface TextLine {
  /** The line number, from 1. */
  readonly number: number;
  /** The byte offset at which the line starts. */
  readonly offset: number;
  /** The bytes without the line feed; a carriage return before it is included. */
  readonly bytes: Uint8Array;
  /** Whether the line ends with a line feed; the last line of a truncated file does not. */
  readonly ended: boolean;
}

const longestLine = 512 * 1024 * 1024;

/** Yields the lines of a stream, split only at 0x0A. Blank lines and a byte order mark are left out. */
export async function* splitLines(stream: AsyncIterable<Uint8Array>, limit = longestLine): AsyncGenerator<TextLine> {
  let carried: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  let offset = 0;
  const line = (last: Uint8Array, ended: boolean): TextLine | undefined => {
    const bytes = carried.length === 0 ? last : joinBytes([...carried, last]);
    carried = [];
    size = 0;
    const made = { number, offset, bytes: number === 1 ? withoutMark(bytes) : bytes, ended };
    number++;
    offset += bytes.length + 1;
    return isEmpty(made.bytes) ? undefined : made;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const made = line(chunk.subarray(start, end), true);
      start = end + 1;
      if (made !== undefined) yield made;
    }
    if (start === chunk.length) continue;
    size += chunk.length - start;
    if (size > limit)
      refuseImport('import/too-large', `Line ${number} has more than the ${limit} bytes that fit into memory at once.`);
    carried.push(copyBytes(chunk, start));
  }
  if (size === 0) return;
  const made = line(new Uint8Array(0), false);
  if (made !== undefined) yield made;
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function isEmpty(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}
