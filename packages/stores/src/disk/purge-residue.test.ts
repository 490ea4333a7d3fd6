// @module-tag full
/** Checks that no file of a store contains purged texts. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type NodeId, nodeId, type Store, type TreeId } from '@coppice/core';
import { TestTree, testUuid, user } from '@coppice/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askStore, createTestTree } from '../conformance/subject.ts';
import { openStore } from '../index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-residue-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// The mark is in every twelve bytes of a secret, so a search for the mark finds any remaining part of a secret.
const mark = 'S3cR';

function secret(bytes: number): string {
  const pieces: string[] = [];
  for (let at = 0; at * 8 < bytes; at++) pieces.push(mark + (at % 10_000).toString().padStart(4, '0'));
  return pieces.join('').slice(0, Math.max(bytes, 24));
}

/** Returns the files below a folder that contain the mark. */
function filesWithMark(below: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(below)) {
    const path = join(below, name);
    if (name.includes(mark)) found.push(path);
    if (statSync(path).isDirectory()) found.push(...filesWithMark(path));
    else if (readFileSync(path).includes(mark)) found.push(path);
  }
  return found;
}

/** Adds a branch with a secret in every part of its messages, and returns its first node. */
async function grown(store: Store, fixture: TestTree, size: number): Promise<NodeId> {
  const { treeId } = fixture;
  const words = secret(size);
  const { hash } = await store.blobs.put(new TextEncoder().encode(words), 'text/plain');
  const [first = nodeId('')] = await fixture.addMessages([user(words)], await rootOf(store, treeId));
  await fixture.run({
    type: 'append',
    treeId,
    parentId: first,
    messages: [
      { message: { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'look', parameters: { words } }] } },
      { message: { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: words }] } },
      { message: user('plain'), meta: { customData: { words }, title: words.slice(0, 200) } },
      {
        message: { role: 'user', content: [{ type: 'file', source: { type: 'blob', hash }, mediaType: 'text/plain' }] },
      },
    ],
  });
  const [edited = nodeId('')] = await fixture.addMessages([user(words)], first);
  await fixture.run({ type: 'edit', treeId, nodeId: edited, content: 'harmless', mode: 'in-place' });
  await fixture.run({ type: 'bookmark', treeId, nodeId: edited, title: words.slice(0, 200) });
  const { result } = await fixture.run({ type: 'reply', treeId, parentId: first, replies: [{}] });
  const [reply = nodeId('')] = result.added;
  const run = { id: testUuid(800 + size), treeId, nodeId: reply, process: 'p', startedAt: 1, beatAt: 1, data: {} };
  await store.runs.start(run);
  await store.runs.append(run.id, { offset: 0, text: words });
  const message = { role: 'assistant', content: [{ type: 'text', text: words }] } as const;
  await fixture.run({ type: 'finish', treeId, nodeId: reply, status: 'success', message });
  await store.runs.end(run.id);
  await store.search({ text: words.slice(0, 40) });
  return first;
}

describe.each(['files', 'jsonl'])('%s', (kind) => {
  const open = () => openStore(`${kind}:${folder}`, { attachmentGrace: 0 });

  test.each([100, 5_000, 300_000, 5_000_000])(
    '[L75] no file contains a purged branch with texts of %i bytes, before and after the store is reopened',
    async (size) => {
      let store = await open();
      const fixture = await createTestTree(store);
      await fixture.addMessages(['stays']);
      const first = await grown(store, fixture, size);
      await store.close();
      store = await open();
      const again = new TestTree(store, fixture.treeId);
      await again.run(
        { type: 'delete', treeId: fixture.treeId, nodeIds: [first], mode: 'cascade' },
        { newId: newIds() },
      );
      expect(filesWithMark(folder)).not.toEqual([]);
      await store.purge(fixture.treeId, { nodeId: first });
      expect(filesWithMark(folder)).toEqual([]);
      await store.backup(`${folder}-copy`);
      expect(filesWithMark(`${folder}-copy`)).toEqual([]);
      rmSync(`${folder}-copy`, { recursive: true, force: true });
      await store.close();
      expect(filesWithMark(folder)).toEqual([]);
      store = await open();
      expect(await liveTexts(store, fixture.treeId)).toEqual(['stays']);
      await store.close();
    },
  );

  test.each([100, 300_000])(
    '[L75] no file contains a purged tree with its title and prompt, of %i bytes',
    async (size) => {
      const store = await open();
      const fixture = await createTestTree(store, 1, secret(size));
      await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: secret(120) } });
      await grown(store, fixture, size);
      const other = await createTestTree(store, 2);
      await other.addMessages(['stays']);
      await store.putExternalIds([
        { treeId: fixture.treeId, nodeId: null, format: 'f', scope: secret(60), id: secret(60) },
      ]);
      await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
      await store.purgeTree(fixture.treeId);
      expect(filesWithMark(folder)).toEqual([]);
      await store.close();
      expect(filesWithMark(folder)).toEqual([]);
    },
  );

  test('[L75] no file contains the purged half of a split message', async () => {
    const store = await open();
    const fixture = await createTestTree(store);
    const { treeId } = fixture;
    // The test kit uses whole texts as equality keys, so the real kit is used here.
    const context = { kit: messageKit };
    const message = user(`${secret(400)} and the rest stays`);
    const whole = (await fixture.run({ type: 'append', treeId, messages: [{ message }] }, context)).result.nodeId;
    const halves = { type: 'split', treeId, nodeId: whole, position: secret(400).length } as const;
    const { result } = await fixture.run(halves, context);
    await fixture.run({ type: 'delete', treeId, nodeIds: [result.nodeId], mode: 'splice' }, context);
    await store.purge(treeId, { nodeId: result.nodeId });
    expect(filesWithMark(folder)).toEqual([]);
    expect(await liveTexts(store, treeId)).toEqual([' and the rest stays']);
    await store.close();
  });

  test('[L75] no file contains the text of a purged reply whose process ended while it was written', async () => {
    const store = await open();
    const fixture = await createTestTree(store);
    const { treeId } = fixture;
    const [first = nodeId('')] = await fixture.addMessages(['a question']);
    const { result } = await fixture.run({ type: 'reply', treeId, parentId: first, replies: [{}] });
    const [reply = nodeId('')] = result.added;
    await store.runs.start({
      id: testUuid(900),
      treeId,
      nodeId: reply,
      process: 'p',
      startedAt: 1,
      beatAt: 1,
      data: {},
    });
    await store.runs.append(testUuid(900), { offset: 0, text: secret(5_000) });
    await fixture.run({ type: 'finish', treeId, nodeId: reply, status: 'interrupted' });
    await fixture.run({ type: 'delete', treeId, nodeIds: [reply], mode: 'cascade' });
    await store.purge(treeId, { nodeId: reply });
    expect(filesWithMark(folder)).toEqual([]);
    expect(await store.runs.list(treeId)).toEqual([]);
    await store.runs.start({
      id: testUuid(901),
      treeId,
      nodeId: first,
      process: 'p',
      startedAt: 1,
      beatAt: 1,
      data: {},
    });
    await store.runs.append(testUuid(901), { offset: 0, text: secret(5_000) });
    await fixture.run({ type: 'delete-tree', treeId });
    await store.purgeTree(treeId);
    expect(filesWithMark(folder)).toEqual([]);
    await store.close();
  });
});

test('[L75] the folder of another program that a tree was imported from loses the purged messages', async () => {
  const node = (id: string, parent: string, text: string, children: readonly string[]) =>
    JSON.stringify({
      id,
      root_id: 'root-1',
      parent_id: parent,
      child_ids: children,
      message: { role: 'user', content: [{ type: 'text', text }] },
      metadata: { created_at: 1 },
    });
  mkdirSync(join(folder, 'root-1', 'nodes'), { recursive: true });
  writeFileSync(join(folder, 'root-1', 'nodes', 'node-1.json'), node('node-1', 'root-1', 'stays', ['node-2']));
  writeFileSync(join(folder, 'root-1', 'nodes', 'node-2.json'), node('node-2', 'node-1', secret(500), []));
  writeFileSync(
    join(folder, 'roots.json'),
    JSON.stringify([{ id: 'root-1', child_ids: ['node-1'], system_prompt: 'x' }]),
  );
  const store = await openStore(`files:${folder}`, { attachmentGrace: 0 });
  const [tree] = (await store.trees()).items;
  const treeId = tree?.id ?? nodeIdAsTree();
  const rows = await askStore(store, treeId, 'rows', {});
  const target = rows?.nodes.find((one) => one.text.includes(mark))?.id ?? nodeId('');
  const fixture = new TestTree(store, treeId);
  await fixture.run({ type: 'delete', treeId, nodeIds: [target], mode: 'cascade' });
  await store.purge(treeId, { nodeId: target });
  expect(filesWithMark(folder)).toEqual([]);
  expect(readdirSync(join(folder, 'root-1', 'nodes'))).toEqual(['node-1.json']);
  await fixture.run({ type: 'delete-tree', treeId });
  await store.purgeTree(treeId);
  expect(readdirSync(folder).filter((name) => name !== '.coppice')).toEqual(['roots.json']);
  await store.close();
});

function nodeIdAsTree(): TreeId {
  throw new Error('The folder has no tree.');
}

async function rootOf(store: Store, treeId: TreeId): Promise<NodeId> {
  return (await askStore(store, treeId, 'tree', {}))?.rootId ?? nodeId('');
}

function newIds(): () => string {
  let next = 50_000;
  return () => testUuid(next++);
}

async function liveTexts(store: Store, treeId: TreeId): Promise<string[]> {
  const rows = await askStore(store, treeId, 'rows', {});
  return rows?.nodes.flatMap((one) => (one.kind === 'root' || one.removedIn !== null ? [] : [one.text])) ?? [];
}
