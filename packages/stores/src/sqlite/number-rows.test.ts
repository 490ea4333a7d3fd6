import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { ask, type RunContext, run, type Store, textMessage, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { listRefusedChanges } from '../../test/refused-rows.ts';
import { nodeNumbersPerTree } from '../sql/numbers.ts';
import {
  addLongTree,
  longTreeId,
  readSchemaFixtureAnswers,
  schemaFixtureAnswers,
  withSqliteFile,
  writeSchemaFixture,
} from '../torture/schema-fixture.ts';
import { open } from './index.ts';
import { newestSqliteVersion } from './migrations.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-numbers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const newPath = (): string => join(folder, `${++count}.db`);
const me: RunContext = { actor: 'me', kit: messageKit, now: () => 1, newId: () => crypto.randomUUID() };
const said = (text: string) => ({ message: textMessage('user', text) });

async function errorsIn(store: Store): Promise<string[]> {
  const { findings } = await store.fsck();
  return findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);
}

test('[L200] a file from before row numbers gives the same results as before, and the old one is kept', async () => {
  const path = newPath();
  writeSchemaFixture(path);
  addLongTree(path, 12_000);
  const reports: (readonly [number, number])[] = [];
  const copy = `${path}.before-schema-${newestSqliteVersion}-from-9.bak`;
  const store = await open(path, { onMigration: (done, total) => reports.push([done, total]) });
  // The file was rewritten without the pages of the old tables.
  expect(statSync(path).size).toBeLessThan(statSync(copy).size * 0.8);
  expect(await readSchemaFixtureAnswers(store)).toEqual(schemaFixtureAnswers);
  expect(await errorsIn(store)).toEqual([]);
  expect(await store.read(longTreeId, () => ask('links', {}))).toHaveLength(12_000);
  const [first, last] = [reports[0], reports.at(-1)];
  expect(reports.length).toBeGreaterThan(2);
  expect(first?.[0]).toBeLessThan(last?.[0] ?? 0);
  expect(last?.[0]).toBe(last?.[1]);
  await run(store, { type: 'append', treeId: longTreeId, messages: [said('after it')] }, me);
  await store.close();
  expect(
    withSqliteFile(copy, (file) => file.all('SELECT count(*) AS n FROM node WHERE seq >= 0'))[0]?.n,
  ).toBeGreaterThan(12_000);
});

test('[L200] a read-only file of that version can be read', async () => {
  const path = newPath();
  writeSchemaFixture(path);
  const bytes = readFileSync(path);
  const store = await open(path, { readOnly: true });
  expect(await readSchemaFixtureAnswers(store)).toEqual(schemaFixtureAnswers);
  await store.close();
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(existsSync(`${path}.before-schema-${newestSqliteVersion}-from-9.bak`)).toBe(false);
});

test('[L201] damaged rows are migrated, and repair fixes them', async () => {
  const path = newPath();
  writeSchemaFixture(path);
  const [tree] = schemaFixtureAnswers.trees;
  const some = `(SELECT id FROM node WHERE tree_id = '${tree}' AND removed_in IS NULL AND parent_id IS NOT NULL ORDER BY seq DESC LIMIT 1)`;
  withSqliteFile(path, ({ database }) => {
    database.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON');
    database.exec(`UPDATE node SET seq = 3 WHERE tree_id = '${tree}' AND seq IN (4, 5)`);
    database.exec(`UPDATE node SET seq = -7 WHERE tree_id = '${tree}' AND seq = 6`);
    database.exec(`UPDATE node SET parent_id = 'nobody', role = 'bot' WHERE id = ${some}`);
    database.exec(`UPDATE node SET tree_id = 'nowhere' WHERE content LIKE '%its answer%'`);
  });
  const rows = withSqliteFile(path, (file) => file.all('SELECT count(*) AS n FROM node'))[0]?.n;
  const store = await open(path, {});
  const found = (await errorsIn(store)).map((code) => code.slice(0, 3));
  for (const code of ['I03', 'I05', 'I11']) expect(found).toContain(code);
  await store.fsck({ repair: true });
  expect(await errorsIn(store)).toEqual([]);
  await store.close();
  expect(withSqliteFile(path, (file) => file.all('SELECT count(*) AS n FROM node'))[0]?.n).toBeGreaterThanOrEqual(
    Number(rows),
  );
});

test('[L202] row numbers appear in no result: the same trees give the same results wherever their rows are', async () => {
  const play = async (store: Store): Promise<unknown> => {
    const tree = treeId(testUuid(1));
    const fixture = await TestTree.make({ store, treeId: tree });
    const ids = await fixture.addMessages(['one', 'two', 'three']);
    await fixture.run({ type: 'delete', treeId: tree, nodeIds: [ids[2] ?? ids[0] ?? testUuid(0)] as never });
    const answers = {
      rows: await store.read(tree, () => ask('rows', {})),
      log: await store.read(tree, () => ask('log', { since: 0 })),
      trash: await store.trash(tree),
      search: await store.search({ text: 'two', limit: 1 }),
      pages: (await store.search({ text: 'o', limit: 1 })).cursor,
      trees: (await store.trees()).items.filter(({ id }) => id === tree),
    };
    await store.close();
    return answers;
  };
  const alone = await play(await open(newPath(), {}));
  const beside = await open(newPath(), {});
  for (let n = 0; n < 3; n++)
    await run(beside, { type: 'create', treeId: treeId(crypto.randomUUID()) }, { ...me, now: () => 0 });
  expect(await play(beside)).toEqual(alone);
  expect(JSON.stringify(alone)).not.toContain(String(nodeNumbersPerTree).slice(0, 5));
});

test('[L203] log positions are not reused after the newest tree was purged', async () => {
  const store = await open(newPath(), {});
  const kept = treeId(testUuid(1));
  const gone = treeId(testUuid(2));
  await run(store, { type: 'create', treeId: kept }, me);
  await run(store, { type: 'create', treeId: gone }, me);
  const feed = store.feedAll(null)[Symbol.asyncIterator]();
  const next = feed.next();
  await run(store, { type: 'delete-tree', treeId: gone }, me);
  const { value: last } = await next;
  await store.purgeTree(gone);
  await run(store, { type: 'append', treeId: kept, messages: [said('later')] }, me);
  const later = store.feedAll(last.cursor)[Symbol.asyncIterator]();
  expect((await later.next()).value).toMatchObject({ treeId: kept, version: 2 });
  await feed.return?.();
  await later.return?.();
  expect(await errorsIn(store)).toEqual([]);
  await store.close();
});

describe('[L204] a SQLite file itself refuses', async () => {
  const path = newPath();
  const [first, second] = [treeId(testUuid(1)), treeId(testUuid(2))];
  const store = await open(path, {});
  await (await TestTree.make({ store, treeId: first })).addMessages(['a', 'b']);
  await TestTree.make({ store, treeId: second });
  await store.close();
  test.each(listRefusedChanges(first, second))('%s', (_, sql) => {
    withSqliteFile(path, ({ database }) => {
      database.exec('PRAGMA foreign_keys = ON');
      expect(() => database.exec(sql)).toThrow(/constraint|active/);
    });
  });
});
