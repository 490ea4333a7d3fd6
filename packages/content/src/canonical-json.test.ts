import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { arbitraryObject, reverseKeys } from './testing/arbitraries.ts';

describe('canonical JSON', () => {
  it('[C43] sorts keys by UTF-16 code unit, at every level', () => {
    expect(canonicalJson({ b: 1, a: { d: [{ z: 1, y: 2 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}',
    );
    expect(canonicalJson({ '\uffff': 1, '🌳': 2, é: 3, Z: 4, a: 5, 10: 6, 9: 7 })).toBe(
      '{"10":6,"9":7,"Z":4,"a":5,"é":3,"🌳":2,"\uffff":1}',
    );
  });

  it('[C43] does not depend on the order of keys in the input', () => {
    fc.assert(
      fc.property(arbitraryObject, (value) => {
        expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('[C43] parses to the same data', () => {
    fc.assert(
      fc.property(arbitraryObject, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('[C44] writes -0 as 0, lone surrogates as escapes, and leaves out undefined members', () => {
    expect(canonicalJson([-0, 1e21, 1e-7, 0.1])).toBe('[0,1e+21,1e-7,0.1]');
    expect(canonicalJson('\ud800\u0000\u2028')).toBe('"\\ud800\\u0000\u2028"');
    expect(canonicalJson({ b: undefined, a: [] })).toBe('{"a":[]}');
    expect([canonicalJson(null), canonicalJson(true), canonicalJson({}), canonicalJson([])]).toEqual([
      'null',
      'true',
      '{}',
      '[]',
    ]);
  });

  it('[C44] refuses values that are not JSON', () => {
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY, undefined, 1n, () => 1, new Date(0), new Map()]) {
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: 'message/invalid' }));
      expect(() => canonicalJson({ list: [value] })).toThrow(expect.objectContaining({ code: 'message/invalid' }));
    }
  });

  it('[C45] writes 50,000 levels and refuses a value that contains itself', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    expect(canonicalJson(deep)).toBe(`${'{"a":['.repeat(25_000)}1${']}'.repeat(25_000)}`);
    const loop: unknown[] = [];
    loop.push(loop);
    expect(() => canonicalJson(loop)).toThrow(/contains itself/);
  });
});
