/** Lets several processes write to one session file, one at a time, while another tool appends lines to it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionFiles } from '../jsonl/session-files.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import type { WorkerReport } from './protocol.ts';
import { WorkerProcess } from './worker-process.ts';

/** Options of the test with several processes on one session file. */
export interface SessionProcessesOptions {
  readonly processes: number;
  readonly seconds: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

/** Runs processes, kills one of them, and checks the file. Every reported line must be in it once, and complete. */
export async function runSessionProcesses(options: SessionProcessesOptions): Promise<TortureReport> {
  const { processes, seconds, seed } = options;
  const journal = new TortureJournal('twoproc-jsonl', seed, options.say);
  const folder = mkdtempSync(join(tmpdir(), 'coppice-twoproc-'));
  const path = join(folder, 'session.jsonl');
  writeFileSync(
    path,
    `${JSON.stringify({ type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 's', cwd: '/' })}\n`,
  );
  const wrote = new Set<string>();
  const count = { ours: 0, plain: 0, held: 0 };
  const countReport = (reported: WorkerReport) => {
    if (reported.reported === 'held') count.held++;
    if (reported.reported !== 'wrote') return;
    wrote.add(reported.uuid);
    count[reported.plain ? 'plain' : 'ours']++;
  };
  const crew = await Promise.all(Array.from({ length: processes + 1 }, () => WorkerProcess.start(countReport)));
  const [plain, victim, ...others] = crew;
  if (plain === undefined || victim === undefined) throw new Error('Nobody was started.');
  try {
    const begun = Promise.all(
      crew.map((worker) => worker.waitForReport(({ reported }) => reported === 'wrote' || reported === 'held')),
    );
    plain.send({ task: 'plain', path, parent: 'root', name: 'plain' });
    for (const [at, worker] of [victim, ...others].entries())
      worker.send({ task: 'lines', path, parent: 'root', name: `own-${at}` });
    await begun;
    await sleep(seconds * 500);
    // Another process must take over the lease of the killed one.
    victim.kill();
    await victim.end();
    await sleep(seconds * 500);
    // On a busy machine it takes longer until every kind of event has happened.
    const isThin = () => Object.values(count).includes(0);
    for (let waited = 0; isThin() && waited < 1000; waited++) await sleep(50);
    for (const worker of [plain, ...others]) worker.send({ task: 'stop' });
    await Promise.all([plain, ...others].map((worker) => worker.end()));
    compare(path, wrote, journal);
  } finally {
    for (const worker of crew) worker.kill();
  }
  rmSync(folder, { recursive: true, force: true });
  if (count.ours === 0 || count.plain === 0 || count.held === 0)
    throw journal.failure(`Nothing was tested: ${JSON.stringify(count)}.`);
  return journal.done({ processes, seconds, ...count });
}

function compare(path: string, wrote: ReadonlySet<string>, journal: TortureJournal): void {
  const found = new Map<string, number>();
  let torn = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    try {
      const { uuid }: { uuid: string } = JSON.parse(line);
      found.set(uuid, (found.get(uuid) ?? 0) + 1);
    } catch {
      torn++;
    }
  }
  for (const uuid of wrote)
    if (found.get(uuid) !== 1)
      throw journal.failure(`${uuid} was acknowledged and is in the file ${found.get(uuid) ?? 0} times.`, { uuid });
  // The killed process may have left one incomplete line, but other lines must not be affected by it.
  if (torn > 1) throw journal.failure(`${torn} lines are torn.`);
  const file = sessionFiles.open(path, { readOnly: true });
  for (const uuid of wrote)
    if (file.indexOf(uuid) < 0 || file.parentAt(file.indexOf(uuid)) !== 0)
      throw journal.failure(`${uuid} is in the file and not beside the others.`, { uuid });
  const bad = file.warnings.filter(({ code }) => code !== 'torn' && code !== 'damaged');
  if (bad.length > 0) throw journal.failure(`The file is not in order: ${bad[0]?.message}`);
  file.close();
}
