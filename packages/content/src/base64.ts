const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// 64 marks characters that are not base64 digits.
const digits = new Uint8Array(128).fill(64);
for (let value = 0; value < alphabet.length; value++) digits[alphabet.charCodeAt(value)] = value;

function digitAt(text: string, index: number): number {
  return digits[text.charCodeAt(index)] ?? 64;
}

function paddingOf(text: string): number {
  if (text.endsWith('==')) return 2;
  return text.endsWith('=') ? 1 : 0;
}

/**
 * Whether a text is standard base64 with padding and without white space. Uses a loop, because a regular expression
 * over 10 MB could overflow the stack.
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const end = text.length - paddingOf(text);
  for (let index = 0; index < end; index++) if (digitAt(text, index) === 64) return false;
  return true;
}

/** Whether decoding and encoding a base64 text returns the same text: the unused bits before the padding are zero. */
export function isCanonicalBase64(text: string): boolean {
  const padding = paddingOf(text);
  const unused = padding === 2 ? 15 : padding === 1 ? 3 : 0;
  return (digitAt(text, text.length - padding - 1) & unused) === 0;
}

/** Returns the number of bytes that a base64 text encodes, without decoding it. */
export function base64Length(text: string): number {
  return Math.max(0, Math.floor(text.length / 4) * 3 - paddingOf(text));
}

/** Decodes a text. The text must fulfil {@link isBase64}. */
export function fromBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(base64Length(text));
  let at = 0;
  for (let index = 0; index < text.length; index += 4) {
    // Padding is read as 64, whose low six bits are zero. Bytes past the end are not stored.
    const bits =
      (digitAt(text, index) << 18) |
      (digitAt(text, index + 1) << 12) |
      ((digitAt(text, index + 2) & 63) << 6) |
      (digitAt(text, index + 3) & 63);
    bytes[at++] = bits >> 16;
    bytes[at++] = (bits >> 8) & 0xff;
    bytes[at++] = bits & 0xff;
  }
  return bytes;
}

/** Encodes bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += alphabet[bits >> 18] ?? '';
    text += alphabet[(bits >> 12) & 63] ?? '';
    text += at + 1 < bytes.length ? (alphabet[(bits >> 6) & 63] ?? '') : '=';
    text += at + 2 < bytes.length ? (alphabet[bits & 63] ?? '') : '=';
  }
  return text;
}
