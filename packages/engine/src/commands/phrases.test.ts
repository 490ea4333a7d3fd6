import { describe, expect, test } from 'vitest';
import { openCommandFixture } from '../testing/command-fixture.ts';
import {
  makeAgeValue,
  makeCountValue,
  makePhrase,
  makeQuoteValue,
  phraseLineToEnglish,
  phraseToEnglish,
} from './phrases.ts';

describe('what commands report', () => {
  test('[E31] are codes with data, and the English texts have the same placeholders', async () => {
    const fixture = await openCommandFixture('memory');
    try {
      const [, reply] = await fixture.say(['q1', 'a1', 'q2', 'a2']);
      for (const line of [
        ...['/name Oaks', '/label here', '/model', '/tree', '/branches', '/context', '/help', '/help switch', '/label'],
        ...[`/switch ${reply}`, '/undo', '/redo', '/branch-here', '/clone', '/fork'],
      ]) {
        const { said, did = [], text, lines } = await fixture.run(line);
        expect([line, did.map(phraseToEnglish).join(' ')]).toEqual([line, said]);
        expect(did.length).toBeGreaterThan(0);
        expect(lines?.map(phraseLineToEnglish).join('\n')).toBe(text);
      }
    } finally {
      await fixture.close();
    }
  });

  test('[E31] fills in counts, quotes, shares and ages', () => {
    const messages = makeCountValue(1, 'message');
    expect(phraseToEnglish(makePhrase('part-messages-with-words', { messages, words: makeQuoteValue('Hi') }))).toBe(
      '1 message (“Hi”)',
    );
    expect(phraseToEnglish(makePhrase('share', { used: { share: 0.015 } }))).toBe('1.5 %');
    expect(
      [30_000, 120_000, 7_200_000].map((ms) => phraseToEnglish(makePhrase('age', { age: makeAgeValue(ms) }))),
    ).toEqual(['just now', '2 minutes ago', '2 hours ago']);
  });
});
