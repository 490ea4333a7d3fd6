// Bytes of JSON, looked through without being parsed: where a value ends, and how many members it has.

/** A quotation mark, as a byte. */
export const quote = 0x22;
/** A backslash. */
export const backslash = 0x5c;
/** A comma. */
export const comma = 0x2c;
/** A colon. */
export const colon = 0x3a;
/** What an object begins with. */
export const openBrace = 0x7b;
/** What a list begins with. */
export const openBracket = 0x5b;
/** What an object ends with. */
export const closeBrace = 0x7d;
/** What a list ends with. */
export const closeBracket = 0x5d;

/** Whether a byte is white space between values. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** What a value is, by its first byte. */
export type ValueKind = 'string' | 'scalar' | 'container';

/** How far a value was looked through. */
interface Scan {
  readonly at: number;
  readonly depth: number;
  /** How many members began. */
  readonly members: number;
  /** Whether the value ended there. */
  readonly ended: boolean;
  /** Whether a string began there that goes on beyond the chunk. */
  readonly open: boolean;
}

/** Looks through a value from a place outside strings on. All in local variables: this looks at every byte of every file. */
export function valueScan(chunk: Uint8Array, start: number, above: number, kind: ValueKind): Scan {
  let at = start;
  let depth = above;
  let members = 0;
  let ended = false;
  let open = false;
  while (!ended && at < chunk.length) {
    const byte = chunk[at];
    if (byte === quote) {
      const close = stringClose(chunk, at + 1);
      at = close === -1 ? at + 1 : close + 1;
      if (close === -1) {
        open = true;
        break;
      }
      ended = kind === 'string';
    } else if (byte === openBrace || byte === openBracket) {
      depth++;
      at++;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (kind === 'scalar') ended = true;
      else {
        depth--;
        at++;
        ended = depth === 0;
      }
    } else if (kind === 'scalar' && (byte === comma || isSpace(byte ?? 0))) {
      ended = true;
    } else {
      if (byte === colon) members++;
      at++;
    }
  }
  return { at, depth, members, ended, open };
}

/** The closing quote of a string inside a chunk; -1 where it goes on beyond. Short strings are walked, long ones searched. */
function stringClose(chunk: Uint8Array, start: number): number {
  const near = Math.min(chunk.length, start + 32);
  for (let at = start; at < near; at++) {
    const byte = chunk[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  let from = near;
  // The walk may have ended inside an escape.
  let escapes = 0;
  for (let at = near - 1; at >= start && chunk[at] === backslash; at--) escapes++;
  if (escapes % 2 === 1) from++;
  for (let close = chunk.indexOf(quote, from); close !== -1; close = chunk.indexOf(quote, close + 1)) {
    let before = 0;
    for (let at = close - 1; at >= start && chunk[at] === backslash; at--) before++;
    if (before % 2 === 0) return close;
  }
  return -1;
}
