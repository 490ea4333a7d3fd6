import fc from 'fast-check';
import { expect, it } from 'vitest';
import { containsAllTerms, snippetOf, splitSearchTerms } from './search.ts';

it('[K134] a snippet contains the first term, marks where it was cut, and never ends inside a character', () => {
  expect(snippetOf('short text', ['text'])).toBe('short text');
  const long = `${'before '.repeat(30)}needle${' after'.repeat(60)}`;
  expect(snippetOf(long, ['needle'])).toMatch(/^….*needle.*…$/);
  expect(snippetOf('a\n\n  b', ['b'])).toBe('a b');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.string({ unit: 'grapheme' }), (text, term) => {
      const snippet = snippetOf(text, splitSearchTerms(term));
      expect(/\p{Surrogate}/u.test(snippet)).toBe(false);
      expect(snippet.length).toBeLessThanOrEqual(163);
    }),
  );
});

it('[K135] every part of a text matches it as a term, whatever the case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.nat(), fc.nat(), (text, from, length) => {
      const start = from % text.length;
      const terms = splitSearchTerms(text.slice(start, start + 1 + (length % text.length)).toUpperCase());
      expect(containsAllTerms(text, terms)).toBe(true);
    }),
  );
  for (const text of ['ΣΙΣΥΦΟΣ', 'Σίσυφος', 'οσ'])
    for (const part of [text, text.slice(0, 3), text.slice(-1), text.toUpperCase(), text.toLowerCase()])
      expect(containsAllTerms(`Ο ${text}.`, splitSearchTerms(part))).toBe(true);
  expect(splitSearchTerms(' 50%  off\n50% ')).toEqual(['50%', 'off']);
  expect(splitSearchTerms('  ')).toEqual([]);
});
