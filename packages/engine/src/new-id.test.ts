import { isUuid } from '@coppice/core';
import { expect, it } from 'vitest';
import { newId } from './new-id.ts';

it('makes UUIDs of version 7 that sort by their time and never come twice', () => {
  const made = [0, 1, 2 ** 32 - 1, 2 ** 32, Date.now(), 2 ** 48 - 1].map((now) => newId(now));
  expect(made.every((id) => isUuid(id) && /^.{14}7.{4}[89ab]/.test(id))).toBe(true);
  expect([...made].sort()).toEqual(made);
  expect(Number.parseInt(newId(1_700_000_000_123).replaceAll('-', '').slice(0, 12), 16)).toBe(1_700_000_000_123);
  expect(new Set(Array.from({ length: 10_000 }, () => newId(5))).size).toBe(10_000);
});
