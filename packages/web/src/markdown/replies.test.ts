import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { parseCodeInfo, previewKindOf, suggestCodeFileName } from './code-names.ts';
import { isDiffCode, splitDiffLines } from './diff.ts';
import { Markdown } from './markdown.tsx';

function html(text: string): string {
  return renderToStaticMarkup(createElement(Markdown, { text }));
}

test('[B113] tags of the short list become elements without attributes; others stay text', () => {
  expect(html('H<sub>2</sub>O and x<sup>2</sup>, press <kbd class="a">Ctrl</kbd>')).toBe(
    '<p dir="auto">H<sub>2</sub>O and x<sup>2</sup>, press <kbd>Ctrl</kbd></p>',
  );
  expect(html('| a |\n|---|\n| one<br>two<br/>three |')).toContain('<td>one<br/>two<br/>three</td>');
  expect(html('a <img src=x onerror=pwned(1)> <a href="javascript:x">b</a>')).not.toMatch(/<(?:img|a)[\s>]/);
  expect(html('<div style="color:red" onclick="x">words **bold**</div>')).toBe(
    '<div>words <strong>bold</strong></div>',
  );
});

test('[B113] details contain the Markdown between their tags, and are open if they say so', () => {
  const text = '<details open>\n<summary>More</summary>\n\n- one\n- two\n\n```js\nlet a;\n```\n\n</details>\n\nAfter';
  const made = html(text);
  expect(made).toMatch(/^<details open=""><summary>More<\/summary>/);
  expect(made).toMatch(/<ul dir="ltr"><li>one<\/li><li>two<\/li><\/ul>.*<\/details><p dir="auto">After<\/p>$/s);
  // A reply that is still streaming.
  expect(html('<details><summary>S</summary>\n\nInside')).toBe(
    '<details><summary>S</summary><p dir="auto">Inside</p></details>',
  );
});

test('[B113] a tag that is never closed, or closed in the wrong order, loses no words', () => {
  for (const text of ['a <b>c', 'a </b>c', '<sub>a <sup>b</sub> c</sup>', '<b><i>x</b></i>', '</details>\n\nx']) {
    const words = html(text).replaceAll(/<[^>]*>/g, '');
    for (const word of text.match(/\b[acx]\b/g) ?? []) expect(words, text).toContain(word);
  }
  expect(html('a <b>c')).toBe('<p dir="auto">a &lt;b&gt;c</p>');
});

test('[B113, B329] alerts are named by their kind, and footnotes numbered by their first reference', () => {
  expect(html('> [!WARNING]\n> Careful **now**')).toMatch(
    /class="alert-box warning".*Warning<\/p><p dir="auto">Careful <strong>now<\/strong><\/p><\/div>$/,
  );
  expect(html('> [!NOTE] is no alert in a line of its own words')).toContain('<blockquote');
  const noted = html('B[^b] and A[^a] and b again[^b], none[^c].\n\n[^a]: First *words*.\n[^b]: Second.');
  expect(noted).toMatch(/>1<\/a><\/sup> and A.*>2<\/a><\/sup> and b again.*>1<\/a>/s);
  expect(noted).toContain('none[^c]');
  expect(noted).toMatch(/1\. Second\..*2\. First <em>words<\/em>\./s);
  expect(html('a[^a]\n\n[^a]: A note.\n\nMore text.')).toMatch(/More text\..*A note\./s);
});

test('[B113] headings keep their levels, and tasks in tasks their boxes', () => {
  const made = html('# a\n\n## b\n\n### c\n\n#### d');
  expect(made.match(/<h\d/g)).toEqual(['<h3', '<h4', '<h5', '<h6']);
  expect(html('- [x] a\n  - [ ] b\n    - [x] c').match(/type="checkbox"/g)).toHaveLength(3);
});

test('[B113] a list item whose texts are separated by blank lines has paragraphs, and a task begins beside its box', () => {
  const paragraph = (text: string) => `<p dir="auto">${text}</p>`;
  expect(html('1. one\n\n   more\n\n2. two')).toBe(
    `<ol dir="ltr" start="1"><li>${paragraph('one')}${paragraph('more')}</li><li>${paragraph('two')}</li></ol>`,
  );
  expect(html('- one\n- two')).toBe('<ul dir="ltr"><li>one</li><li>two</li></ul>');
  expect(html('- [ ] one\n\n  more')).toMatch(/<input [^>]*>one<p dir="auto">more<\/p><\/li>/);
});

test('[B112] formulas are found in every form that replies use, and prices are not formulas', () => {
  const formulas = (text: string) => [...html(text).matchAll(/aria-label="([^"]*)"/g)].map((match) => match[1]);
  expect(formulas('so \\(a\\) and \\[b\\] and $c$ and $$d$$')).toEqual(['a', 'b', 'c', 'd']);
  expect(formulas('\\begin{align}\na &= b\n\\end{align}\n\nx')).toEqual(['\\begin{align}\na &amp;= b\n\\end{align}']);
  expect(formulas('1. first:\n   \\[\n   x\n   \\]\n2. $2$ and $3x$ and $10^{-3}$')).toEqual([
    'x',
    '2',
    '3x',
    '10^{-3}',
  ]);
  expect(formulas('It costs $5 and $10, or US$7-$9; $5/$10; 20$ or 30$.')).toEqual([]);
  expect(html('`$a$` and\n\n```\n$b$\n```')).not.toContain('role="math"');
});

test('[B114] a diff is split into added, removed and other lines, with the changed part of a replaced line', () => {
  const text = '@@ -1,3 +1,3 @@\n same\n-  return retry(3);\n+  return retry(8);\n+added';
  const lines = splitDiffLines(text);
  expect(lines.map((line) => line.text).join('\n')).toBe(text);
  expect(lines.map((line) => line.kind)).toEqual(['place', 'same', 'removed', 'added', 'added']);
  const paired = splitDiffLines('-  return retry(3);\n+  return retry(8);');
  expect(paired.map((line) => line.text.slice(line.from, line.to))).toEqual(['3', '8']);
  expect(isDiffCode('', '--- a/x\n+++ b/x\n')).toBe(true);
  expect(isDiffCode('yaml', '--- a\n+++ b\n')).toBe(false);
});

test('[B114] a code block has its language, its file and whether it can be previewed', () => {
  expect(parseCodeInfo('ts title="src/retry.ts"')).toEqual({ language: 'ts', file: 'src/retry.ts' });
  expect(parseCodeInfo('ts retry.ts')).toEqual({ language: 'ts', file: 'retry.ts' });
  expect(parseCodeInfo('src/retry.ts')).toEqual({ language: 'ts', file: 'src/retry.ts' });
  expect(parseCodeInfo('python {.numbered}')).toEqual({ language: 'python', file: null });
  expect(parseCodeInfo(undefined)).toEqual({ language: '', file: null });
  expect(suggestCodeFileName({ language: 'Python', file: null })).toBe('code.py');
  expect(suggestCodeFileName({ language: '', file: 'a/b/../x.sh' })).toBe('x.sh');
  expect(previewKindOf('html', '<p>')).toBe('html');
  expect(previewKindOf('xml', '<svg viewBox="0 0 1 1"/>')).toBe('svg');
  expect(previewKindOf('md', '# x')).toBe('markdown');
  expect(previewKindOf('xml', '<a/>')).toBeNull();
});
