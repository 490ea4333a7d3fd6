import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { sessionNodeId } from '@coppice/content/sessions';
import { ask, type Command, isAppError, type NodeId, run, type Store, type TreeId, textMessage } from '@coppice/core';
import { openStore } from '@coppice/stores';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SessionBed, saidIn, sessionBed } from '../testing/session-bed.ts';
import { sessionIntoStore, treeBackIntoSession, treeIntoSession } from './bridge.ts';

let bed: SessionBed;
const stores: Store[] = [];
beforeEach(() => {
  bed = sessionBed();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  bed.destroy();
});

// a ─ b ─ c ─ d, and e ─ f below a; the entries have names of their own, no UUIDs.
const lines = [
  { type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 'abc', cwd: '/project' },
  ...['a root', 'b a', 'c b', 'd c', 'e a', 'f e'].map((pair) => {
    const [uuid = '', parentUuid = ''] = pair.split(' ');
    return { type: 'message', uuid, parentUuid, message: { role: 'user', content: `says ${uuid}` } };
  }),
];

const at = (uuid: string): NodeId => sessionNodeId('abc', uuid);

async function opened(url = 'memory:'): Promise<Store> {
  const store = await openStore(url);
  stores.push(store);
  return store;
}

async function doing(store: Store, command: Command): Promise<void> {
  const { now = Date.now, newId = () => '' } = bed.options;
  await run(store, command, { actor: 'me', now, newId, kit: messageKit });
}

/** The live nodes of a tree, and where it is. */
async function told(store: Store, treeId: TreeId): Promise<unknown> {
  const rows = await store.read(treeId, () => ask('rows', {}));
  const live = rows?.nodes.filter((node) => node.removedIn === null && node.parentId !== null) ?? [];
  const parts = live.map(({ id, parentId, text }) => [id, parentId, text].join(' ')).sort();
  return [parts, rows?.row.activeNodeId];
}

/** The same as somebody says who opens the file. */
async function toldBy(path: string): Promise<unknown> {
  const store = await opened(`jsonl:${path}`);
  const [item] = (await store.trees()).items;
  return item === undefined ? null : told(store, item.id);
}

async function planted(name = 'abc.jsonl'): Promise<{
  readonly path: string;
  readonly store: Store;
  readonly treeId: TreeId;
}> {
  const path = bed.write(name, lines);
  const store = await opened();
  const { treeId } = await sessionIntoStore(path, store, bed.options);
  return { path, store, treeId };
}

test('[Z45] what a store deletes, moves and edits in place is so in the file that it is written back into, and in a new one', async () => {
  const { path, store, treeId } = await planted();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('b')], mode: 'splice' });
  await doing(store, { type: 'move', treeId, nodeId: at('f'), parentId: at('c') });
  await doing(store, { type: 'delete', treeId, nodeIds: [at('e')], mode: 'cascade' });
  await doing(store, { type: 'edit', treeId, nodeId: at('d'), content: 'said anew', mode: 'in-place' });
  const { differ } = await treeBackIntoSession(store, treeId, path, bed.options);
  expect(differ).toEqual([]);
  const copy = await treeIntoSession(store, treeId, { path: join(bed.folder, 'copy.jsonl') }, bed.options);
  for (const one of [path, copy]) {
    const manager = bed.open(one);
    expect(
      manager
        .getEntries()
        .map(({ uuid, parentUuid }) => `${uuid} ${parentUuid}`)
        .sort(),
    ).toEqual(['a root', 'c a', 'd c', 'f c']);
    expect(saidIn(manager.buildSessionContext('d')).at(-1)).toBe('user: said anew');
    expect(await toldBy(one)).toEqual(await told(store, treeId));
  }
  // Nothing is left to be carried.
  const { length } = bed.lines(path);
  await treeBackIntoSession(store, treeId, path, bed.options);
  expect(bed.lines(path).length).toBe(length);
});

test('[Z45] what is brought back comes back on the other side, with what was said below it since', async () => {
  const { path, store, treeId } = await planted();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('c')], mode: 'cascade' });
  await treeBackIntoSession(store, treeId, path, bed.options);
  expect(
    bed
      .open(path)
      .getEntries()
      .map(({ uuid }) => uuid),
  ).toEqual(['a', 'b', 'e', 'f']);
  await doing(store, { type: 'undo', treeId });
  const message = textMessage('user', 'more');
  await doing(store, { type: 'append', treeId, parentId: at('d'), messages: [{ message }] });
  await treeBackIntoSession(store, treeId, path, bed.options);
  expect(await toldBy(path)).toEqual(await told(store, treeId));
});

test('[Z45] what the file says below something that the store removed stays, at what is left above it', async () => {
  const { path, store, treeId } = await planted();
  await doing(store, { type: 'delete', treeId, nodeIds: [at('b')], mode: 'cascade' });
  const manager = bed.open(path);
  const uuid = await manager.saveMessage({ role: 'user', content: 'not lost' }, 'd');
  await treeBackIntoSession(store, treeId, path, bed.options);
  const parents = (one: typeof manager) => one.getEntries().map((entry) => `${entry.uuid} ${entry.parentUuid}`);
  manager.refresh();
  expect(parents(manager)).toEqual(['a root', 'e a', 'f e', `${uuid} a`]);
  expect((await sessionIntoStore(path, store, bed.options)).added.length).toBe(1);
  expect(await told(store, treeId)).toEqual(await toldBy(path));
});

test('[Z45] of two changes to the same the later one counts, whichever way it is carried', async () => {
  const { path, store, treeId } = await planted();
  const file = await opened(`jsonl:${path}`);
  await doing(store, { type: 'edit', treeId, nodeId: at('d'), content: 'first', mode: 'in-place' });
  await doing(file, { type: 'edit', treeId, nodeId: at('d'), content: 'second', mode: 'in-place' });
  await doing(file, { type: 'move', treeId, nodeId: at('f'), parentId: at('a') });
  await doing(store, { type: 'move', treeId, nodeId: at('f'), parentId: at('d') });
  expect((await treeBackIntoSession(store, treeId, path, bed.options)).differ).toEqual([at('d')]);
  expect((await sessionIntoStore(path, store, bed.options)).differ).toEqual([]);
  const said = await told(store, treeId);
  expect(said).toEqual(await told(file, treeId));
  expect(said).toEqual([
    expect.arrayContaining([`${at('d')} ${at('c')} second`, `${at('f')} ${at('d')} says f`]),
    at('f'),
  ]);
});

test('[Z45] after any row of deletes, moves, edits and undos, the file says what the store says', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
  const act = fc.record({
    what: fc.constantFrom('splice', 'cascade', 'move', 'edit', 'undo', 'append', 'back'),
    one: fc.constantFrom(...names),
    other: fc.constantFrom(...names),
  });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
      const { path, store, treeId } = await planted(`${++count}.jsonl`);
      const message = textMessage('user', 'new');
      for (const [turn, { what, one, other }] of acts.entries()) {
        const nodeId = at(one);
        const commands: Readonly<Record<typeof what, Command | null>> = {
          splice: { type: 'delete', treeId, nodeIds: [nodeId], mode: 'splice' },
          cascade: { type: 'delete', treeId, nodeIds: [nodeId], mode: 'cascade' },
          move: { type: 'move', treeId, nodeId, parentId: at(other) },
          edit: { type: 'edit', treeId, nodeId, content: `edited ${turn}`, mode: 'in-place' },
          append: { type: 'append', treeId, parentId: nodeId, messages: [{ message }] },
          undo: { type: 'undo', treeId },
          back: null,
        };
        const command = commands[what];
        try {
          if (command === null) await treeBackIntoSession(store, treeId, path, bed.options);
          else await doing(store, command);
        } catch (error) {
          if (!isAppError(error) || command === null) throw error;
        }
      }
      await treeBackIntoSession(store, treeId, path, bed.options);
      const [said] = [await told(store, treeId)].flat();
      expect([await toldBy(path)].flat()[0]).toEqual(said);
      for (const open of stores.splice(0)) await open.close();
    }),
    { numRuns: 4 },
  );
});
