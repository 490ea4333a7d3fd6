import { AppError, nodeId, type Store, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../providers/clock.ts';
import type { ProviderEvent } from '../providers/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, waitUntil } from '../testing/turn-fixture.ts';
import { createTurnGenerator } from './index.ts';

const said = (text: string): ProviderEvent => ({ type: 'text-delta', text });

let fixture: TurnFixture;
afterEach(() => fixture.close());

/** Wraps a store so that its commits fail while `fails` returns true. */
function makeFailingStore(store: Store, fails: () => boolean): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'change') return value.bind(target);
      return (...given: unknown[]) =>
        fails()
          ? Promise.reject(new AppError({ code: 'store/full', kind: 'unavailable', message: 'The disk is full.' }))
          : value.apply(target, given);
    },
  });
}

describe.each(['memory', 'sqlite'] as const)('a reply on %s', (kind) => {
  test('[H36] a reply that the store refuses is reported as an error, and its run stays until it is recovered', async () => {
    let full = false;
    fixture = await openTurnFixture(kind, [
      async function* () {
        yield said('Worth keeping');
        full = true;
        yield* makeTextEvents('!');
      },
    ]);
    const store = makeFailingStore(fixture.store, () => full);
    const { providers } = fixture;
    const generator = createTurnGenerator({ store, providers, limits: { flushMs: 5 } });
    const turn = generator.generate(
      { type: 'send', treeId: fixture.treeId, messages: [{ message: textMessage('user', 'Hello') }] },
      { models: ['scripted/one'] },
    );
    expect(await turn.done).toMatchObject({ type: 'error', code: 'store/full' });
    const [left] = await fixture.store.runs.list();
    expect((await fixture.node(left?.nodeId)).status).toBe('pending');
    full = false;
    await store.runs.beat(left?.id ?? '', Date.now() - 16_000);
    const later = createTurnGenerator({ store, providers });
    expect(await later.recover()).toHaveLength(1);
    expect(await fixture.node(left?.nodeId)).toMatchObject({ status: 'interrupted', text: 'Worth keeping!' });
  });

  test('[H37] thinking with its signature and pictures are kept in the order in which they arrived', async () => {
    fixture = await openTurnFixture(kind, [
      [
        { type: 'thinking-delta', text: 'Hm.' },
        { type: 'thinking-end', signature: 'proof' },
        said('Look:'),
        { type: 'image', block: { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'aGk=' } } },
        said('Nice.'),
        { type: 'end', finishReason: 'stop', raw: 'stop' },
      ],
    ]);
    const end = await fixture.send('Draw').done;
    const { message, status } = await fixture.node(end.nodeIds[0]);
    expect(status).toBe('success');
    expect(message?.content.map((block) => block.type)).toEqual(['thinking', 'text', 'image', 'text']);
    expect(message?.content[0]).toMatchObject({ signature: 'proof', provider: 'scripted' });
  });

  test('[H12] of two callers that continue the same reply at once one writes it', async () => {
    let go = false;
    fixture = await openTurnFixture(kind, [
      [said('Half '), makeErrorEvent('provider/dropped', 'Gone.')],
      async function* () {
        await waitUntil(() => go);
        yield* makeTextEvents('done');
      },
    ]);
    const cut = await fixture.send('Hello').done;
    const start = { type: 'continue', treeId: fixture.treeId, nodeId: cut.nodeIds[0] ?? nodeId('') } as const;
    const turns = [1, 2].map(() => fixture.generator.generate(start, { models: ['scripted/one'] }));
    const refused = await Promise.race(turns.map((turn) => turn.done));
    expect(refused).toMatchObject({ type: 'error', code: 'tree/pending' });
    go = true;
    const ends = await Promise.all(turns.map((turn) => turn.done));
    expect(ends.map((end) => end.type).sort()).toEqual(['end', 'error']);
    expect(await fixture.node(start.nodeId)).toMatchObject({ status: 'success', text: 'Half done' });
    expect(await fixture.store.runs.list()).toEqual([]);
  });

  test('[H10] the same request at the same moment in two processes is written once', async () => {
    fixture = await openTurnFixture(kind, [makeTextEvents('Once')]);
    const beside = await fixture.beside();
    const prompt = await fixture.send('Hello', { models: ['scripted/one'] }).done;
    const { parentId } = await fixture.node(prompt.nodeIds[0]);
    const start = { type: 'reply', treeId: fixture.treeId, parentId: parentId ?? nodeId('') } as const;
    const options = { models: ['scripted/one'], requestId: 'same' };
    const ends = await Promise.all(
      [fixture.generator, beside.generator].map((generator) => generator.generate(start, options).done),
    );
    expect(ends[0]).toEqual(ends[1]);
    expect(fixture.provider.requests).toHaveLength(2);
    expect(await fixture.store.runs.list()).toEqual([]);
  });
});

test('[H19] other work is scheduled however fast a model writes', async () => {
  // Each call advances this clock by a millisecond, so that the test does not depend on the machine's speed.
  let time = 1_000_000;
  const clock = { ...systemClock, now: () => ++time };
  let turns = 0;
  let over = false;
  fixture = await openTurnFixture('memory', [makeTextEvents('word '.repeat(2_000))], { clock });
  const turned = () => {
    turns++;
    if (!over) setImmediate(turned);
  };
  setImmediate(turned);
  const end = await fixture.send('Quick').done;
  over = true;
  expect(end.type).toBe('end');
  expect(turns).toBeGreaterThan(100);
});
