import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { type SplitMarkdown, splitMarkdownIntoBlocks } from './blocks.ts';
import { splitIntoCodeTokens } from './highlight.ts';
import { highlighter } from './highlighter.ts';
import { isOwnImageAddress, toDocumentAddress, toSafeAddress } from './links.ts';
import { Markdown } from './markdown.tsx';
import { type SlicedMarkdown, sliceMarkdown, targetSliceCharacters, targetSliceElements } from './slices.ts';
import { splitAtLineEnds } from './split-at-line-ends.ts';

const sample =
  '# Title\n\nOne *word*.\n\n- a\n- b\n\n```js\nlet x = 1;\n\nlet y = 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.\n';

test('[B2] blocks above the last two stay the same objects while a text grows', () => {
  let cut: SplitMarkdown | null = null;
  for (let length = 1; length <= sample.length; length++) {
    const next = splitMarkdownIntoBlocks(sample.slice(0, length), cut);
    for (const [index, block] of (cut?.blocks.slice(0, -2) ?? []).entries()) expect(next?.blocks[index]).toBe(block);
    cut = next;
  }
  expect(cut?.blocks.map((block) => block.raw)).toEqual(
    splitMarkdownIntoBlocks(sample, null)?.blocks.map((block) => block.raw),
  );
});

test('[B2] text parsed piece by piece has the same texts and positions as text parsed at once', () => {
  const line = fc.constantFrom(
    'word',
    '- item',
    '1. one',
    '> quote',
    '',
    '',
    '# head',
    '```',
    '    code',
    '| a | b |',
    '$$x$$',
    '***',
    '<b>',
    '[a]: /b',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (lines, stride) => {
      const text = lines.join('\n');
      let cut: SplitMarkdown | null = null;
      for (let length = stride; length < text.length; length += stride)
        cut = splitMarkdownIntoBlocks(text.slice(0, length), cut);
      cut = splitMarkdownIntoBlocks(text, cut);
      const places = (cut?.blocks ?? []).map((block) => block.at);
      expect(new Set(places).size).toBe(places.length);
      for (const block of cut?.blocks.slice(0, cut.sure) ?? [])
        expect(text.slice(block.at, block.at + block.raw.length)).toBe(block.raw);
    }),
  );
});

test('[B3] only http, https and mailto links work', () => {
  for (const address of ['https://a.example/x?y#z', 'http://a.example', 'mailto:a@b.example', ' https://a.example '])
    expect(toSafeAddress(address)).not.toBeNull();
  const others = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//a.example',
    '/api/trees',
    'blob:x',
    '',
  ];
  for (const address of others) expect(toSafeAddress(address), address).toBeNull();
  expect(isOwnImageAddress('data:image/svg+xml;base64,AAAA')).toBe(false);
  expect(isOwnImageAddress('https://a.example/x.png')).toBe(false);
  expect(isOwnImageAddress(`/api/attachments/${'a'.repeat(64)}`)).toBe(true);
});

test('[B3] a link of the guide opens the documentation that comes with the page, and nothing else of the server', () => {
  expect(toDocumentAddress('coppice:docs/guides/deploy#behind-a-reverse-proxy-with-tls')).toBe(
    '/docs/guides/deploy.html#behind-a-reverse-proxy-with-tls',
  );
  expect(toDocumentAddress('coppice:docs/readme')).toBe('/docs/readme.html');
  const others = [
    'coppice:docs/../api/trees',
    'coppice:docs//x',
    'coppice:docs/',
    'coppice:api/trees',
    'docs/models.md',
  ];
  for (const address of [...others, 'coppice:docs/a?token=x', 'coppice:docs/a.b', 'coppice:docs/A\n'])
    expect(toDocumentAddress(address), address).toBeNull();
});

test('[B4] text nested ten thousand levels deep is shown as plain text', () => {
  const cut = splitMarkdownIntoBlocks('> '.repeat(10_000), null);
  expect(cut === null || cut.blocks.length <= 1).toBe(true);
  expect(splitMarkdownIntoBlocks(`${'*a'.repeat(200_000)}`, null)?.blocks.length).toBe(1);
});

test('[B4] the pieces of a large text joined are the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 9000 }), { maxLength: 12 }), (lines) => {
      const text = lines.join('\n');
      expect(
        splitAtLineEnds(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test('[B5] the pieces of code joined are the code, in every language and none', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 400 }),
      fc.constantFrom('ts', 'python', 'sql', 'sh', 'rust', 'text', '', 'klingon', 'html', 'C++'),
      (code, language) => {
        for (const library of [highlighter, null])
          expect(
            splitIntoCodeTokens(library, code, language)
              .map((part) => part.text)
              .join(''),
          ).toBe(code);
      },
    ),
  );
  const looks = splitIntoCodeTokens(highlighter, 'const a = "b"; // c', 'ts').flatMap((part) => part.look ?? []);
  expect(looks).toEqual(['keyword', 'string', 'comment']);
});

const megabyte = 1_000_000;
const repeated = (text: string) => text.repeat(Math.ceil(megabyte / text.length)).slice(0, megabyte);

/** A megabyte of each kind of text that could create many elements, nest deeply or be slow to parse. */
const large: Readonly<Record<string, string>> = {
  'a table': `| a | b |\n|---|---|\n${repeated('| 1 | 2 |\n')}`,
  'a dense table': `|a|b|c|d|\n|-|-|-|-|\n${repeated('|1|2|3|4|\n')}`,
  'quotes in quotes': repeated('> > > text\n'),
  'a line of quotes': repeated('> '),
  'quotes 500 deep': repeated(`${'> '.repeat(500)}x\n`),
  'nested lists': Array.from({ length: 60_000 }, (_, at) => `${'  '.repeat(at % 30)}- item`).join('\n'),
  'a list 1,400 deep': Array.from({ length: 1_400 }, (_, at) => `${'  '.repeat(at)}- x`).join('\n'),
  'emphasis that does not end': repeated('*a'),
  'emphasis over lines': repeated('*a _b **c __d\n'),
  'strong words': repeated('**a** '),
  'strong lines': repeated('**a** _b_\n\n'),
  'links in a line': repeated('[a](https://a.example) '),
  'links line by line': repeated('[a](https://a.example)\n\n'),
  'open brackets': repeated('[[[[[[[[[[[\n'),
  'one block of code': `\`\`\`js\n${repeated('let a = 1; // b\n')}\`\`\`\n`,
  'code that does not end': `~~~\n${repeated('a\n')}`,
  'blocks of code': repeated('```js\nlet a;\n```\n'),
  'one line': repeated('word '),
  'one word': repeated('a'),
  'small paragraphs': repeated('a\n\n'),
  headings: repeated('# a\n'),
  tasks: repeated('- [ ] a\n'),
  'numbered lines': repeated('1. a\n'),
  'everything in each other': repeated('> - 1. > - a\n'),
  formulas: repeated('$x$ $y$\n\n'),
  'formulas that do not end': repeated('$$a\n'),
  html: repeated('<b>x\n'),
  'blank lines': repeated('\n'),
  entities: repeated('&amp; '),
};

test.each(Object.entries(large))('[B108] a megabyte of %s makes a bounded number of elements', (_kind, text) => {
  const html = renderToStaticMarkup(createElement(Markdown, { text }));
  const elements = html.match(/<[a-z]/g)?.length ?? 0;
  expect(elements).toBeLessThanOrEqual(6_000);
  // A paragraph costs a component besides its element.
  expect(html.match(/<p\b/g)?.length ?? 0).toBeLessThanOrEqual(1_000);
  expect(html.replaceAll(/<[^>]*>/g, '').length).toBeLessThanOrEqual(120_000);
  // Nothing is lost: hidden parts can be shown.
  if (!/^\s*$/.test(text)) expect(html).toContain('Show the other');
});

test.each(Object.entries(large))(
  '[B108] a megabyte of %s is cut into slices of bounded size that lose nothing',
  (_kind, text) => {
    const { list } = sliceMarkdown(text, { length: Number.POSITIVE_INFINITY, weight: Number.POSITIVE_INFINITY });
    expect(list.map((slice) => slice.text).join('') === text).toBe(true);
    for (const { plain, weight, text: part } of list) {
      const isCode = /^(?:```|~~~)/.test(part);
      if (!plain && !isCode) expect(part.length).toBeLessThanOrEqual(targetSliceCharacters + 10_000);
      expect(weight).toBeLessThanOrEqual(targetSliceElements + 10_000);
    }
  },
);

test('[B2] a text that is sliced piece by piece has the same slices as one sliced at once', () => {
  const line = fc.constantFrom(
    'word '.repeat(80),
    '- item',
    '| a | b |',
    '|---|---|',
    '',
    '# head',
    '```',
    '> q',
    '  in',
  );
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 60, maxLength: 400 }),
      fc.integer({ min: 500, max: 9_000 }),
      (lines, stride) => {
        const text = lines.join('\n');
        const limit = { length: 60_000, weight: 4_000 };
        let slices: SlicedMarkdown | null = null;
        for (let length = stride; length < text.length; length += stride)
          slices = sliceMarkdown(text.slice(0, length), limit, slices);
        expect(sliceMarkdown(text, limit, slices).list).toEqual(sliceMarkdown(text, limit).list);
      },
    ),
  );
});

test('[B108] a sliced table keeps its header in every slice, and code without a line break is one slice', () => {
  const table = sliceMarkdown(large['a table'] ?? '', { length: megabyte, weight: 100_000 });
  expect(table.list.length).toBeGreaterThan(10);
  for (const slice of table.list.slice(1)) expect(slice.prefix).toBe('| a | b |\n|---|---|\n');
  expect(sliceMarkdown(large['one block of code'] ?? '', { length: megabyte * 2, weight: 100_000 }).list).toHaveLength(
    1,
  );
});
