import { expect, test } from 'vitest';
import { toExcerpt } from './first-words.ts';

test('[B56] a message is named by its first words, without Markdown', () => {
  const named: Readonly<Record<string, string>> = {
    '# A *good* title': 'A good title',
    '`pg_upgrade --link` on **the** standby': 'pg_upgrade --link on the standby',
    '> - 1. quoted': 'quoted',
    'See [the docs](https://example.org/a) and ![a cat](x.png)': 'See the docs and a cat',
    '~~no~~ ``a ` b``': 'no a ` b',
    'two\n\nlines': 'two lines',
    'Buy:\n\n- milk\n- 3 eggs\n': 'Buy: milk 3 eggs',
    'So:\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n': 'So: a | b 1 | 2',
  };
  for (const [text, words] of Object.entries(named)) expect(toExcerpt(text)).toBe(words);
});

test('[B56] text that only looks like Markdown is kept', () => {
  for (const text of [
    'f(**kwargs) and g(**more)',
    '__init__.py',
    '2 * 3 * 4',
    '#tag',
    '-5 degrees',
    'a ` b',
    '**',
    '[x]',
    '5. ',
  ])
    expect(toExcerpt(text)).toBe(text.trim());
  expect(toExcerpt('**abc def**', 5)).toBe('abc d');
});
