import { nodeId } from '@coppice/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBroadcast, deltaPacking } from './broadcast.ts';
import type { TurnEvent } from './contract.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('[H6] every reader, from any index and at any time, sees every event once and in order, and then the end', async () => {
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

test('[H6] several pending reads are answered in order, and a reader that leaves is released', async () => {
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

test('[H6] text pieces are given as they arrived from any index, though stored without their common beginning', async () => {
  const [one, other] = [nodeId('00000000-0000-7000-8000-000000000001'), nodeId('00000000-0000-7000-8000-000000000002')];
  const piece = fc.record({ node: fc.constantFrom(one, other), text: fc.string({ maxLength: 3 }) });
  const odd = fc.constantFrom<TurnEvent>(
    { type: 'thinking-delta', nodeId: one, text: 'hm' },
    { type: 'text-delta', nodeId: one, offset: 0, text: 'anew' },
    { type: 'node', nodeId: other, parentId: one, role: 'assistant', status: 'success' },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 5, arbitrary: piece }, odd)),
      fc.nat({ max: 8 }),
      async (reported, from) => {
        const offsets = new Map([one, other].map((id) => [id, 0]));
        const events = reported.map((event): TurnEvent => {
          if ('type' in event) return event;
          const offset = offsets.get(event.node) ?? 0;
          offsets.set(event.node, offset + event.text.length);
          return { type: 'text-delta', nodeId: event.node, offset, text: event.text };
        });
        const broadcast = createBroadcast<TurnEvent>(deltaPacking);
        const read = async (start: number) => {
          const seen: TurnEvent[] = [];
          for await (const event of broadcast.read(start)) seen.push(event);
          return seen;
        };
        const early = [read(0), read(from)];
        for (const [at, event] of events.entries()) {
          broadcast.push(event);
          if (at % 4 === 0) await settle();
        }
        early.push(read(from));
        broadcast.close();
        expect(await Promise.all(early)).toEqual([events, events.slice(from), events.slice(from)]);
      },
    ),
  );
});
