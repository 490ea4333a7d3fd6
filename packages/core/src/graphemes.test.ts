import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonPrefixLength, isCharacterBoundary, lastCharacterBoundary, lastSharedBoundary } from './graphemes.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

function boundaries(text: string): Set<number> {
  const found = new Set<number>([0, text.length]);
  for (const { index } of segmenter.segment(text)) found.add(index);
  return found;
}

const family = '👩‍👩‍👧‍👦';
const pieces = fc.constantFrom(
  'a',
  ' ',
  '\n',
  '\r',
  '\r\n',
  'é',
  'e\u0301',
  '\u0301',
  '漢',
  '한',
  '\u1100\u1161',
  '👍🏽',
  family,
  '🇩🇪',
  '🇫',
  '\u200d',
  '\ud83d',
  '\ude00',
  'क्ष',
  '\u0600',
  '\ufe0f',
  '\u00ad',
  '\u00a9\ufe0f',
  '1\u20e3',
);
const texts = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(''));

describe('where a text may be cut', () => {
  test('[P40] no cut splits a surrogate pair, an accented letter, a flag, a family emoji or CR LF', () => {
    for (const whole of ['😀', 'e\u0301', '🇩🇪', family, '\r\n', '👍🏽', '1\u20e3'])
      for (let at = 1; at < whole.length; at++) expect(isCharacterBoundary(`x${whole}y`, at + 1)).toBe(false);
    expect(isCharacterBoundary('ab', 1)).toBe(true);
    expect(isCharacterBoundary('🇩🇪🇫🇷', 4)).toBe(true);
  });

  test('[P40] the ends of the text are boundaries, offsets outside it are not', () => {
    expect([-1, 0, 2, 3].map((at) => isCharacterBoundary('ab', at))).toEqual([false, true, true, false]);
    expect(isCharacterBoundary('', 0)).toBe(true);
  });

  test('[P40] the boundaries are those of the whole text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const expected = boundaries(text);
        for (let at = 0; at <= text.length; at++) expect(isCharacterBoundary(text, at)).toBe(expected.has(at));
      }),
    );
  });

  test('[P40] a boundary in a long run of flags or accents is found without reading the run from its beginning', () => {
    for (const lead of ['', 'x', 'é']) {
      const flags = `${lead}${'🇩🇪'.repeat(150)}`;
      const accents = `${lead}e${'\u0301'.repeat(700)}z`;
      for (const text of [flags, accents]) {
        const expected = boundaries(text);
        for (let at = 0; at <= text.length; at++) expect(isCharacterBoundary(text, at)).toBe(expected.has(at));
      }
    }
  });

  test('[P40] the boundary before an offset is the nearest one', () => {
    fc.assert(
      fc.property(texts, fc.nat(80), (text, offset) => {
        const expected = Math.max(...[...boundaries(text)].filter((at) => at <= Math.min(offset, text.length)));
        expect(lastCharacterBoundary(text, offset)).toBe(expected);
      }),
    );
  });

  test('[P40] a common prefix ends between characters of both texts, and is the longest that does', () => {
    fc.assert(
      fc.property(texts, texts, texts, (start, a, b) => {
        const left = start + a;
        const right = start + b;
        const cut = commonPrefixLength(left, right);
        expect(left.slice(0, cut)).toBe(right.slice(0, cut));
        const both = boundaries(right);
        const shared = [...boundaries(left)].filter((at) => both.has(at) && left.slice(0, at) === right.slice(0, at));
        expect(cut).toBe(Math.max(...shared));
        for (const at of shared) expect(lastSharedBoundary(left, right, at)).toBe(at);
      }),
    );
  });

  test('[P40] two family emoji that start with the same person have no common prefix', () => {
    expect(commonPrefixLength('👩‍👧', '👩‍👦')).toBe(0);
    expect(commonPrefixLength('e', 'e\u0301')).toBe(0);
    expect(commonPrefixLength('same', 'same')).toBe(4);
    expect(lastSharedBoundary('ab', 'ab', -1)).toBe(0);
  });
});
