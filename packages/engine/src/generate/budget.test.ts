import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { systemClock } from '../providers/clock.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import { makeTextEvents, makeToolEvents, makeUsageEvent, type ScriptedReply } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, type TurnFixtureOptions } from '../testing/turn-fixture.ts';
import { defineTool } from '../tools/define.ts';
import { createTools } from '../tools/registry.ts';
import { createTurnSummaryBudget, noBudgets } from './budget.ts';
import { createDailySummaryBudget } from './daily-budget.ts';
import { toGeneratorSettings } from './settings.ts';
import {
  createFileSpendingLedger,
  createMemorySpendingLedger,
  type DailyBudgetUse,
  type SpendingLedger,
  utcDayOf,
} from './spending-ledger.ts';

let fixture: TurnFixture;
let opened: TurnFixture | null = null;
const places: string[] = [];
afterEach(async () => {
  await opened?.close();
  opened = null;
  // A reservation is released in the file after the reply has ended, so a file may appear meanwhile.
  for (const place of places.splice(0)) await rm(place, { recursive: true, maxRetries: 20, retryDelay: 100 });
});

async function folder(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'coppice-spending-'));
  places.push(place);
  return place;
}

/** Returns the reserved amount of a day. */
async function reservedOn(spending: SpendingLedger, day: string): Promise<number> {
  let found = Number.NaN;
  await spending.reserve(day, 'me', ({ reserved }) => {
    found = reserved;
    return null;
  });
  return found;
}

// The model costs one dollar per thousand output tokens, and a tenth of that for input.
const priced = [
  '[models."scripted/one"]\nwindow = 100000\nmax_output = 10000\nprice = { input = 100, output = 1000 }',
  '[models."other/two"]\nwindow = 100000\nmax_output = 10000\nprice = { input = 0, output = 0 }',
].join('\n');

async function open(replies: readonly ScriptedReply[], options: TurnFixtureOptions = {}): Promise<TurnFixture> {
  fixture = await openTurnFixture('memory', replies, { config: priced, ...options });
  opened = fixture;
  return fixture;
}

/** A reply that reports this usage. */
const used = (input: number, output: number): ScriptedReply => [
  { type: 'text-delta', text: 'Yes' },
  makeUsageEvent(input, output),
  { type: 'end', finishReason: 'stop', raw: 'stop' },
];

/** Makes a reply of 100 tokens that the provider sends only after `release` is called. */
function heldReply(): { readonly reply: ScriptedReply; release(): void } {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reply: ScriptedReply = async function* () {
    await released;
    yield { type: 'text-delta', text: 'Late' };
    yield makeUsageEvent(10, 100);
    yield { type: 'end', finishReason: 'stop', raw: 'stop' };
  };
  return { reply, release: () => release() };
}

const tools = createTools({
  tools: [defineTool({ name: 'look', description: 'Looks.', sideEffects: false, run: () => 'a tree' })],
});

describe('a turn', () => {
  test('[M40] requests no longer reply than its budget can pay for', async () => {
    await open([used(10, 10)], { budgets: { ...noBudgets, turnUsd: 2 } });
    expect((await fixture.send('Hello', { maxTokens: 5_000 }).done).type).toBe('end');
    const [request] = fixture.provider.requests;
    expect(request?.maxTokens).toBeGreaterThan(1_900);
    expect(request?.maxTokens).toBeLessThanOrEqual(2_000);
    expect((await fixture.send('Hello', { maxTokens: 300 }).done).type).toBe('end');
    expect(fixture.provider.requests[1]?.maxTokens).toBe(300);
  });

  test('[M40] shares its budget among parallel replies', async () => {
    await open([used(10, 10)], { budgets: { ...noBudgets, turnTokens: 2_000 } });
    await fixture.send('Hello', { maxTokens: 5_000, n: 4 }).done;
    const asked = fixture.provider.requests.map((request) => request.maxTokens);
    expect(asked).toHaveLength(4);
    for (const each of asked) expect(each).toBeLessThanOrEqual(500);
    for (const each of asked) expect(each).toBeGreaterThan(450);
  });

  test.each([
    ['dollars', { turnUsd: 0.1 }, 'turn_usd'],
    ['tokens', { turnTokens: 100 }, 'turn_tokens'],
    ['dollars of the day', { dayUsd: 0.1 }, 'day_usd'],
  ])('[M41] without the %s for a useful reply is refused, and the user message is kept', async (_, budget, name) => {
    await open([used(10, 10)], { budgets: { ...noBudgets, ...budget } });
    const end = await fixture.send('Hello', { maxTokens: 5_000 }).done;
    expect(end).toMatchObject({ type: 'error', code: 'generate/budget', kind: 'refused' });
    expect(end.type === 'error' && end.message).toContain(`raise ${name} in [budgets]`);
    expect(fixture.provider.requests).toEqual([]);
    expect(await fixture.thread()).toEqual(['user: Hello']);
    expect(await fixture.store.runs.list()).toEqual([]);
  });

  test('[M41] ends between tool calls when its budget is spent, with their results in the tree', async () => {
    const calls = (_request: unknown, number: number) => [
      ...makeToolEvents({ id: `c${number}`, name: 'look', parameters: {} }).slice(0, -2),
      makeUsageEvent(400, 400),
      { type: 'end', finishReason: 'tool-use', raw: 'x' } as const,
    ];
    await open([calls], { tools, budgets: { ...noBudgets, turnTokens: 2_000 } });
    const end = await fixture.send('Look', { tools: ['look'] }).done;
    expect(end).toMatchObject({ code: 'generate/budget' });
    expect(fixture.provider.requests).toHaveLength(2);
    expect((await fixture.thread()).at(-1)).toBe('tool: a tree');
    // The next turn has its own budget.
    await fixture.send('And now?', { tools: ['look'] }).done;
    expect(fixture.provider.requests.length).toBeGreaterThan(2);
  });

  test('[M42] estimates the usage of a reply that broke off before reporting it', async () => {
    const spending = createMemorySpendingLedger();
    await open([[{ type: 'text-delta', text: 'word '.repeat(200) }, makeErrorEvent('provider/dropped', 'Gone.')]], {
      budgets: { ...noBudgets, dayUsd: 100 },
      spending,
    });
    await fixture.send('Hello').done;
    expect(await spending.on(utcDayOf(Date.now()))).toBeGreaterThan(0.1);
  });

  test('[M41] uses a cheaper fallback model if the budget can pay for that', async () => {
    await open([used(10, 10)], { other: [makeTextEvents('For free')], budgets: { ...noBudgets, turnUsd: 0.1 } });
    const end = await fixture.send('Hello', { fallbackModel: 'other/two', maxTokens: 5_000 }).done;
    expect(end.type).toBe('end');
    expect(fixture.provider.requests).toEqual([]);
    expect((await fixture.thread()).at(-1)).toBe('assistant: For free');
  });

  test('[M41] of a free model, or of one with an unknown price, is not limited by dollars', async () => {
    await open([used(10, 10)], {
      config: '',
      other: [makeTextEvents('For free')],
      budgets: { ...noBudgets, turnUsd: 0, dayUsd: 0 },
    });
    expect((await fixture.send('Hello', { models: ['scripted/one'] }).done).type).toBe('end');
    expect((await fixture.send('Hello', { models: ['other/two'] }).done).type).toBe('end');
  });
});

test('[M44] shares the remaining budget among parts of a summary, and returns what they did not use', async () => {
  await open([used(10, 10)]);
  const [dear, free] = [fixture.providers.model('scripted/one'), fixture.providers.model('other/two')];
  const spent = { usd: 0, tokens: 0 };
  const allowance = createTurnSummaryBudget({ budgets: { ...noBudgets, turnUsd: 1, turnTokens: 10_000 } }, spent);
  const expected = { inputTokens: 1_000, outputTokens: 500 };
  const first = allowance.take(dear, expected);
  // Each call costs 60 cents.
  expect(allowance.take(dear, expected)).toBeNull();
  expect(allowance.take(free, { ...expected, inputTokens: 9_000 })).toBeNull();
  const second = allowance.take(free, expected);
  first?.({ inputTokens: 900, outputTokens: 100 }, 0.19);
  second?.(null, null);
  expect(spent).toEqual({ usd: 0.19, tokens: 1_000 });
  expect(allowance.take(dear, expected)).not.toBeNull();
});

describe('a day', () => {
  test('[M42] that is over its budget refuses every turn in every process, and the next day does not', async () => {
    const place = await folder();
    let now = Date.UTC(2026, 10, 15, 23, 0);
    const clock = { ...systemClock, now: () => now };
    const budgets = { ...noBudgets, dayUsd: 1 };
    await open([used(1_000, 700)], { clock, budgets, spending: createFileSpendingLedger(place) });
    expect((await fixture.send('One').done).type).toBe('end');
    const beside = await fixture.beside({ spending: createFileSpendingLedger(place) });
    const [said] = await fixture.children(fixture.rootId);
    const again = () =>
      beside.generator.generate(
        { type: 'reply', treeId: fixture.treeId, parentId: said?.id ?? fixture.rootId },
        { models: ['scripted/one'], maxTokens: 5_000 },
      ).done;
    expect(await again()).toMatchObject({ code: 'generate/budget' });
    now += 2 * 3_600_000;
    expect((await again()).type).toBe('end');
  });

  test('[M42] has a budget for one person, which other people do not use up', async () => {
    const people = new Map<string, number>();
    const spending = createMemorySpendingLedger();
    await open([used(1_000, 700)], { budgets: { ...noBudgets, personDayUsd: people }, spending });
    people.set(fixture.store.owner, 1);
    await spending.add(utcDayOf(Date.now()), 50, { owner: 'somebody else', tokens: 1 });
    expect((await fixture.send('One', { models: ['scripted/one'], maxTokens: 5_000 }).done).type).toBe('end');
    const over = await fixture.send('Two', { models: ['scripted/one'], maxTokens: 5_000 }).done;
    expect(over).toMatchObject({ code: 'generate/budget', message: expect.stringContaining('ask an admin') });
    people.set(fixture.store.owner, 9);
    expect((await fixture.send('Three', { models: ['scripted/one'], maxTokens: 5_000 }).done).type).toBe('end');
  });

  test('[M49] is not overspent by parallel replies', async () => {
    const { reply: slow, release } = heldReply();
    // A dollar pays for 1,000 tokens; the first reply may use 600 of them.
    await open([slow, used(10, 10)], { budgets: { ...noBudgets, dayUsd: 1 } });
    const first = fixture.send('One', { maxTokens: 600 });
    await expect.poll(() => fixture.provider.running).toBe(1);
    const second = await fixture.send('Two', { maxTokens: 5_000 }).done;
    expect(second.type).toBe('end');
    expect(fixture.provider.requests[1]?.maxTokens).toBeLessThan(400);
    const third = await fixture.send('Three'.repeat(4_000), { maxTokens: 5_000 }).done;
    expect(third).toMatchObject({ code: 'generate/budget', message: expect.stringContaining('reserved for replies') });
    release();
    expect((await first.done).type).toBe('end');
    // A reservation that was not used can be spent again.
    const last = fixture.provider.requests.length;
    expect((await fixture.send('Four', { maxTokens: 5_000 }).done).type).toBe('end');
    expect(fixture.provider.requests[last]?.maxTokens).toBeGreaterThan(450);
  });

  test('[M49] is not overspent by a reply and a title or summary', async () => {
    const { reply: slow, release } = heldReply();
    const spending = createMemorySpendingLedger();
    const budgets = { ...noBudgets, dayUsd: 1 };
    await open([slow], { budgets, spending });
    const summaries = createDailySummaryBudget({ budgets, spending, clock: systemClock, owner: 'me' });
    const expected = { inputTokens: 1_000, outputTokens: 700 };
    const turn = fixture.send('One', { maxTokens: 600 });
    await expect.poll(() => fixture.provider.running).toBe(1);
    expect(await summaries?.take(fixture.providers.model('scripted/one'), expected)).toBeNull();
    release();
    await turn.done;
    expect(await summaries?.take(fixture.providers.model('scripted/one'), expected)).not.toBeNull();
  });

  test('[M49] is not overspent by processes that share the folder of the configuration', async () => {
    const place = await folder();
    const day = utcDayOf(Date.now());
    const [ours, theirs] = [createFileSpendingLedger(place), createFileSpendingLedger(place)];
    // Each call reserves what is left of 10 dollars, but at most 6.
    const rest = ({ spent, reserved }: DailyBudgetUse) => {
      // Two simultaneous reservations can exceed the budget until the later one is released.
      const left = Math.min(6, 10 - spent - reserved);
      return left > 0 ? left : null;
    };
    const releases = await Promise.all(
      [ours, theirs, ours, theirs].map((spending) => spending.reserve(day, 'me', rest)),
    );
    expect(releases.filter((release) => release !== null)).toHaveLength(2);
    expect(await reservedOn(theirs, day)).toBe(10);
    for (const release of releases) release?.();
    await expect.poll(() => reservedOn(createFileSpendingLedger(place), day)).toBe(0);
    // The reservation of a killed process ends immediately; that of a process on another computer ends when it expires.
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const line = { reserve: 'a', most: 3, pid: gone, host: hostname(), until: Date.now() + 60_000 };
    const elsewhere = { ...line, reserve: 'b', most: 4, host: 'elsewhere.example' };
    await appendFile(join(place, `${day}.jsonl`), `${JSON.stringify(line)}\n${JSON.stringify(elsewhere)}\n`);
    expect(await reservedOn(ours, day)).toBe(4);
    expect(
      await reservedOn(
        createFileSpendingLedger(place, () => Date.now() + 120_000),
        day,
      ),
    ).toBe(0);
  });

  test('[M49] is reserved in the file before another process calls a model', async () => {
    const place = await folder();
    const { reply: slow, release } = heldReply();
    const budgets = { ...noBudgets, dayUsd: 1 };
    await open([slow, used(10, 10)], { budgets, spending: createFileSpendingLedger(place) });
    const beside = await fixture.beside({ budgets, spending: createFileSpendingLedger(place) });
    const first = fixture.send('One', { maxTokens: 600 });
    await expect.poll(() => fixture.provider.running).toBe(1);
    expect(await reservedOn(createFileSpendingLedger(place), utcDayOf(Date.now()))).toBeGreaterThan(0.59);
    const message = textMessage('user', 'Two'.repeat(4_000));
    const turn = beside.generator.generate(
      { type: 'send', treeId: fixture.treeId, parentId: fixture.rootId, messages: [{ message }] },
      { models: ['scripted/one'], maxTokens: 5_000 },
    );
    expect(await turn.done).toMatchObject({ code: 'generate/budget', message: expect.stringContaining('reserved') });
    release();
    expect((await first.done).type).toBe('end');
    const left = () => reservedOn(createFileSpendingLedger(place), utcDayOf(Date.now()));
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
  });

  test('[M42] has a ledger that many processes write and that survives an incomplete line', async () => {
    const place = await folder();
    const books = [createFileSpendingLedger(place), createFileSpendingLedger(place)] as const;
    const day = '2026-11-15';
    expect(await books[0].on(day)).toBe(0);
    await Promise.all(Array.from({ length: 50 }, (_, index) => books[index % 2 === 0 ? 0 : 1].add(day, 1)));
    expect(await Promise.all(books.map((spent) => spent.on(day)))).toEqual([50, 50]);
    await appendFile(join(place, `${day}.jsonl`), '{"usd":-5}\nnonsense\n{"usd":2}\n{"usd":');
    expect(await books[0].on(day)).toBe(52);
    await appendFile(join(place, `${day}.jsonl`), '3}\n');
    expect(await books[0].on(day)).toBe(55);
    expect(await books[0].on('2026-11-16')).toBe(0);
    expect(await createFileSpendingLedger(place).on(day)).toBe(55);
  });

  test('[M42] whose ledger cannot be written is counted in memory, and one that cannot be read refuses', async () => {
    const place = await folder();
    await writeFile(join(place, 'file'), '');
    const spent = createFileSpendingLedger(join(place, 'file'));
    await spent.add('2026-11-15', 4);
    await expect(spent.on('2026-11-15')).rejects.toThrow('ENOTDIR');
    await open([used(10, 10)], { budgets: { ...noBudgets, dayUsd: 100 }, spending: spent });
    expect(await fixture.send('Hello').done).toMatchObject({ code: 'generate/budget', kind: 'refused' });
    expect(fixture.provider.requests).toEqual([]);
  });

  test('[M40] has the budgets of the configuration, with a ledger beside it', async () => {
    const place = await folder();
    const text = '[budgets]\nturn_usd = 0.5\nday_usd = 3\nturn_tokens = 1000';
    const settings = toGeneratorSettings(parseConfig({ name: join(place, 'config.toml'), text }, {}));
    expect(settings.budgets).toEqual({ turnUsd: 0.5, dayUsd: 3, turnTokens: 1_000 });
    await settings.spending?.add('2026-11-15', 2);
    expect(await createFileSpendingLedger(join(place, 'spending')).on('2026-11-15')).toBe(2);
    expect(toGeneratorSettings(parseConfig(null, {}))).toMatchObject({ budgets: noBudgets, spending: undefined });
  });
});
