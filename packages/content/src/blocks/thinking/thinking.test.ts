import { expect, it } from 'vitest';
import { runBlockConformance } from '../conformance.ts';
import { thinking } from './index.ts';

runBlockConformance(thinking, {
  good: {
    'with a signature': { type: 'thinking', thinking: 'Hm.', signature: 'EqQBCg==' },
    'redacted only': { type: 'thinking', thinking: '', redacted: 'gAAAAAB' },
    'further fields': { type: 'thinking', summaries: [{ summary: 'a' }], thinking: 'b' },
  },
  bad: {
    'without a string in thinking': { text: 'Hm.' },
    'signature that is not a string': { thinking: '', signature: 1 },
    'redacted that is not a string': { thinking: '', redacted: null },
  },
});

it('[C33] thinking reads as its text, is left out when lowered, and is ignored in comparisons', () => {
  const block = { type: 'thinking', thinking: 'Hm.', signature: 's' } as const;
  expect(thinking.toText(block)).toBe('Hm.');
  expect(thinking.lower(block)).toEqual([]);
  expect(thinking.equalityForm(block)).toBe(undefined);
});

it('[C33] redacted thinking has no text and still costs tokens', () => {
  const block = { type: 'thinking', thinking: '', redacted: 'x'.repeat(400) } as const;
  expect(thinking.toText(block)).toBe('');
  expect(thinking.tokens(block)).toBe(100);
});
