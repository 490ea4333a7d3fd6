import { strFromU8, strToU8 } from 'fflate';

/** The text of some bytes, and whether it had to be repaired. */
export interface DecodedText {
  readonly text: string;
  /** Whether invalid UTF-8 was replaced by U+FFFD. */
  readonly damaged: boolean;
}

const replacement = '�';

/** Counts valid encodings of U+FFFD in the bytes. */
function countReplacementBytes(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count++;
  return count;
}

function countReplacements(text: string): number {
  let count = 0;
  for (let at = text.indexOf(replacement); at !== -1; at = text.indexOf(replacement, at + 1)) count++;
  return count;
}

/** Decodes UTF-8 without a byte order mark. Invalid bytes become U+FFFD and set `damaged`. */
export function decodeUtf8(bytes: Uint8Array): DecodedText {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const plain = marked ? bytes.subarray(3) : bytes;
  const text = strFromU8(plain);
  return { text, damaged: text.includes(replacement) && countReplacements(text) !== countReplacementBytes(plain) };
}

/** Encodes text as UTF-8. A lone surrogate becomes U+FFFD; JSON would escape and preserve it. */
export function encodeUtf8(text: string): Uint8Array {
  return strToU8(text);
}
