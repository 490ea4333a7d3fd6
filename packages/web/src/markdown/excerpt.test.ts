import { expect, test } from 'vitest';
import { toExcerpt } from './excerpt.ts';

test('[B56] a message is named by its first words, without Markdown', () => {
  const named: Readonly<Record<string, string>> = {
    '# A *good* title': 'A good title',
    '`pg_upgrade --link` on **the** standby': 'pg_upgrade --link on the standby',
    '> - 1. quoted': 'quoted',
    'See [the docs](https://example.org/a) and ![a cat](x.png)': 'See the docs and a cat',
    '~~no~~ ``a ` b``': 'no a ` b',
    'two\n\nlines': 'two lines',
    '```mermaid flowchart LR': 'flowchart LR',
    'Here: ```py title="a b.py" print(1)': 'Here: print(1)',
    'So:\n\n```js\nlet a;\n```\nDone.': 'So: let a; Done.',
    '# One ## Two ### Three': 'One Two Three',
    'Text. ## Two': 'Text. Two',
    'Buy:\n\n- milk\n- 3 eggs\n': 'Buy: milk 3 eggs',
    'So:\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n': 'So: a | b 1 | 2',
    // The preview of the server is one line.
    '| a | b | |---|:-:| | 1 | 2 |': 'a | b | 1 | 2',
  };
  for (const [text, words] of Object.entries(named)) expect(toExcerpt(text)).toBe(words);
});

test('[B56] text that only looks like Markdown is kept', () => {
  for (const text of [
    'f(**kwargs) and g(**more)',
    '__init__.py',
    '2 * 3 * 4',
    '#tag',
    'a ##b',
    'F # minor',
    '-5 degrees',
    'a ` b',
    '**',
    '[x]',
    '5. ',
  ])
    expect(toExcerpt(text)).toBe(text.trim());
});

test('[B56] a text that is too long is cut before a word, or within a long one, and ends with an ellipsis', () => {
  expect(toExcerpt('**abc def**', 7)).toBe('abc def');
  expect(toExcerpt('**abc def ghi**', 10)).toBe('abc def…');
  expect(toExcerpt('abc def ghi', 8)).toBe('abc def…');
  expect(toExcerpt(`${'x'.repeat(30)} y`, 10)).toBe(`${'x'.repeat(9)}…`);
  expect(toExcerpt(`abc ${'x'.repeat(90)}`, 30)).toBe(`abc ${'x'.repeat(25)}…`);
  expect(toExcerpt('Yes. No, never.', 8)).toBe('Yes…');
  expect(toExcerpt('ab😀😀', 4)).toBe('ab…');
});
