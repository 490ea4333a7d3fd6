import fc from 'fast-check';
import { expect, test } from 'vitest';
import { likelySplitPoint, nearestSplitPoint, splitPoints } from './split-points.ts';

test('[B68] a split never leaves a blank half, and every word can be the last of the first half', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const places = splitPoints(text);
      for (const place of places) {
        expect(text.slice(0, place).trim()).not.toBe('');
        expect(text.slice(place).trim()).not.toBe('');
      }
    }),
  );
  expect(splitPoints(' one two  three ')).toEqual([5, 10]);
  expect(splitPoints('alone')).toEqual([]);
  expect(splitPoints('a \u0301b')).toEqual([]);
});

test('[B68] a split is offered at the end of a paragraph, else of a sentence, else in the middle', () => {
  const at = (text: string) => {
    const places = splitPoints(text);
    return text.slice(0, places[likelySplitPoint(text, places)]).trim();
  };
  expect(at('One two.\n\nThree four. Five six.')).toBe('One two.');
  expect(at('One two. Three four five six seven')).toBe('One two.');
  expect(at('one two three four')).toBe('one two');
});

test('[B68] a click finds the nearest split point', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), fc.nat(1000), (found, offset) => {
      const places = found.sort((a, b) => a - b);
      const chosen = places[nearestSplitPoint(places, offset)] ?? Number.NaN;
      const least = Math.min(...places.map((place) => Math.abs(place - offset)));
      expect(Math.abs(chosen - offset)).toBe(least);
    }),
  );
});
