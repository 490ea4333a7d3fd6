/**
 * Measures costs that grow with users, buckets, replies and messages on PostgreSQL: appends over buckets on one and on
 * two servers compared with the bare driver, an idle server, running replies, the delay of feeds, and the check of one
 * tree.
 */
import { run, type Store, type TreeId } from '@coppice/core';
import { createProviders, defineProvider, openEngine, parseConfig, systemClock } from '@coppice/engine';
import { serve } from '@coppice/server';
import { openStore } from '@coppice/stores';
import { openBuckets } from '@coppice/stores/buckets';
import { insertTreeCopies } from '@coppice/stores/testing/insert-tree-copies';
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import pg from 'pg';
import { type Measurement, median } from './measure.ts';
import { readServerCpu } from './server-cpu.ts';
import { benchContext, buildBenchTree, makeBenchMessage } from './stores/bench-tree.ts';
import { openBareDriver } from './stores/postgres.ts';

const isLong = process.env['COPPICE_LONG'] === '1';
const writers = 16;
const appendsPerWriter = 40;

interface AppendCost {
  readonly perSecond: number;
  /** The processor time per append of the database servers and of this process, in microseconds. */
  readonly server: number;
  readonly client: number;
}

/** Measures concurrent appends of all writers. */
async function measureAppends(
  servers: readonly PostgresServer[],
  append: (writer: number, n: number) => Promise<unknown>,
): Promise<AppendCost> {
  const cpu = async () => {
    const each = await Promise.all(servers.map(readServerCpu));
    return each.reduce<number>((sum, time) => sum + (time ?? Number.NaN), 0);
  };
  const all = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let n = from; n < to; n++) await append(writer, n);
      }),
    );
  await all(0, 5);
  const [before, own, start] = [await cpu(), process.cpuUsage(), performance.now()];
  await all(5, 5 + appendsPerWriter);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(own);
  const count = writers * appendsPerWriter;
  return { perSecond: count / seconds, server: ((await cpu()) - before) / count, client: (user + system) / count };
}

/** Measures appends to one tree of each of several owners. */
async function storeAppends(servers: readonly PostgresServer[], store: Store): Promise<AppendCost> {
  const owners = Array.from({ length: writers }, (_, at) => store.forOwner(`owner ${at}`));
  const trees: TreeId[] = [];
  for (const owner of owners) trees.push((await buildBenchTree(owner, 60)).id);
  return measureAppends(servers, (writer, n) => {
    const [owner, tree] = [owners[writer], trees[writer]];
    if (owner === undefined || tree === undefined) throw new Error('There is no such writer.');
    return run(owner, { type: 'append', treeId: tree, messages: [{ message: makeBenchMessage(n) }] }, benchContext);
  });
}

async function appends(measures: Measurement[], first: PostgresServer, second: PostgresServer): Promise<void> {
  const push = (by: string, cost: AppendCost, bare: AppendCost | null) => {
    const work = `append, ${writers} writers`;
    measures.push(
      { work: `${work}, rate`, by, value: cost.perSecond, unit: '/s' },
      {
        work: `${work}, processor time of the servers`,
        by,
        value: cost.server,
        unit: 'µs',
        ...(bare === null ? {} : { ratio: cost.server / bare.server }),
      },
      { work: `${work}, processor time of the process`, by, value: cost.client, unit: 'µs' },
    );
  };
  const url = await first.createDatabase();
  const store = await openStore(url);
  const sides = await Promise.all(Array.from({ length: writers }, () => openBareDriver(url, store, false)));
  const bare = await measureAppends([first], async (writer, n) => sides[writer]?.append(10_000_000 + n));
  await Promise.all(sides.map(({ client }) => client.end()));
  push('bare driver', bare, null);
  push('1 bucket', await storeAppends([first], store), bare);
  await store.close();
  for (const servers of [[first], [first, second]])
    for (const count of [2, 4, 8]) {
      const place = await first.createDatabase();
      await (await openStore(place)).close();
      const urls = [null, servers.length === 1 ? null : await second.createDatabase()];
      const buckets = await openBuckets(place);
      for (let at = 1; at < count; at++) {
        const other = urls[at % 2] ?? null;
        await buckets.add(`bucket${at}`, other === null ? {} : { url: other });
      }
      await buckets.close();
      const divided = await openStore(place);
      const where = servers.length === 1 ? 'one server' : 'two servers';
      push(`${count} buckets on ${where}`, await storeAppends(servers, divided), bare);
      await divided.close();
    }
}

/** Returns how many transactions per second this process starts, measured for `seconds` seconds. */
async function transactionsPerSecond(seconds: number): Promise<number> {
  let begun = 0;
  const { query } = pg.Client.prototype;
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: readonly unknown[]): unknown {
      if (typeof args[0] === 'string' && args[0].startsWith('BEGIN')) begun++;
      return Reflect.apply(query, this, args);
    },
  });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  Object.assign(pg.Client.prototype, { query });
  return begun / seconds;
}

const config = parseConfig({ name: 'bench.toml', text: '' }, {});

/** Measures the transactions per second of a server without requests, by the number of users. */
async function atRest(measures: Measurement[], server: PostgresServer): Promise<void> {
  const url = await server.createDatabase();
  const store = await openStore(url);
  const listening = await serve({ store, config, auth: { mode: 'users' }, titles: false, port: 0 });
  for (const users of [1, 1_000, 100_000]) {
    await server.query(
      `INSERT INTO account (id, name, role, created_at)
      SELECT 'user ' || k, 'user ' || k, 'member', 1 FROM generate_series(1, ${users}) AS k ON CONFLICT DO NOTHING`,
      url,
    );
    const work = `at rest, ${users.toLocaleString('en')} users`;
    const value = await transactionsPerSecond(12);
    measures.push({ work, by: 'coppice', value, unit: '/s', budget: '< 2/s', kept: value < 2 });
  }
  await listening.close();
  await store.close();
}

/** A model that writes a word every 40 ms until it is stopped, so that a reply runs as long as needed. */
const endless = defineProvider({
  name: 'endless',
  label: 'Endless',
  baseUrl: null,
  defaultModel: 'words',
  models: [{ id: 'words' }],
  supports: {
    blocks: ['text'],
    tools: false,
    toolChoice: false,
    thinking: false,
    images: false,
    systemInPlace: true,
    seed: false,
    streaming: true,
  },
  parameters: {},
  async *stream(_request, { clock = systemClock, signal = new AbortController().signal }) {
    while (!signal.aborted) {
      yield { type: 'text-delta', text: 'word ' };
      await clock.wait(40, signal).catch(() => undefined);
    }
    yield { type: 'end', finishReason: 'stop', raw: 'stop' };
  },
});

/** Measures the transactions per second while replies of several owners run. */
async function replies(measures: Measurement[], server: PostgresServer): Promise<void> {
  const store = await openStore(await server.createDatabase());
  const providers = createProviders({ config, extra: [endless] });
  const engine = openEngine({ store, config, providers, titles: false });
  let started = 0;
  for (const count of [1, 20, 100]) {
    for (; started < count; started++) {
      const owner = store.forOwner(`owner ${started}`);
      const { id } = await buildBenchTree(owner, 1);
      const messages = [{ message: makeBenchMessage(0) }];
      engine.forStore(owner).generator.generate({ type: 'send', treeId: id, messages }, { models: ['endless/words'] });
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const value = await transactionsPerSecond(10);
    const work = `running replies, ${count}`;
    measures.push({ work, by: 'coppice', value, unit: '/s', budget: '≤ 5/s', kept: value <= 5 });
  }
  await engine.close();
  await store.close();
}

/** Measures the time from a commit on one server until a list feed of another server delivers it. */
async function feedDelay(measures: Measurement[], server: PostgresServer): Promise<void> {
  for (const { by, feed, most } of [
    { by: 'notifications', feed: 'notify', most: 50 },
    { by: 'polling', feed: 'poll', most: 600 },
  ] as const) {
    const url = await server.createDatabase();
    const here = await openStore(url);
    const there = await openStore(`${url}?feed=${feed}`);
    const { id } = await buildBenchTree(here, 60);
    const arrived = new Map<number, number>();
    const stop = new AbortController();
    const following = (async () => {
      for await (const { version } of there.feedAll(null, stop.signal)) arrived.set(version, performance.now());
    })();
    const append = () =>
      run(here, { type: 'append', treeId: id, messages: [{ message: makeBenchMessage(1) }] }, benchContext);
    // The feed has started as soon as one of these commits arrives.
    while (arrived.size === 0) {
      await append();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const delays: number[] = [];
    for (let n = 0; n < (feed === 'poll' ? 20 : 100); n++) {
      const { version } = await append();
      const committed = performance.now();
      while (!arrived.has(version)) await new Promise((resolve) => setTimeout(resolve, 1));
      delays.push(Math.max(0, (arrived.get(version) ?? 0) - committed) * 1000);
    }
    const worst = [...delays].sort((a, b) => a - b)[Math.floor(delays.length * 0.95)] ?? Number.NaN;
    const budget = { budget: `< ${most} ms`, kept: worst < most * 1000 };
    measures.push(
      { work: 'feed of another server, median', by, value: median(delays), unit: 'µs' },
      { work: 'feed of another server, p95', by, value: worst, unit: 'µs', ...budget },
    );
    stop.abort();
    await following;
    await there.close();
    await here.close();
  }
}

/** Measures the check of one tree of 400 messages, with a growing number of other trees. */
async function checks(measures: Measurement[], server: PostgresServer): Promise<void> {
  const url = await server.createDatabase();
  const store = await openStore(url);
  const perTree = 401;
  const { id } = await buildBenchTree(store, perTree - 1);
  let copied = 0;
  let base = Number.NaN;
  for (const size of isLong ? [10_000, 100_000, 1_000_000] : [10_000, 100_000]) {
    const copies = Math.ceil(size / perTree);
    await insertTreeCopies((sql) => server.query(sql, url), id, copied + 1, copies);
    copied = copies;
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      const start = performance.now();
      const { findings } = await store.fsck({ treeId: id });
      if (findings.length > 0) throw new Error(JSON.stringify(findings[0]));
      times.push((performance.now() - start) * 1000);
    }
    const value = median(times);
    if (Number.isNaN(base)) base = value;
    const work = `check of one chat among ${size.toLocaleString('en')} messages`;
    measures.push({ work, by: 'coppice', value, unit: 'µs', ratio: value / base, budget: '< 1 s', kept: value < 1e6 });
  }
  await store.close();
}

/** Measures everything that grows with users, buckets, replies and messages. */
export async function benchScale(): Promise<readonly Measurement[]> {
  const measures: Measurement[] = [];
  const [first, second] = [await PostgresServer.start(), await PostgresServer.start()];
  try {
    await appends(measures, first, second);
    await atRest(measures, first);
    await replies(measures, first);
    await feedDelay(measures, first);
    await checks(measures, first);
  } finally {
    await first.close();
    await second.close();
  }
  return measures;
}
