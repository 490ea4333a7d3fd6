import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawProgressBar } from './progress.ts';
import {
  graphemesOf,
  measureGraphemeWidth,
  removeLastGrapheme,
  truncateToWidth,
  truncateWithEllipsis,
  widthOf,
} from './width.ts';
import { wrapLines, wrapMarkdown } from './wrap.ts';

const unit = fc.oneof(
  fc.constantFrom(
    ' ',
    '  ',
    'word',
    'a',
    '漢',
    '한',
    '👩‍👩‍👧',
    '👍🏽',
    '🇩🇪',
    'e\u0301',
    '\u200d',
    '\u0301',
    '❤️',
    '▶',
    '✔\ufe0f',
    '⌚\ufe0e',
    'की',
    '。',
    'ﷺ',
  ),
  fc.string({ unit: 'grapheme', maxLength: 3 }).map((text) => text.replace(/\p{Cc}/gu, '')),
);
const line = fc.array(unit, { maxLength: 30 }).map((parts) => parts.join(''));

describe('the width of a text', () => {
  it.each([
    ['word', 4],
    ['漢字', 4],
    ['한', 2],
    ['\u1112\u1161\u11ab', 2],
    ['👩‍👩‍👧', 2],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['e\u0301', 1],
    ['▶✔©☎ℹ', 5],
    ['▶\ufe0f✔\ufe0f©\ufe0f', 6],
    ['❤\ufe0e', 1],
    ['⌚⚡', 4],
    ['⌚\ufe0e', 2],
    ['☝🏽', 2],
    ['🏳\ufe0f\u200d🌈', 2],
    ['1\ufe0f\u20e3', 2],
    ['की', 2],
    ['\u001b[31mred\u001b[39m', 3],
  ])('[O71] is the width that a terminal uses: %j', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  it('[O71] is the sum of its characters, and a prefix of it ends between two of them', () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 0, max: 40 }), (text, columns) => {
        const all = [...graphemesOf(text)];
        expect(all.reduce((sum, each) => sum + measureGraphemeWidth(each), 0)).toBe(widthOf(text));
        const begun = truncateToWidth(text, columns);
        expect(widthOf(begun)).toBeLessThanOrEqual(columns);
        expect(all.slice(0, [...graphemesOf(begun)].length).join('')).toBe(begun);
        expect(widthOf(truncateWithEllipsis(text, columns))).toBeLessThanOrEqual(columns);
        expect(removeLastGrapheme(text)).toBe(all.slice(0, -1).join(''));
      }),
    );
  });
});

describe('lines of a screen', () => {
  it('[O71] break at spaces, between characters of scripts without spaces, and inside a word only if it is too long', () => {
    expect(wrapLines('one two three', 8)).toEqual(['one two ', 'three']);
    expect(wrapLines('exactly ten', 7)).toEqual(['exactly', 'ten']);
    expect(wrapLines('Hello 世界你好吗', 10)).toEqual(['Hello 世界', '你好吗']);
    expect(wrapLines('!終。。', 5)).toEqual(['!終。', '。']);
    expect(wrapLines('終わり。次', 6)).toEqual(['終わ', 'り。次']);
    expect(wrapLines('a verylongword b', 6)).toEqual(['a ', 'verylo', 'ngword', 'b']);
    expect(wrapLines('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']);
    expect(wrapLines('    if (x)\n\n\tgo()', 20)).toEqual(['    if (x)', '', '        go()']);
    expect(wrapLines('ab\tc', 20)).toEqual(['ab      c']);
  });

  it('[O71] keep their colours over a break, and reset them before it', () => {
    expect(wrapLines('\u001b[1mone two\u001b[22m three', 4)).toEqual([
      '\u001b[1mone \u001b[22m',
      '\u001b[1mtwo\u001b[22m ',
      'thre',
      'e',
    ]);
    expect(wrapLines('\u001b[2mfull next\u001b[22m', 4)).toEqual([
      '\u001b[2mfull\u001b[22m',
      '\u001b[2mnext\u001b[22m',
    ]);
    // The cursor after a full line must be drawn on the next line.
    expect(wrapLines('full\u001b[7m \u001b[27m', 4)).toEqual(['full', '\u001b[7m \u001b[27m']);
  });

  it('[O71] are never wider than the screen, lose nothing but blanks, and cut no character', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 3 }), fc.integer({ min: 2, max: 30 }), (texts, columns) => {
        const lines = wrapLines(texts.join('\n'), columns);
        // A single character with combining marks can be wider than a very narrow screen.
        for (const each of lines)
          if ([...graphemesOf(each)].length > 1) expect(widthOf(each)).toBeLessThanOrEqual(columns);
        const characters = (of: readonly string[]) =>
          of
            .flatMap((each) => [...graphemesOf(each)])
            .join('')
            .replaceAll(' ', '');
        expect(characters(lines)).toBe(characters(texts));
        for (const each of lines)
          for (const character of graphemesOf(each)) expect(texts.join(' ')).toContain(character);
      }),
    );
  });

  it('[O71] keep a word that is wider than the screen whole if it may be copied, and indented code too', () => {
    expect(wrapLines('see https://long.example now and then', 8, { keepsWords: true })).toEqual([
      'see ',
      'https://long.example',
      'now and ',
      'then',
    ]);
    const text = 'one two three\n```\nfour five six\n```\n    seven eight\nnine ten';
    expect(wrapMarkdown(text, 8)).toBe('one two\nthree\n```\nfour five six\n```\n    seven eight\nnine ten');
  });

  it('[O71] of a very long text are broken in pieces', () => {
    const lines = wrapLines('👩‍👩‍👧'.repeat(5000), 80);
    expect(lines.join('')).toBe('👩‍👩‍👧'.repeat(5000));
    for (const each of lines) expect(each.length % '👩‍👩‍👧'.length).toBe(0);
  });
});

describe('a progress bar', () => {
  it('[O71] stays on one line, however narrow the screen is', () => {
    expect(drawProgressBar('trees', 1200, 1800, 79)).toBe(`${'█'.repeat(11)}${'░'.repeat(17)} 1,200 of 3,000 trees`);
    expect(drawProgressBar('trees', 1200, 1800, 39)).toBe(`${'█'.repeat(7)}${'░'.repeat(11)} 1,200 of 3,000 trees`);
    expect(drawProgressBar('trees', 1200, 1800, 22)).toBe('1,200 of 3,000 trees');
    expect(drawProgressBar('conversations', 1_234_567, 7_654_321, 19)).toBe('1,234,567 of 8,888…');
  });
});
