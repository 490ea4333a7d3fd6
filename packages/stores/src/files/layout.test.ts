/** Tests of the files on disk: their layout, and that other programs can read them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { actId, type Node, nodeId, type Step, treeId } from '@coppice/core';
import {
  arbitraryCommands,
  assistant,
  runCommands,
  TestTree,
  testKit,
  testUuid,
  toolCallMessage,
  toolResultMessage,
  user,
} from '@coppice/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEveryFile } from '../../test/folder-subject.ts';
import { readFolderWithoutCoppice } from '../../test/plain-reader.ts';
import { useTemporaryFolders } from '../../test/sample-folder.ts';
import { askStore, expectRefusalCode, readTreeJson } from '../conformance/subject.ts';
import { openStore } from '../index.ts';
import { FileSystemStore } from './index.ts';

const folder = useTemporaryFolders();

async function grown(place: string, id = 1): Promise<{ readonly store: FileSystemStore; readonly fixture: TestTree }> {
  const store = await FileSystemStore.open(place);
  return { store, fixture: await TestTree.make({ store, treeId: treeId(testUuid(id)), systemPrompt: 'Be brief.' }) };
}

describe('the layout', () => {
  test('[L1] a plain reader finds every branch by the registry, the node files and their lists of children', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const [first, second] = await fixture.addMessages(['hello', 'hi', 'bye']);
    await fixture.addMessages([user('other')], second);
    await fixture.run({
      type: 'edit',
      treeId: fixture.treeId,
      nodeId: first ?? nodeId(''),
      content: 'hey',
      mode: 'branch',
    });
    await store.close();
    const [found] = readFolderWithoutCoppice(place);
    expect(found?.root.config).toEqual({ systemPrompt: 'Be brief.' });
    expect(found?.root.id).toBe(fixture.treeId);
    expect(found?.branches).toEqual(['hello / hi / bye', 'hello / hi / other', 'hey']);
    const file = JSON.parse(readFileSync(join(place, fixture.treeId, 'nodes', `${first}.json`), 'utf8'));
    expect(Object.keys(file)).toEqual(['id', 'root_id', 'parent_id', 'child_ids', 'message', 'metadata', 'coppice']);
    expect(file.parent_id).toBe(fixture.treeId);
    expect(file.message).toEqual({ role: 'user', content: [{ type: 'text', text: 'hello' }] });
    expect(new Date(file.metadata.timestamp).toISOString()).toBe(file.metadata.timestamp);
  });

  test('[L1] tool calls, results, titles, tags and data are where a plain reader expects them', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const [, , last] = await fixture.addMessages([
      user('when?'),
      toolCallMessage('c1', 'clock'),
      toolResultMessage('c1', 'now'),
    ]);
    const id = last ?? nodeId('');
    const set = { tags: ['keep'], customData: { a: 1 }, source: { type: 'tool_result', tool_name: 'clock' }, other: 2 };
    await fixture.run({ type: 'annotate', treeId: fixture.treeId, nodeId: id, set });
    await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: id, title: 'The time' });
    const before = await readTreeJson(store, fixture.treeId);
    await store.close();
    const file = JSON.parse(readFileSync(join(place, fixture.treeId, 'nodes', `${id}.json`), 'utf8'));
    expect(file.message.tool_call_id).toBe('c1');
    expect(file.metadata).toMatchObject({
      title: 'The time',
      tags: ['keep'],
      custom_data: { a: 1 },
      source_info: { type: 'tool_result', tool_name: 'clock' },
      original_root_id: fixture.treeId,
    });
    expect(file.coppice.meta).toEqual({ other: 2 });
    const again = await openStore(`files:${place}`);
    expect(await readTreeJson(again, fixture.treeId)).toEqual(before);
    await again.close();
  });

  test('[L2] removed nodes are separate from what plain readers read, and move back when restored', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const [, second, third] = await fixture.addMessages(['a', 'b', 'c']);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [second ?? nodeId('')], mode: 'cascade' });
    await store.fsck();
    expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual(['a']);
    expect(readdirSync(join(place, fixture.treeId, 'trash')).sort()).toEqual(
      [`${second}.json`, `${third}.json`].sort(),
    );
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    await store.close();
    expect(readFolderWithoutCoppice(place)[0]?.branches).toEqual(['a / b / c']);
    expect(readdirSync(join(place, fixture.treeId, 'trash'))).toEqual([]);
  });

  test('[L3] after any commands the files match the tree value, and are rebuilt equal from the journal alone', async () => {
    for (const seed of [1, 2, 3]) {
      const place = folder();
      const store = await FileSystemStore.open(place);
      const [commands = []] = fc.sample(arbitraryCommands({ minLength: 60, maxLength: 60 }), { seed, numRuns: 1 });
      let at = 0;
      for await (const _ of runCommands(store, commands))
        if (++at % 10 === 0)
          expect((await store.fsck()).findings.filter((one) => one.severity === 'error')).toEqual([]);
      await store.close();
      const before = readEveryFile(place);
      readFolderWithoutCoppice(place);
      for (const name of readdirSync(place)) {
        if (name === 'roots.json') rmSync(join(place, name));
        for (const part of ['nodes', 'trash', 'tree.json'])
          rmSync(join(place, name, part), { recursive: true, force: true });
      }
      await (await FileSystemStore.open(place)).close();
      const now = readEveryFile(place);
      expect([...now.keys()].sort()).toEqual([...before.keys()].sort());
      // The order of trees in the registry depends on the order of folders, so its bytes may differ.
      for (const [name, bytes] of before)
        if (name !== 'roots.json') expect([name, now.get(name)]).toEqual([name, bytes]);
    }
  });

  test('[L4] a tree with a long history is read from its files, with the same result', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const [first, second] = await fixture.addMessages(['a', assistant('b'), 'c']);
    for (let at = 0; at < 30; at++)
      await fixture.run({
        type: 'edit',
        treeId: fixture.treeId,
        nodeId: first ?? nodeId(''),
        content: `a ${at}`,
        mode: 'in-place',
      });
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: first ?? nodeId(''), title: 'here' });
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [second ?? nodeId('')] });
    const image = await readTreeJson(store, fixture.treeId);
    await store.close();
    const again = await FileSystemStore.open(place);
    expect(await readTreeJson(again, fixture.treeId)).toEqual(image);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
    // The altered file does not match the fingerprint, so the tree is built from the journal alone.
    const path = join(place, fixture.treeId, 'nodes', `${first}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('a 29', 'forged'));
    const third = await FileSystemStore.open(place);
    expect(await readTreeJson(third, fixture.treeId)).toEqual(image);
    await third.close();
  });

  test('[L5] an id that is not a UUID never becomes a file name', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const options = { actor: 'me', actId: actId(testUuid(9)), at: 1, additive: false };
    const node = {
      id: nodeId('../../escaped'),
      parentId: nodeId(testUuid(5)),
      position: 'a0',
      kind: 'message',
      message: user('x'),
      status: 'success',
      groupId: 0,
      createdAt: 1,
      matchParent: nodeId(testUuid(5)),
      key: testKit.key(user('x')),
      text: 'x',
      tokens: 1,
      meta: {},
      marker: null,
      aliases: [],
    } satisfies Omit<Node, 'seq' | 'addedIn' | 'contentIn' | 'removedIn' | 'lastChildId' | 'role'>;
    const planned = store.change(
      fixture.treeId,
      function* () {
        const row: unknown = yield { ask: 'tree' };
        const parentId =
          row !== null && typeof row === 'object' && 'rootId' in row ? nodeId(String(row.rootId)) : nodeId('');
        const insert: Step = { type: 'insert', node: { ...node, parentId, matchParent: parentId } };
        return { steps: [insert, { type: 'select', after: node.id, before: null }], result: null };
      },
      options,
    );
    expect(await expectRefusalCode(planned)).toBe('id/invalid');
    expect(existsSync(join(place, '..', 'escaped.json'))).toBe(false);
    await store.close();
  });

  test('[L6] purged data is in no file, and its tree still opens', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const [, second] = await fixture.addMessages(['kept', 'secretly said', 'below']);
    const id = second ?? nodeId('');
    await fixture.run({
      type: 'annotate',
      treeId: fixture.treeId,
      nodeId: id,
      set: { customData: { note: 'secretly noted' } },
    });
    await store.putExternalIds([{ treeId: fixture.treeId, nodeId: id, format: 'f', scope: 's', id: 'secretly named' }]);
    await store.putExternalIds([{ treeId: fixture.treeId, nodeId: null, format: 'f', scope: 's', id: 'openly named' }]);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [id], mode: 'cascade' });
    await store.purge(fixture.treeId, { nodeId: id });
    const everything = () =>
      [...readEveryFile(place).values()].map((bytes) => Buffer.from(bytes, 'base64').toString('utf8')).join('\n');
    expect(everything()).not.toContain('secretly');
    expect(everything()).toContain('openly named');
    await fixture.addMessages(['more']);
    const image = await readTreeJson(store, fixture.treeId);
    await store.close();
    const again = await FileSystemStore.open(place);
    expect(await readTreeJson(again, fixture.treeId)).toEqual(image);
    expect(await again.trash(fixture.treeId)).toEqual([]);
    expect((await again.fsck()).findings).toEqual([]);
    const back = new TestTree(again, fixture.treeId);
    await back.run({ type: 'undo', treeId: fixture.treeId });
    expect(await back.refusal({ type: 'undo', treeId: fixture.treeId })).toBe('undo/purged');
    await again.close();
    expect(everything()).not.toContain('secretly');
  });

  test('[L7] a purged tree leaves nothing behind', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    await fixture.addMessages(['secretly said']);
    const other = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    await other.addMessages(['kept']);
    await store.putExternalIds([
      { treeId: fixture.treeId, nodeId: null, format: 'f', scope: 's', id: 'secretly named' },
    ]);
    await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
    await store.purgeTree(fixture.treeId);
    await store.close();
    for (const [name, bytes] of readEveryFile(place)) {
      expect(name).not.toContain(fixture.treeId);
      expect(Buffer.from(bytes, 'base64').toString('utf8')).not.toContain('secretly');
      expect(Buffer.from(bytes, 'base64').toString('utf8')).not.toContain(fixture.treeId);
    }
    expect(readFolderWithoutCoppice(place).map(({ root }) => root.id)).toEqual([other.treeId]);
  });

  test('[L8] ids, nodes and acts of other trees are known before those trees are read', async () => {
    const place = folder();
    const { store, fixture } = await grown(place);
    const [first] = await fixture.addMessages(['here', 'to be moved']);
    const other = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    const [there] = await other.addMessages(['there']);
    const act = actId(testUuid(90));
    const graft = {
      type: 'graft',
      treeId: other.treeId,
      from: { treeId: fixture.treeId, nodeId: first ?? nodeId('') },
      parentId: there ?? nodeId(''),
    } as const;
    const { result: grafted } = await other.run(graft, { actId: act });
    const removed = {
      type: 'delete',
      treeId: fixture.treeId,
      nodeIds: [first ?? nodeId('')],
      mode: 'cascade',
    } as const;
    await fixture.run(removed, { actId: act });
    await store.close();
    const again = await FileSystemStore.open(place);
    const [copy = nodeId('')] = grafted.added;
    expect(await askStore(again, fixture.treeId, 'home', { id: copy })).toBe(other.treeId);
    expect(
      await askStore(again, fixture.treeId, 'taken', { ids: [copy, first ?? nodeId(''), nodeId(testUuid(91))] }),
    ).toEqual([copy, first]);
    expect((await askStore(again, fixture.treeId, 'undoable', { actor: 'me' }))?.elsewhere).toEqual([other.treeId]);
    await again.close();
  });
});
