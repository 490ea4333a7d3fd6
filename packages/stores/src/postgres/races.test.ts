// @module-tag full
import { ask, type Command, isAppError, type NodeId, run, type Store, type Tree, treeId } from '@coppice/core';
import { treeFromRows } from '@coppice/core/history';
import { createTestClock, testKit, testUuid, user } from '@coppice/core/testing';
import { checkTree } from '@coppice/core/tree';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { openSteppedSession, type SteppedSessionOptions } from '../../test/stepped-sessions.ts';
import { open } from './index.ts';

// Each case runs in every order in which two sessions can alternate: the first session executes some statements, then
// the second as many as it can, then the first continues to its end. The lock of the tree makes some orders impossible;
// all others are tried.

const id = treeId(testUuid(1));

let database: TestDatabase;
let observer: Store;
beforeAll(async () => {
  database = await createPreparedDatabase();
  observer = await open(database.url);
});
afterAll(async () => {
  await observer.close();
  await database.drop();
});

async function treeNow(): Promise<Tree> {
  const rows = await observer.read(id, () => ask('rows', {}));
  if (rows === null) throw new Error('The tree is gone.');
  return treeFromRows(rows.row, rows.nodes, rows.bookmarks);
}

function node(n: number): NodeId {
  return testUuid(n) as NodeId;
}

async function command(store: Store, one: Command, clock: number): Promise<string> {
  try {
    await run(store, one, { actor: `session ${clock}`, kit: testKit, ...createTestClock(clock) });
    return 'done';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

/** Creates the tree again, with nodes given as pairs of parent and child. */
async function buildSample(links: readonly (readonly [parent: number | null, child: number])[]): Promise<void> {
  await database.query('TRUNCATE tree, node, change, node_content, node_alias, bookmark, run CASCADE');
  await command(observer, { type: 'create', treeId: id, rootId: testUuid(2) }, 1);
  let clock = 10;
  for (const [parent, child] of links)
    await command(
      observer,
      {
        type: 'append',
        treeId: id,
        parentId: node(parent ?? 2),
        messages: [{ message: user(`node ${child}`), id: testUuid(child) }],
        merge: false,
      },
      clock++,
    );
}

interface Meeting {
  readonly outcomes: readonly string[];
  readonly tree: Tree;
  /** The number of statements that the first session executed before the second began. */
  readonly ahead: number;
}

/**
 * Runs two commands in every possible order. In each, the first executes `ahead` statements before the second begins.
 */
async function* meetings(
  first: Command,
  second: Command,
  options: SteppedSessionOptions,
  planting: () => Promise<void>,
): AsyncGenerator<Meeting> {
  for (let ahead = 0; ; ahead++) {
    await planting();
    const [a, b] = [await openSteppedSession(database.url, options), await openSteppedSession(database.url, options)];
    const doing = command(a.store, first, 1000);
    let over = false;
    for (let made = 0; made < ahead && !over; made++) over = (await a.step()) === 'over';
    const other = command(b.store, second, 2000);
    while ((await b.step()) === 'answered');
    a.run();
    b.run();
    const outcomes = [await doing, await other];
    yield { outcomes, tree: await treeNow(), ahead };
    await a.close();
    await b.close();
    if (over) return;
  }
}

function sound(tree: Tree): void {
  expect(checkTree(tree).filter((finding) => finding.severity === 'error')).toEqual([]);
}

const sessionOptions: readonly SteppedSessionOptions[] = [
  { isolation: 'READ COMMITTED', lock: true },
  { isolation: 'SERIALIZABLE', lock: true },
  { isolation: 'READ COMMITTED', lock: false },
];

describe.each(sessionOptions)('two sessions, $isolation, lock $lock', (options) => {
  test('M3: an acknowledged append survives a splice of its parent', async () => {
    const links = [
      [null, 10],
      [10, 11],
      [11, 12],
    ] as const;
    const splice: Command = { type: 'delete', treeId: id, nodeIds: [node(11)], mode: 'splice' };
    const append: Command = {
      type: 'append',
      treeId: id,
      parentId: node(11),
      messages: [{ message: user('late'), id: testUuid(13) }],
    };
    const seen = new Set<string>();
    for (const [first, second] of [
      [splice, append],
      [append, splice],
    ] as const)
      for await (const { outcomes, tree } of meetings(first, second, options, () => buildSample(links))) {
        sound(tree);
        const appended = outcomes[first === append ? 0 : 1];
        const late = await observer.read(id, () => ask('node', { id: node(13) }));
        if (appended === 'done') expect(late?.parentId).toBe(node(10));
        else expect([appended, late]).toEqual(['tree/unknown-node', null]);
        expect(outcomes[first === append ? 1 : 0]).toBe('done');
        seen.add(String(appended));
      }
    expect([...seen].sort()).toEqual(['done', 'tree/unknown-node']);
  });

  test('M4: of two moves that would make a cycle one is refused', async () => {
    const links = [
      [null, 20],
      [20, 21],
      [20, 22],
    ] as const;
    const one: Command = { type: 'move', treeId: id, nodeId: node(21), parentId: node(22) };
    const other: Command = { type: 'move', treeId: id, nodeId: node(22), parentId: node(21) };
    for await (const { outcomes, tree } of meetings(one, other, options, () => buildSample(links))) {
      sound(tree);
      expect([...outcomes].sort()).toEqual(['done', 'tree/cycle']);
    }
  });

  test('M5: two splices keep unrelated groups apart', async () => {
    const links = [
      [null, 30],
      [30, 31],
      [30, 32],
      [31, 33],
      [31, 34],
      [32, 35],
      [32, 36],
    ] as const;
    const planting = async () => {
      await buildSample(links);
      for (const [at, pair] of [
        [33, 34],
        [35, 36],
      ].entries())
        expect(await command(observer, { type: 'group', treeId: id, nodeIds: pair.map(node) }, 100 + at)).toBe('done');
    };
    const splice = (n: number): Command => ({ type: 'delete', treeId: id, nodeIds: [node(n)], mode: 'splice' });
    for await (const { outcomes, tree } of meetings(splice(31), splice(32), options, planting)) {
      sound(tree);
      expect(outcomes).toEqual(['done', 'done']);
      const heads = await observer.read(id, () => ask('children', { of: node(30) }));
      const groupOf = new Map(heads.map((head) => [head.id as string, head.groupId]));
      const [a, b, c, d] = [33, 34, 35, 36].map((n) => groupOf.get(testUuid(n)));
      expect(a).toBeGreaterThan(0);
      expect([b, d]).toEqual([a, c]);
      expect(c).not.toBe(a);
    }
  });
});

test('[L50] of a tree and a node that get the same id at the same moment, one is refused', async () => {
  const plainly: SteppedSessionOptions = { isolation: 'READ COMMITTED', lock: true };
  const taken = treeId(testUuid(40));
  const create: Command = { type: 'create', treeId: taken };
  const append: Command = {
    type: 'append',
    treeId: id,
    messages: [{ message: user('a tree of this name is being made'), id: taken }],
  };
  for (const [first, second] of [
    [create, append],
    [append, create],
  ] as const)
    for await (const { outcomes, tree } of meetings(first, second, plainly, () => buildSample([]))) {
      sound(tree);
      expect([...outcomes].sort()).toEqual(['done', 'id/taken']);
    }
});
