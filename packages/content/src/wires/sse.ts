/** Splits a byte stream into server-sent events or JSON lines. Pure; no I/O, no clock. */

import type { Json } from '@coppice/core';
import { parseFiniteJson } from '../finite-json.ts';
import { copyBytes, joinBytes } from '../formats/bytes.ts';
import { decodeUtf8 } from '../formats/decode.ts';

/** One event of a stream, not parsed yet. */
export interface RawStreamEvent {
  /** The name of the event; empty if the stream gave no name. */
  readonly event: string;
  readonly data: string;
  /** Whether the stream ended inside this event, so that its data may be incomplete. */
  readonly cut?: true;
}

/** Splits bytes into events. Throws {@link EventTooLargeError} beyond the limit. */
export interface StreamEventSplitter {
  push(chunk: Uint8Array): readonly RawStreamEvent[];
  /** Returns the remaining events at the end of the stream. */
  end(): readonly RawStreamEvent[];
}

/** Thrown if an event exceeds its size limit. */
export class EventTooLargeError extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`One event of the stream is larger than ${limit} bytes.`);
    this.name = 'EventTooLargeError';
    this.limit = limit;
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The accepted line ends: only LF and CR LF, or also CR alone. */
type LineEnds = 'line-feed' | 'any';

/**
 * Splits bytes into lines. U+2028 is data, and a character may be divided between chunks. Each byte is examined once,
 * so that a line in a million pieces costs no more than a line in one piece.
 */
function createLines(limit: number, ends: LineEnds, onLine: (line: string) => void) {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let first = true;
  // Whether the last byte was a CR that ended a line. An LF after it belongs to the same line end.
  let afterReturn = false;
  const add = (piece: Uint8Array) => {
    if (piece.length === 0) return;
    size += piece.length;
    if (size > limit) throw new EventTooLargeError(limit);
    pieces.push(piece);
  };
  const take = () => {
    const bytes = joinBytes(pieces);
    const whole = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
    let line = decodeLine(whole);
    if (first && line.startsWith('\ufeff')) line = line.slice(1);
    first = false;
    pieces = [];
    size = 0;
    return line;
  };
  return {
    push(chunk: Uint8Array) {
      let from = afterReturn && chunk[0] === lineFeed ? 1 : 0;
      if (chunk.length > 0) afterReturn = false;
      let feed = chunk.indexOf(lineFeed, from);
      let back = ends === 'any' ? chunk.indexOf(carriageReturn, from) : -1;
      while (feed !== -1 || back !== -1) {
        const at = feed === -1 || (back !== -1 && back < feed) ? back : feed;
        add(chunk.subarray(from, at));
        onLine(take());
        const isPair = at === back && chunk[at + 1] === lineFeed;
        afterReturn = at === back && at + 1 === chunk.length;
        from = at + (isPair ? 2 : 1);
        if (feed !== -1 && feed < from) feed = chunk.indexOf(lineFeed, from);
        if (back !== -1 && back < from) back = chunk.indexOf(carriageReturn, from);
      }
      // The bytes are copied, because a reader may reuse its buffer.
      if (from < chunk.length) add(copyBytes(chunk, from));
    },
    /** Returns the unterminated last line; null if the stream ended with a line end. */
    rest: () => (size === 0 ? null : take()),
  };
}

/** Decodes a line. A byte order mark inside the stream is kept, although the decoder would remove it. */
function decodeLine(bytes: Uint8Array): string {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return isMarked ? `\ufeff${decodeLine(bytes.subarray(3))}` : decodeUtf8(bytes).text;
}

/** Builds a splitter from lines. `onRest` gets the text after the last line end. */
function createFraming(
  lines: ReturnType<typeof createLines>,
  out: RawStreamEvent[],
  onRest: (rest: string | null) => void,
): StreamEventSplitter {
  return {
    push(chunk) {
      lines.push(chunk);
      return out.splice(0);
    },
    end() {
      onRest(lines.rest());
      return out.splice(0);
    },
  };
}

/**
 * Creates a splitter for server-sent events. By the standard, lines end with LF, CR LF or CR, comments are dropped, and
 * data lines are joined. An event may have at most `limit` bytes.
 */
export function createSseSplitter(limit: number): StreamEventSplitter {
  const out: RawStreamEvent[] = [];
  let name = '';
  let data: string[] = [];
  let size = 0;
  const dispatch = (cut: boolean) => {
    if (data.length > 0) out.push({ event: name, data: data.join('\n'), ...(cut ? { cut: true } : {}) });
    name = '';
    data = [];
    size = 0;
  };
  const onLine = (line: string) => {
    if (line === '') {
      dispatch(false);
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') name = value;
    if (field !== 'data') return;
    size += value.length;
    if (size > limit) throw new EventTooLargeError(limit);
    data.push(value);
  };
  const lines = createLines(limit, 'any', onLine);
  return createFraming(lines, out, (rest) => {
    if (rest !== null) onLine(rest);
    dispatch(true);
  });
}

/** Creates a splitter for one JSON text per line; blank lines are dropped. */
export function createLineSplitter(limit: number): StreamEventSplitter {
  const out: RawStreamEvent[] = [];
  const lines = createLines(limit, 'line-feed', (line) => {
    if (line.trim() !== '') out.push({ event: '', data: line });
  });
  return createFraming(lines, out, (rest) => {
    if (rest !== null && rest.trim() !== '') out.push({ event: '', data: rest, cut: true });
  });
}

/** Splits a complete stream into its events. */
export function readSse(bytes: Uint8Array): readonly RawStreamEvent[] {
  const framing = createSseSplitter(Number.POSITIVE_INFINITY);
  return [...framing.push(bytes), ...framing.end()];
}

/**
 * Parses the data of an event: one JSON value, or one value per line in a log without blank lines. Returns nothing for
 * other data.
 */
export function parseEventData(
  { data }: RawStreamEvent,
  parse: (text: string) => Json | undefined = parseOrNone,
): readonly Json[] {
  const whole = parse(data);
  if (whole !== undefined) return [whole];
  return data.includes('\n')
    ? data
        .split('\n')
        .map(parse)
        .filter((value) => value !== undefined)
    : [];
}

/** Returns undefined for `[DONE]`, and for a last event that was cut off. */
function parseOrNone(text: string): Json | undefined {
  try {
    return parseFiniteJson(text);
  } catch {
    return undefined;
  }
}
