import { expect, test } from 'vitest';
import { checkSharedLimits, checkSharedRecords } from '../conformance/shared-state.ts';
import { createMemorySharedRecords } from './shared-records.ts';

test('[K283] the records of a single server behave like those that servers share', async () => {
  const records = createMemorySharedRecords(Date.now);
  await checkSharedRecords(records, records);
  const counted = createMemorySharedRecords(() => 5_000);
  await checkSharedLimits(counted, counted);
});

test('[K283] they expire by the clock of the server, and a sweep deletes them', async () => {
  let now = 0;
  const records = createMemorySharedRecords(() => now);
  await records.put('codes', 'a', {}, { keepMs: 1_000 });
  await records.count('bytes', 1, { most: 5, periodMs: 2_000 });
  now = 1_000;
  expect(await records.find('codes', 'a')).toBeNull();
  expect(await records.sweep()).toBe(1);
  now = 2_000;
  expect(await records.sweep()).toBe(1);
  expect(await records.count('bytes', 5, { most: 5, periodMs: 2_000 })).toBe(5);
});
