import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTitleFromFirstSentence } from './plain-title.ts';

describe('a title', () => {
  test.each([
    ['How do I sort a list in Rust? I tried sort_by.', 'How do I sort a list in Rust?'],
    ['# **Big** [plan](http://x.y)\nmore', 'Big plan'],
    ['```js\nconst a = 1;\n```', 'const a = 1'],
    ['- first `item` of _many_\n- second', 'first item of many'],
    ['   \n\n> quoted words.', 'quoted words'],
    ['日本語の文です。次の文。', '日本語の文です'],
    ['Compare A vs. B for me. Thanks.', 'Compare A vs. B for me'],
    [`${'long '.repeat(30)}end`, 'long long long long long long long long long long long long…'],
    ['\u202eevil\u0007 text', 'evil text'],
    ['\u001b[1;31mred\u001b[0m words', 'red words'],
    ['***\n---\n', null],
    ['', null],
  ])('[Y9] of %j without a model is its first sentence, without markup, cut at a word', (text, title) => {
    expect(makeTitleFromFirstSentence(text)).toBe(title);
  });

  test('[Y9] is one line of at most 60 characters and never ends inside a character', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        ' ',
        '\n',
        '.',
        '*',
        '_',
        '`',
        '[',
        '](',
        ')',
        '# ',
        '- ',
        'word',
        '👩‍👩‍👧',
        'é',
        '\u202e',
        '\u0007',
      ),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 300 }), (units) => {
        const text = units.join('');
        const title = makeTitleFromFirstSentence(text);
        if (title === null) return;
        expect(title.length).toBeLessThanOrEqual(60);
        expect(title).not.toMatch(/[\n\r\p{Cs}\p{Cc}]/u);
        expect(title.trim()).toBe(title);
      }),
    );
  });
});
