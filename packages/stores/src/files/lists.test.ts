import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type RunContext, readPage, run, textMessage, treeId } from '@coppice/core';
import { afterEach, expect, it } from 'vitest';
import { open } from './index.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const me: RunContext = { actor: 'me', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
const id = treeId('01890c2e-0000-7000-8000-000000000001');

it('[L18] a list and the first write to it are one line of the journal, and two commits when it is read again', async () => {
  const place = mkdtempSync(join(tmpdir(), 'coppice-lists-'));
  folders.push(place);
  const store = await open(place, {});
  const messages = ['one', 'two'].map((text) => ({ message: textMessage('user', text) }));
  await store.putLinear({ treeId: id, messages, createdAt: 1 });
  const journal = join(place, id, 'journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  await run(store, { type: 'append', treeId: id, messages: [{ message: textMessage('user', 'three') }] }, me);
  const after = readFileSync(journal, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after.slice(before.length).trimEnd().split('\n')).toHaveLength(1);
  await store.close();
  const again = await open(place, {});
  expect((await again.history(id)).map((commit) => commit.version)).toEqual([2, 1]);
  expect((await again.read(id, () => readPage(id))).nodes.map((node) => node.text)).toEqual(['one', 'two', 'three']);
  await run(again, { type: 'undo', treeId: id }, me);
  expect((await again.read(id, () => readPage(id))).nodes.map((node) => node.text)).toEqual(['one', 'two']);
  expect((await again.fsck()).findings).toEqual([]);
  await again.close();
});
