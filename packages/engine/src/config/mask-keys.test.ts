import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKeyFilter, isMaskable, keyMask, maskableKeys, replaceKeys, replaceKeysIn } from './mask-keys.ts';

const key = 'sk-test-0123456789abcdef';

describe('keys', () => {
  test('[G37] of 16 characters and more are replaced by a mask with their last four; plain words are not', () => {
    expect(replaceKeys(`Your key is ${key}.`, maskableKeys([key]))).toBe('Your key is [key …cdef].');
    for (const plain of ['short-key', 'internationalisation', 'Internationalisation', 'correct horse battery'])
      expect([plain, isMaskable(plain)]).toEqual([plain, false]);
    for (const real of [key, 'abcdefgh-ijklmnop', 'AbCdEfGhIjKlMnOpQr', 'a'.repeat(40)])
      expect([real, isMaskable(real)]).toEqual([real, true]);
  });

  test('[G37] of which one begins with another leave nothing of the longer one', () => {
    const longer = `${key}-and-more`;
    expect(replaceKeys(`${longer} ${key}`, maskableKeys([key, longer]))).toBe('[key …more] [key …cdef]');
  });

  test('[G37] are replaced in values however JSON spells them', () => {
    const odd = 'key/with"quotes-0123456789';
    const text = `{"a":"${odd.replaceAll('/', '\\/').replaceAll('"', '\\"')}","b":"\\u0073k-test-0123456789abcdef"}`;
    expect(replaceKeys(text, maskableKeys([odd, key]))).toBe('{"a":"[key …6789]","b":"[key …cdef]"}');
    expect(replaceKeysIn({ a: [odd, 1, null] }, maskableKeys([odd]))).toEqual({ a: ['[key …6789]', 1, null] });
    const same = { a: 1 };
    expect(replaceKeysIn(same, maskableKeys([key]))).toBe(same);
  });

  test('[G38] that are cut between pieces are replaced, wherever they are cut, and all other text is passed on', () => {
    const word = fc.constantFrom('sk-', 'sk-test-', 'a tree ', key, key.slice(0, 20), 's', '-', '…');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.array(fc.nat(12), { minLength: 1 }), (words, cuts) => {
        const text = words.join('');
        const filter = createKeyFilter([key]);
        let out = '';
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const length = 1 + (cuts[turn % cuts.length] ?? 0);
          out += filter.push(text.slice(at, at + length));
          at += length;
        }
        out += filter.end();
        expect(out).toBe(text.replaceAll(key, keyMask(key)));
      }),
    );
  });

  test('[G38] that cannot begin in a piece hold nothing of it back', () => {
    const filter = createKeyFilter([key]);
    expect(filter.push('A tree.')).toBe('A tree.');
    expect(filter.push(' Ash')).toBe(' Ash');
    expect(filter.push('s')).toBe('');
    expect(filter.push('o')).toBe('so');
    expect(createKeyFilter([]).push('sk')).toBe('sk');
  });
});
