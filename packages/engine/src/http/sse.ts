/** Reads framed streams from bytes: server-sent events, and lines of JSON. Pure; no I/O, no clock. */

/** One event of a stream. */
export interface WireEvent {
  /** Empty when the stream did not name it. */
  readonly event: string;
  readonly data: string;
  /** The stream ended inside this event, so its data may be cut. */
  readonly cut?: true;
}

/** Cuts bytes into events. Throws {@link EventTooLarge} past the limit. */
export interface Framing {
  push(chunk: Uint8Array): readonly WireEvent[];
  /** What is left when the stream is over. */
  end(): readonly WireEvent[];
}

/** An event grew past its limit. */
export class EventTooLarge extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`One event of the stream is larger than ${limit} bytes.`);
    this.name = 'EventTooLarge';
    this.limit = limit;
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts bytes into lines at line feeds alone: U+2028 and a lone carriage return are data, and a character may come in two
 * chunks. Each byte is looked at once, so a line in a million pieces costs no more than one in a single piece.
 */
function createLines(limit: number, onLine: (line: string) => void) {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let first = true;
  // The BOM is taken off by hand: the decoder would take one off every line. What is no UTF-8 becomes U+FFFD.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const add = (piece: Uint8Array) => {
    if (piece.length === 0) return;
    size += piece.length;
    if (size > limit) throw new EventTooLarge(limit);
    pieces.push(piece);
  };
  const take = () => {
    const [only] = pieces;
    const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, size);
    const whole = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
    let line = decoder.decode(whole);
    if (first && line.startsWith('\ufeff')) line = line.slice(1);
    first = false;
    pieces = [];
    size = 0;
    return line;
  };
  return {
    push(chunk: Uint8Array) {
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        add(chunk.subarray(from, at));
        onLine(take());
        from = at + 1;
      }
      // Copied: a reader may hand out the same buffer again.
      if (from < chunk.length) add(chunk.slice(from));
    },
    /** The line that no line feed ended; null if there is none. */
    rest: () => (size === 0 ? null : take()),
  };
}

/** Events that lines were made into, given out as they come; `onRest` is told what stands after the last line feed. */
function framing(
  lines: ReturnType<typeof createLines>,
  out: WireEvent[],
  onRest: (rest: string | null) => void,
): Framing {
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

/** Server-sent events: comments dropped, several data lines joined, names kept; `limit` bytes an event at most. */
export function sseFraming(limit: number): Framing {
  const out: WireEvent[] = [];
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
    if (size > limit) throw new EventTooLarge(limit);
    data.push(value);
  };
  const lines = createLines(limit, onLine);
  return framing(lines, out, (rest) => {
    if (rest !== null) onLine(rest);
    dispatch(true);
  });
}

/** One JSON text a line; blank lines are dropped. */
export function lineFraming(limit: number): Framing {
  const out: WireEvent[] = [];
  const lines = createLines(limit, (line) => {
    if (line.trim() !== '') out.push({ event: '', data: line });
  });
  return framing(lines, out, (rest) => {
    if (rest !== null && rest.trim() !== '') out.push({ event: '', data: rest, cut: true });
  });
}
