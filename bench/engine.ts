/**
 * Compares a turn of the engine with the bare stream of the same provider, which shows the cost of storing, following
 * and recovering.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { messageKit } from '@coppice/content';
import { run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';
import {
  collectReply,
  createProviders,
  createTurnGenerator,
  type ModelProviders,
  newId,
  parseConfig,
  type TurnGenerator,
} from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { type Measurement, median } from './measure.ts';

const me = { actor: 'bench', now: Date.now, newId: () => newId(), kit: messageKit };
const question = textMessage('user', 'Say some words, please.');

interface Bench {
  readonly store: Store;
  readonly providers: ModelProviders;
  readonly generator: TurnGenerator;
  readonly url: string;
}

async function buildSample(store: Store): Promise<TreeId> {
  const id = treeId(newId());
  await run(store, { type: 'create', treeId: id, attributes: {} }, me);
  return id;
}

/** Calls the provider without the engine, reads the stream to its end and joins the message. */
async function bare({ providers }: Bench, model: string, words: number): Promise<void> {
  const reply = await collectReply(providers.model(model).stream({ messages: [question], maxTokens: 4_096 }));
  if (reply.last?.type !== 'end') throw new Error(`The bare stream of ${words} words ended otherwise.`);
}

/** The least possible work: reads the bytes, splits them into events, parses each event and joins the texts. */
async function fetched({ url }: Bench, model: string, words: number): Promise<void> {
  const body = { model: model.slice('wire/'.length), messages: [{ role: 'user', content: 'Say some words, please.' }] };
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  });
  let [received, text, rest] = [0, '', ''];
  for await (const piece of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      if (event === 'data: [DONE]') continue;
      const delta = JSON.parse(event.slice('data: '.length)).choices[0]?.delta.content ?? '';
      if (delta !== '') received++;
      text += delta;
    }
  }
  if (received !== words || text === '') throw new Error(`Fetched ${received} of ${words} words.`);
}

/** Generates the same reply as a turn: appended, stored while it streams, followed by a reader, and committed. */
async function turn({ generator }: Bench, model: string, words: number, id: TreeId): Promise<void> {
  const started = generator.generate(
    { type: 'send', treeId: id, messages: [{ message: question }] },
    { models: [model], maxTokens: 4_096 },
  );
  let received = 0;
  for await (const event of started.events()) {
    if (event.type === 'text-delta') received++;
    if (event.type === 'error') throw new Error(event.message);
  }
  if (received !== words) throw new Error(`The turn told ${received} of ${words} words.`);
}

interface CpuAndWallTime {
  readonly cpu: number;
  readonly wall: number;
}

/**
 * Measures CPU and wall time in microseconds. Does not collect garbage first, because that would discard compiled code
 * too.
 */
async function measureTimes(work: () => Promise<void>): Promise<CpuAndWallTime> {
  const [cpu, wall] = [process.cpuUsage(), process.hrtime.bigint()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: user + system, wall: Number(process.hrtime.bigint() - wall) / 1_000 };
}

interface AlternatingTimes {
  readonly fetched: CpuAndWallTime;
  readonly bare: CpuAndWallTime;
  readonly turn: CpuAndWallTime;
}

/** Returns the lower quartile, because other processes can only increase a time. */
function quartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 2] ?? Number.NaN;
}

/** Measures one reply length after the other. The candidates run alternately, so that noise affects all of them. */
async function measureAlternately(
  bench: Bench,
  models: readonly BenchModel[],
  runs: number,
): Promise<readonly AlternatingTimes[]> {
  const rounds = models.map((): AlternatingTimes[] => []);
  const warm = Math.ceil(runs / 3);
  for (let round = 0; round < runs + warm; round++)
    for (const [at, { words, everyMs }] of models.entries()) {
      const model = `wire/words-${words}-${everyMs}`;
      const id = await buildSample(bench.store);
      const one: AlternatingTimes = {
        fetched: await measureTimes(() => fetched(bench, model, words)),
        bare: await measureTimes(() => bare(bench, model, words)),
        turn: await measureTimes(() => turn(bench, model, words, id)),
      };
      if (round >= warm) rounds[at]?.push(one);
    }
  return rounds.map((list) => {
    const of = (by: keyof AlternatingTimes): CpuAndWallTime => ({
      cpu: quartile(list.map((one) => one[by].cpu)),
      wall: quartile(list.map((one) => one[by].wall)),
    });
    return { fetched: of('fetched'), bare: of('bare'), turn: of('turn') };
  });
}

interface BenchModel {
  readonly words: number;
  readonly everyMs: number;
}

function against(
  work: string,
  times: { readonly [by: string]: number },
  ours: number,
  bareTime: number,
): Measurement[] {
  const ratio = ours / bareTime;
  return [
    ...Object.entries(times).map(
      ([by, value]): Measurement => ({ work, by, value, unit: 'µs', ratio: value / bareTime }),
    ),
    { work, by: 'coppice', value: ours, unit: 'µs', ratio, budget: '≤ 1.2× the bare stream', kept: ratio <= 1.2 },
  ];
}

/** Measures the cost of 6,000 more chunks, without the start and the end of a turn. */
async function chunks(measures: Measurement[], bench: Bench): Promise<void> {
  const [few, many] = [2_000, 8_000];
  const [short, long] = await measureAlternately(
    bench,
    [few, many].map((words) => ({ words, everyMs: 0 })),
    60,
  );
  if (short === undefined || long === undefined) return;
  const each = (by: keyof AlternatingTimes) => (long[by].cpu - short[by].cpu) / (many - few);
  measures.push(
    ...against(
      'a streamed chunk, as fast as they come',
      { 'fetch and JSON.parse': each('fetched'), 'bare provider stream': each('bare') },
      each('turn'),
      each('bare'),
    ),
  );
}

async function turns(measures: Measurement[], bench: Bench): Promise<void> {
  const [paced] = await measureAlternately(bench, [{ words: 100, everyMs: 5 }], 9);
  const [instant] = await measureAlternately(bench, [{ words: 100, everyMs: 0 }], 60);
  if (paced === undefined || instant === undefined) return;
  const commit = await commitTime(bench);
  const added = instant.turn.wall - instant.bare.wall;
  measures.push(
    ...against(
      'a turn of 100 chunks, one every 5 ms',
      { 'bare provider stream': paced.bare.wall },
      paced.turn.wall,
      paced.bare.wall,
    ),
    { work: 'a durable commit on the same disk', by: 'coppice', value: commit, unit: 'µs' },
    {
      work: 'what a turn adds where the provider needs no time',
      by: 'coppice',
      value: added,
      unit: 'µs',
      ratio: added / commit,
    },
  );
}

async function commitTime({ store }: Bench): Promise<number> {
  const id = await buildSample(store);
  const times: number[] = [];
  for (let round = 0; round < 60; round++) {
    const messages = [{ message: textMessage('user', `message ${round}`) }];
    times.push(
      (await measureTimes(async () => void (await run(store, { type: 'append', treeId: id, messages }, me)))).wall,
    );
  }
  return quartile(times);
}

/** Measures a hundred parallel turns, and how long they block the event loop at most. */
async function parallel(measures: Measurement[], bench: Bench): Promise<void> {
  const [words, everyMs, many, runs] = [100, 10, 100, 5];
  const model = `wire/words-${words}-${everyMs}`;
  const watched = async (work: () => Promise<unknown>) => {
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    const { wall } = await measureTimes(async () => void (await work()));
    loop.disable();
    return { wall, stall: loop.max / 1_000 };
  };
  const all = { idle: [], bare: [], turn: [] } as {
    readonly [by in 'idle' | 'bare' | 'turn']: { wall: number; stall: number }[];
  };
  for (let round = 0; round <= runs; round++) {
    const ids: TreeId[] = [];
    for (let count = 0; count < many; count++) ids.push(await buildSample(bench.store));
    const one = {
      idle: await watched(() => new Promise((resolve) => setTimeout(resolve, words * everyMs))),
      bare: await watched(() => Promise.all(ids.map(() => bare(bench, model, words)))),
      turn: await watched(() => Promise.all(ids.map((id) => turn(bench, model, words, id)))),
    };
    if (round === 0) continue;
    for (const by of ['idle', 'bare', 'turn'] as const) all[by].push(one[by]);
  }
  const wall = (by: keyof typeof all) => median(all[by].map((one) => one.wall));
  const stall = (by: keyof typeof all) => median(all[by].map((one) => one.stall));
  const work = '100 generations at once on SQLite, 100 chunks each, one every 10 ms';
  measures.push(
    { work, by: 'bare provider stream', value: wall('bare'), unit: 'µs', ratio: 1 },
    { work, by: 'coppice', value: wall('turn'), unit: 'µs', ratio: wall('turn') / wall('bare') },
    { work: 'longest stall of the event loop meanwhile', by: 'nothing to do', value: stall('idle'), unit: 'µs' },
    { work: 'longest stall of the event loop meanwhile', by: 'bare provider stream', value: stall('bare'), unit: 'µs' },
    { work: 'longest stall of the event loop meanwhile', by: 'coppice', value: stall('turn'), unit: 'µs' },
  );
}

/** Measures single turns, chunks and parallel turns. */
export async function benchEngine(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-engine-'));
  const server = fork(new URL('./engine/wire-server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  try {
    const [port] = await once(server, 'message');
    const url = `http://127.0.0.1:${port}/v1`;
    const text = `[providers.wire]\nkind = "openai-compatible"\nbase_url = "${url}"\napi_key = "none"\n`;
    const providers = createProviders({ config: parseConfig({ name: 'bench.toml', text }, {}) });
    const store = await openStore(`sqlite:${join(folder, 'trees.db')}`);
    const generator = createTurnGenerator({ store, providers });
    const bench: Bench = { store, providers, generator, url };
    const measures: Measurement[] = [];
    await chunks(measures, bench);
    await turns(measures, bench);
    await parallel(measures, bench);
    await generator.close();
    await store.close();
    return measures;
  } finally {
    server.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}
