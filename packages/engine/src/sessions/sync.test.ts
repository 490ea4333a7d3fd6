import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageKit, storeInlineMessages } from '@coppice/content';
import { ask, nodeId, readPage, run, type Store, type TreeId, textMessage } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../new-id.ts';
import { describeContext, openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import { AgentSession } from './index.ts';
import { syncSessionToStore, syncTreeToSession, writeTreeAsSession } from './sync.ts';

let sessions: SessionFixture;
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(() => sessions.destroy());

async function thread(store: Store, tree: TreeId): Promise<string[]> {
  return store.read(tree, function* () {
    const to = (yield* ask('tree', {}))?.activeNodeId;
    return to == null ? [] : (yield* ask('path', { to })).nodes.map((node) => node.text);
  });
}

const lines = [
  { type: 'session', version: 2, uuid: 'ses1', parentUuid: null, id: 'abc', cwd: '/project' },
  { type: 'message', uuid: 'm1', parentUuid: 'ses1', message: { role: 'user', content: 'one' } },
  { type: 'message', uuid: 'm2', parentUuid: 'm1', message: { role: 'assistant', content: 'two' } },
  { type: 'branch_summary', uuid: 'b1', parentUuid: 'm1', summary: 'tried two' },
  { type: 'message', uuid: 'm3', parentUuid: 'b1', message: { role: 'user', content: 'three' } },
  { type: 'compaction', uuid: 'c1', parentUuid: 'm3', summary: 'so far', firstKeptEntryUuid: 'm3' },
  { type: 'label', uuid: 'l1', parentUuid: 'c1', targetUuid: 'm2', label: 'good' },
];

describe('syncing a session file and a store', () => {
  test('[Z20] a file made from a tree has the leaf of its session, and labels and names are synced both ways', async () => {
    const path = sessions.write('abc.jsonl', [{ ...lines[0], parentSession: '/before.jsonl' }, ...lines.slice(1, 6)]);
    const store = await sessions.store('memory:');
    const { treeId } = await syncSessionToStore(path, store, sessions.options);
    const to = { path: join(sessions.folder, 'copy.jsonl') };
    const copy = sessions.open(await writeTreeAsSession(store, treeId, to, sessions.options));
    expect(copy.getHeader()).toMatchObject({ id: 'abc', cwd: '/project', parentSession: '/before.jsonl' });
    const [first] = (await store.read(treeId, () => ask('rows', {})))?.nodes.slice(1) ?? [];
    const context = { actor: store.owner, now: Date.now, newId: () => newId(), kit: messageKit };
    if (first !== undefined)
      await run(store, { type: 'bookmark', treeId, nodeId: first.id, title: 'from the store' }, context);
    await run(store, { type: 'attributes', treeId, set: { title: 'Named there' } }, context);
    await syncTreeToSession(store, treeId, path, sessions.options);
    const manager = sessions.open(path);
    expect([manager.getLabel('m1'), manager.getName()]).toEqual(['from the store', 'Named there']);
    await manager.setLabel('m2', 'from the file');
    await syncSessionToStore(path, store, sessions.options);
    const marks = (await store.read(treeId, () => ask('rows', {})))?.bookmarks.map(({ title }) => title);
    expect(marks?.sort()).toEqual(['from the file', 'from the store']);
    // A second run adds no lines.
    const { length } = sessions.lines(path);
    await syncTreeToSession(store, treeId, path, sessions.options);
    expect(sessions.lines(path).length).toBe(length);
  });

  test.each(['memory', 'sqlite', 'files'])(
    '[Z20] a session file opens as a tree in %s and is written back with its ids',
    async (kind) => {
      const path = sessions.write('abc.jsonl', lines);
      const before = describeContext(sessions.open(path).buildSessionContext());
      const store = await sessions.store(
        kind === 'memory' ? 'memory:' : `${kind}:${join(sessions.folder, kind === 'sqlite' ? 'a.db' : 'tree')}`,
      );
      const { treeId, added } = await syncSessionToStore(path, store, sessions.options);
      expect(added.length).toBe(6);
      expect(await thread(store, treeId)).toEqual(['one', 'tried two', 'three', 'so far']);
      const copy = await writeTreeAsSession(
        store,
        treeId,
        { path: join(sessions.folder, 'copy.jsonl') },
        sessions.options,
      );
      const again = sessions.open(copy);
      expect(again.getEntries().map(({ uuid, parentUuid, type }) => [uuid, parentUuid, type])).toEqual(
        lines.slice(1, 6).map(({ uuid, parentUuid, type }) => [uuid, parentUuid, type]),
      );
      expect(again.getHeader()).toMatchObject({ uuid: 'ses1', id: 'abc' });
      expect(describeContext(again.buildSessionContext())).toEqual(before);
      expect(again.getLabel('m2')).toBe('good');
      expect((await store.fsck()).findings).toEqual([]);
    },
  );

  test('[Z96] images are blobs in a store, and in a session file with their bytes, in both directions', async () => {
    const data = Buffer.from('A picture').toString('base64');
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data } };
    const manager = sessions.create();
    await manager.saveMessage({ role: 'user', content: [image, ...textMessage('user', 'Look').content] });
    const { path } = manager;
    const store = await sessions.store('memory:');
    const { treeId } = await syncSessionToStore(path, store, sessions.options);
    const contents = async () =>
      (await store.read(treeId, () => readPage(treeId, {}))).nodes.map(({ message }) => message?.content[0]);
    const blob = { type: 'image', source: { type: 'blob', size: 9 } };
    expect(await contents()).toMatchObject([blob]);

    const { newId: makeId = newId } = sessions.options;
    const stored = await storeInlineMessages(
      [{ message: { role: 'assistant', content: [image] } as const }],
      store.blobs,
    );
    const context = { actor: 'me', now: () => 1, newId: makeId, kit: messageKit };
    await run(store, { type: 'append', treeId, messages: stored }, context);
    expect(await contents()).toMatchObject([blob, blob]);
    await syncTreeToSession(store, treeId, path, sessions.options);
    manager.refresh();
    const written = manager.buildSessionContext().entries.map(({ message }) => message.content[0]);
    expect(written).toEqual([image, image]);
    expect(await syncTreeToSession(store, treeId, path, sessions.options)).toMatchObject({ added: [], differ: [] });
    expect(await syncSessionToStore(path, store, sessions.options)).toMatchObject({ added: [], differ: [] });
    expect(await contents()).toMatchObject([blob, blob]);

    const copy = await writeTreeAsSession(
      store,
      treeId,
      { path: join(sessions.folder, 'copy.jsonl') },
      sessions.options,
    );
    const copied = sessions
      .open(copy)
      .buildSessionContext()
      .entries.map(({ message }) => message.content[0]);
    expect(copied).toEqual([image, image]);
    expect((await store.fsck()).findings).toEqual([]);
  });

  test('[Z21] new entries on either side are synced, and the other lines of the file stay', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'one' });
    const { path } = manager;
    const store = await sessions.store('memory:');
    const { treeId } = await syncSessionToStore(path, store, sessions.options);
    await run(
      store,
      { type: 'append', treeId, messages: [{ message: textMessage('assistant', 'from the store') }] },
      {
        actor: 'me',
        now: () => 1,
        newId: sessions.options.newId ?? (() => ''),
        kit: messageKit,
      },
    );
    const bytes = readFileSync(path);
    const back = await syncTreeToSession(store, treeId, path, sessions.options);
    expect(back.added.length).toBe(1);
    expect(readFileSync(path).subarray(0, bytes.length).equals(bytes)).toBe(true);
    manager.refresh();
    expect(describeContext(manager.buildSessionContext())).toEqual(['user: one', 'assistant: from the store']);
    await manager.saveMessage({ role: 'user', content: 'from the file' });
    const over = await syncSessionToStore(path, store, sessions.options);
    expect(over.added.length).toBe(1);
    expect(await thread(store, treeId)).toEqual(['one', 'from the store', 'from the file']);
    expect((await syncSessionToStore(path, store, sessions.options)).added).toEqual([]);
    expect(manager.getEntry(first)?.uuid).toBe(first);
  });

  test('[Z22, Z47] a file branched from another has the same ids, and both are read into one store, labels included', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'one' });
    await manager.saveMessage({ role: 'assistant', content: 'two' });
    const { path } = manager;
    const session = new AgentSession(manager, sessions.options);
    const leaf = manager.getLeafUuid();
    const { newSessionFile = '' } = await session.branch(leaf);
    await session.close();
    const store = await sessions.store('memory:');
    const one = await syncSessionToStore(path, store, sessions.options);
    const two = await syncSessionToStore(newSessionFile, store, sessions.options);
    expect(await thread(store, two.treeId)).toEqual(await thread(store, one.treeId));
    const out = await writeTreeAsSession(
      store,
      two.treeId,
      { path: join(sessions.folder, 'out.jsonl') },
      sessions.options,
    );
    expect(
      sessions
        .open(out)
        .getPath()
        .slice(1)
        .map(({ uuid }) => uuid),
    ).toEqual([first, leaf]);
    expect((await syncSessionToStore(newSessionFile, store, sessions.options)).added).toEqual([]);
    // The nodes have other ids in the store, because another tree already uses theirs.
    const nodeId = (await store.read(two.treeId, () => ask('tree', {})))?.activeNodeId;
    const context = { actor: 'me', now: Date.now, newId: sessions.options.newId ?? (() => ''), kit: messageKit };
    if (nodeId != null) await run(store, { type: 'bookmark', treeId: two.treeId, nodeId, title: 'here' }, context);
    await syncTreeToSession(store, two.treeId, newSessionFile, sessions.options);
    expect(sessions.open(newSessionFile).getLabel(leaf)).toBe('here');
  });
});

test('[Z20] labels are kept with a part of a tree, and with nodes whose ids another tree of the store has', async () => {
  const said = (uuid: string, parentUuid: string) => ({
    type: 'message',
    uuid,
    parentUuid,
    message: { role: 'user', content: `says ${uuid}` },
  });
  const shared = '00000000-0000-7000-8000-00000000abcd';
  const session = (id: string) => [
    { type: 'session', version: 2, uuid: `root-${id}`, parentUuid: null, id, cwd: '/project' },
    said('a', `root-${id}`),
    said(shared, 'a'),
    said('c', shared),
    ...['a', shared, 'c'].map((uuid) => ({
      type: 'label',
      uuid: `l-${uuid}`,
      parentUuid: 'c',
      targetUuid: uuid,
      label: `label of ${uuid}`,
    })),
  ];
  const store = await sessions.store();
  for (const id of ['one', 'two']) {
    const { treeId } = await syncSessionToStore(sessions.write(`${id}.jsonl`, session(id)), store, sessions.options);
    const rows = await store.read(treeId, () => ask('rows', {}));
    const top = rows?.nodes.find((node) => node.text === 'says a')?.id ?? nodeId('');
    for (const [name, part] of [
      ['whole', {}],
      ['part', { part: { nodeId: top } }],
    ] as const) {
      const to = { path: join(sessions.folder, `${id}-${name}.jsonl`) };
      const path = await writeTreeAsSession(store, treeId, to, { ...sessions.options, ...part });
      const manager = sessions.open(path);
      for (const uuid of ['a', shared, 'c']) expect(manager.getLabel(uuid), path).toBe(`label of ${uuid}`);
      const again = await sessions.store(`jsonl:${path}`);
      const [item] = (await again.trees()).items;
      expect((await again.read(item?.id ?? treeId, () => ask('rows', {})))?.bookmarks.length, path).toBe(3);
    }
  }
});
