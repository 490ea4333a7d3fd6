import { messageKit } from '@coppice/content';
import { run, type Store, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { expect, test, vi } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { newId } from '../new-id.ts';
import { openEngine } from '../open-engine.ts';
import { createProviders } from '../providers/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createScriptedProvider } from '../testing/scripted.ts';
import { waitUntil } from '../testing/turn-fixture.ts';

const context = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit };
const everyMs = 250;

test('[H139] replies, heartbeats, stop checks and followed replies of all owners happen on one tick', async () => {
  const clock = createManualClock(everyMs);
  const store = await openStore('memory:');
  const provider = createScriptedProvider([[{ type: 'text-delta', text: 'abc.' }, { type: 'hang' }]]);
  const config = parseConfig({ name: 'test.toml', text: '' }, {});
  const providers = createProviders({ config, extra: [provider] });
  const limits = { flushMs: everyMs, followMs: everyMs, lookMs: everyMs, heartbeatMs: everyMs };
  const engine = openEngine({ store, config, providers, clock, limits, titles: false });
  const asked: string[] = [];
  const watched = (owner: Store): Store => {
    for (const name of ['append', 'beat', 'find', 'chunks'] as const) {
      const call = owner.runs[name].bind(owner.runs) as (...args: readonly unknown[]) => Promise<unknown>;
      vi.spyOn(owner.runs, name).mockImplementation((...args: readonly unknown[]): Promise<never> => {
        asked.push(name);
        return call(...args) as Promise<never>;
      });
    }
    return owner;
  };
  const stop = new AbortController();
  const received: string[] = [];
  const owners = ['ann', 'ben', 'cem', 'dia'].map((name) => watched(store.forOwner(name)));
  const turns = owners.map(async (owner) => {
    const id = treeId(newId());
    await run(owner, { type: 'create', treeId: id }, context);
    const { generator } = engine.forStore(owner);
    const messages = [{ message: textMessage('user', 'Hello') }];
    const turn = generator.generate({ type: 'send', treeId: id, messages }, { models: ['scripted/one'] });
    for await (const event of turn.events())
      if (event.type === 'text-delta') {
        void (async () => {
          const reply = { treeId: id, nodeId: event.nodeId };
          for await (const part of generator.follow(reply, stop.signal))
            if (part.type === 'text-delta') received.push(part.text);
        })();
        return turn;
      }
    throw new Error('The model said nothing.');
  });
  await Promise.all(turns);
  await waitUntil(() => asked.filter((name) => name === 'chunks').length === owners.length);
  await new Promise((resolve) => setImmediate(resolve));
  asked.length = 0;
  expect(clock.waits).toBe(1);
  clock.pass(everyMs);
  clock.tick();
  await new Promise((resolve) => setImmediate(resolve));
  const counts = (name: string) => asked.filter((one) => one === name).length;
  expect(['append', 'beat', 'find', 'chunks'].map(counts)).toEqual([4, 4, 8, 4]);
  clock.tick();
  await waitUntil(() => received.length === owners.length);
  expect(received).toEqual(['abc.', 'abc.', 'abc.', 'abc.']);
  stop.abort();
  await engine.close();
  await store.close();
});
