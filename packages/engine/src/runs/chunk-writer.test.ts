import type { RunChunk } from '@coppice/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createChunkWriter } from './chunk-writer.ts';
import { createSharedTimer } from './shared-timer.ts';

/** Stores chunks like a real store: writing the same offset again has no effect. */
function createChunkStore(fails: () => 'no' | 'before' | 'after' = () => 'no') {
  const chunks = new Map<number, string>();
  return {
    chunks,
    text: () => [...chunks.values()].join(''),
    async append(_id: string, chunk: RunChunk) {
      const how = fails();
      if (how === 'before') throw new Error('The disk is full.');
      if (!chunks.has(chunk.offset)) {
        expect(chunk.offset).toBe([...chunks.values()].join('').length);
        chunks.set(chunk.offset, chunk.text);
      }
      if (how === 'after') throw new Error('The answer was lost.');
      return true;
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const pace = { flushMs: 250, flushLength: 8 };
const never = () => {
  throw new Error('The run is there.');
};

test('[H5] text is stored when the timer fires, or when there is much of it', async () => {
  const clock = createManualClock();
  const runs = createChunkStore();
  const writer = createChunkWriter(runs, 'r', { ...pace, clock, onLost: never });
  writer.write('abc');
  writer.write('de');
  await settle();
  expect(runs.text()).toBe('');
  clock.tick();
  await settle();
  expect([...runs.chunks]).toEqual([[0, 'abcde']]);
  writer.write('0123456789'.repeat(13));
  await settle();
  expect(runs.text()).toBe(`abcde${'0123456789'.repeat(13)}`);
  writer.write('rest');
  await writer.stop();
  expect(runs.text()).toBe(`abcde${'0123456789'.repeat(13)}`);
});

test('[H5] the first longer text is stored at once, before the timer', async () => {
  const clock = createManualClock();
  const runs = createChunkStore();
  const writer = createChunkWriter(runs, 'r', { ...pace, clock, onLost: never });
  writer.write('0123456789');
  await settle();
  expect(runs.text()).toBe('0123456789');
  await writer.stop();
});

test('[H5] text that arrives very fast is stored in larger pieces, and less often', async () => {
  const clock = createManualClock();
  const runs = createChunkStore();
  const writer = createChunkWriter(runs, 'r', { ...pace, clock, onLost: never });
  for (let count = 0; count < 30; count++) {
    writer.write('0123456789');
    await settle();
  }
  // The first chunk is written at once, the next when sixteen times `flushLength` is queued.
  expect([...runs.chunks.keys()]).toEqual([0, 10, 140]);
  clock.tick();
  await settle();
  expect(runs.text()).toHaveLength(300);
  await writer.close();
});

test('[H5] replies that are written at the same time are stored at the same moment', async () => {
  const clock = createManualClock();
  const ticks = createSharedTimer(clock, 250);
  const one = createChunkStore();
  const other = createChunkStore();
  const first = createChunkWriter(one, 'a', { ...pace, clock, onLost: never, ticks });
  const second = createChunkWriter(other, 'b', { ...pace, clock, onLost: never, ticks });
  first.write('a');
  second.write('b');
  expect(clock.waits).toBe(1);
  await second.close();
  expect(other.text()).toBe('b');
  clock.tick();
  await settle();
  expect(one.text()).toBe('a');
  // Nothing is queued after this chunk, so no timer keeps the process alive.
  first.write('x');
  expect(clock.waits).toBe(1);
  await first.stop();
  first.write('y');
  clock.tick();
  await settle();
  expect(one.text()).toBe('a');
});

test('[H5] a failing store is retried later, not at once and not forever', async () => {
  const clock = createManualClock();
  let full = true;
  const runs = createChunkStore(() => (full ? 'before' : 'no'));
  const writer = createChunkWriter(runs, 'r', { ...pace, clock, onLost: never });
  writer.write('0123456789');
  await settle();
  expect(clock.waits).toBe(1);
  full = false;
  clock.tick();
  await settle();
  expect(runs.text()).toBe('0123456789');
  full = true;
  writer.write('x');
  await writer.close();
  expect(runs.text()).toBe('0123456789');
});

test('[H5] a run that no longer exists is reported once', async () => {
  let lost = 0;
  const clock = createManualClock();
  const writer = createChunkWriter({ append: async () => false }, 'r', { ...pace, clock, onLost: () => lost++ });
  writer.write('0123456789');
  await settle();
  await writer.close();
  expect(lost).toBe(1);
});

test('[H5] whatever fails, the stored text is a beginning of the reply, and all of it once the store works', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ maxLength: 12 })),
      fc.infiniteStream(fc.constantFrom('no', 'before', 'after')),
      async (pieces, failures) => {
        const clock = createManualClock();
        let well = false;
        const runs = createChunkStore(() => (well ? 'no' : (failures.next().value ?? 'no')));
        const writer = createChunkWriter(runs, 'r', { ...pace, clock, onLost: never });
        const whole = pieces.join('');
        for (const piece of pieces) {
          writer.write(piece);
          clock.tick();
          await settle();
          expect(whole.startsWith(runs.text())).toBe(true);
        }
        well = true;
        await writer.close();
        expect(runs.text()).toBe(whole);
      },
    ),
    { numRuns: 50 },
  );
});
