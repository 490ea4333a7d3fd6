/**
 * Compares the server with a bare handler of the same framework that makes the same store calls and sends the same
 * bytes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '@coppice/engine';
import { type Measurement, median } from './measure.ts';

const token = 'bench-token';

interface BenchServer {
  readonly ports: { readonly coppice: number; readonly bare: number };
  readonly trees: {
    readonly page: string;
    readonly coppice: readonly string[];
    readonly bare: readonly string[];
    readonly feed: string;
  };
}

type Side = keyof BenchServer['ports'];

function reported<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('The server process ended.'));
    child.once('exit', gone);
    child.once('message', (message: T) => {
      child.off('exit', gone);
      resolve(message);
    });
  });
}

async function usage(child: ChildProcess): Promise<number> {
  const answer = reported<{ readonly usage: NodeJS.CpuUsage }>(child);
  child.send('usage');
  const { user, system } = (await answer).usage;
  return user + system;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends one request and returns the text of the response. */
function ask(port: number, method: string, path: string, body?: string, version = 1): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'if-match': `"${version}"`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    request({ agent, port, host: '127.0.0.1', method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`));
      });
    })
      .on('error', reject)
      .end(body);
  });
}

const lanes = 16;

/** Sends `count` requests, sixteen in parallel. Each parallel sender has its own number. */
async function drive(count: number, once: (lane: number) => Promise<unknown>): Promise<void> {
  let left = count;
  const one = async (lane: number) => {
    while (left-- > 0) await once(lane);
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => one(lane)));
}

const sentence = 'word '.repeat(100);

function append(): string {
  return JSON.stringify({ messages: [{ id: newId(), role: 'user', content: sentence }] });
}

/** Returns the CPU time of the server per request, for both sides alternately and after a warm-up. */
async function race(
  child: ChildProcess,
  count: number,
  work: (side: Side, lane: number) => Promise<unknown>,
  runs = 5,
): Promise<Readonly<Record<Side, number>>> {
  const times: Record<Side, number[]> = { coppice: [], bare: [] };
  for (const side of ['bare', 'coppice'] as const) await drive(1_500, (lane) => work(side, lane));
  for (let run = 0; run < runs; run++)
    for (const side of ['coppice', 'bare'] as const) {
      const collected = reported(child);
      child.send('collect');
      await collected;
      const start = await usage(child);
      await drive(count, (lane) => work(side, lane));
      times[side].push(((await usage(child)) - start) / count);
    }
  return { coppice: median(times.coppice), bare: median(times.bare) };
}

function rows(work: string, times: Readonly<Record<Side, number>>): Measurement[] {
  // A rate of 0.7 times that of the bare handler means 1 / 0.7 times its CPU time per request.
  const ratio = times.coppice / times.bare;
  return [
    { work, by: 'bare handler', value: times.bare, unit: 'µs', ratio: 1 },
    {
      work,
      by: 'coppice',
      value: times.coppice,
      unit: 'µs',
      ratio,
      budget: '≥ 0.7× its requests (≤ 1.43× its time)',
      kept: ratio <= 1 / 0.7,
    },
  ];
}

/** Returns the time from an append until the last of many readers has received it, in microseconds. */
async function lastOf(
  fixture: BenchServer,
  readers: number,
): Promise<{ readonly median: number; readonly last: number }> {
  const arrivals: number[] = [];
  let received: () => void = () => undefined;
  const open: { destroy(): void }[] = [];
  await Promise.all(
    Array.from(
      { length: readers },
      () =>
        new Promise<void>((resolve, reject) => {
          const asked = request(
            {
              agent: false,
              port: fixture.ports.coppice,
              host: '127.0.0.1',
              path: `/api/trees/${fixture.trees.feed}/feed`,
              headers: { authorization: `Bearer ${token}` },
            },
            (response) => {
              response.setEncoding('utf8').on('data', (chunk: string) => {
                if (!chunk.includes('event: commit')) return;
                arrivals.push(performance.now());
                if (arrivals.length === readers) received();
              });
              response.on('error', () => undefined);
              response.once('data', () => resolve());
            },
          );
          asked.on('error', reject).end();
          open.push(asked);
        }),
    ),
  );
  const delays: { readonly median: number; readonly last: number }[] = [];
  for (let run = 0; run < 5; run++) {
    arrivals.length = 0;
    const all = new Promise<void>((resolve) => {
      received = resolve;
    });
    const start = performance.now();
    await ask(fixture.ports.coppice, 'POST', `/api/trees/${fixture.trees.feed}/messages?onConflict=branch`, append());
    await all;
    if (run > 0)
      delays.push({ median: (median(arrivals) - start) * 1000, last: ((arrivals.at(-1) ?? 0) - start) * 1000 });
  }
  for (const asked of open) asked.destroy();
  return { median: median(delays.map((delay) => delay.median)), last: median(delays.map((delay) => delay.last)) };
}

/** Measures page, append and feed on SQLite. */
export async function benchServer(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-server-'));
  const file = fileURLToPath(import.meta.resolve('@coppice/server/testing/bench-bed'));
  const child = fork(file, [`sqlite:${join(folder, 'trees.db')}`, token], {
    execArgv: ['--expose-gc', '--import', 'tsx', '--no-parallel-scavenge', '--no-concurrent-marking'],
  });
  try {
    const fixture = await reported<BenchServer>(child);
    const page = `/api/trees/${fixture.trees.page}/page`;
    const [ours, theirs] = [await ask(fixture.ports.coppice, 'GET', page), await ask(fixture.ports.bare, 'GET', page)];
    if (ours.length !== theirs.length) throw new Error('The two sides do not send the same bytes.');
    const pages = await race(child, 400, (side) => ask(fixture.ports[side], 'GET', page));
    const versions = { coppice: new Array<number>(lanes).fill(2), bare: new Array<number>(lanes).fill(2) };
    const appends = await race(child, 400, async (side, lane) => {
      const path = `/api/trees/${fixture.trees[side][lane]}/messages`;
      const answer: { readonly version: number } = JSON.parse(
        await ask(fixture.ports[side], 'POST', path, append(), versions[side][lane]),
      );
      versions[side][lane] = answer.version;
    });
    const delays = await lastOf(fixture, 1_000);
    return [
      ...rows('thread page of 20 messages, SQLite', pages),
      ...rows('durable append of one message, SQLite', appends),
      { work: 'commit to 1,000 readers, from the request on', by: 'the middle one', value: delays.median, unit: 'µs' },
      { work: 'commit to 1,000 readers, from the request on', by: 'the last one', value: delays.last, unit: 'µs' },
    ];
  } finally {
    agent.destroy();
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
