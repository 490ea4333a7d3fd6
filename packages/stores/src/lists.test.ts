import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type RunContext, readPage, run, type Store, textMessage, treeId } from '@coppice/core';
import { afterEach, expect, it } from 'vitest';
import { open as openFolder } from './files/index.ts';
import { open as openSessions } from './jsonl/index.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const me: RunContext = { actor: 'me', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
const kinds = [
  ['files', openFolder],
  ['jsonl', openSessions],
] as const;
const untouched = treeId('01890c2e-0000-7000-8000-000000000001');
const continued = treeId('01890c2e-0000-7000-8000-000000000002');

function makeFolder(): string {
  const place = mkdtempSync(join(tmpdir(), 'coppice-lists-'));
  folders.push(place);
  return place;
}

/**
 * Writes a folder of a version that did not store lists as rows yet: an unchanged list, and one with a further message.
 */
function writeFolderOfBefore(kind: 'files' | 'jsonl'): string {
  const place = makeFolder();
  const path = join(import.meta.dirname, '..', 'test', 'lists-before-rows.json');
  const files = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, string>>;
  for (const [name, text] of Object.entries(files)) {
    if (!name.startsWith(`${kind}/`)) continue;
    const at = join(place, name.slice(kind.length + 1));
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  return place;
}

async function textsOf(store: Store, id: typeof untouched): Promise<readonly string[]> {
  return (await store.read(id, () => readPage(id))).nodes.map((node) => node.text);
}

it('[L18] a list is stored as a commit with rows from the first line of the journal on, and keeps its format', async () => {
  const place = makeFolder();
  const store = await openFolder(place, { treeWrites: 'off' });
  const messages = ['one', 'two'].map((text) => ({ message: textMessage('user', text) }));
  const record = { treeId: untouched, messages, createdAt: 1 };
  await store.putLinear(record);
  await store.putLinear(record);
  const journal = join(place, untouched, 'journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  await run(store, { type: 'append', treeId: untouched, messages: [{ message: textMessage('user', 'three') }] }, me);
  const after = readFileSync(journal, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after.slice(before.length).trimEnd().split('\n')).toHaveLength(1);
  await store.close();
  const again = await openFolder(place, {});
  expect((await again.history(untouched)).map((commit) => commit.version)).toEqual([2, 1]);
  expect(await textsOf(again, untouched)).toEqual(['one', 'two', 'three']);
  await run(again, { type: 'undo', treeId: untouched }, me);
  expect(await textsOf(again, untouched)).toEqual(['one', 'two']);
  expect((await again.fsck()).findings).toEqual([]);
  await again.close();
});

it.each(kinds)(
  '[L18] lists that an earlier version wrote to a %s store open as rows, accept writes and become trees',
  async (kind, open) => {
    const place = writeFolderOfBefore(kind);
    const store = await open(place, {});
    expect(await textsOf(store, untouched)).toEqual(['one 1', 'two 1']);
    expect(await textsOf(store, continued)).toEqual(['one 2', 'two 2', 'three']);
    expect((await store.history(untouched)).map((commit) => commit.version)).toEqual([1]);
    expect((await store.history(continued)).map((commit) => commit.version)).toEqual([2, 1]);
    expect(await store.formatOf(untouched)).toBe('linear');
    await run(store, { type: 'append', treeId: untouched, messages: [{ message: textMessage('user', 'more') }] }, me);
    expect((await store.fsck()).findings).toEqual([]);
    await store.close();
    const again = await open(place, {});
    expect(await textsOf(again, untouched)).toEqual(['one 1', 'two 1', 'more']);
    expect((await again.history(untouched)).map((commit) => commit.version)).toEqual([2, 1]);
    await run(again, { type: 'undo', treeId: untouched }, me);
    expect(await textsOf(again, untouched)).toEqual(['one 1', 'two 1']);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
  },
);

it.each(kinds)(
  '[L18] a list of an earlier version in a %s store becomes a tree without another commit',
  async (kind, open) => {
    const place = writeFolderOfBefore(kind);
    const store = await open(place, {});
    for await (const { left } of store.backfill()) expect(left).toBe(0);
    expect(await store.formatOf(untouched)).toBe('tree');
    await store.close();
    const again = await open(place, {});
    expect(await again.formatOf(untouched)).toBe('tree');
    expect((await again.history(untouched)).map((commit) => commit.version)).toEqual([1]);
    expect(await textsOf(again, untouched)).toEqual(['one 1', 'two 1']);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
  },
);
