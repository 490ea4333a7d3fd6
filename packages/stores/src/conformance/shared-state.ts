/** Tests the records, counters and spending that all servers of a store share. */
import type { SharedRecords, SharedSpendingLedger, UsedAmount } from '@coppice/core';
import { describe, expect } from 'vitest';
import { requireSubjectMethod, type StoreSubject, skipUnlessSupported, testStoreRule } from './subject.ts';

const minute = 60_000;
const keep = { keepMs: minute };
const expired = { keepMs: 0 };

export function registerSharedStateRules(subject: StoreSubject): void {
  describe('what its servers share', () => {
    testStoreRule(
      subject,
      '[K280] of a short-lived record one server at a time replaces or takes the newest state, until it expires',
      async (store, context) => {
        skipUnlessSupported(context, store.shared !== null, 'Servers on one computer keep this in their memory.');
        const second = await requireSubjectMethod(subject.openSecond, 'openSecond')(store);
        const [a, b] = [store.shared?.records, second.forOwner('somebody else').shared?.records];
        if (a === undefined || b === undefined) throw new Error('Both handles share the records.');
        await checkSharedRecords(a, b);
        await second.close();
      },
    );

    testStoreRule(
      subject,
      '[K281] counters and groups of all servers together stay within their limits',
      async (store, context) => {
        skipUnlessSupported(context, store.shared !== null, 'Servers on one computer keep this in their memory.');
        const second = await requireSubjectMethod(subject.openSecond, 'openSecond')(store);
        const [a, b] = [store.shared?.records, second.shared?.records];
        if (a === undefined || b === undefined) throw new Error('Both handles share the records.');
        await checkSharedLimits(a, b);
        await second.close();
      },
    );

    testStoreRule(
      subject,
      '[K282] all servers reserve and add the spending of a day, and together never exceed a limit',
      async (store, context) => {
        skipUnlessSupported(context, store.shared !== null, 'Servers on one computer write this into a file.');
        const second = await requireSubjectMethod(subject.openSecond, 'openSecond')(store);
        const [a, b] = [store.shared?.spending, second.shared?.spending];
        if (a === undefined || b === undefined) throw new Error('Both handles share the spending.');
        await checkSpending(a, b);
        await second.close();
      },
    );
  });
}

/** Checks the records that two servers share. `a` and `b` are the records of each server; they may be one object. */
export async function checkSharedRecords(a: SharedRecords, b: SharedRecords): Promise<void> {
  const value = { text: 'one \ud800\u0000', ['__proto__']: 'kept' };
  const first = await a.put('codes', 'x', value, keep);
  expect(await b.find('codes', 'x')).toEqual({ key: 'x', stamp: first, value });
  expect(await b.find('other', 'x')).toBeNull();
  // Only a caller that has read the newest state may replace it.
  expect(await b.put('codes', 'x', { n: 0 }, { ...keep, expected: null })).toBeNull();
  const second = await b.put('codes', 'x', { n: 1 }, { ...keep, expected: first });
  expect(second).not.toBeNull();
  expect(await a.put('codes', 'x', { n: 2 }, { ...keep, expected: first })).toBeNull();
  expect((await a.find('codes', 'x'))?.value).toEqual({ n: 1 });
  await a.put('codes', 'w', {}, keep);
  expect((await b.list('codes')).map(({ key }) => key)).toEqual(['w', 'x']);
  const taken = await Promise.all([a, b, a, b].map((records) => records.take('codes', 'x')));
  expect(taken.filter((record) => record !== null)).toEqual([{ key: 'x', stamp: second, value: { n: 1 } }]);
  // An expired record cannot be found, listed, taken, replaced or renewed; a new one can take its place.
  const late = await a.put('codes', 'w', {}, expired);
  expect(await b.find('codes', 'w')).toBeNull();
  expect(await b.list('codes')).toEqual([]);
  expect(await b.put('codes', 'w', {}, { ...keep, expected: late })).toBeNull();
  expect(await b.renew([{ group: 'codes', key: 'w' }], minute)).toBe(0);
  expect(await b.take('codes', 'w')).toBeNull();
  await a.put('codes', 'w', {}, expired);
  expect(await b.put('codes', 'w', { n: 3 }, { ...keep, expected: null })).not.toBeNull();
  expect(await a.renew([{ group: 'codes', key: 'w' }], minute)).toBe(1);
  await a.put('codes', 'v', {}, expired);
  expect(await b.sweep()).toBe(1);
  expect((await a.list('codes')).map(({ key }) => key)).toEqual(['w']);
}

/** Checks that two servers together stay within the limits of groups and counters. */
export async function checkSharedLimits(a: SharedRecords, b: SharedRecords): Promise<void> {
  const both = [a, b] as const;
  const added = await Promise.all(
    Array.from({ length: 20 }, (_, at) => both[at % 2 === 0 ? 0 : 1].put('turns', `t${at}`, {}, { ...keep, most: 5 })),
  );
  expect(added.filter((stamp) => stamp !== null)).toHaveLength(5);
  const [gone] = await a.list('turns');
  await b.take('turns', gone?.key ?? '');
  expect(await a.put('turns', 'next', {}, { ...keep, most: 5 })).not.toBeNull();
  expect(await b.put('turns', 'more', {}, { ...keep, most: 5 })).toBeNull();
  // The limit does not count the record that is replaced, expired records and records of other groups.
  expect(await b.put('turns', 'next', {}, { ...expired, most: 5 })).not.toBeNull();
  expect(await b.put('turns', 'more', {}, { ...keep, most: 5 })).not.toBeNull();
  expect(await b.put('imports', 'more', {}, { ...keep, most: 1 })).not.toBeNull();

  // A period of 10,000 years cannot end during the test.
  const limit = { most: 10, periodMs: 315_360_000_000_000 };
  const sums = await Promise.all(
    Array.from({ length: 20 }, (_, at) => both[at % 2 === 0 ? 0 : 1].count('bytes', 1, limit)),
  );
  expect(sums.flatMap((sum) => sum ?? []).sort((x, y) => x - y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(await a.count('bytes', 0.5, { ...limit, most: 10.5 })).toBe(10.5);
  expect(await b.count('other bytes', 11, limit)).toBeNull();
  expect(await b.count('other bytes', 4, limit)).toBe(4);
  // In another period the counter begins again.
  expect(await a.count('bytes', 7, { most: 10, periodMs: 1 })).toBe(7);
  const [left, leftOfLong] = [await a.periodLeft(1_000), await b.periodLeft(limit.periodMs)];
  expect(left > 0 && left <= 1_000 && leftOfLong > limit.periodMs / 2).toBe(true);
}

async function checkSpending(a: SharedSpendingLedger, b: SharedSpendingLedger): Promise<void> {
  const day = '2026-11-18';
  const rest = (used: UsedAmount) => Math.min(6, 10 - used.spent - used.reserved) || null;
  const ids = await Promise.all([a, b, a, b].map((one) => one.reserve(day, 'ada', minute, rest)));
  const held = ids.flatMap((id) => id ?? []);
  expect(held).toHaveLength(2);
  const look = async (owner: string): Promise<readonly UsedAmount[]> => {
    let found: readonly UsedAmount[] = [];
    await b.reserve(day, owner, minute, (used, own) => {
      found = [used, own];
      return null;
    });
    return found;
  };
  expect(await look('ada')).toEqual([
    { spent: 0, reserved: 10 },
    { spent: 0, reserved: 10 },
  ]);
  await a.add(day, { owner: 'ada', calls: 1, tokens: 100, usd: 1.5 });
  await b.add(day, { owner: 'ben', calls: 1, tokens: 50, usd: 0.5 });
  await b.add(day, { owner: null, calls: 1, tokens: 0, usd: 2 });
  for (const id of held) await b.release(id);
  expect(await a.on(day)).toBe(4);
  expect(await a.on('2026-11-19')).toBe(0);
  expect(await b.byOwner(day)).toEqual([
    { owner: 'ada', calls: 1, tokens: 100, usd: 1.5 },
    { owner: 'ben', calls: 1, tokens: 50, usd: 0.5 },
  ]);
  // The reservation of a server that has ended expires.
  expect(await a.reserve(day, 'ben', 0, () => 3)).not.toBeNull();
  expect(await look('ben')).toEqual([
    { spent: 4, reserved: 0 },
    { spent: 0.5, reserved: 0 },
  ]);
  await expect(
    a.reserve(day, 'ada', minute, () => {
      throw new Error('too expensive');
    }),
  ).rejects.toThrow('too expensive');
}
