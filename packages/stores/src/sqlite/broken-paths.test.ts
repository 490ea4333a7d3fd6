import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeId, nodeId, type ReadProgram, readPage, readPath, readPathThrough, treeId } from '@coppice/core';
import { readContextPath } from '@coppice/core/context';
import { TestTree, testUuid } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { expectRefusalCode } from '../conformance/subject.ts';
import { loadSqliteModule, SqliteConnection } from './driver.ts';
import { open } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-broken-'));
const tree = treeId(testUuid(1));

/** Creates a chain of messages, then damages rows with SQL statements. */
async function spoilt(name: string, length: number, sql: (ids: readonly NodeId[]) => string) {
  const path = join(folder, `${name}.db`);
  const before = await open(path, {});
  const fixture = await TestTree.make({ store: before, treeId: tree });
  const ids = await fixture.addMessages(Array.from({ length }, (_, at) => `said ${at}`));
  await before.close();
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path));
  connection.database.exec('PRAGMA foreign_keys = OFF');
  connection.database.exec(sql(ids));
  connection.close();
  return { store: await open(path, {}), ids, id: (at: number) => ids[at] ?? '', leaf: ids.at(-1) ?? nodeId('') };
}

const damages: readonly (readonly [string, string, (ids: readonly NodeId[]) => string])[] = [
  ['is missing', 'tree/broken-path', (ids) => `DELETE FROM node WHERE id = '${ids[2]}'`],
  ['was removed alone', 'tree/broken-path', (ids) => `UPDATE node SET removed_in = 1 WHERE id = '${ids[2]}'`],
  [
    'is below itself',
    'tree/cycle',
    (ids) =>
      `UPDATE node SET parent_no = (SELECT x.no FROM node x WHERE x.id = '${ids[4]}'), position = 'zz' WHERE id = '${ids[2]}'`,
  ],
];

test.each(damages)('[L48] if a node %s, the path is refused with its id and not shortened', async (name, code, sql) => {
  const { store, id, leaf } = await spoilt(name, 6, sql);
  const readings: readonly (() => ReadProgram<unknown>)[] = [
    () => readPath({ to: leaf }),
    () => readPathThrough(leaf),
    () => readPage(tree, { nodeId: leaf }),
    () => readContextPath(leaf),
  ];
  for (const reading of readings) expect(await expectRefusalCode(store.read(tree, reading))).toBe(code);
  if (code === 'tree/broken-path')
    await expect(store.read(tree, () => readPath({ to: leaf }))).rejects.toMatchObject({ data: { nodeId: id(2) } });
  // The part below the damage can still be read.
  const page = await store.read(tree, () => readPage(tree, { nodeId: leaf, limit: 3 }));
  expect(page.nodes.map((node) => node.text)).toEqual(['said 3', 'said 4', 'said 5']);
  await store.close();
});

test('[L48] a page or a context that ends directly below a missing node is not taken for the beginning', async () => {
  const { store, ids, leaf } = await spoilt('gap', 70, (all) => `DELETE FROM node WHERE id = '${all.at(-65)}'`);
  const gap = { code: 'tree/broken-path', data: { nodeId: ids.at(-65) } };
  const page = await store.read(tree, () => readPage(tree, { nodeId: leaf, limit: 64 }));
  expect(page.before).toBe(ids.at(-64));
  const above = store.read(tree, () => readPage(tree, { nodeId: leaf, before: page.before ?? '' }));
  await expect(above).rejects.toMatchObject(gap);
  await expect(store.read(tree, () => readContextPath(leaf))).rejects.toMatchObject(gap);
  await store.close();
  rmSync(folder, { recursive: true });
});
