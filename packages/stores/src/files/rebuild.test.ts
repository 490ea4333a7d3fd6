/** Tests of journals that are rebuilt from the files of their trees. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeId, type Store } from '@coppice/core';
import { user } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { journalDamages } from '../../test/damage-journals.ts';
import { ExistingTreeFixture } from '../../test/existing-tree-fixture.ts';
import { readEveryFile } from '../../test/folder-subject.ts';
import { createSampleTreesIn, damagedTreeId, useTemporaryFolders } from '../../test/sample-folder.ts';
import { askStore, expectRefusalCode, readTreeJson } from '../conformance/subject.ts';
import { FileSystemStore } from './index.ts';

const folder = useTemporaryFolders();

const sample = () => createSampleTreesIn(folder());

async function texts(store: Store, of = damagedTreeId): Promise<string[]> {
  const rows = await askStore(store, of, 'rows', {});
  return (rows?.nodes ?? []).filter((node) => node.text !== '').map((node) => node.text);
}

for (const [name, , how] of journalDamages)
  test(`[L29] repair rebuilds a journal with ${name} from complete files, and keeps the old one beside it`, async () => {
    const place = await sample();
    const first = await FileSystemStore.open(place);
    const image = await readTreeJson(first, damagedTreeId);
    await first.close();
    const journal = join(place, damagedTreeId, 'journal.jsonl');
    how(journal);
    const spoilt = existsSync(journal) ? readFileSync(journal) : null;
    const store = await FileSystemStore.open(place);
    const report = await store.fsck({ repair: true });
    expect(report.findings.map(({ code, treeId: tree }) => [code, tree])).toEqual([['unreadable', damagedTreeId]]);
    expect(report.repaired.length).toBe(1);
    expect(await readTreeJson(store, damagedTreeId)).toEqual(image);
    expect((await store.fsck()).findings).toEqual([]);
    const beside = `${journal}.damaged-1`;
    expect(existsSync(beside) ? readFileSync(beside) : null).toEqual(spoilt);
    const [added] = await new ExistingTreeFixture(store).addMessages(['goes on']);
    const after = await readTreeJson(store, damagedTreeId);
    await store.close();
    const again = await FileSystemStore.open(place);
    expect(await readTreeJson(again, damagedTreeId)).toEqual(after);
    expect((await again.fsck({ repair: true })).repaired).toEqual([]);
    // After a purge, no copy of a journal may contain the purged messages.
    const fixture = new ExistingTreeFixture(again);
    await fixture.run({ type: 'delete', treeId: damagedTreeId, nodeIds: [added ?? nodeId('')], mode: 'cascade' });
    await again.purge(damagedTreeId, { upTo: Number.MAX_SAFE_INTEGER });
    expect(readdirSync(join(place, damagedTreeId)).sort()).toEqual(['journal.jsonl', 'nodes', 'trash', 'tree.json']);
    await again.close();
  });

test('[L29] later commits of the journal continue after the files, and version numbers of lost ones are not reused', async () => {
  const place = await sample();
  const at = join(place, damagedTreeId);
  const files = readEveryFile(at);
  const first = await FileSystemStore.open(place);
  const parentId = nodeId(await leaf(first));
  for (const words of ['lost', 'kept', 'lost at last'])
    await new ExistingTreeFixture(first).run({
      type: 'append',
      treeId: damagedTreeId,
      parentId,
      messages: [{ message: user(words) }],
    });
  await first.close();
  // Two altered lines, in a journal whose last commits were not written to the node files before a crash.
  const journal = readFileSync(join(at, 'journal.jsonl'), 'utf8').replaceAll('"text":"lost', '"text":"Lost');
  rmSync(at, { recursive: true });
  for (const name of ['nodes', 'trash']) mkdirSync(join(at, name), { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(at, name), Buffer.from(bytes, 'base64'));
  writeFileSync(join(at, 'journal.jsonl'), journal);
  const store = await FileSystemStore.open(place);
  expect(await expectRefusalCode(askStore(store, damagedTreeId, 'rows', {}))).toBe('store/damaged');
  expect((await store.fsck({ repair: true })).repaired.length).toBe(1);
  expect(await texts(store)).toEqual(['first', 'reply', 'kept']);
  const log = await askStore(store, damagedTreeId, 'log', { since: 0 });
  expect(log.map(({ version, steps }) => [version, steps.length > 0])).toEqual([
    [1, true],
    [2, true],
    [3, false],
    [4, true],
    [5, false],
  ]);
  expect((await new ExistingTreeFixture(store).run({ type: 'undo', treeId: damagedTreeId })).version).toBe(6);
  expect(await texts(store)).toContain('reply');
  expect((await store.fsck()).findings).toEqual([]);
  await store.close();
});

test('[L29] if the files are incomplete too, repair changes nothing and reports why', async () => {
  const place = await sample();
  const journal = join(place, damagedTreeId, 'journal.jsonl');
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('Be brief.', 'Be Brief.'));
  const [node = ''] = readdirSync(join(place, damagedTreeId, 'nodes'));
  rmSync(join(place, damagedTreeId, 'nodes', node));
  const before = readEveryFile(join(place, damagedTreeId));
  const store = await FileSystemStore.open(place);
  const { findings, repaired } = await store.fsck({ repair: true });
  expect(findings.map(({ code, treeId: tree }) => [code, tree])).toEqual([['unreadable', damagedTreeId]]);
  expect(findings[0]?.message).toContain('its files are not whole');
  expect(repaired).toEqual([]);
  await store.close();
  expect(readEveryFile(join(place, damagedTreeId))).toEqual(before);
});

async function leaf(store: Store): Promise<string> {
  return (await askStore(store, damagedTreeId, 'tree', {}))?.activeNodeId ?? '';
}
