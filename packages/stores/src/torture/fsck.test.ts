// @module-tag full
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, type FsckReport, type Store, type TreeId } from '@coppice/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { openStore } from '../index.ts';
import { loadSqliteModule } from '../sqlite/driver.ts';
import { createFaultSampleTrees, readAllTexts, type SampleFault, sampleFaults } from './sample-faults.ts';

async function errorsIn(store: Store): Promise<string[]> {
  const { findings } = await store.fsck();
  return findings.filter((finding) => finding.severity === 'error').map((finding) => `${finding.code} ${finding.id}`);
}

/** Checks that a check of each single tree finds the same as a check of the whole store. */
async function expectSameByTree(store: Store): Promise<void> {
  const { findings } = await store.fsck();
  const line = ({ code, id }: FsckReport['findings'][number]) => `${code} ${id}`;
  // Finding I05 is about a node without a tree, so the tree that it names cannot be checked.
  const missing = new Set(findings.filter(({ code }) => code.startsWith('I05')).map((finding) => finding.treeId));
  for (const id of new Set(findings.flatMap((finding) => finding.treeId ?? []))) {
    if (missing.has(id)) continue;
    const own = findings.filter((finding) => finding.treeId === id && finding.code !== 'database').map(line);
    const found = (await store.fsck({ treeId: id })).findings.filter((finding) => finding.treeId === id).map(line);
    expect(new Set(found)).toEqual(new Set(own));
  }
}

/** Checks a store, repairs it, checks it again, and expects that no text was lost. */
async function expectNamedAndMended(store: Store, fault: SampleFault): Promise<void> {
  const named = await errorsIn(store);
  expect(named.some((code) => code.startsWith(fault.code))).toBe(true);
  expect(await errorsIn(store)).toEqual(named);
  const { repaired } = await store.fsck({ repair: true });
  if (!fault.mends) return expect((await errorsIn(store)).some((code) => code.startsWith(fault.code))).toBe(true);
  expect(repaired.length).toBeGreaterThan(0);
  expect(await errorsIn(store)).toEqual([]);
  expect((await store.fsck({ repair: true })).repaired).toEqual([]);
  const texts = [...(await readAllTexts(store)).values()];
  const emptied = fault.code === 'I16' ? ['b says'] : [];
  // The repair stores unreadable content as its raw JSON text, so only a part of the text is compared.
  for (const name of ['a', 'b', 'c', 'd', 'u'])
    if (!emptied.includes(`${name} says`)) expect(texts.join('\n')).toContain(`${name} says`);
}

describe('a SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-planted-'));
  const template = join(folder, 'template.db');

  beforeAll(async () => {
    const store = await openStore(`sqlite:${template}`);
    await createFaultSampleTrees(store);
    await store.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('[Q30] gives no findings while it is intact', async () => {
    const store = await openStore(`sqlite:${template}`);
    expect((await store.fsck()).findings).toEqual([]);
    expect((await store.fsck({ repair: true })).repaired).toEqual([]);
    await store.close();
  });

  test.each(sampleFaults.map((fault, at) => [`${fault.code}, ${fault.name}`, fault, at] as const))(
    '[Q30][Q31][Q34] %s is named, and repaired without a loss',
    async (_name, fault, at) => {
      const path = join(folder, `${at}.db`);
      cpSync(template, path);
      const database = new (loadSqliteModule().DatabaseSync)(path);
      for (const sql of [
        'PRAGMA ignore_check_constraints = ON',
        'PRAGMA foreign_keys = OFF',
        ...['node_id', 'node_root', 'node_place'].map((index) => `DROP INDEX ${index}`),
        ...['tree_active_set', 'node_active'].map((trigger) => `DROP TRIGGER ${trigger}`),
        ...fault.statements,
      ])
        database.exec(sql);
      database.close();
      const store = await openStore(`sqlite:${path}`);
      await expectSameByTree(store);
      await expectNamedAndMended(store, fault);
      await store.close();
    },
  );
});

describe('unreadable rows of a SQLite file', () => {
  test('[Q32] of unknown trees are refused by name, and repairing one tree changes no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-unreadable-'));
    const path = join(folder, 'trees.db');
    let store = await openStore(`sqlite:${path}`);
    await createFaultSampleTrees(store);
    const [first, second] = (await store.trees()).items;
    await store.close();
    const database = new (loadSqliteModule().DatabaseSync)(path, { defensive: false });
    database.exec(`UPDATE node SET content = '[{' WHERE kind = 'message'; DELETE FROM node_text_data`);
    database.close();
    store = await openStore(`sqlite:${path}`);
    if (first === undefined || second === undefined) throw new Error('Two trees were grown.');
    const read = (id: TreeId) => store.read(id, () => ask('rows', {}));
    await expect(read(first.id)).rejects.toMatchObject({
      code: 'store/damaged',
      message: expect.stringMatching(/content of [0-9a-f-]{36}/),
    });
    await store.fsck({ repair: true, treeId: first.id });
    expect((await read(first.id))?.nodes.every((node) => node.kind === 'root' || node.text === '[{')).toBe(true);
    await expect(read(second.id)).rejects.toMatchObject({ code: 'store/damaged' });
    await store.fsck({ repair: true });
    expect(await errorsIn(store)).toEqual([]);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('[Q33] of the search index are rebuilt from the messages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-index-'));
    const path = join(folder, 'trees.db');
    let store = await openStore(`sqlite:${path}`);
    await createFaultSampleTrees(store);
    const hits = async () => (await store.search({ text: 'says' })).items.map((hit) => hit.nodeId);
    const before = await hits();
    await store.close();
    const database = new (loadSqliteModule().DatabaseSync)(path, { defensive: false });
    database.exec('DELETE FROM node_text_data');
    database.close();
    store = await openStore(`sqlite:${path}`);
    await expect(hits()).rejects.toMatchObject({ code: 'store/damaged' });
    expect(await errorsIn(store)).toHaveLength(1);
    expect((await store.fsck({ repair: true })).repaired).toHaveLength(1);
    expect(await errorsIn(store)).toEqual([]);
    expect(before).toHaveLength(5);
    expect(await hits()).toEqual(before);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

describe('a PostgreSQL database', () => {
  let template: TestDatabase;

  beforeAll(async () => {
    template = await createTestDatabase();
    const store = await openStore(template.url);
    await createFaultSampleTrees(store);
    await store.close();
    // Constraints would reject the faults, so they are dropped first.
    const found = await template.query(
      "SELECT conrelid::regclass::text AS name, conname FROM pg_constraint WHERE conrelid IN ('tree'::regclass, 'node'::regclass, 'search_text'::regclass) AND contype IN ('c', 'f')",
    );
    for (const { name, conname } of found)
      await template.query(`ALTER TABLE ${String(name)} DROP CONSTRAINT "${String(conname)}"`);
    for (const index of ['node_id', 'node_root', 'node_place']) await template.query(`DROP INDEX ${index}`);
    for (const table of ['tree', 'node']) await template.query(`DROP TRIGGER ${table}_active ON ${table}`);
  });
  afterAll(() => template.drop());

  test('[Q30] gives no findings while it is intact', async () => {
    const database = await copyTestDatabase(template);
    const store = await openStore(database.url);
    expect((await store.fsck()).findings).toEqual([]);
    await store.close();
    await database.drop();
  });

  test.each(sampleFaults.map((fault) => [`${fault.code}, ${fault.name}`, fault] as const))(
    '[Q30][Q31] %s is named, and repaired without a loss',
    async (_name, fault) => {
      const database = await copyTestDatabase(template);
      for (const sql of fault.statements) await database.query(sql);
      const store = await openStore(database.url);
      await expectNamedAndMended(store, fault);
      await store.close();
      await database.drop();
    },
  );
});
