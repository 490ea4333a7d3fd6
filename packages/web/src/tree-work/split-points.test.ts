import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNearestSplitPoint, findSplitPoints, suggestSplitPoint } from './split-points.ts';

test('[B68] a split never leaves a blank half, and every word can be the last of the first half', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const places = findSplitPoints(text);
      for (const place of places) {
        expect(text.slice(0, place).trim()).not.toBe('');
        expect(text.slice(place).trim()).not.toBe('');
      }
    }),
  );
  expect(findSplitPoints(' one two  three ')).toEqual([5, 10]);
  expect(findSplitPoints('alone')).toEqual([]);
  expect(findSplitPoints('a \u0301b')).toEqual([]);
});

test('[B68] a split is offered at the end of a paragraph, else of a sentence, else in the middle', () => {
  const at = (text: string) => {
    const places = findSplitPoints(text);
    return text.slice(0, places[suggestSplitPoint(text, places)]).trim();
  };
  expect(at('One two.\n\nThree four. Five six.')).toBe('One two.');
  expect(at('One two. Three four five six seven')).toBe('One two.');
  expect(at('one two three four')).toBe('one two');
});

test('[B68] a click finds the nearest split point', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), fc.nat(1000), (found, offset) => {
      const places = found.sort((a, b) => a - b);
      const chosen = places[findNearestSplitPoint(places, offset)] ?? Number.NaN;
      const least = Math.min(...places.map((place) => Math.abs(place - offset)));
      expect(Math.abs(chosen - offset)).toBe(least);
    }),
  );
});
