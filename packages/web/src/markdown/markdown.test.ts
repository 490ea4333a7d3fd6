import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cut, cutBlocks } from './blocks.ts';
import { inkOf } from './ink.ts';
import { isOwnImage, safeAddress } from './links.ts';
import { piecesOf } from './pieces.ts';

const sample =
  '# Title\n\nOne *word*.\n\n- a\n- b\n\n```js\nlet x = 1;\n\nlet y = 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.\n';

test('[B2] blocks above the last two stay the same objects while a text grows', () => {
  let cut: Cut | null = null;
  for (let length = 1; length <= sample.length; length++) {
    const next = cutBlocks(sample.slice(0, length), cut);
    for (const [index, block] of (cut?.blocks.slice(0, -2) ?? []).entries()) expect(next?.blocks[index]).toBe(block);
    cut = next;
  }
  expect(cut?.blocks.map((block) => block.raw)).toEqual(cutBlocks(sample, null)?.blocks.map((block) => block.raw));
});

test('[B2] what is cut piece by piece has the texts and places of what is cut at once', () => {
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
      let cut: Cut | null = null;
      for (let length = stride; length < text.length; length += stride) cut = cutBlocks(text.slice(0, length), cut);
      cut = cutBlocks(text, cut);
      const places = (cut?.blocks ?? []).map((block) => block.at);
      expect(new Set(places).size).toBe(places.length);
      for (const block of cut?.blocks.slice(0, cut.sure) ?? [])
        expect(text.slice(block.at, block.at + block.raw.length)).toBe(block.raw);
    }),
  );
});

test('[B3] only http, https and mailto are followed', () => {
  for (const address of ['https://a.example/x?y#z', 'http://a.example', 'mailto:a@b.example', ' https://a.example '])
    expect(safeAddress(address)).not.toBeNull();
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
  for (const address of others) expect(safeAddress(address), address).toBeNull();
  expect(isOwnImage('data:image/svg+xml;base64,AAAA')).toBe(false);
  expect(isOwnImage('https://a.example/x.png')).toBe(false);
  expect(isOwnImage(`/api/attachments/${'a'.repeat(64)}`)).toBe(true);
});

test('[B4] a text that nests ten thousand deep is given up, not choked on', () => {
  const cut = cutBlocks('> '.repeat(10_000), null);
  expect(cut === null || cut.blocks.length <= 1).toBe(true);
  expect(cutBlocks(`${'*a'.repeat(200_000)}`, null)?.blocks.length).toBe(1);
});

test('[B4] the pieces of a large text joined are the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 9000 }), { maxLength: 12 }), (lines) => {
      const text = lines.join('\n');
      expect(
        piecesOf(text)
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
      fc.constantFrom('ts', 'python', 'sql', 'sh', 'rust', 'text', '', 'klingon'),
      (code, language) => {
        expect(
          inkOf(code, language)
            .map((part) => part.text)
            .join(''),
        ).toBe(code);
      },
    ),
  );
  expect(inkOf('const a = "b"; // c', 'ts').flatMap((part) => (part.ink === null ? [] : [part.ink]))).toEqual([
    'k',
    's',
    'c',
  ]);
});
