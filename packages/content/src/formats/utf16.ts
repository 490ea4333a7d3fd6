// Converts UTF-16 documents to UTF-8. Some shells write redirected output as UTF-16.
import { encodeUtf8 } from './decode.ts';

/** The byte order of UTF-16. */
export type Utf16ByteOrder = 'little' | 'big';

/** How many bytes {@link detectUtf16} needs. */
export const utf16HeadBytes = 4;

const utf16Marks: ReadonlySet<number> = new Set([...'{[ \t\r\n'].map((sign) => sign.charCodeAt(0)));

/** Returns the byte order of JSON in UTF-16 with a byte order mark; undefined for any other file. */
export function detectUtf16(head: Uint8Array): Utf16ByteOrder | undefined {
  const [first, second, third = 0, fourth = 0] = head;
  if (first === 0xff && second === 0xfe && fourth === 0 && utf16Marks.has(third)) return 'little';
  return first === 0xfe && second === 0xff && third === 0 && utf16Marks.has(fourth) ? 'big' : undefined;
}

/**
 * Converts a UTF-16 stream to UTF-8 without its byte order mark. If a chunk ends inside a surrogate pair, the first
 * half is kept for the next chunk.
 */
export async function* utf16ToUtf8(
  stream: AsyncIterable<Uint8Array>,
  order: Utf16ByteOrder,
): AsyncGenerator<Uint8Array> {
  let byte: number | undefined;
  let waiting = '';
  let marked = true;
  for await (const piece of stream) {
    let text = waiting;
    for (const next of piece) {
      if (byte === undefined) {
        byte = next;
        continue;
      }
      const unit = order === 'little' ? byte | (next << 8) : (byte << 8) | next;
      byte = undefined;
      if (!marked) text += String.fromCharCode(unit);
      marked = false;
    }
    const high = /[\ud800-\udbff]$/.test(text);
    waiting = high ? text.slice(-1) : '';
    const whole = high ? text.slice(0, -1) : text;
    if (whole !== '') yield encodeUtf8(whole);
  }
  // A remaining byte or half a pair becomes an invalid byte, which readers report.
  if (waiting !== '' || byte !== undefined) yield Uint8Array.of(0xff);
}
