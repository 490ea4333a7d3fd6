/**
 * Opens the stores that released versions created. Each shows its trees as the old version did, passes the check, can
 * be changed, and has its history.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliFixture, makeCliFixture } from '@coppice/cli/testing';
import { createTestDatabase } from '@coppice/stores/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';

const kept = join(import.meta.dirname, 'fixtures/stores');
const places: Readonly<Record<string, string>> = {
  sqlite: 'trees.db',
  files: 'folder',
  jsonl: 'sessions',
  postgres: 'dump.sql',
};
const made = readdirSync(kept).flatMap((version) => Object.keys(places).map((kind) => ({ version, kind })));

interface Opened {
  readonly fixture: CliFixture;
  readonly folder: string;
  readonly store: string;
  run(...words: readonly string[]): Promise<string>;
}

/** Creates a database and restores a dump into it. */
async function restoreDump(path: string): Promise<string> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  await database.query(readFileSync(path, 'utf8'));
  return database.url;
}

/** Opens a copy of a store of an old version with this version. */
async function openKept(version: string, kind: string): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-upgrade-'));
  const fixture = makeCliFixture();
  onTestFinished(() => {
    fixture.close();
    rmSync(folder, { recursive: true });
  });
  cpSync(join(kept, version, kind), folder, { recursive: true });
  const place = join(folder, places[kind] ?? '');
  const store = kind === 'postgres' ? await restoreDump(place) : `${kind}:${place}`;
  return {
    fixture,
    folder,
    store,
    async run(...words) {
      const ran = await fixture.run([...words, '--store', store]);
      expect(ran, words.join(' ')).toMatchObject({ code: 0 });
      return ran.out;
    },
  };
}

test('a store of every kind is kept for every version', () => {
  expect(made.length).toBeGreaterThan(2);
  for (const { version, kind } of made) expect(existsSync(join(kept, version, kind))).toBe(true);
});

async function checkUpgrade({ version, kind }: (typeof made)[number]): Promise<void> {
  const { run } = await openKept(version, kind);
  const expected: { readonly show: string; readonly tree: string } = JSON.parse(
    readFileSync(join(kept, version, `${kind}.json`), 'utf8'),
  );
  // Only the words are compared, because a later version may format them differently.
  const words = (text: string) => text.match(/\p{L}[\p{L} ]+\p{L}/gu) ?? [];
  const shown = await run('show', 'last');
  for (const sentence of ['How do I start a sourdough?', 'Flour and water. 🍞', 'What about spelt?', 'Sourdough'])
    expect(shown).toContain(sentence);
  expect(words(await run('tree', 'last'))).toEqual(
    expect.arrayContaining(words(expected.tree).filter((w) => w !== 'here')),
  );
  expect(await run('search', 'rye')).toContain('What about rye?');
  expect(await run('fsck')).toContain('0 errors');
  // The last act of the old version set a title. Undo must work across the upgrade.
  await run('append', 'last', 'Written by a later version.');
  await run('undo', 'last');
  await run('undo', 'last');
  expect(await run('show', 'last')).not.toContain('Written by a later version.');
  await run('redo', 'last');
  expect(await run('fsck')).toContain('0 errors');
}

const isFile = ({ kind }: (typeof made)[number]) => kind !== 'postgres';
test.each(made.filter(isFile))('a $kind store of $version opens, is unchanged, and can be written', checkUpgrade);
test.each(made.filter((each) => !isFile(each)))(
  'a $kind store of $version opens, is unchanged, and can be written',
  { tags: ['full'] },
  checkUpgrade,
);

// The backup of a PostgreSQL store is an SQLite file. Restoring PostgreSQL needs a dump, and the fixtures are dumps.
test.each(made.filter(isFile))(
  'a backup of a $kind store of $version can replace the store',
  async ({ version, kind }) => {
    const { run, fixture, folder, store } = await openKept(version, kind);
    const copy = join(folder, 'copy');
    await run('backup', copy);
    await run('append', 'last', 'A change that is regretted.');
    // The copy replaces the store, as docs/guides/upgrade.md describes.
    const place = join(folder, places[kind] ?? '');
    mkdirSync(join(folder, 'away'));
    for (const name of readdirSync(folder).filter((each) => each.startsWith(places[kind] ?? '')))
      renameSync(join(folder, name), join(folder, 'away', name));
    renameSync(copy, place);
    const back = await fixture.run(['show', 'last', '--store', store]);
    expect(back).toMatchObject({ code: 0 });
    expect(back.out).toContain('What about spelt?');
    expect(back.out).not.toContain('regretted');
    expect((await fixture.run(['fsck', '--store', store])).code).toBe(0);
  },
);
