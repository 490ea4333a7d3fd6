// Scans JSON bytes without parsing: finds the end of a value and counts its members.

/** The bytes of JSON punctuation. */
export const quoteByte = 0x22;
export const backslashByte = 0x5c;
export const commaByte = 0x2c;
export const colonByte = 0x3a;
export const openBraceByte = 0x7b;
export const openBracketByte = 0x5b;
export const closeBraceByte = 0x7d;
export const closeBracketByte = 0x5d;

/** Whether a byte is white space between values. */
export function isJsonSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The kind of a value by its first byte. */
export type JsonValueKind = 'string' | 'scalar' | 'container';

/** Where a scan ended, and what it found. */
interface Scan {
  readonly at: number;
  readonly depth: number;
  /** The number of members that start in the scanned bytes. */
  readonly members: number;
  /** Whether the value ends in the scanned bytes. */
  readonly ended: boolean;
  /** Whether a string starts that continues after the chunk. */
  readonly open: boolean;
}

/**
 * Scans a value from a position outside strings. Uses only local variables, because it visits every byte of every file.
 */
export function scanJsonValue(chunk: Uint8Array, start: number, above: number, kind: JsonValueKind): Scan {
  let at = start;
  let depth = above;
  let members = 0;
  let ended = false;
  let open = false;
  while (!ended && at < chunk.length) {
    const byte = chunk[at];
    if (byte === quoteByte) {
      const close = stringClose(chunk, at + 1);
      at = close === -1 ? at + 1 : close + 1;
      if (close === -1) {
        open = true;
        break;
      }
      ended = kind === 'string';
    } else if (byte === openBraceByte || byte === openBracketByte) {
      depth++;
      at++;
    } else if (byte === closeBraceByte || byte === closeBracketByte) {
      if (kind === 'scalar') ended = true;
      else {
        depth--;
        at++;
        ended = depth === 0;
      }
    } else if (kind === 'scalar' && (byte === commaByte || isJsonSpace(byte ?? 0))) {
      ended = true;
    } else {
      if (byte === colonByte) members++;
      at++;
    }
  }
  return { at, depth, members, ended, open };
}

/**
 * Returns the index of the closing quote of a string in a chunk; -1 if the string continues after the chunk. Short
 * strings are read byte by byte, long ones are searched.
 */
function stringClose(chunk: Uint8Array, start: number): number {
  const near = Math.min(chunk.length, start + 32);
  for (let at = start; at < near; at++) {
    const byte = chunk[at];
    if (byte === quoteByte) return at;
    if (byte === backslashByte) at++;
  }
  let from = near;
  // The loop may have stopped inside an escape sequence.
  let escapes = 0;
  for (let at = near - 1; at >= start && chunk[at] === backslashByte; at--) escapes++;
  if (escapes % 2 === 1) from++;
  for (let close = chunk.indexOf(quoteByte, from); close !== -1; close = chunk.indexOf(quoteByte, close + 1)) {
    let before = 0;
    for (let at = close - 1; at >= start && chunk[at] === backslashByte; at--) before++;
    if (before % 2 === 0) return close;
  }
  return -1;
}
