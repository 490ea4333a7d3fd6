import type { Json } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryObject } from '../testing/arbitraries.ts';
import { joinBytes } from './bytes.ts';
import { decodeUtf8, encodeUtf8 } from './decode.ts';
import { parseForeignJson } from './foreign-json.ts';
import { isJsonLinesFile, readAllBytes, readFirstBytes, wrapBytesAsFile, wrapStreamAsFile } from './input.ts';
import { splitLines } from './lines.ts';
import { parsePartialJson } from './partial-json.ts';
import { type JsonPathPattern, JsonSplitter } from './split-json.ts';

function split(text: string, patterns: readonly JsonPathPattern[], piece = 1 << 20) {
  const bytes = encodeUtf8(text);
  const splitter = new JsonSplitter(patterns);
  const found: { readonly path: string; readonly value: Json }[] = [];
  const take = (pieces: ReturnType<JsonSplitter['push']>) => {
    for (const one of pieces) found.push({ path: one.path.join('.'), value: JSON.parse(decodeUtf8(one.bytes).text) });
  };
  for (let at = 0; at < bytes.length; at += piece) take(splitter.push(bytes.slice(at, at + piece)));
  const { pieces, remainder } = splitter.end();
  take(pieces);
  return { found, rest: decodeUtf8(remainder.bytes).text, remainder };
}

describe('a large document', () => {
  it('[I49] reads the remaining fields completely, however large, in one run of bytes', () => {
    const value = {
      before: 'x'.repeat(300),
      list: Array.from({ length: 20_000 }, (_, at) => at),
      after: 'é'.repeat(500),
    };
    const { found, rest, remainder } = split(JSON.stringify(value), [['list', '*']], 977);
    expect(found.length).toBe(20_000);
    expect(JSON.parse(rest)).toEqual({ ...value, list: value.list.map(() => null) });
    expect(remainder.members).toBe(3);
  });

  it('[I49] is split where a pattern matches, and the rest has null in place of the pieces', () => {
    const value = { a: 1, list: [{ x: '}' }, [2], 'three', 4, null], 'kéy"': { m: { p: 1, q: [1] } }, end: true };
    const { found, rest } = split(JSON.stringify(value), [
      ['list', '*'],
      ['kéy"', 'm', '{}'],
    ]);
    expect(found).toEqual([
      { path: 'list.0', value: { x: '}' } },
      { path: 'list.1', value: [2] },
      { path: 'list.2', value: 'three' },
      { path: 'list.3', value: 4 },
      { path: 'list.4', value: null },
      { path: 'kéy".m.p', value: 1 },
      { path: 'kéy".m.q', value: [1] },
    ]);
    expect(JSON.parse(rest)).toEqual({
      ...value,
      list: [null, null, null, null, null],
      'kéy"': { m: { p: null, q: null } },
    });
  });

  it('[I49] is split the same whatever its chunks, its white space and its strings', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryObject, { maxLength: 5 }),
        fc.integer({ min: 1, max: 40 }),
        fc.nat(3),
        (list, piece, indent) => {
          const text = JSON.stringify({ list, after: 1 }, null, indent);
          const { found, rest, remainder } = split(text, [['list', '*']], piece);
          expect(found.map((one) => one.value)).toEqual(list);
          expect(JSON.parse(rest)).toEqual({ list: list.map(() => null), after: 1 });
          expect(remainder.complete).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('[I50] is reported if it is truncated or has trailing content', () => {
    expect(split('[1,2', [['*']]).remainder.complete).toBe(false);
    expect(split('[{"a":"b', [['*']]).remainder.complete).toBe(false);
    expect(split('', [['*']]).remainder.complete).toBe(false);
    expect(split('[1] [2]', [['*']]).remainder.trailing).toBe(true);
    expect(split('\ufeff[1] ', [['*']]).remainder).toMatchObject({ complete: true, trailing: false });
  });

  it('[I50] with a record past the limit is refused', () => {
    const splitter = new JsonSplitter([['*']], { pieceBytes: 10 });
    expect(() => splitter.push(encodeUtf8('["0123456789abc"]'))).toThrow(/more than the 10 bytes/);
  });

  it('[I51] reports duplicate keys, rounded numbers and invalid UTF-8, and is still read', () => {
    const codes = (text: string | Uint8Array) =>
      parseForeignJson(typeof text === 'string' ? encodeUtf8(text) : text, 'x').findings.map((one) => one.code);
    expect(codes('{"a":1,"b":{"c":":"}}')).toEqual([]);
    expect(codes('{"a":1,"a":2}')).toEqual(['import/duplicate-key']);
    expect(codes('{"__proto__":1,"a":{"__proto__":2}}')).toEqual([]);
    expect(codes('[9007199254740993]')).toEqual(['import/number-rounded']);
    expect(codes('[1e21, 12.5, -0]')).toEqual([]);
    expect(codes('{"a"')).toEqual(['import/record-unreadable']);
    expect(codes(joinBytes([encodeUtf8('["'), new Uint8Array([0xff]), encodeUtf8('"]')]))).toEqual(['import/bad-text']);
    expect(codes('["\ufffd"]')).toEqual([]);
    expect(parseForeignJson(encodeUtf8('{"a":[1e400,"x"],"__proto__":{"polluted":-1e999}}'), 'x').value).toEqual(
      JSON.parse(`{"a":[${Number.MAX_VALUE},"x"],"__proto__":{"polluted":${-Number.MAX_VALUE}}}`),
    );
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('[I52] is recognised by its beginning', () => {
    const value = { a: [{ b: 'c' }, 2, true], d: null, e: { f: 'g' } };
    const text = JSON.stringify(value);
    expect(parsePartialJson(text)).toEqual(value);
    expect(parsePartialJson('{"a":[{"b":"c"},2,tr')).toEqual({ a: [{ b: 'c' }, 2] });
    expect(parsePartialJson('{"a":[{"b":"c"},12')).toEqual({ a: [{ b: 'c' }] });
    expect(parsePartialJson('{"a":"cut o')).toEqual({});
    expect(parsePartialJson('hello')).toBeUndefined();
    expect(parsePartialJson('')).toBeUndefined();
    for (let end = 0; end <= text.length; end++) expect(() => parsePartialJson(text.slice(0, end))).not.toThrow();
  });
});

describe('a file of lines', () => {
  async function lines(text: string, piece = 3) {
    const found: string[] = [];
    for await (const line of splitLines(wrapBytesAsFile('f', encodeUtf8(text), piece).stream()))
      found.push(`${line.number}@${line.offset}${line.ended ? '' : '!'} ${decodeUtf8(line.bytes).text}`);
    return found;
  }

  it('[I53] is split at line feeds only; blank lines are skipped and still counted', async () => {
    expect(await lines('a\n\nb\rc\u2028d\r\n  \ne')).toEqual(['1@0 a', '3@3 b\rc\u2028d\r', '5@15! e']);
    expect(await lines('\ufeffa\n')).toEqual(['1@0 a']);
    expect(await lines('')).toEqual([]);
  });

  it('[I53] is distinguished from a document by its beginning', async () => {
    const is = (text: string) => isJsonLinesFile(wrapBytesAsFile('f', encodeUtf8(text)));
    expect(await is('{"a":1}\n{"b":2}\n')).toBe(true);
    expect(await is('{"a":1}\n')).toBe(false);
    expect(await is('{\n "a": 1\n}\n')).toBe(false);
    expect(await is(`{"a":1}\n{"b":"${'x'.repeat(100_000)}"}`)).toBe(true);
    const long = `{"b":"${'x'.repeat(100_000)}"}`;
    expect(await is(`${long}\r\n\n${long}`)).toBe(true);
    expect(await is(`${long}\n`)).toBe(false);
    expect(await is(long)).toBe(false);
    expect(await is(`{"b":"${'x'.repeat(100_000)}","c":[\n{}]}`)).toBe(false);
  });

  it('[I53] is distinguished from a document in a pipe too, and is then read from its beginning', async () => {
    const long = `{"b":"${'x'.repeat(100_000)}"}`;
    const through = (text: string, piece: number) =>
      wrapStreamAsFile('pipe', wrapBytesAsFile('f', encodeUtf8(text), piece).stream());
    for (const piece of [7_000, 1 << 20]) {
      for (const [text, lines] of [
        [`${long}\n${long}\n${long}`, true],
        [`${long}\n \n`, false],
        [long, false],
      ] as const) {
        const file = await through(text, piece);
        expect(await isJsonLinesFile(file)).toBe(lines);
        expect(decodeUtf8(await readAllBytes(file)).text).toBe(text);
      }
    }
  });
});

describe('a stream that reuses its buffer', () => {
  /** Reuses one buffer for all chunks, as a file reader may. */
  async function* reused(text: string, size = 5): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    const buffer = Buffer.alloc(size);
    for (let at = 0; at < bytes.length; at += size) {
      const count = bytes.copy(buffer, 0, at);
      yield buffer.subarray(0, count);
      buffer.fill(0x21);
    }
  }
  const text = JSON.stringify({ list: ['one', 'two', { three: 'and some more' }], after: 'the list' });
  const file = { name: 'f', size: null, stream: () => reused(text) };

  it('[I29] is read like one that does not', async () => {
    const splitter = new JsonSplitter([['list', '*']]);
    const found: Json[] = [];
    for await (const chunk of file.stream())
      for (const piece of splitter.push(chunk)) found.push(JSON.parse(decodeUtf8(piece.bytes).text));
    expect(found).toEqual(['one', 'two', { three: 'and some more' }]);
    expect(decodeUtf8(splitter.end().remainder.bytes).text).toBe('{"list":[null,null,null],"after":"the list"}');
    expect(decodeUtf8(await readAllBytes(file)).text).toBe(text);
    expect(decodeUtf8((await readFirstBytes(file)).head).text).toBe(text);
    const lines: string[] = [];
    for await (const line of splitLines(reused('first line\nsecond line\nthird')))
      lines.push(decodeUtf8(line.bytes).text);
    expect(lines).toEqual(['first line', 'second line', 'third']);
    const piped = await wrapStreamAsFile('-', reused('x'.repeat(70_000), 1000));
    expect(decodeUtf8(await readAllBytes(piped)).text).toBe('x'.repeat(70_000));
  });
});

describe('a pipe', () => {
  it('[I54] can be detected and then read, once', async () => {
    async function* bytes() {
      for (let count = 0; count < 300; count++) yield encodeUtf8(`${'x'.repeat(999)}\n`);
    }
    const file = await wrapStreamAsFile('-', bytes());
    expect((await readFirstBytes(file)).head.length).toBe(65_536);
    const read = async () => {
      let size = 0;
      for await (const piece of file.stream()) size += piece.length;
      return size;
    };
    expect(await read()).toBe(300_000);
    await expect(read()).rejects.toMatchObject({ code: 'import/unreadable' });
  });
});
