/** Tests of several processes on one session file. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ask, nodeId, treeId } from '@coppice/core';
import { TestTree, testUuid, user } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionStore } from './index.ts';
import { sessionFiles } from './session-files.ts';

let folder: string;
let path: string;
const root = testUuid(1);
const tree = treeId(testUuid(2));
const stops: (() => Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-processes-'));
  path = join(folder, 'session.jsonl');
  const header = { type: 'session', version: 2, uuid: root, parentUuid: null, id: tree, cwd: '/w' };
  const first = { type: 'message', uuid: testUuid(3), parentUuid: root, message: { role: 'user', content: 'first' } };
  writeFileSync(path, `${JSON.stringify(header)}\n${JSON.stringify(first)}\n`);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a worker process; `until` waits for a word in its output. */
function start(what: string): {
  until(word: string): Promise<string>;
  said: string[];
  kill(): void;
  ended: Promise<void>;
} {
  const script = fileURLToPath(new URL('../../test/jsonl-worker.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, path, what, testUuid(3)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  const waiting: { readonly word: string; readonly resolve: (line: string) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    for (const one of waiting) if (line.includes(one.word)) one.resolve(line);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  stops.push(() => {
    kill();
    return ended;
  });
  return {
    said,
    kill,
    ended,
    until: (word) =>
      new Promise((resolve) => {
        const there = said.find((line) => line.includes(word));
        if (there === undefined) waiting.push({ word, resolve });
        else resolve(there);
      }),
  };
}

test('[J27] a second process opens a file read-only and learns who holds it; the lease of a dead process is taken over', async () => {
  const holder = start('hold');
  await holder.until('writable');
  const store = await SessionStore.open(path);
  const { readOnly, notes } = await store.info();
  expect(readOnly).toBe(true);
  expect(notes.some((note) => /The process \d+ on .* writes to/.test(note))).toBe(true);
  const fixture = new TestTree(store, tree);
  expect(await fixture.refusal({ type: 'append', treeId: tree, messages: [{ message: user('x') }] })).toBe(
    'tree/read-only',
  );
  expect((await store.read(tree, () => ask('tree', {})))?.activeNodeId).toBe(testUuid(3));
  await store.close();
  const inFolder = await SessionStore.open(folder);
  expect(
    await new TestTree(inFolder, tree).refusal({ type: 'append', treeId: tree, messages: [{ message: user('x') }] }),
  ).toBe('store/locked');
  await inFolder.close();
  const file = sessionFiles.open(path);
  expect([file.writable, typeof file.holder?.pid]).toEqual([false, 'number']);
  file.close();
  holder.kill();
  await holder.ended;
  const later = sessionFiles.open(path);
  expect(later.writable).toBe(true);
  later.close();
});

test('[J28] lines of a tool that ignores the lease are neither broken nor lost, and become siblings of the lines of Coppice', async () => {
  const store = await SessionStore.open(path);
  const plain = start('plain');
  await plain.until('wrote');
  const fixture = new TestTree(store, tree);
  let count = 0;
  const mine: string[] = [];
  for (let at = 0; at < 150; at++) {
    const id = testUuid(100_000 + at);
    await fixture.run(
      { type: 'append', treeId: tree, parentId: nodeId(testUuid(3)), messages: [{ message: user(`mine ${at}`), id }] },
      { newId: () => testUuid(200_000 + count++) },
    );
    mine.push(id);
  }
  const said = () => plain.said.filter((line) => line.startsWith('wrote ')).map((line) => line.slice(6));
  await expect.poll(() => said().length).toBeGreaterThan(10);
  plain.kill();
  await plain.ended;
  const theirs = said();
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) if (line !== '') JSON.parse(line);
  const children = await store.read(tree, () => ask('children', { of: nodeId(testUuid(3)) }));
  const image = children.map(({ id }) => id);
  expect(new Set(image).size).toBe(children.length);
  for (const id of mine) expect(image).toContain(id);
  const names = new Set((await store.externalIdsOf(tree)).map(({ id }) => id));
  for (const id of theirs) expect(names.has(id)).toBe(true);
  await store.close();
  const again = await SessionStore.open(path);
  const reread = await again.read(tree, () => ask('children', { of: nodeId(testUuid(3)) }));
  expect(reread.map(({ id }) => id).sort()).toEqual([...image].sort());
  const known = new Set((await again.externalIdsOf(tree)).map(({ id }) => id));
  for (const id of theirs) expect(known.has(id)).toBe(true);
  expect((await again.fsck()).findings).toEqual([]);
  await again.close();
});

test('[K161] an attachment that another process refers to in its own session survives a purge here', async () => {
  const place = join(folder, 'sessions');
  const one = await SessionStore.open(place, { attachmentGrace: 0 });
  const { hash } = await one.blobs.put(new Uint8Array([1, 2, 3]), 'image/png');
  const picture = { role: 'user' as const, content: [{ type: 'image', source: { type: 'blob', hash } }] };
  const here = await TestTree.make({ store: one, treeId: treeId(testUuid(20)) });
  await here.run({ type: 'append', treeId: here.treeId, messages: [{ message: picture }] });
  const other = await SessionStore.open(place);
  const there = await TestTree.make({ store: other, treeId: treeId(testUuid(21)) });
  await there.run({ type: 'append', treeId: there.treeId, messages: [{ message: picture }] });
  await here.run({ type: 'delete-tree', treeId: here.treeId });
  await one.purgeTree(here.treeId);
  expect(await one.blobs.read(hash)).toEqual(new Uint8Array([1, 2, 3]));
  await there.run({ type: 'delete-tree', treeId: there.treeId });
  await other.close();
  await one.close();
  const later = await SessionStore.open(place, { attachmentGrace: 0 });
  await later.purgeTree(there.treeId);
  expect(await later.blobs.find(hash)).toBeNull();
  await later.close();
});
