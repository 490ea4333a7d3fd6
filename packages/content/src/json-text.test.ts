import { unwrapResult } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json-text.ts';
import { arbitraryObject, arbitraryText } from './testing/arbitraries.ts';

function reasonFor(text: string): string {
  const result = parseJson(text, 'line 3');
  if (result.ok) expect.fail(`${text.slice(0, 100)} was read`);
  expect(result.refusal.code).toBe('message/invalid');
  return result.refusal.message;
}

describe('reading JSON text', () => {
  it('[C14] refuses text that is not JSON', () => {
    for (const text of [
      '',
      '{',
      '[1,]',
      '{"a" 1}',
      '"a',
      '"\\x"',
      '{"\\x":1}',
      '01',
      'undefined',
      '"a\nb"',
      '\ufeff1',
    ]) {
      expect(reasonFor(text)).toMatch(/^line 3 is not JSON: /);
    }
  });

  it('[C14] accepts and refuses the same texts as JSON.parse, except for duplicate keys and rounded numbers', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryText, fc.string({ unit: fc.constantFrom(...'{}[]",:\\1e-. a') })), (text) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(parseJson(text).ok).toBe(false);
          return;
        }
        const result = parseJson(text);
        if (result.ok) expect(result.value).toEqual(expected);
        else expect(result.refusal.message).toMatch(/twice|too large|whole number/);
      }),
      { numRuns: 2000 },
    );
  });

  it('[C14] refuses an object with a duplicate key, however it is escaped', () => {
    expect(reasonFor('{"a":1,"b":2,"a":1}')).toBe('line 3 has the key "a" twice in one object.');
    expect(reasonFor('{"a":1,"\\u0061":2}')).toContain('the key "a" twice');
    expect(reasonFor('[{"x":[{"__proto__":1,"__proto__":2}]}]')).toContain('the key "__proto__" twice');
    expect(reasonFor('{"":1,"":2}')).toContain('the key "" twice');
    expect(reasonFor('{"a\\"":1,"a\\"":2}')).toContain('twice');
    for (const text of [
      '{"a":{"a":1}}',
      '[{"a":1},{"a":2}]',
      '{"a":"a","b":["a","a"]}',
      '{"a\\\\":1,"a":2}',
      '{"a":[],"b":{}}',
    ]) {
      expect(unwrapResult(parseJson(text))).toEqual(JSON.parse(text));
    }
  });

  it('[C15] refuses a number past the range of a double', () => {
    for (const text of ['1e400', '-1e400', '9e308', `1${'0'.repeat(309)}`, '[0,{"a":1E999}]']) {
      expect(reasonFor(text)).toContain('too large');
    }
    expect(unwrapResult(parseJson('[1e308,-1.7976931348623157e308]'))).toEqual([1e308, -1.7976931348623157e308]);
  });

  it('[C15] refuses an integer that would be written back with other digits', () => {
    expect(reasonFor('{"id":1234567890123456789}')).toBe(
      'line 3 has the whole number 1234567890123456789, which would come back as 1234567890123456800; send it as a string.',
    );
    for (const text of ['9007199254740993', '-9007199254740993', '18446744073709551616']) reasonFor(text);
    for (const text of ['9007199254740992', '-9007199254740991', `1${'0'.repeat(22)}`, '123456789012345680000']) {
      expect(unwrapResult(parseJson(text))).toBe(Number(text));
    }
  });

  it('[C15] accepts every number that JavaScript writes', () => {
    const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger(), fc.integer());
    fc.assert(
      fc.property(number, (value) => {
        expect(unwrapResult(parseJson(JSON.stringify(value)))).toBe(value === 0 ? 0 : value);
      }),
      { numRuns: 2000 },
    );
  });

  it('[C16] writes text from JSON.stringify back to the same bytes', () => {
    fc.assert(
      fc.property(arbitraryObject, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(unwrapResult(parseJson(text)))).toBe(text);
        expect(JSON.stringify(unwrapResult(parseJson(JSON.stringify(value, null, 2))))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('[C8] refuses 100,000 levels before it builds them, complete or truncated', () => {
    expect(reasonFor('['.repeat(100_000))).toBe('line 3 nests deeper than 200 levels.');
    expect(reasonFor(`${'{"a":'.repeat(201)}1${'}'.repeat(201)}`)).toBe('line 3 nests deeper than 200 levels.');
    expect(parseJson(`${'['.repeat(200)}${']'.repeat(200)}`).ok).toBe(true);
    expect(parseJson('[[[]]]', 'line 3', 2).ok).toBe(false);
  });
});
