import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createKeyMasker,
  isMaskableKey,
  makeKeyMask,
  maskKeys,
  maskKeysInJson,
  maskPartialKey,
  selectMaskableKeys,
} from './mask-keys.ts';

const key = 'sk-test-0123456789abcdef';

/** Returns the output of a filter for a text that arrives in pieces. */
function filtered(text: string, keys: readonly string[], cuts: readonly number[]): string {
  const filter = createKeyMasker(keys);
  let out = '';
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = 1 + (cuts[turn % cuts.length] ?? 0);
    out += filter.push(text.slice(at, at + length));
    at += length;
  }
  return out + filter.end();
}

describe('keys', () => {
  test('[G37] of 16 characters and more are replaced by a mask with their last four; plain words are not', () => {
    expect(maskKeys(`Your key is ${key}.`, selectMaskableKeys([key]))).toBe('Your key is [key …cdef].');
    for (const plain of ['short-key', 'internationalisation', 'Internationalisation', 'correct horse battery'])
      expect([plain, isMaskableKey(plain)]).toEqual([plain, false]);
    for (const real of [key, 'abcdefgh-ijklmnop', 'AbCdEfGhIjKlMnOpQr', 'a'.repeat(40)])
      expect([real, isMaskableKey(real)]).toEqual([real, true]);
  });

  test('[G37] of which one is the beginning of another leave no part of the longer one', () => {
    const longer = `${key}-and-more`;
    expect(maskKeys(`${longer} ${key}`, selectMaskableKeys([key, longer]))).toBe('[key …more] [key …cdef]');
  });

  test('[G37] are replaced in values however JSON escapes them', () => {
    const odd = 'key/with"quotes-0123456789';
    const text = `{"a":"${odd.replaceAll('/', '\\/').replaceAll('"', '\\"')}","b":"\\u0073k-test-0123456789abcdef"}`;
    expect(maskKeys(text, selectMaskableKeys([odd, key]))).toBe('{"a":"[key …6789]","b":"[key …cdef]"}');
    expect(maskKeysInJson({ a: [odd, 1, null] }, selectMaskableKeys([odd]))).toEqual({
      a: ['[key …6789]', 1, null],
    });
    const same = { a: 1 };
    expect(maskKeysInJson(same, selectMaskableKeys([key]))).toBe(same);
  });

  test('[G38] that are split between chunks are replaced wherever they are split, and all other text is passed on', () => {
    const word = fc.constantFrom('sk-', 'sk-test-', 'a tree ', key, key.slice(0, 20), 's', '-', '…');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.array(fc.nat(12), { minLength: 1 }), (words, cuts) => {
        const text = words.join('');
        expect(filtered(text, [key], cuts)).toBe(maskPartialKey(text.replaceAll(key, makeKeyMask(key)), [key]));
      }),
    );
  });

  test('[G38] that JSON escapes are replaced wherever they are split', () => {
    const odd = 'key/with"quotes\\and-0123456789';
    const spelling = fc.tuple(fc.constantFrom(key, odd), fc.infiniteStream(fc.nat(5))).map(([each, draws]) =>
      Array.from(each, (character) => {
        const code = `u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
        const drawn = draws.next().value;
        if (drawn === 0) return `\\${code}`;
        if (drawn === 1) return `\\\\${code.toUpperCase().replace('U', 'u')}`;
        return /["/\\]/.test(character) ? `\\${character}` : character;
      }).join(''),
    );
    const word = fc.oneof(spelling, fc.constantFrom('\\', '\\u00', '\\n', 'u0073', 'a tree ', '"', 's'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.array(fc.nat(12), { minLength: 1 }), (words, cuts) => {
        const text = words.join('');
        const keys = selectMaskableKeys([key, odd]);
        expect(filtered(text, keys, cuts)).toBe(maskPartialKey(maskKeys(text, keys), keys));
      }),
    );
  });

  test('[G38] that are cut off at the end of a text are masked from twelve characters on, or from half of a short key', () => {
    expect(maskPartialKey(`It is ${key.slice(0, 12)}`, [key])).toBe('It is [key …cdef]');
    expect(maskPartialKey(`It is ${key.slice(0, 11)}`, [key])).toBe(`It is ${key.slice(0, 11)}`);
    expect(maskPartialKey('It is \\u0073k-test-0123\\u00', [key])).toBe('It is [key …cdef]');
    expect(maskPartialKey('a1b2c3d4', ['a1b2c3d4e5f6g7h8'])).toBe('[key …g7h8]');
    expect(maskPartialKey(`${key.slice(0, 15)}.`, [key])).toBe(`${key.slice(0, 15)}.`);
  });

  test('[G38] that cannot start in a chunk delay none of it', () => {
    const filter = createKeyMasker([key]);
    expect(filter.push('A tree.')).toBe('A tree.');
    expect(filter.push(' Ash')).toBe(' Ash');
    expect(filter.push('s')).toBe('');
    expect(filter.push('o')).toBe('so');
    expect(createKeyMasker([]).push('sk')).toBe('sk');
  });
});
