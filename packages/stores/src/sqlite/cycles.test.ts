import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import {
  ask,
  isAppError,
  type NodeId,
  nodeId,
  readPathThrough,
  readTree,
  run,
  type Store,
  textMessage,
  treeId,
} from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, expect, test } from 'vitest';
import { expectRefusalCode } from '../conformance/subject.ts';
import { loadSqliteModule, SqliteConnection } from './driver.ts';
import { open } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-circles-'));
const tree = treeId(testUuid(1));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function change(path: string, sql: string): void {
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path));
  connection.database.exec('PRAGMA foreign_keys = OFF');
  connection.database.exec(sql);
  connection.close();
}

/** Creates a chain of eight messages with a branch. The third message becomes a child of a later one, or of itself. */
async function circled(below: number, removed = false, active?: number) {
  const path = join(folder, `${crypto.randomUUID()}.db`);
  const before = await open(path, {});
  const fixture = await TestTree.make({ store: before, treeId: tree });
  const ids = await fixture.addMessages(Array.from({ length: 8 }, (_, at) => `said ${at}`));
  const at = (index: number): NodeId => ids[index] ?? nodeId('');
  await fixture.run({
    type: 'append',
    treeId: tree,
    parentId: at(3),
    messages: [{ message: { role: 'user', content: [{ type: 'text', text: 'aside' }] } }],
  });
  await fixture.run({ type: 'select', treeId: tree, nodeId: at(7) });
  if (removed) await fixture.run({ type: 'delete', treeId: tree, nodeIds: [at(2)], mode: 'cascade' });
  await before.close();
  change(
    path,
    `UPDATE node SET parent_no = (SELECT x.no FROM node x WHERE x.id = '${at(below)}'), position = 'zz' WHERE id = '${at(2)}'`,
  );
  if (active !== undefined) change(path, `UPDATE tree SET active_node_id = '${at(active)}'`);
  const store = await open(path, {});
  return { store, fixture: new TestTree(store, tree), at, path };
}

/** Returns `done`, or the error code with which work failed. Work that never ends exceeds the timeout of the test. */
async function endsWell(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}

test.each([2, 3, 5])(
  '[L175] reads below a cycle of parents (closed at %i) are refused with store/damaged',
  async (below) => {
    const { store, at } = await circled(below);
    const reads: readonly ((store: Store) => Promise<unknown>)[] = [
      (from) => from.read(tree, () => ask('subtree', { of: at(2) })),
      (from) => from.read(tree, () => ask('count', { of: at(2) })),
      (from) => from.read(tree, () => ask('topology', { of: at(2) })),
      (from) => from.read(tree, () => ask('newestLeaf', { below: at(2), without: [] })),
      (from) => from.read(tree, () => ask('lastVisited', { from: at(2) })),
      (from) => from.read(tree, () => ask('addedByOthers', { of: at(2), without: [], versions: [], since: 0 })),
      (from) => from.read(tree, () => ask('isAncestorOrSelf', { id: at(0), below: at(2) })),
      (from) => from.read(tree, () => ask('subtreeInfo', { of: at(0) })),
    ];
    for (const read of reads) expect(['store/damaged', 'done']).toContain(await endsWell(read(store)));
    const refused = [...reads.slice(0, 4), ...reads.slice(5)];
    for (const read of refused) expect(await expectRefusalCode(read(store))).toBe('store/damaged');
    expect(await expectRefusalCode(store.read(tree, () => ask('topology', { of: at(2), depth: 9 })))).toBe(
      'store/damaged',
    );
    expect(['store/damaged', 'tree/cycle']).toContain(
      await expectRefusalCode(store.read(tree, () => readPathThrough(at(2)))),
    );
    await store.close();
  },
);

test.each([2, 3, 5])(
  '[L175] writes that meet a cycle of parents (closed at %i) succeed or fail with a code, and never hang',
  async (below) => {
    const commands = (at: (index: number) => NodeId) =>
      [
        { type: 'delete', treeId: tree, nodeIds: [at(2)], mode: 'cascade' },
        { type: 'delete', treeId: tree, nodeIds: [at(2), at(4)], mode: 'splice' },
        { type: 'delete', treeId: tree, nodeIds: [at(0)], mode: 'cascade' },
        { type: 'select', treeId: tree, nodeId: at(0) },
        { type: 'move', treeId: tree, nodeId: at(4), parentId: at(0) },
        { type: 'move', treeId: tree, nodeId: at(0), parentId: at(4) },
        {
          type: 'append',
          treeId: tree,
          parentId: at(4),
          messages: [{ id: crypto.randomUUID(), message: { role: 'user', content: [{ type: 'text', text: 'more' }] } }],
        },
        { type: 'edit', treeId: tree, nodeId: at(4), content: 'other', id: crypto.randomUUID() },
        { type: 'clear', treeId: tree },
        { type: 'undo', treeId: tree },
        { type: 'delete-tree', treeId: tree },
      ] as const;
    for (const index of commands(() => nodeId('')).keys()) {
      const { store, fixture, at } = await circled(below);
      const command = commands(at)[index];
      if (command === undefined) throw new Error('There is no such command.');
      const outcome = await endsWell(fixture.run(command));
      expect(['done', 'store/damaged', 'tree/cycle', 'tree/broken-path']).toContain(outcome);
      if (index === 0) expect(outcome).toBe('store/damaged');
      await store.close();
    }
  },
);

test.each([2, 5])(
  '[L175] a removed cycle (closed at %i) is listed, restored, purged or refused, and never hangs',
  async (below) => {
    for (const act of ['trash', 'restore', 'undo', 'purge', 'purgeAll'] as const) {
      const { store, fixture, at } = await circled(below, true);
      const work = {
        trash: () => store.trash(tree),
        restore: () => fixture.run({ type: 'restore', treeId: tree, nodeId: at(2) }),
        undo: () => fixture.run({ type: 'undo', treeId: tree }),
        purge: () => store.purge(tree, { nodeId: at(2) }),
        purgeAll: () => store.purge(tree, { upTo: 99 }),
      };
      const outcome = await endsWell(work[act]());
      expect([act, outcome]).toEqual([
        act,
        { trash: 'done', restore: 'store/damaged', undo: 'undo/overtaken', purge: 'store/damaged', purgeAll: 'done' }[
          act
        ],
      ]);
      await store.close();
    }
  },
);

test('[L175] a removed message of a cycle whose other messages were not removed is not restored', async () => {
  const { store, fixture, at, path } = await circled(5, true);
  change(path, `UPDATE node SET removed_in = NULL WHERE id <> '${at(2)}'`);
  const { version } = await store.read(tree, () => readTree(tree));
  const restored = fixture.run({ type: 'restore', treeId: tree, nodeId: at(2) });
  expect(await expectRefusalCode(restored)).toBe('store/damaged');
  expect((await store.read(tree, () => readTree(tree))).version).toBe(version);
  await store.close();
});

test.each([2, 3, 5])(
  '[L175] a cycle (closed at %i) above no active, pending or bookmarked message is not removed either',
  async (below) => {
    const { store, fixture, at } = await circled(below, false, 1);
    const { version } = await store.read(tree, () => readTree(tree));
    const deletion = fixture.run({ type: 'delete', treeId: tree, nodeIds: [at(2)], mode: 'cascade' });
    expect(await expectRefusalCode(deletion)).toBe('store/damaged');
    expect((await store.read(tree, () => readTree(tree))).version).toBe(version);
    await store.close();
  },
);

test('[L175] the check names a cycle, and repair breaks it', async () => {
  const { store } = await circled(5);
  expect((await store.fsck()).findings.map(({ code }) => code.slice(0, 3))).toContain('I06');
  await store.fsck({ repair: true });
  expect((await store.fsck()).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  await store.close();
});

test.each([
  ['change', 'steps'],
  ['node', 'content'],
  ['node', 'meta'],
  ['node', 'marker'],
  ['tree', 'attributes'],
  ['node_content', 'content'],
  ['node_content', 'aliases'],
  ['run', 'data'],
  ['run_chunk', 'text'],
])(
  '[L176] JSON of another kind in %s.%s is refused with a code by everything that reads it',
  { tags: ['full'] },
  async (table, column) => {
    const path = join(folder, 'kinds.db');
    for (const value of ['null', '7', '{"a":1}', '[null]', '["text"]', '[{}]']) {
      const first = await open(path, {});
      const before = await TestTree.make({ store: first, treeId: tree });
      const ids = await before.addMessages(['one', 'two', 'three']);
      const [one = nodeId(''), two = nodeId('')] = ids;
      await before.run({ type: 'edit', treeId: tree, nodeId: two, content: 'changed', mode: 'in-place' });
      await before.run({ type: 'split', treeId: tree, nodeId: one, position: 1 });
      await before.run({ type: 'branch', treeId: tree, nodeId: one, summary: 'What was left.' });
      await first.runs.start({ id: testUuid(90), treeId: tree, nodeId: one, process: 'p', startedAt: 1, data: {} });
      await first.runs.append(testUuid(90), { offset: 0, text: 'so far' });
      await first.close();
      change(path, `UPDATE ${table} SET ${column} = '${value}' WHERE ${column} IS NOT NULL AND ${column} <> '[]'`);
      const store = await open(path, {});
      const act = { actor: 'me', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
      const more = [{ message: textMessage('user', 'more') }];
      const work: readonly (() => Promise<unknown>)[] = [
        () => store.search({ text: 'changed' }),
        () => store.trees(),
        () => store.history(tree),
        () => store.read(tree, () => ask('rows', {})),
        () => store.read(tree, () => ask('log', { since: 0 })),
        () => store.read(tree, () => ask('path', { to: two })),
        () => run(store, { type: 'append', treeId: tree, messages: more }, act),
        () => run(store, { type: 'edit', treeId: tree, nodeId: two, content: 'again' }, act),
        () => run(store, { type: 'annotate', treeId: tree, nodeId: two, set: { title: 'named' } }, act),
        () => run(store, { type: 'undo', treeId: tree }, act),
        () => run(store, { type: 'delete', treeId: tree, nodeIds: [two], mode: 'cascade' }, act),
        () => store.trash(tree),
        () => store.purge(tree, { nodeId: two }),
        () => store.runs.list(tree),
        () => store.runs.chunks(testUuid(90)),
        () => store.runs.append(testUuid(90), { offset: 6, text: '!' }),
        () => store.fsck(),
        () => store.fsck({ repair: true }),
      ];
      for (const [at, one] of work.entries())
        expect(await endsWell(one()), `${value}, ${at}`).toMatch(/^(?:done|\w+\/[\w-]+)$/);
      await store.close();
      for (const name of ['', '-wal', '-shm']) rmSync(path + name, { force: true });
    }
  },
);

test('[L176] every error of a store has a code, whatever the database reports', async () => {
  const path = join(folder, 'codes.db');
  const first = await open(path, {});
  await (await TestTree.make({ store: first, treeId: tree })).addMessages(['one', 'two']);
  await first.close();
  // A trigger that rejects every row, a column of the wrong type, a missing table, and invalid JSON.
  const spoilt: readonly (readonly [string, string])[] = [
    ["CREATE TRIGGER never BEFORE INSERT ON node BEGIN SELECT RAISE(ABORT, 'no'); END", 'DROP TRIGGER never'],
    ["UPDATE node SET group_id = 'text' WHERE parent_no IS NOT NULL", 'UPDATE node SET group_id = 0'],
    ["UPDATE change SET steps = '[{'", "UPDATE change SET steps = '[]'"],
    ['ALTER TABLE bookmark RENAME TO elsewhere', 'ALTER TABLE elsewhere RENAME TO bookmark'],
  ];
  for (const [sql, back] of spoilt) {
    change(path, sql);
    const store = await open(path, {});
    const fixture = new TestTree(store, tree);
    const outcomes = [
      await endsWell(
        fixture.run({
          type: 'append',
          treeId: tree,
          messages: [{ message: { role: 'user', content: [{ type: 'text', text: sql }] } }],
        }),
      ),
      await endsWell(store.read(tree, () => ask('rows', {}))),
      await endsWell(store.read(tree, () => ask('log', { since: 0 }))),
      await endsWell(store.history(tree)),
    ];
    for (const outcome of outcomes) expect(outcome).toMatch(/^(?:done|\w+\/[\w-]+)$/);
    expect(outcomes.some((outcome) => outcome.startsWith('store/'))).toBe(true);
    await store.close();
    change(path, back);
  }
});
