/**
 * Compares session files with those of the published terminal agent whose format they follow. Each side works on its
 * own files.
 */
import { closeSync, copyFileSync, fsyncSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentSession, SessionManager } from '@coppice/engine/sessions';
import { sessionFiles } from '@coppice/stores';
import { PiSessionManager } from '@coppice/stores/testing/pi-package';
import { collectGarbage, type Measurement, median, preventOptimisation } from './measure.ts';

const entries = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-sessions-'));
const options = { files: sessionFiles };
const timestamp = '2026-01-02T03:04:05.000Z';
const words = 'the quick brown fox jumps over the lazy dog and goes on to say what it saw on its way home '.repeat(4);
const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** How the entries of a generated session file are connected. */
interface Shape {
  readonly name: string;
  /** Returns the index of an entry's parent; −1 for the first one. */
  parent(at: number): number;
  /** Returns whether an entry is a compaction. */
  isCompaction(at: number): boolean;
}

/** A session with one branch, all of which is in the context. */
const thread: Shape = { name: 'one thread', parent: (at) => at - 1, isCompaction: () => false };
/** A session like long real ones: a branch of 50 entries every 100 entries, and a compaction every 5,000. */
const worked: Shape = {
  name: 'branches and compactions',
  parent: (at) => (at % 100 === 0 && at > 0 ? at - 51 : at - 1),
  isCompaction: (at) => at % 5000 === 4990,
};

const id = (at: number) => `00000000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;

/** Writes one file for each side with the same content. */
function write(shape: Shape): { readonly ours: string; readonly theirs: string; readonly tip: number } {
  const [ours, theirs] = [join(folder, `${shape.name} ours.jsonl`), join(folder, `${shape.name} theirs.jsonl`)];
  const handles = [openSync(ours, 'w'), openSync(theirs, 'w')] as const;
  const held: [string, string] = ['', ''];
  const put = (side: 0 | 1, line: object) => {
    held[side] += `${JSON.stringify(line)}\n`;
    if (held[side].length < 1 << 20) return;
    writeSync(handles[side], held[side]);
    held[side] = '';
  };
  const root = id(0xffffff);
  put(0, { type: 'session', version: 2, uuid: root, parentUuid: null, id: root, timestamp, cwd: '/w' });
  put(1, { type: 'session', version: 3, id: root, timestamp, cwd: '/w' });
  for (let at = 0; at < entries; at++) {
    const parent = shape.parent(at);
    const base = { uuid: id(at), parentUuid: parent < 0 ? root : id(parent), version: at + 2, commit: true, timestamp };
    const other = { id: id(at), parentId: parent < 0 ? null : id(parent), timestamp };
    const text = `${at} ${words}`;
    const content = [{ type: 'text', text }];
    if (shape.isCompaction(at)) {
      put(0, { type: 'compaction', ...base, summary: words, firstKeptEntryUuid: id(at - 10), tokensBefore: 1 });
      put(1, { type: 'compaction', ...other, summary: words, firstKeptEntryId: id(at - 10), tokensBefore: 1 });
    } else if (at % 2 === 0) {
      put(0, { type: 'message', ...base, message: { role: 'user', content }, actor: 'local' });
      put(1, { type: 'message', ...other, message: { role: 'user', content, timestamp: 1 } });
    } else {
      put(0, { type: 'message', ...base, message: { role: 'assistant', content }, actor: 'local' });
      const about = { api: 'x', provider: 'p', model: 'm', usage, stopReason: 'stop', timestamp: 1 };
      put(1, { type: 'message', ...other, message: { role: 'assistant', content, ...about } });
    }
  }
  for (const side of [0, 1] as const) {
    writeSync(handles[side], held[side]);
    closeSync(handles[side]);
  }
  return { ours, theirs, tip: entries - 1 };
}

/** Returns the median CPU time of both sides in microseconds, run alternately; the first run does not count. */
async function inTurns(
  works: { readonly ours: () => unknown; readonly theirs: () => unknown },
  runs: number,
): Promise<Sides> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let run = 0; run <= runs; run++)
    for (const side of ['theirs', 'ours'] as const) {
      collectGarbage();
      const start = process.cpuUsage();
      preventOptimisation(await works[side]());
      const { user, system } = process.cpuUsage(start);
      if (run > 0) times[side].push(user + system);
    }
  preventOptimisation(null);
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

// The first operations of each side do not count, because most code is still interpreted then. In a long-running
// process, such as a server, it is compiled.
const counted = 400;
const warming = 300;
const warm = 1500;

interface Sides {
  readonly ours: number;
  readonly theirs: number;
}

/** Returns the median wall times of single operations, run alternately because the speed of a shared disk varies. */
async function onDisk(
  before: number,
  ours: (at: number) => Promise<unknown>,
  theirs: (at: number) => void,
): Promise<Sides> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let at = 0; at < counted + before; at++) {
    // The second sync benefits from the first one, so the order alternates too.
    for (const side of at % 2 === 0 ? (['theirs', 'ours'] as const) : (['ours', 'theirs'] as const)) {
      const start = performance.now();
      if (side === 'ours') await ours(at);
      else theirs(at);
      if (at >= before) times[side].push((performance.now() - start) * 1000);
    }
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

function rows(work: string, { ours, theirs }: Sides): Measurement[] {
  const ratio = ours / theirs;
  return [
    { work, by: 'pi-coding-agent', value: theirs, unit: 'µs', ratio: 1 },
    { work, by: 'coppice', value: ours, unit: 'µs', ratio, budget: '< 1×', kept: ratio < 1 },
  ];
}

function sync(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Measures reading, writing and extracting of session files. */
export async function benchSessions(): Promise<readonly Measurement[]> {
  const measures: Measurement[] = [];
  const built = [write(thread), write(worked)] as const;
  for (const [at, shape] of [thread, worked].entries()) {
    const file = built[at as 0 | 1];
    const counts = { ours: 0, theirs: 0 };
    const times = await inTurns(
      {
        ours: () => {
          const manager = SessionManager.open(file.ours, { ...options, readOnly: true });
          counts.ours = manager.buildSessionContext().messages.length;
          manager.close();
        },
        theirs: () => {
          counts.theirs = PiSessionManager.open(file.theirs).buildSessionContext().messages.length;
        },
      },
      at === 0 ? 3 : 5,
    );
    if (counts.ours !== counts.theirs) throw new Error(`The contexts differ: ${JSON.stringify(counts)}.`);
    for (const row of rows(
      `open 100,000 entries and build the context, ${shape.name} (${counts.ours} in force)`,
      times,
    ))
      measures.push(row);
  }
  for (const row of await writing(built[1])) measures.push(row);
  rmSync(folder, { recursive: true, force: true });
  return measures;
}

/** Measures appending, branching and extracting on an open file of 100,000 entries. */
async function writing(file: {
  readonly ours: string;
  readonly theirs: string;
  readonly tip: number;
}): Promise<Measurement[]> {
  const [mine, yours] = [join(folder, 'w-ours.jsonl'), join(folder, 'w-theirs.jsonl')];
  copyFileSync(file.ours, mine);
  copyFileSync(file.theirs, yours);
  const session = new AgentSession(SessionManager.open(mine, options), options);
  const other = PiSessionManager.open(yours);
  const said = (text: string) => ({ role: 'user' as const, content: text, timestamp: 1 });
  const append = (before: number) =>
    onDisk(
      before,
      (at) => session.manager.saveMessage({ role: 'user', content: `${at} ${words}` }),
      (at) => {
        // The other side does not sync its file, so a sync is added to its time.
        other.appendMessage(said(`${at} ${words}`));
        sync(yours);
      },
    );
  const appended = await append(warming);
  const back = id(file.tip - 20);
  const branch = (before: number) =>
    onDisk(
      before,
      () => session.manager.branchWithSummary(back, words),
      () => {
        other.branchWithSummary(back, words);
        sync(yours);
      },
    );
  const branched = await branch(warming);
  const later = { appended: await append(warm), branched: await branch(warm) };
  // Measured at the end, when both sides have saved equally often and their code is equally warm.
  const left: number[] = [];
  for (let at = 0; at < 400; at++) {
    const start = performance.now();
    other.appendMessage(said(`${at} ${words}`));
    left.push((performance.now() - start) * 1000);
  }
  const paths = await extract(session, file);
  await session.close();
  return [
    ...rows('append a message durably', appended),
    ...rows('append a message durably, in a process that has saved thousands', later.appended),
    {
      work: 'append a message and leave it to the system: lost in a power cut',
      by: 'pi-coding-agent',
      value: median(left),
      unit: 'µs',
      ratio: median(left) / appended.theirs,
    },
    ...rows('branch with a summary, durably', branched),
    ...rows('branch with a summary, durably, in a process that has saved thousands', later.branched),
    ...rows('extract the way to an entry into a new file', paths),
  ];
}

/**
 * Measures extracting a branch. The other side's manager moves to the new file, so each run opens a new manager before
 * the measurement.
 */
async function extract(session: AgentSession, file: { readonly theirs: string; readonly tip: number }): Promise<Sides> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let run = 0; run <= 5; run++) {
    const other = PiSessionManager.open(file.theirs, join(folder, 'out'));
    collectGarbage();
    let start = performance.now();
    const path = other.createBranchedSession(id(file.tip));
    if (path !== undefined) sync(path);
    const theirs = performance.now() - start;
    collectGarbage();
    start = performance.now();
    preventOptimisation(session.exportBranch(id(file.tip), { pathOnly: true }));
    const ours = performance.now() - start;
    if (run === 0) continue;
    times.ours.push(ours * 1000);
    times.theirs.push(theirs * 1000);
    for (const name of readdirSync(join(folder, 'out'))) rmSync(join(folder, 'out', name));
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}
