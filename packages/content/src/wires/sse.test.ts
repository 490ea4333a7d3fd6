import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createLineSplitter,
  createSseSplitter,
  EventTooLargeError,
  type RawStreamEvent,
  type StreamEventSplitter,
} from './sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function readAll(framing: StreamEventSplitter, all: Uint8Array, cuts: readonly number[] = []): RawStreamEvent[] {
  const events: RawStreamEvent[] = [];
  let from = 0;
  for (const cut of [...cuts, all.length].sort((a, b) => a - b)) {
    for (const event of framing.push(all.subarray(from, cut))) events.push(event);
    from = cut;
  }
  return [...events, ...framing.end()];
}

const sse = (text: string, limit = 1000) => readAll(createSseSplitter(limit), bytes(text));

describe('server-sent events', () => {
  it('[WR3] end lines at line feeds, carriage returns, and both together', () => {
    expect(sse('data: a\n\ndata: b\r\n\r\n')).toEqual([
      { event: '', data: 'a' },
      { event: '', data: 'b' },
    ]);
    expect(sse('data: a\r\rdata: b\r\rdata: c\n\r\n')).toEqual([
      { event: '', data: 'a' },
      { event: '', data: 'b' },
      { event: '', data: 'c' },
    ]);
    expect(sse('data: a\u2028c\u0085d\n\n')).toEqual([{ event: '', data: 'a\u2028c\u0085d' }]);
  });

  it('[WR3] are the same with every kind of line ending, wherever the bytes are split', () => {
    const text = 'event: x\ndata: {"a":1}\n\n: ping\n\ndata: b\ndata: c\n\ndata: d\n\n';
    const expected = sse(text);
    for (const end of ['\n', '\r\n', '\r']) {
      const all = bytes(text.replaceAll('\n', end));
      for (let cut = 0; cut <= all.length; cut++)
        expect(readAll(createSseSplitter(1000), all, [cut, Math.min(cut + 1, all.length)])).toEqual(expected);
    }
  });

  it('[WR3] join several lines of data, keep the name and drop comments and other fields', () => {
    expect(sse(': hello\nevent: x\nid: 7\nretry: 5\ndata: a\ndata:b\ndata:  c\ndata\n\n')).toEqual([
      { event: 'x', data: 'a\nb\n c\n' },
    ]);
    expect(sse('event: lonely\n\n: only\n\n\n')).toEqual([]);
  });

  it('[WR3] ignore one byte order mark at the beginning and no other', () => {
    expect(sse('\ufeffdata: a\n\ndata: \ufeffb\n\n')).toEqual([
      { event: '', data: 'a' },
      { event: '', data: '\ufeffb' },
    ]);
  });

  it('[WR3] that end without a blank line are returned and marked as truncated', () => {
    expect(sse('data: a\n\ndata: {"b"')).toEqual([
      { event: '', data: 'a' },
      { event: '', data: '{"b"', cut: true },
    ]);
  });

  it('[WR3] are the same wherever the bytes are split, even inside characters', () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom('\n', '\n\n', '\r\n', '\r', 'data: ', 'event: e\n', ': c\n', '🌳', 'é', '\ufeff'),
        fc.string({ maxLength: 8 }),
      ),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (parts, cuts) => {
        const all = bytes(parts.join(''));
        const inside = cuts.map((cut) => Math.min(cut, all.length));
        expect(readAll(createSseSplitter(10_000), all, inside)).toEqual(readAll(createSseSplitter(10_000), all));
      }),
    );
  });

  it('[WR1] that are invalid UTF-8 are read with a replacement character', () => {
    const bad = Uint8Array.from([...bytes('data: a'), 0x80, 0xe2, ...bytes('b\n\ndata: c\n\n')]);
    expect(readAll(createSseSplitter(100), bad)).toEqual([
      { event: '', data: 'a\ufffd\ufffdb' },
      { event: '', data: 'c' },
    ]);
  });

  it('[WR2] are refused past the size limit, in one line or in many, and accepted below it', () => {
    expect(() => sse(`data: ${'x'.repeat(95)}\n\n`, 100)).toThrow(EventTooLargeError);
    expect(() => sse('data: 0123456789\n'.repeat(11), 100)).toThrow(EventTooLargeError);
    expect(sse(`data: ${'x'.repeat(94)}\n\n`, 100)).toHaveLength(1);
    expect(sse('data: 0123456789\n\n'.repeat(50), 100)).toHaveLength(50);
  });

  it('[WR2] in very many pieces cost no more than in one', () => {
    const framing = createSseSplitter(10_000_000);
    const piece = bytes('x');
    framing.push(bytes('data: '));
    for (let count = 0; count < 200_000; count++) framing.push(piece);
    expect(framing.push(bytes('\n\n'))[0]?.data.length).toBe(200_000);
  });
});

describe('lines of JSON', () => {
  it('[WR3] are one event each; blank lines are skipped, and the last may be truncated', () => {
    expect(readAll(createLineSplitter(100), bytes('{"a":1}\r\n\n{"b":"\u2028"}\n{"c'))).toEqual([
      { event: '', data: '{"a":1}' },
      { event: '', data: '{"b":"\u2028"}' },
      { event: '', data: '{"c', cut: true },
    ]);
  });
});
