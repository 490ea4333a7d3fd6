import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { deriveSessionNodeId } from '@coppice/content/sessions';
import { ask, type Command, isAppError, type NodeId, run, type Store, type TreeId, textMessage } from '@coppice/core';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeContext, openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import { syncSessionToStore, syncTreeToSession, writeTreeAsSession } from './sync.ts';

let sessions: SessionFixture;
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(() => sessions.destroy());

// a ─ b ─ c ─ d, and e ─ f below a; the entry ids are not UUIDs.
const lines = [
  { type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 'abc', cwd: '/project' },
  ...['a root', 'b a', 'c b', 'd c', 'e a', 'f e'].map((pair) => {
    const [uuid = '', parentUuid = ''] = pair.split(' ');
    return { type: 'message', uuid, parentUuid, message: { role: 'user', content: `says ${uuid}` } };
  }),
];

const at = (uuid: string): NodeId => deriveSessionNodeId('abc', uuid);

async function doing(store: Store, command: Command): Promise<void> {
  const { now = Date.now, newId = () => '' } = sessions.options;
  await run(store, command, { actor: 'me', now, newId, kit: messageKit });
}

/** Returns the live nodes of a tree, and its active node. */
async function reported(store: Store, treeId: TreeId): Promise<unknown> {
  const rows = await store.read(treeId, () => ask('rows', {}));
  const live = rows?.nodes.filter((node) => node.removedIn === null && node.parentId !== null) ?? [];
  const parts = live.map(({ id, parentId, text }) => [id, parentId, text].join(' ')).sort();
  return [parts, rows?.row.activeNodeId];
}

/** Returns the same data, read from the file. */
async function reportedBy(path: string): Promise<unknown> {
  const store = await sessions.store(`jsonl:${path}`);
  const [item] = (await store.trees()).items;
  return item === undefined ? null : reported(store, item.id);
}

async function sample(name = 'abc.jsonl'): Promise<{
  readonly path: string;
  readonly store: Store;
  readonly treeId: TreeId;
}> {
  const path = sessions.write(name, lines);
  const store = await sessions.store();
  const { treeId } = await syncSessionToStore(path, store, sessions.options);
  return { path, store, treeId };
}

test('[Z45] deletes, moves and in-place edits in a store are written into the existing file, and into a new one', async () => {
  const { path, store, treeId } = await sample();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('b')], mode: 'splice' });
  await doing(store, { type: 'move', treeId, nodeId: at('f'), parentId: at('c') });
  await doing(store, { type: 'delete', treeId, nodeIds: [at('e')], mode: 'cascade' });
  await doing(store, { type: 'edit', treeId, nodeId: at('d'), content: 'said anew', mode: 'in-place' });
  const { differ } = await syncTreeToSession(store, treeId, path, sessions.options);
  expect(differ).toEqual([]);
  const copy = await writeTreeAsSession(store, treeId, { path: join(sessions.folder, 'copy.jsonl') }, sessions.options);
  for (const one of [path, copy]) {
    const manager = sessions.open(one);
    expect(
      manager
        .getEntries()
        .map(({ uuid, parentUuid }) => `${uuid} ${parentUuid}`)
        .sort(),
    ).toEqual(['a root', 'c a', 'd c', 'f c']);
    expect(describeContext(manager.buildSessionContext('d')).at(-1)).toBe('user: said anew');
    expect(await reportedBy(one)).toEqual(await reported(store, treeId));
  }
  // A second run finds nothing to synchronise.
  const { length } = sessions.lines(path);
  await syncTreeToSession(store, treeId, path, sessions.options);
  expect(sessions.lines(path).length).toBe(length);
});

test('[Z45] a restored message is restored on the other side too, with the messages added below it since', async () => {
  const { path, store, treeId } = await sample();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('c')], mode: 'cascade' });
  await syncTreeToSession(store, treeId, path, sessions.options);
  expect(
    sessions
      .open(path)
      .getEntries()
      .map(({ uuid }) => uuid),
  ).toEqual(['a', 'b', 'e', 'f']);
  await doing(store, { type: 'undo', treeId });
  const message = textMessage('user', 'more');
  await doing(store, { type: 'append', treeId, parentId: at('d'), messages: [{ message }] });
  await syncTreeToSession(store, treeId, path, sessions.options);
  expect(await reportedBy(path)).toEqual(await reported(store, treeId));
});

test('[Z45] a node that was restored with another and moved away is on the other side too, without the other', async () => {
  const { path, store, treeId } = await sample();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('c')], mode: 'cascade' });
  await doing(store, { type: 'delete', treeId, nodeIds: [at('a')], mode: 'cascade' });
  await syncTreeToSession(store, treeId, path, sessions.options);
  expect(sessions.open(path).getEntries()).toEqual([]);
  // The children of `a` become children of the root, and only `a` is deleted.
  await doing(store, { type: 'undo', treeId });
  await doing(store, { type: 'delete', treeId, nodeIds: [at('a')], mode: 'splice' });
  await syncTreeToSession(store, treeId, path, sessions.options);
  expect(await reportedBy(path)).toEqual(await reported(store, treeId));
  await doing(store, { type: 'restore', treeId, nodeId: at('c') });
  await syncTreeToSession(store, treeId, path, sessions.options);
  const parents = (entries: readonly { uuid: string; parentUuid: string | null }[]) =>
    entries.map(({ uuid, parentUuid }) => `${uuid} ${parentUuid}`);
  expect(parents(sessions.open(path).getEntries())).toEqual(['b root', 'c b', 'd c', 'e root', 'f e']);
});

test('[Z45] entries that the file has below a node removed in the store stay, at the nearest remaining node', async () => {
  const { path, store, treeId } = await sample();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('b')], mode: 'cascade' });
  const manager = sessions.open(path);
  const uuid = await manager.saveMessage({ role: 'user', content: 'not lost' }, 'd');
  await syncTreeToSession(store, treeId, path, sessions.options);
  const parents = (one: typeof manager) => one.getEntries().map((entry) => `${entry.uuid} ${entry.parentUuid}`);
  manager.refresh();
  expect(parents(manager)).toEqual(['a root', 'e a', 'f e', `${uuid} a`]);
  expect((await syncSessionToStore(path, store, sessions.options)).added.length).toBe(1);
  expect(await reported(store, treeId)).toEqual(await reportedBy(path));
});

test('[Z45] of two changes to the same node the later one counts, in either direction', async () => {
  const { path, store, treeId } = await sample();
  const file = await sessions.store(`jsonl:${path}`);
  await doing(store, { type: 'edit', treeId, nodeId: at('d'), content: 'first', mode: 'in-place' });
  await doing(file, { type: 'edit', treeId, nodeId: at('d'), content: 'second', mode: 'in-place' });
  await doing(file, { type: 'move', treeId, nodeId: at('f'), parentId: at('a') });
  await doing(store, { type: 'move', treeId, nodeId: at('f'), parentId: at('d') });
  expect((await syncTreeToSession(store, treeId, path, sessions.options)).differ).toEqual([at('d')]);
  expect((await syncSessionToStore(path, store, sessions.options)).differ).toEqual([]);
  const said = await reported(store, treeId);
  expect(said).toEqual(await reported(file, treeId));
  expect(said).toEqual([
    expect.arrayContaining([`${at('d')} ${at('c')} second`, `${at('f')} ${at('d')} says f`]),
    at('f'),
  ]);
});

/** Returns the metadata of a tree's nodes, its labels and its title. */
async function noted(store: Store, treeId: TreeId): Promise<unknown> {
  const rows = await store.read(treeId, () => ask('rows', {}));
  const live = rows?.nodes.filter((node) => node.removedIn === null && node.parentId !== null) ?? [];
  return {
    notes: live.map(({ id, meta }) => [id, meta]).sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    labels: rows?.bookmarks.map(({ nodeId, title }) => `${nodeId} ${title}`).sort(),
    name: rows?.row.attributes.title,
  };
}

test('[Z47] tags, notes, labels and the name that one side sets, changes or removes are synced to the other', async () => {
  const { path, store, treeId } = await sample();
  const file = await sessions.store(`jsonl:${path}`);
  const both = async (expected: unknown) => {
    expect(await noted(store, treeId)).toMatchObject({ notes: expect.arrayContaining([[at('b'), expected]]) });
    expect(await noted(file, treeId)).toEqual(await noted(store, treeId));
    const [reported, { length }] = [await noted(store, treeId), sessions.lines(path)];
    await syncTreeToSession(store, treeId, path, sessions.options);
    await syncSessionToStore(path, store, sessions.options);
    expect([await noted(store, treeId), sessions.lines(path).length]).toEqual([reported, length]);
  };
  await doing(store, { type: 'tag', treeId, nodeId: at('b'), tags: ['x', 'y'] });
  await doing(store, { type: 'annotate', treeId, nodeId: at('b'), set: { customData: { of: [1] }, excluded: true } });
  await doing(store, { type: 'bookmark', treeId, nodeId: at('b'), title: 'here' });
  await doing(store, { type: 'attributes', treeId, set: { title: 'Named' } });
  await syncTreeToSession(store, treeId, path, sessions.options);
  await both({ tags: ['x', 'y'], customData: { of: [1] }, excluded: true });
  const manager = sessions.open(path);
  expect([manager.getLabel('b'), manager.getName()]).toEqual(['here', 'Named']);
  expect(describeContext(manager.buildSessionContext('c'))).toEqual(['user: says a', 'user: says c']);
  await manager.setLabel('b', 'called otherwise');
  await manager.setName('Named anew');
  await doing(file, { type: 'tag', treeId, nodeId: at('b'), tags: ['z'] });
  await doing(file, { type: 'annotate', treeId, nodeId: at('b'), set: { excluded: null } });
  await syncSessionToStore(path, store, sessions.options);
  await both({ tags: ['z'], customData: { of: [1] } });
  await doing(store, { type: 'bookmark', treeId, nodeId: at('b'), title: null });
  await doing(store, { type: 'attributes', treeId, set: { title: null } });
  await doing(store, { type: 'tag', treeId, nodeId: at('b'), tags: [] });
  // A label that was removed here is not restored from the other side, which still has it.
  await syncSessionToStore(path, store, sessions.options);
  expect(await noted(store, treeId)).toMatchObject({ labels: [], name: undefined });
  await syncTreeToSession(store, treeId, path, sessions.options);
  await both({ customData: { of: [1] } });
  manager.refresh();
  expect([manager.getLabel('b'), manager.getName()]).toEqual([undefined, undefined]);
});

test('[Z47] of two notes with one key the later one counts, and notes with other keys stay', async () => {
  const { path, store, treeId } = await sample();
  const file = await sessions.store(`jsonl:${path}`);
  await doing(store, { type: 'annotate', treeId, nodeId: at('d'), set: { mine: 1, ours: 'first' } });
  await doing(store, { type: 'bookmark', treeId, nodeId: at('d'), title: 'first' });
  await doing(file, { type: 'annotate', treeId, nodeId: at('d'), set: { theirs: 2, ours: 'second' } });
  await doing(file, { type: 'bookmark', treeId, nodeId: at('d'), title: 'second' });
  await syncTreeToSession(store, treeId, path, sessions.options);
  await syncSessionToStore(path, store, sessions.options);
  expect(await noted(store, treeId)).toMatchObject({
    notes: expect.arrayContaining([[at('d'), { mine: 1, theirs: 2, ours: 'second' }]]),
    labels: [`${at('d')} second`],
  });
  expect(await noted(file, treeId)).toEqual(await noted(store, treeId));
});

/** Returns the groups of variants, each as a text of node ids. */
async function groups(store: Store, treeId: TreeId): Promise<string[]> {
  const rows = await store.read(treeId, () => ask('rows', {}));
  const found = new Map<string, NodeId[]>();
  for (const { id, parentId, groupId, removedIn } of rows?.nodes ?? [])
    if (groupId > 0 && removedIn === null)
      found.set(`${parentId} ${groupId}`, [...(found.get(`${parentId} ${groupId}`) ?? []), id]);
  return [...found.values()].flatMap((ids) => (ids.length < 2 ? [] : [ids.sort().join(' ')])).sort();
}

test('[Z49] variants that are grouped or ungrouped on one side are so on the other', async () => {
  const { path, store, treeId } = await sample();
  const file = await sessions.store(`jsonl:${path}`);
  const both = async (...expected: readonly NodeId[][]) => {
    const reported = expected.map((ids) => ids.sort().join(' ')).sort();
    expect([await groups(store, treeId), await groups(file, treeId)]).toEqual([reported, reported]);
    const { length } = sessions.lines(path);
    await syncTreeToSession(store, treeId, path, sessions.options);
    await syncSessionToStore(path, store, sessions.options);
    expect([await groups(store, treeId), sessions.lines(path).length]).toEqual([reported, length]);
  };
  // A group that was made in the store appears in the file.
  await doing(store, { type: 'group', treeId, nodeIds: [at('b'), at('e')] });
  await syncTreeToSession(store, treeId, path, sessions.options);
  await both([at('b'), at('e')]);
  // New variants join the group of their siblings on both sides.
  const reply = (text: string) => ({ message: textMessage('assistant', text) });
  const made = async (on: Store, replies: readonly string[], parent: NodeId): Promise<NodeId[]> => {
    const before = new Set((await on.read(treeId, () => ask('children', { of: parent }))).map(({ id }) => id));
    await doing(on, { type: 'reply', treeId, parentId: parent, replies: replies.map(reply) });
    const after = await on.read(treeId, () => ask('children', { of: parent }));
    return after.map(({ id }) => id).filter((id) => !before.has(id));
  };
  const three = await made(file, ['one', 'two', 'three'], at('a'));
  await syncSessionToStore(path, store, sessions.options);
  await both([at('b'), at('e')], three);
  // The groups are changed on the other side.
  const [first = at('a'), second = at('a'), third = at('a')] = three;
  await doing(store, { type: 'group', treeId, nodeIds: [first] });
  await doing(store, { type: 'group', treeId, nodeIds: [second, at('e')] });
  await syncTreeToSession(store, treeId, path, sessions.options);
  await both([second, at('e')]);
  // Both sides changed the same group; the later change wins.
  await doing(store, { type: 'group', treeId, nodeIds: [at('b'), third] });
  await doing(file, { type: 'group', treeId, nodeIds: [at('b'), first] });
  await syncTreeToSession(store, treeId, path, sessions.options);
  await syncSessionToStore(path, store, sessions.options);
  expect(await groups(file, treeId)).toContain([at('b'), first].sort().join(' '));
  expect(await groups(store, treeId)).toEqual(await groups(file, treeId));
});

test('[Z45, Z47, Z49] after any series of deletes, moves, edits, tags, labels, groupings and undos, the file equals the store', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
  const act = fc.record({
    what: fc.constantFrom(
      'splice',
      'cascade',
      'move',
      'edit',
      'tag',
      'label',
      'bare',
      'undo',
      'append',
      'group',
      'back',
    ),
    one: fc.constantFrom(...names),
    other: fc.constantFrom(...names),
  });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
      const { path, store, treeId } = await sample(`${++count}.jsonl`);
      const message = textMessage('user', 'new');
      for (const [turn, { what, one, other }] of acts.entries()) {
        const nodeId = at(one);
        const commands: Readonly<Record<typeof what, Command | null>> = {
          splice: { type: 'delete', treeId, nodeIds: [nodeId], mode: 'splice' },
          cascade: { type: 'delete', treeId, nodeIds: [nodeId], mode: 'cascade' },
          move: { type: 'move', treeId, nodeId, parentId: at(other) },
          edit: { type: 'edit', treeId, nodeId, content: `edited ${turn}`, mode: 'in-place' },
          append: { type: 'append', treeId, parentId: nodeId, messages: [{ message }] },
          tag: { type: 'tag', treeId, nodeId, tags: [`${turn}`] },
          label: { type: 'bookmark', treeId, nodeId, title: `${turn}` },
          bare: { type: 'bookmark', treeId, nodeId, title: null },
          group: { type: 'group', treeId, nodeIds: [nodeId, at(other)] },
          undo: { type: 'undo', treeId },
          back: null,
        };
        const command = commands[what];
        try {
          if (command === null) await syncTreeToSession(store, treeId, path, sessions.options);
          else await doing(store, command);
        } catch (error) {
          if (!isAppError(error) || command === null) throw error;
        }
      }
      await syncTreeToSession(store, treeId, path, sessions.options);
      const [said] = [await reported(store, treeId)].flat();
      expect([await reportedBy(path)].flat()[0]).toEqual(said);
      const file = await sessions.store(`jsonl:${path}`);
      expect(await noted(file, treeId)).toEqual(await noted(store, treeId));
      expect(await groups(file, treeId)).toEqual(await groups(store, treeId));
      await sessions.closeStores();
    }),
    { numRuns: 4 },
  );
});
