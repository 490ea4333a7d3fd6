import fc from 'fast-check';
import { estimateTokenCount } from 'tokenx';
import { expect, test } from 'vitest';
import { estimateAsciiTokens } from './tokens.ts';

const ascii = fc.string({
  unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)),
  maxLength: 200,
});
const prose = fc
  .array(
    fc.constantFrom(
      'the',
      'Quick',
      'internationalisation',
      '12',
      '123456',
      '--',
      '...',
      '  ',
      '\n',
      '\n\n',
      '\n  ',
      "it's",
      'aB',
      '_x_',
      '\t',
      '.\n',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('[C57] plain ASCII text gets the same estimate as from the library', () => {
  fc.assert(
    fc.property(fc.oneof(ascii, prose), (text) => {
      expect(estimateAsciiTokens(text)).toBe(estimateTokenCount(text));
    }),
    { numRuns: 2000 },
  );
});

test('[C57] text that is not plain ASCII is estimated by the library', () => {
  expect(estimateAsciiTokens('na\u00efve')).toBeNull();
  expect(estimateAsciiTokens('\u4e2d\u6587')).toBeNull();
  expect(estimateAsciiTokens('')).toBe(0);
});
