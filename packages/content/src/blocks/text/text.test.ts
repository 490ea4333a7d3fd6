import { expect, it } from 'vitest';
import { runBlockConformance } from '../conformance.ts';
import { text } from './index.ts';

runBlockConformance(text, {
  good: {
    plain: { type: 'text', text: 'Hello' },
    'white space': { type: 'text', text: ' \n' },
    'further fields': { text: 'a', citations: [{ url: 'https://example.org' }], type: 'text' },
  },
  bad: { 'without a string in text': { text: 1 }, 'is a text block without': {} },
});

it('[C29] text is unchanged as text and when lowered', () => {
  const block = { type: 'text', text: ' a ' } as const;
  expect(text.toText(block)).toBe(' a ');
  expect(text.lower(block)).toEqual([block]);
});

it('[C30] text is compared trimmed, and blank text is ignored', () => {
  expect(text.equalityForm({ type: 'text', text: '\t a b\n' })).toEqual({ type: 'text', text: 'a b' });
  const cited = { type: 'text', text: 'a ', citations: ['b'], cache_control: {} } as const;
  expect(text.equalityForm(cited)).toEqual({ type: 'text', text: 'a', citations: ['b'] });
  expect(text.equalityForm({ type: 'text', text: ' \u00a0\n' })).toBe(undefined);
});
