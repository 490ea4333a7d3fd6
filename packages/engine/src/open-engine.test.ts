import { messageKit } from '@coppice/content';
import { nodeId, run, type Store, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from './config/load.ts';
import { createEventBus } from './events.ts';
import { createMemorySpendingLedger, utcDayOf } from './generate/spending-ledger.ts';
import { newId } from './new-id.ts';
import { type Engine, type EngineOptions, openEngine } from './open-engine.ts';
import { createProviders } from './providers/index.ts';
import { createScriptedProvider, makeUsageEvent, type ScriptedReply } from './testing/scripted.ts';

// A thousand input tokens cost ten cents, a thousand output tokens one dollar.
const priced =
  '[models."scripted/one"]\nwindow = 100000\nmax_output = 1000\nprice = { input = 100, output = 1000 }\n[summaries]\nmodel = "scripted/one"\n';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const used = (input: number, output: number): ScriptedReply => [
  { type: 'text-delta', text: 'In short.' },
  makeUsageEvent(input, output),
  { type: 'end', finishReason: 'stop', raw: 'stop' },
];

async function open(replies: readonly ScriptedReply[], lines = '', more: Partial<EngineOptions> = {}) {
  const store = await openStore('memory:');
  const provider = createScriptedProvider(replies);
  const config = parseConfig({ name: 'test.toml', text: priced + lines }, {});
  const providers = createProviders({ config, extra: [provider] });
  const engine = openEngine({ store, config, providers, ...more });
  opened.push(store, engine);
  return { store, provider, engine, config };
}

const context = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit };

/** Creates a conversation that is long enough to be compacted. */
async function longTree(store: Store) {
  const id = treeId(newId());
  await run(store, { type: 'create', treeId: id }, context);
  const texts = ['Plan the move.', 'word '.repeat(6_000), 'And then?', 'word '.repeat(6_000), 'Done?', 'It is done.'];
  const messages = texts.map((text, at) => ({ message: textMessage(at % 2 === 0 ? 'user' : 'assistant', text) }));
  const { result } = await run(store, { type: 'append', treeId: id, messages }, context);
  return { treeId: id, ids: result.added };
}

/** Each function through which an engine compacts or summarises. */
const methods: readonly (readonly [string, (engine: Engine, store: Store) => Promise<unknown>])[] = [
  ['the compactor', async (engine, store) => engine.compactor.compact({ treeId: (await longTree(store)).treeId })],
  [
    'the command /compact',
    async (engine, store) => engine.commands.run('/compact', { store, treeId: (await longTree(store)).treeId }),
  ],
];

describe('one engine', () => {
  test.each(methods)(
    '[H60] %s counts for the budget of the day, and no model is called once it is spent',
    async (_, act) => {
      const spending = createMemorySpendingLedger();
      const { engine, store, provider } = await open([used(1_000, 100)], '[budgets]\nday_usd = 10\n', { spending });
      await act(engine, store);
      const today = utcDayOf(Date.now());
      expect(provider.requests.length).toBeGreaterThan(0);
      expect(await spending.on(today)).toBeGreaterThan(0.1);
      const calls = provider.requests.length;
      await spending.add(today, 10);
      await act(engine, store);
      expect(provider.requests).toHaveLength(calls);
    },
  );

  test.each(methods)('[H60] %s makes no call that the budget of the day cannot pay for', async (_, act) => {
    const spending = createMemorySpendingLedger();
    const { engine, store, provider } = await open([used(1_000, 100)], '[budgets]\nday_usd = 0.01\n', { spending });
    await act(engine, store);
    expect(provider.requests).toEqual([]);
    expect(await spending.on(utcDayOf(Date.now()))).toBe(0);
  });

  test.each(methods)('[H61] %s is cancelled by a hook, and nothing is requested or written', async (_, act) => {
    const events = createEventBus();
    events.before('compact', () => ({ cancel: 'Not now.' }));
    const { engine, store, provider } = await open([used(1, 1)], '', { events });
    await expect(act(engine, store)).rejects.toMatchObject({ code: 'event/cancelled', message: 'Not now.' });
    expect(provider.requests).toEqual([]);
  });

  test('[H60] branch summaries and titles count for the budget of the day', async () => {
    const spending = createMemorySpendingLedger();
    const { engine, store, provider } = await open([used(1_000, 100)], '[budgets]\nday_usd = 100\n', { spending });
    const { treeId: id, ids } = await longTree(store);
    await engine.compactor.branchWithSummary({ treeId: id, nodeId: ids[0] ?? nodeId('') });
    const afterBranch = await spending.on(utcDayOf(Date.now()));
    expect(afterBranch).toBeGreaterThan(0);
    const short = treeId(newId());
    await run(store, { type: 'create', treeId: short }, context);
    const question = [{ message: textMessage('user', 'Which tree is this?') }];
    await engine.generator.generate({ type: 'send', treeId: short, messages: question }, { models: ['scripted/one'] })
      .done;
    const calls = provider.requests.length;
    const before = await spending.on(utcDayOf(Date.now()));
    await engine.titles?.idle();
    expect(provider.requests.length).toBeGreaterThan(calls);
    expect(await spending.on(utcDayOf(Date.now()))).toBeGreaterThan(before);
  });

  test('[H62] shares one budget, one summarizer and the same hooks between stores, and closes with the first', async () => {
    const events = createEventBus();
    const { engine, store, provider } = await open([used(1_000, 100)], '[budgets]\nday_usd = 3\n', { events });
    const second = await openStore('memory:');
    opened.push(second);
    const other = engine.forStore(second);
    expect(engine.forStore(store)).toBe(engine);
    expect(engine.forStore(second)).toBe(other);
    expect(other.summarizer).toBe(engine.summarizer);
    for (let round = 0; round < 40; round++) await engine.compactor.compact({ treeId: (await longTree(store)).treeId });
    const calls = provider.requests.length;
    expect(calls).toBeLessThan(40);
    await other.compactor.compact({ treeId: (await longTree(second)).treeId });
    expect(provider.requests).toHaveLength(calls);
    events.before('compact', () => ({ cancel: 'Not now.' }));
    await expect(other.compactor.compact({ treeId: (await longTree(second)).treeId })).rejects.toThrow('Not now.');
    await engine.close();
    const question = [{ message: textMessage('user', 'Late') }];
    const { treeId: late } = await longTree(second);
    const end = await other.generator.generate(
      { type: 'send', treeId: late, messages: question },
      { models: ['scripted/one'] },
    ).done;
    expect(end).toMatchObject({ type: 'error', code: 'generate/closed' });
  });

  test('[H62] takes everything that is not given from the configuration', async () => {
    const store = await openStore('memory:');
    const config = parseConfig({ name: 'test.toml', text: '[tools]\ndeny = ["introspect"]\n' }, {});
    const engine = openEngine({ store, config });
    opened.push(store, engine);
    expect(engine.tools.list().map(({ name }) => name)).toContain('current_date');
    expect(engine.commands.find('compact')).toBeDefined();
    expect(engine.titles).not.toBeNull();
    expect(engine.providers.model('offline/guide').id).toBe('offline/guide');
    expect(openEngine({ store, config, titles: false }).titles).toBeNull();
  });
});

test('[H140] an engine without a store or a configuration is refused with what to pass', async () => {
  const store = await openStore('memory:');
  opened.push(store);
  const openWith = (options: object) => () => Reflect.apply(openEngine, undefined, [options]);
  expect(openWith({ config: parseConfig(null, {}) })).toThrow('openEngine needs a store');
  expect(openWith({ store: openStore('memory:'), config: parseConfig(null, {}) })).toThrow('openEngine needs a store');
  expect(openWith({ store })).toThrow('openEngine needs a `config`, such as parseConfig(null, {}).');
});
