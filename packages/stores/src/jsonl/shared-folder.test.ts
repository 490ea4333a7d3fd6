/** Tests of several processes on one folder of sessions. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { treeId } from '@coppice/core';
import { TestTree, testUuid, user } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionStore } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-shared-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = fileURLToPath(new URL('../../test/jsonl-folder-worker.ts', import.meta.url));

async function worker(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, folder, ...words]);
  return stdout.trim().split('\n');
}

test('[J49] two processes that request the same forest tree at once get one', { tags: ['full'] }, async () => {
  const prompts = Array.from({ length: 12 }, (_, count) => `prompt-${count}`);
  const [one, other] = await Promise.all([worker('forest', ...prompts), worker('forest', ...prompts)]);
  expect(one.length).toBe(prompts.length);
  expect(one).toEqual(other);
  const store = await SessionStore.open(folder);
  expect((await store.trees()).items.length).toBe(prompts.length);
  await store.close();
});

test('[J49] lists, search and reads follow changes of another process', async () => {
  const store = await SessionStore.open(folder);
  expect((await store.trees()).items).toEqual([]);
  const [line = ''] = await worker('tree', 'From elsewhere', 'A message about oaks.');
  const id = treeId(line.split(' ')[1] ?? '');
  expect((await store.trees()).items.map((item) => [item.id, item.attributes.title])).toEqual([[id, 'From elsewhere']]);
  expect((await store.search({ text: 'oaks' })).items.map((hit) => hit.treeId)).toEqual([id]);
  const other = await SessionStore.open(folder);
  const fixture = new TestTree(other, id);
  await fixture.run({ type: 'append', treeId: id, messages: [{ message: user('And beeches.') }] });
  await fixture.run({ type: 'attributes', treeId: id, set: { title: 'Renamed' } });
  expect((await store.search({ text: 'beeches' })).items.length).toBe(1);
  expect((await store.trees()).items.map((item) => item.attributes.title)).toEqual(['Renamed']);
  await fixture.run({ type: 'delete-tree', treeId: id });
  await other.purgeTree(id);
  await other.close();
  expect((await store.trees()).items).toEqual([]);
  expect((await store.search({ text: 'oaks' })).items).toEqual([]);
  await store.close();
});

test('[J49] a tree that this process has open follows a purge of another one', async () => {
  const one = await SessionStore.open(folder);
  const fixture = await TestTree.make({ store: one, treeId: treeId(testUuid(1)) });
  const [first] = await fixture.addMessages(['kept']);
  const [second] = await fixture.addMessages(['goes'], first);
  await one.close();
  const reader = await SessionStore.open(folder);
  expect((await reader.search({ text: 'goes' })).items.length).toBe(1);
  const writer = await SessionStore.open(folder);
  const again = new TestTree(writer, fixture.treeId);
  if (second === undefined) throw new Error('There is no second message.');
  const context = { newId: () => testUuid(70_000) };
  await again.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [second], mode: 'cascade' }, context);
  await writer.purge(fixture.treeId, { nodeId: second });
  await writer.close();
  expect((await reader.search({ text: 'goes' })).items).toEqual([]);
  expect((await reader.search({ text: 'kept' })).items.length).toBe(1);
  await reader.close();
});

test('[J49] a feed has the commits of another process, for the list of trees and for one tree', async () => {
  const store = await SessionStore.open(folder);
  const stop = new AbortController();
  const lists = store.feedAll(null, stop.signal)[Symbol.asyncIterator]();
  const first = lists.next();
  const [line = ''] = await worker('tree', 'From elsewhere', 'A message about oaks.');
  const id = treeId(line.split(' ')[1] ?? '');
  expect((await first).value).toMatchObject({ treeId: id });
  const commits = store.feed(id, 2, stop.signal)[Symbol.asyncIterator]();
  const next = commits.next();
  await worker('more', id, 'And beeches.');
  expect((await next).value).toMatchObject({ version: 3 });
  stop.abort();
  await store.close();
});
