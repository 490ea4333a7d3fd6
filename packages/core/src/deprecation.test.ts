import { expect, test } from 'vitest';
import { announceDeprecation, deprecate } from './deprecation.ts';

test('[N30] a deprecated function works as before and announces itself once, with what to use instead', () => {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const add = deprecate((a: number, b: number) => a + b, { name: 'add()', use: 'sum()', since: '0.2.0' }, warn);
  expect(warnings).toEqual([]);
  expect([add(1, 2), add(3, 4)]).toEqual([3, 7]);
  for (let at = 0; at < 2; at++) announceDeprecation({ name: 'plus()', use: 'sum()', since: '0.3.0' }, warn);
  expect(warnings).toEqual([
    'add() is deprecated since version 0.2.0 and will be removed. Use sum() instead.',
    'plus() is deprecated since version 0.3.0 and will be removed. Use sum() instead.',
  ]);
});
