import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markdownToPlainText } from './plain-words.ts';

test('[B69] words are compared as displayed: without Markdown, with numbers, cells and code', () => {
  const text =
    '## Why\n\nUse **both** `a < b` and [this](https://example.org).\n\n- one\n- *two*\n\n3. three\n4. four\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1;\n```';
  expect(markdownToPlainText(text)).toBe(
    'Why\n\nUse both a < b and this.\n\n• one\n• two\n\n3. three\n4. four\n\na  b\n1  2\n\nlet x = 1;',
  );
});

test('[B69] other Markdown around the same words makes no difference', () => {
  expect(markdownToPlainText('* **Large** objects\n* stay')).toBe(markdownToPlainText('- __Large__ objects\n- stay'));
});

test('[B69] any text has words, and text without Markdown is unchanged', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      (text) => typeof markdownToPlainText(text) === 'string',
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (words) => {
      expect(markdownToPlainText(words.join(' '))).toBe(words.join(' '));
    }),
  );
});
