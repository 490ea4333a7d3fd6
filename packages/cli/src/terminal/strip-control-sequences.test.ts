import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripControlSequences, toOneLine } from './strip-control-sequences.ts';

// Everything that a terminal interprets: C0 except line feed and tab, DEL, C1, and direction marks.
const obeyed = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe('stripControlSequences', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]52;c;c2VjcmV0\u0007copied', 'copied'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jcleared', 'cleared'],
    ['\u0090q#0;2\u009cpicture', 'picture'],
    ['a\u001b[2', 'a'],
    ['a\u001b', 'a'],
    ['over\rwritten', 'over\nwritten'],
    ['two\r\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['file\u202egpj.exe', 'filegpj.exe'],
    ['bell\u0007 and null\u0000', 'bell and null'],
    ['ordinary: é, 漢字, 👩‍👩‍👧', 'ordinary: é, 漢字, 👩‍👩‍👧'],
  ])('[O1] removes what a terminal would obey: %j', (text, shown) => {
    expect(stripControlSequences(text)).toBe(shown);
  });

  it('[O1] leaves no control sequence in any text, and a second pass changes nothing', () => {
    const nasty = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\u009b',
      '\u0090',
      '\u0007',
      '\\',
      '\u202e',
      '\r',
      'm',
      '0',
      ';',
      'x',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))).map((parts) => parts.join('')),
        (text) => {
          const shown = stripControlSequences(text);
          expect(shown).not.toMatch(obeyed);
          expect(stripControlSequences(shown)).toBe(shown);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('[O71] makes one line of limited width, never half a character', () => {
    expect(toOneLine('a\n b\t c', 10)).toBe('a b c');
    expect(toOneLine('👍👍👍👍', 5)).toBe('👍👍…');
    expect(toOneLine('👍👍👍👍', 4)).toBe('👍…');
    expect(toOneLine('漢字漢字', 8)).toBe('漢字漢字');
    expect(toOneLine('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…');
    expect(toOneLine('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
    expect(toOneLine('🇩🇪🇫🇷', 3)).toBe('🇩🇪…');
    expect(toOneLine('anything', 0)).toBe('');
  });

  it('[O71] marks shortened text, even if long characters or blanks used up the examined part', () => {
    const heaped = `e${'\u0301'.repeat(90)}`;
    expect(toOneLine(heaped.repeat(9), 20)).toBe(`${heaped.repeat(2)}…`);
    expect(toOneLine(`${' '.repeat(5000)}late`, 10)).toBe('late');
  });
});
