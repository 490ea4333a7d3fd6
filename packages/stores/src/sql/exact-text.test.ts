import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeColumnText, encodeColumnText } from './exact-text.ts';

describe('texts in columns', () => {
  test('ordinary text is stored unchanged', () => {
    for (const text of ['', 'plain', 'ü 漢 👍🏽', '\n\t\u2028\ufeff', '\\u0000', '\uf8ff'])
      expect(encodeColumnText(text)).toBe(text);
  });

  test('NUL, lone surrogates and the escape character are escaped', () => {
    expect(encodeColumnText('a\u0000b\ud800c\udc00d\u001ae')).toBe('a\u001a0000b\u001ad800c\u001adc00d\u001a001ae');
    expect(encodeColumnText('\ud83d\udc4d')).toBe('\ud83d\udc4d');
  });

  test('every text is read back unchanged, and no two texts are stored as one', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const odd = fc.constantFrom('\u0000', '\u001a', '\ud800', '\udfff', '0000', '001a', 'a');
    const text = fc.array(fc.oneof(unit, odd)).map((units) => units.join(''));
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(decodeColumnText(encodeColumnText(one))).toBe(one);
        expect(encodeColumnText(one) === encodeColumnText(other)).toBe(one === other);
        expect(encodeColumnText(one).includes('\u0000')).toBe(false);
        expect(Buffer.from(encodeColumnText(one), 'utf8').toString('utf8')).toBe(encodeColumnText(one));
      }),
    );
  });
});
