import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBroadcast } from './broadcast.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('[H6] whoever reads, from where and when ever, sees every event once and in order, and then the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 12 }),
      fc.array(fc.record({ from: fc.nat({ max: 14 }), after: fc.nat({ max: 12 }) }), { maxLength: 4 }),
      async (count, readers) => {
        const broadcast = createBroadcast<{ readonly at: number }>();
        const seen: Promise<number[]>[] = [];
        const begin = async (from: number) => {
          const found: number[] = [];
          for await (const { at } of broadcast.read(from)) found.push(at);
          return found;
        };
        for (let at = 0; at <= count; at++) {
          for (const reader of readers) if (reader.after === at) seen.push(begin(reader.from));
          if (at % 3 === 0) await settle();
          if (at < count) broadcast.push({ at });
        }
        broadcast.close();
        broadcast.push({ at: 99 });
        const wanted = readers
          .filter(({ after }) => after <= count)
          .sort((a, b) => a.after - b.after)
          .map(({ from }) => Array.from({ length: Math.max(0, count - from) }, (_, at) => at + from));
        expect(await Promise.all(seen)).toEqual(wanted);
      },
    ),
  );
});

test('[H6] several questions at once are answered in order, and one that leaves is let go', async () => {
  const broadcast = createBroadcast<{ readonly at: number }>();
  const reader = broadcast.read()[Symbol.asyncIterator]();
  const asked = [reader.next(), reader.next(), reader.next()];
  broadcast.push({ at: 0 });
  broadcast.push({ at: 1 });
  await settle();
  await reader.return?.();
  expect(await Promise.all(asked)).toEqual([
    { done: false, value: { at: 0 } },
    { done: false, value: { at: 1 } },
    { done: true, value: undefined },
  ]);
  broadcast.push({ at: 2 });
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});
