/** Kills processes while they migrate a session file. Afterwards either the old or the new file must be complete. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionIndex } from '@coppice/content/sessions';
import { textOf } from '@coppice/core';
import { sessionFiles } from '../jsonl/session-files.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import { SeededRandom } from './seeded-random.ts';
import { openUntilKilled } from './worker-process.ts';

/** Options of the test that kills processes while they migrate session files. */
export interface KilledSessionMigrationsOptions {
  readonly entries: number;
  readonly rounds: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

/** The kinds of files. Only `v1` is migrated; the others must stay unchanged. */
const kinds = ['v1', 'v2', 'pi', 'claude-code'] as const;
type Kind = (typeof kinds)[number];

function* linesOf(kind: Kind, entries: number): Generator<object, void, undefined> {
  const timestamp = '2026-01-02T03:04:05.000Z';
  const said = (at: number) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${'word '.repeat(at % 40)}`,
  });
  const above = (at: number) => (at === 0 ? null : `e${at - 1}`);
  if (kind === 'v1') yield { type: 'session', id: 'old', timestamp, cwd: '/w' };
  if (kind === 'v2')
    yield { type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 'new', timestamp, cwd: '/w' };
  if (kind === 'pi') yield { type: 'session', version: 3, id: 'pi', timestamp, cwd: '/w' };
  for (let at = 0; at < entries; at++) {
    const message = said(at);
    if (kind === 'v1' && at === Math.floor(entries / 2))
      yield { type: 'compaction', timestamp, summary: 'so far', firstKeptEntryIndex: at - 10, tokensBefore: 5 };
    else if (kind === 'v1') yield { type: 'message', timestamp, message };
    else if (kind === 'v2')
      yield { type: 'message', uuid: `e${at}`, parentUuid: above(at) ?? 'root', timestamp, message };
    else if (kind === 'pi') yield { type: 'message', id: `e${at}`, parentId: above(at), timestamp, message };
    else
      yield {
        type: message.role,
        uuid: `e${at}`,
        parentUuid: above(at),
        sessionId: 'cc',
        timestamp,
        message: { ...message, id: `m${at}` },
      };
  }
}

function write(path: string, kind: Kind, entries: number): void {
  const handle = openSync(path, 'w');
  let held = '';
  for (const line of linesOf(kind, entries)) {
    held += `${JSON.stringify(line)}\n`;
    if (held.length > 1 << 20) {
      writeSync(handle, held);
      held = '';
    }
  }
  writeSync(handle, held);
  closeSync(handle);
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Returns a hash of the messages on the active path of a session. */
function hashOfThread(path: string): string {
  const file = sessionFiles.open(path, { readOnly: true });
  const index = new SessionIndex(file);
  const hash = createHash('sha256');
  for (const line of index.path(index.leaf).slice(1)) {
    const { kind, message, marker } = index.decodedAt(line);
    const kept = marker?.firstKept === undefined ? '' : String(file.indexOf(marker.firstKept));
    hash.update(`${kind} ${message.role} ${textOf(message)} ${kept}\n`);
  }
  file.close();
  return hash.digest('hex');
}

/** Runs rounds of opening and killing. Throws if a file is neither the complete old nor the complete new one. */
export async function runKilledSessionMigrations(options: KilledSessionMigrationsOptions): Promise<TortureReport> {
  const { entries, rounds, seed } = options;
  const journal = new TortureJournal('migrate9', seed, options.say);
  const random = new SeededRandom('migrate9', seed);
  const folder = mkdtempSync(join(tmpdir(), 'coppice-migrate9-'));
  const total = { rounds: 0, old: 0, new: 0, through: 0 };
  for (const kind of kinds) {
    const source = join(folder, `${kind}.source`);
    write(source, kind, entries);
    const [old, context] = [hashOf(source), hashOfThread(source)];
    // Migrates once without a kill, to know the new file and how long the migration takes.
    const whole = join(folder, `${kind}.jsonl`);
    copyFileSync(source, whole);
    const began = performance.now();
    sessionFiles.open(whole).close();
    const takes = performance.now() - began;
    const after = hashOf(whole);
    if ((after === old) !== (kind !== 'v1'))
      throw journal.failure(`${kind} was ${after === old ? 'not ' : ''}changed.`);
    if (hashOfThread(whole) !== context) throw journal.failure(`${kind} says something else after it was opened.`);
    const { mtimeMs } = statSync(whole);
    sessionFiles.open(whole).close();
    if (hashOf(whole) !== after || statSync(whole).mtimeMs !== mtimeMs)
      throw journal.failure(`${kind} was changed by a second load.`);
    for (let round = 0; round < (kind === 'v1' ? rounds : Math.max(1, Math.floor(rounds / 20))); round++) {
      const path = join(folder, `${kind}-${round}.jsonl`);
      copyFileSync(source, path);
      const life = random.below(Math.ceil(takes * 1.5) + 20);
      journal.note({ kind, round, life });
      total.through += (await openUntilKilled(`jsonl:${path}`, life)) ? 1 : 0;
      const now = hashOf(path);
      if (now !== old && now !== after) throw journal.failure(`${kind} is neither old nor new.`, { kind, round, path });
      if (now !== old && (!existsSync(`${path}.bak`) || hashOf(`${path}.bak`) !== old))
        throw journal.failure(`${kind} has no copy of the old file.`, { kind, round, path });
      total[now === old ? 'old' : 'new']++;
      // The bytes already equal one of two known files. In every tenth round the messages are compared as well.
      if (round % 10 === 0) {
        sessionFiles.open(path).close();
        if (hashOf(path) !== after || hashOfThread(path) !== context)
          throw journal.failure(`${kind} says something else after the next load.`, { kind, round, path });
      }
      for (const name of [path, `${path}.bak`]) rmSync(name, { force: true });
      total.rounds++;
      if (total.rounds % 50 === 0) journal.say(`${total.rounds} rounds, ${total.old} old, ${total.new} new`);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return journal.done({ entries, ...total });
}
