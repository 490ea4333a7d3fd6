// Documents in UTF-16, as some shells write what is redirected into a file, read as the UTF-8 that all else expects.
import { encodeUtf8 } from './decode.ts';

/** How a text in UTF-16 has its bytes: the smaller one first, or the larger. */
export type Utf16 = 'little' | 'big';

/** How many bytes are looked at. */
export const utf16Head = 4;

const utf16Marks: ReadonlySet<number> = new Set([...'{[ \t\r\n'].map((sign) => sign.charCodeAt(0)));

/** Whether bytes begin as JSON in UTF-16 does, after its mark; any other file, also a text, is left as it is. */
export function utf16In(head: Uint8Array): Utf16 | undefined {
  const [first, second, third = 0, fourth = 0] = head;
  if (first === 0xff && second === 0xfe && fourth === 0 && utf16Marks.has(third)) return 'little';
  return first === 0xfe && second === 0xff && third === 0 && utf16Marks.has(fourth) ? 'big' : undefined;
}

/** The bytes of a stream in UTF-16 as UTF-8, without its mark. Half a pair of units waits for the other. */
export async function* fromUtf16(stream: AsyncIterable<Uint8Array>, order: Utf16): AsyncGenerator<Uint8Array> {
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
  // A byte or half a pair that is left over is told as what is not UTF-8.
  if (waiting !== '' || byte !== undefined) yield Uint8Array.of(0xff);
}
