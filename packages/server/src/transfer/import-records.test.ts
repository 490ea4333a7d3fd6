import { createMemorySharedRecords } from '@coppice/stores';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { SharedSlots } from '../live/shared-slots.ts';
import { ImportRecords } from './import-records.ts';
import { ImportRegistry, type ImportStatus } from './imports.ts';

const running: ImportStatus = {
  id: 'one',
  name: 'chats.json',
  size: 10,
  dryRun: false,
  strict: false,
  state: 'running',
  startedAt: 1,
  endedAt: null,
  format: null,
  progress: { bytes: 0, total: null, conversations: 0, records: 0 },
  taken: { stored: 3, merged: 0 },
  conversations: [],
  findings: [],
  report: null,
  error: null,
};

test('[A322] an import whose server has ended has failed, and says that it can be repeated', async () => {
  let now = 0;
  const records = new ImportRecords(
    createMemorySharedRecords(() => now),
    3_600_000,
  );
  await records.publish('ada', running);
  expect(await records.find('ada', 'one')).toEqual(running);
  expect(await records.find('ben', 'one')).toBeNull();
  now = 31_000;
  expect(await records.find('ada', 'one')).toMatchObject({ state: 'failed', taken: { stored: 3 } });
  expect((await records.list('ada'))[0]?.error?.message).toContain('Import the data again');
  // The server was only slow, and continues.
  await records.publish('ada', { ...running, state: 'done', endedAt: 31_000 });
  expect((await records.find('ada', 'one'))?.state).toBe('done');
});

test('[A322] the newest finished imports of a user are kept', async () => {
  const records = new ImportRecords(
    createMemorySharedRecords(() => 0),
    3_600_000,
  );
  for (let at = 0; at < 25; at++)
    await records.publish('ada', { ...running, id: `i${at}`, startedAt: at, state: 'done', endedAt: at });
  const kept = await records.list('ada');
  expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).toEqual([20, 'i24', 'i5']);
});

test('[A322] cancelling an import of another server ends if the import is removed from the list meanwhile', async () => {
  const records = createMemorySharedRecords(() => 0);
  const registry = new ImportRegistry({
    quotas: { imports: 1 },
    limits: { keepImportMs: 3_600_000 },
    log: pino({ level: 'silent' }),
    now: () => 0,
    slots: new SharedSlots({ records, newId: () => 'slot', log: pino({ level: 'silent' }) }),
    records,
  });
  const elsewhere = new ImportRecords(records, 3_600_000);
  await elsewhere.publish('ada', running);
  const cancelled = registry.cancel('ada', running, new AbortController().signal);
  await expect.poll(() => elsewhere.isCancelled('ada', 'one')).toBe(true);
  await elsewhere.forget('ada', 'one');
  expect((await cancelled).id).toBe('one');
  // A client that no longer waits ends the wait too.
  await elsewhere.publish('ada', running);
  expect((await registry.cancel('ada', running, AbortSignal.abort())).state).toBe('running');
});

test('[A317] the slots of running turns count again after the database has lost them', async () => {
  vi.useFakeTimers();
  try {
    const records = createMemorySharedRecords(() => 0);
    let id = 0;
    const slots = new SharedSlots({ records, newId: () => `slot ${id++}`, log: pino({ level: 'silent' }) });
    const release = await slots.take('turns ada', 1);
    await records.take('turns ada', 'slot 0');
    expect(await records.list('turns ada')).toEqual([]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await slots.take('turns ada', 1)).toBeNull();
    release?.();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await records.list('turns ada')).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});
