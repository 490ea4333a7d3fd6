/** Kills processes while they migrate a database to row numbers. Afterwards all tables must be old, or all new. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ask } from '@coppice/core';
import { open } from '../sqlite/index.ts';
import { newestSqliteVersion } from '../sqlite/migrations.ts';
import { TortureJournal, type TortureReport } from './journal.ts';
import {
  addLongTree,
  longTreeId,
  readSchemaFixtureAnswers,
  schemaFixtureAnswers,
  schemaFixtureVersion,
  withSqliteFile,
  writeSchemaFixture,
} from './schema-fixture.ts';
import { SeededRandom } from './seeded-random.ts';
import { openUntilKilled } from './worker-process.ts';

/** Options of the test that kills processes while they migrate a database to row numbers. */
export interface KilledRowMigrationsOptions {
  /** The number of messages that are added to the fixture, so that the migration takes long enough. */
  readonly nodes: number;
  readonly rounds: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

function versionOf(path: string): number {
  return withSqliteFile(path, (connection) => Number(connection.all('PRAGMA user_version')[0]?.user_version));
}

function countIn(path: string): number {
  return withSqliteFile(path, (connection) => Number(connection.all('SELECT count(*) AS n FROM node')[0]?.n));
}

/** Runs rounds of opening and killing. Throws if a file is neither old nor new, or gives different answers. */
export async function runKilledRowMigrations(options: KilledRowMigrationsOptions): Promise<TortureReport> {
  const { nodes, rounds, seed } = options;
  const journal = new TortureJournal('number9', seed, options.say);
  const random = new SeededRandom('number9', seed);
  const folder = mkdtempSync(join(tmpdir(), 'coppice-number9-'));
  const source = join(folder, 'source.db');
  writeSchemaFixture(source);
  addLongTree(source, nodes);
  const rows = countIn(source);
  const whole = join(folder, 'whole.db');
  copyFileSync(source, whole);
  const began = performance.now();
  await (await open(whole, {})).close();
  const takes = performance.now() - began;
  const total = { rounds: 0, old: 0, new: 0, through: 0 };
  for (let round = 0; round < rounds; round++) {
    const name = `round-${round}.db`;
    const path = join(folder, name);
    copyFileSync(source, path);
    const life = random.below(Math.ceil(takes * 1.3) + 20);
    journal.note({ round, life });
    total.through += (await openUntilKilled(`sqlite:${path}`, life)) ? 1 : 0;
    const now = versionOf(path);
    if (now !== schemaFixtureVersion && now !== newestSqliteVersion)
      throw journal.failure(`The tables have version ${now}.`, { round, path });
    total[now === schemaFixtureVersion ? 'old' : 'new']++;
    const copy = `${path}.before-schema-${newestSqliteVersion}-from-${schemaFixtureVersion}.bak`;
    if (now === newestSqliteVersion && !existsSync(copy))
      throw journal.failure('There is no copy of the old file.', { round });
    if (existsSync(copy) && (versionOf(copy) !== schemaFixtureVersion || countIn(copy) !== rows))
      throw journal.failure('The copy of the old file is not complete.', { round, path });
    const store = await open(path, {});
    try {
      const answers = await readSchemaFixtureAnswers(store);
      if (!isDeepStrictEqual(answers, schemaFixtureAnswers))
        throw journal.failure('The trees say something else.', { path });
      const added = await store.read(longTreeId, () => ask('links', {}));
      if (added.length !== nodes) throw journal.failure(`${added.length} of ${nodes} messages are left.`, { path });
      await journal.checkStore(store, { path });
    } finally {
      await store.close();
    }
    const left = readdirSync(folder).filter((entry) => entry.startsWith(name));
    if (left.some((entry) => entry.includes('.new-'))) throw journal.failure('A temporary file is left.', { left });
    for (const entry of left) rmSync(join(folder, entry), { force: true });
    total.rounds++;
    if (total.rounds % 50 === 0) journal.say(`${total.rounds} rounds, ${total.old} old, ${total.new} new`);
  }
  rmSync(folder, { recursive: true, force: true });
  return journal.done({ nodes, ...total });
}
