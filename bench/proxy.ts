/**
 * Compares the recording proxy with a node:http proxy that only pipes the same bytes. Both run alternately in one
 * process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Measurement, median } from './measure.ts';
import { benchMatching } from './proxy/matching.ts';

const token = 'bench-token';

type Side = 'coppice' | 'bare';
type Ports = Readonly<Record<Side, number>>;

interface Recording {
  readonly recorded: number;
  readonly dropped: number;
  readonly failed: number;
}

function reported<T>(child: ChildProcess, question?: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('The server process ended.'));
    child.once('exit', gone);
    child.once('message', (message: T) => {
      child.off('exit', gone);
      resolve(message);
    });
    if (question !== undefined) child.send(question);
  });
}

async function usage(child: ChildProcess): Promise<number> {
  const { user, system } = (await reported<{ readonly usage: NodeJS.CpuUsage }>(child, 'usage')).usage;
  return user + system;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The bytes of one response, and the times at which they arrived, in milliseconds since the request. */
interface ReceivedEvents {
  readonly first: number;
  readonly chunks: readonly number[];
  readonly bytes: readonly Buffer[];
}

function ask(port: number, body: string): Promise<ReceivedEvents> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const chunks: number[] = [];
    const bytes: Buffer[] = [];
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    request({ agent, port, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        chunks.push(performance.now() - start);
        bytes.push(chunk);
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ first: chunks[0] ?? Number.NaN, chunks, bytes });
        else reject(new Error(`The proxy answers ${response.statusCode}.`));
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}

const sentence = 'word '.repeat(60);

function history(messages: number, seed: string): string[] {
  return Array.from({ length: messages }, (_, at) => {
    const role = at % 2 === 0 ? 'user' : 'assistant';
    return JSON.stringify({ role, content: `${seed} ${at} ${sentence}` });
  });
}

function bodyOf(model: string, messages: readonly string[]): string {
  return `{"model":"${model}","stream":true,"messages":[${messages.join(',')}]}`;
}

interface Times {
  readonly first: number[];
  readonly chunk: number[];
}

/** Returns the lower quartile, because other processes can only increase a time. */
function lowerQuartile(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 2] ?? Number.NaN;
}

/**
 * Measures both sides alternately, a few calls each; the first round does not count. Returns the lower quartile of the
 * times to first byte: wall times include other processes, which can only increase them.
 */
async function race(
  child: ChildProcess,
  ports: Ports,
  turns: number,
  calls: number,
  body: (turn: number, call: number) => string,
): Promise<Readonly<Record<Side, Readonly<Record<keyof Times, number>>>>> {
  const times: Record<Side, Times> = {
    coppice: { first: [], chunk: [] },
    bare: { first: [], chunk: [] },
  };
  for (let turn = 0; turn <= turns; turn++)
    for (const side of ['bare', 'coppice'] as const) {
      await reported(child, 'collect');
      const received: ReceivedEvents[] = [];
      for (let call = 0; call < calls; call++) received.push(await ask(ports[side], body(turn, call)));
      // Recording starts after the response, so it is measured separately.
      await reported(child, 'idle');
      if (turn === 0) continue;
      for (const { first, chunks } of received) {
        times[side].first.push(first * 1000);
        for (const [at, when] of chunks.entries())
          if (at > 0) times[side].chunk.push((when - (chunks[at - 1] ?? when)) * 1000);
      }
    }
  const middle = ({ first, chunk }: Times) => ({
    first: lowerQuartile(first),
    chunk: median(chunk),
  });
  return { coppice: middle(times.coppice), bare: middle(times.bare) };
}

function rows(work: string, bare: number, ours: number, most: number | null): Measurement[] {
  const ratio = ours / bare;
  const kept = most === null ? {} : { budget: `≤ ${most}×`, kept: ratio <= most };
  return [
    { work, by: 'bare proxy', value: bare, unit: 'µs', ratio: 1 },
    { work, by: 'coppice, recording', value: ours, unit: 'µs', ratio, ...kept },
  ];
}

/** Joins the words of a streamed answer to the reply that a client sends back with its next call. */
function replyOf({ bytes }: ReceivedEvents): string {
  let content = '';
  const text = Buffer.concat(bytes).toString('utf8');
  for (const [, json = '{}'] of text.matchAll(/^data: (\{.*\})$/gm)) {
    const { choices }: { choices: readonly { delta: { content?: string } }[] } = JSON.parse(json);
    content += choices[0]?.delta.content ?? '';
  }
  return JSON.stringify({ role: 'assistant', content });
}

const [perSecond, seconds, agents] = [100, 5, 10];

/**
 * Measures the cost per call of ten agents at a hundred calls per second. Each agent continues its session with the
 * replies that it received, or starts a new session with a long history at each call.
 */
async function underLoad(child: ChildProcess, ports: Ports, continuesSession: boolean): Promise<Measurement[]> {
  const length = continuesSession ? 151 : 199;
  const threads = Array.from({ length: agents }, (_, at) => history(length, `agent ${at} ${continuesSession}`));
  const question = (call: number) => JSON.stringify({ role: 'user', content: `question ${call} ${sentence}` });
  const next = async (thread: string[], call: number): Promise<ReceivedEvents> => {
    const sent = [...thread, question(call)];
    const received = await ask(ports.coppice, bodyOf('words-20-0', sent));
    if (continuesSession) thread.splice(0, thread.length, ...sent, replyOf(received));
    return received;
  };
  // The sessions are created before the measurement starts.
  if (continuesSession) for (const [at, thread] of threads.entries()) await next(thread, -at);
  const last = threads.map((): Promise<unknown> => Promise.resolve());
  const calls = perSecond * seconds;
  const running: Promise<ReceivedEvents>[] = [];
  const { recorded: known } = await reported<Recording>(child, 'idle');
  const before = await usage(child);
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    const late = start + (call * 1000) / perSecond - performance.now();
    if (late > 0) await new Promise((resolve) => setTimeout(resolve, late));
    const at = call % agents;
    const thread = threads[at] ?? [];
    const answer = continuesSession
      ? (last[at] ?? Promise.resolve()).then(() => next(thread, call))
      : next(thread, call);
    last[at] = answer;
    running.push(answer);
  }
  const received = await Promise.all(running);
  const answered = performance.now() - start;
  const { recorded, dropped, failed } = await reported<Recording>(child, 'idle');
  const through = performance.now() - start;
  if (recorded - known !== calls || dropped + failed > 0)
    throw new Error(`Of ${calls} calls ${recorded - known} were recorded, ${dropped} dropped, ${failed} failed.`);
  const kind = continuesSession
    ? 'sessions that go on, 150 to 250 messages'
    : 'new sessions with a history of 200 messages';
  const work = `${calls} calls at ${perSecond} a second, ${kind}`;
  const spent = ((await usage(child)) - before) / calls;
  return [
    { work, by: 'first byte', value: lowerQuartile(received.map(({ first }) => first * 1000)), unit: 'µs' },
    {
      work,
      by: 'processor per call, recorded',
      value: spent,
      unit: 'µs',
      budget: `all recorded, ≤ ${1_000_000 / perSecond} µs`,
      kept: spent <= 1_000_000 / perSecond,
    },
    { work, by: 'recorded after the last answer', value: (through - answered) * 1000, unit: 'µs' },
  ];
}

/**
 * Runs one agent several times, with a history that grows by two messages per call. Measures the memory after the first
 * session, which fills the caches, and after the last one.
 */
async function longSessions(child: ChildProcess, ports: Ports): Promise<Measurement[]> {
  const [sessions, calls] = [4, 400];
  const held: { readonly heapUsed: number; readonly rss: number }[] = [];
  for (let session = 0; session < sessions; session++) {
    const thread: string[] = [];
    for (let call = 0; call < calls; call++) {
      thread.push(...history(1, `session ${session} call ${call}`));
      thread.push(replyOf(await ask(ports.coppice, bodyOf('words-20-0', thread))));
    }
    await reported<Recording>(child, 'idle');
    held.push(await reported<{ readonly heapUsed: number; readonly rss: number }>(child, 'memory'));
  }
  const [first] = held;
  const last = held.at(-1);
  if (first === undefined || last === undefined) throw new Error('Nothing was measured.');
  const work = `memory after ${sessions} sessions of ${calls} calls, above that after one`;
  const most = 32 * 1024 * 1024;
  const grown = last.heapUsed - first.heapUsed;
  return [
    { work, by: 'heap', value: grown, unit: 'bytes', budget: '≤ 32 MB', kept: grown <= most },
    { work, by: 'resident, with the recording thread', value: last.rss - first.rss, unit: 'bytes' },
    { work: 'resident memory after the first session', by: 'coppice', value: first.rss, unit: 'bytes' },
  ];
}

/** Measures first byte, chunks, load, memory and matching of the proxy. */
export async function benchProxy(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-proxy-'));
  const execArgv = ['--expose-gc', '--import', 'tsx'];
  const service = fork(fileURLToPath(new URL('./engine/wire-server.ts', import.meta.url)), { execArgv });
  const children: ChildProcess[] = [service];
  try {
    const upstream = await reported<number>(service);
    const file = fileURLToPath(import.meta.resolve('@coppice/server/testing/proxy-bed'));
    const child = fork(file, [`sqlite:${join(folder, 'trees.db')}`, token, `http://127.0.0.1:${upstream}`], {
      execArgv,
    });
    children.push(child);
    const { ports } = await reported<{ readonly ports: Ports }>(child);
    const paced = await race(child, ports, 5, 20, (turn, call) =>
      bodyOf('words-20-5-5', history(3, `${turn} ${call}`)),
    );
    const long = history(200, 'long');
    const continuing = (turn: number, call: number) => [...long, `{"role":"user","content":"${turn} ${call}"}`];
    const longs = await race(child, ports, 5, 20, (turn, call) => bodyOf('words-20-1-5', continuing(turn, call)));
    const atOnce = await race(child, ports, 5, 20, (turn, call) => bodyOf('words-20-1', continuing(-turn, call)));
    return [
      ...rows('first byte, a service that takes 5 ms, 3 messages', paced.bare.first, paced.coppice.first, 1.15),
      ...rows('first byte, a service that takes 5 ms, 200 messages', longs.bare.first, longs.coppice.first, 1.15),
      ...rows('between two chunks, one every 5 ms', paced.bare.chunk, paced.coppice.chunk, 1.15),
      ...rows('first byte, a service that takes no time, 200 messages', atOnce.bare.first, atOnce.coppice.first, null),
      ...(await underLoad(child, ports, true)),
      ...(await underLoad(child, ports, false)),
      ...(await longSessions(child, ports)),
      ...(await benchMatching()),
    ];
  } finally {
    agent.destroy();
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
