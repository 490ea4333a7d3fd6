import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasTerms, searchTerms, snippetOf } from './search.ts';

it('[K134] a snippet holds the first term, says where it was cut, and never half a character', () => {
  expect(snippetOf('short text', ['text'])).toBe('short text');
  const long = `${'before '.repeat(30)}needle${' after'.repeat(60)}`;
  expect(snippetOf(long, ['needle'])).toMatch(/^….*needle.*…$/);
  expect(snippetOf('a\n\n  b', ['b'])).toBe('a b');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.string({ unit: 'grapheme' }), (text, term) => {
      const snippet = snippetOf(text, searchTerms(term));
      expect(/\p{Surrogate}/u.test(snippet)).toBe(false);
      expect(snippet.length).toBeLessThanOrEqual(163);
    }),
  );
});

it('[K135] every part of a text is a term that it has, whatever the case', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.nat(), fc.nat(), (text, from, length) => {
      const start = from % text.length;
      const terms = searchTerms(text.slice(start, start + 1 + (length % text.length)).toUpperCase());
      expect(hasTerms(text, terms)).toBe(true);
    }),
  );
  expect(searchTerms(' 50%  off\n50% ')).toEqual(['50%', 'off']);
  expect(searchTerms('  ')).toEqual([]);
});
