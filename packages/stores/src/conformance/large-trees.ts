/** Tests of large trees. They check results and counts, never times. */
import {
  actId,
  ask,
  nodeId,
  type Plan,
  type Read,
  type ReadProgram,
  readPage,
  readTopology,
  type Step,
  type Store,
  type TreeId,
  treeId,
} from '@coppice/core';
import { recordReads, TestTree, testKit, testUuid, user } from '@coppice/core/testing';
import { buildLinearSteps } from '@coppice/core/tree';
import { describe, expect } from 'vitest';
import { askStore, createTestTree, isLongRun, type StoreSubject, testStoreRule } from './subject.ts';

const deep = isLongRun ? 100_000 : 10_000;
const many = isLongRun ? 50_000 : 3_000;

/** Stores a chain in one commit, like an import. */
async function chain(store: Store, length: number): Promise<{ readonly id: TreeId; readonly last: string }> {
  const id = treeId(testUuid(1));
  const messages = Array.from({ length }, (_, at) => ({ message: user(`turn ${at}`), id: testUuid(1_000_000 + at) }));
  const { steps } = buildLinearSteps(
    { treeId: id, rootId: testUuid(2), messages },
    { now: 1, newId: () => testUuid(3), kit: testKit },
  );
  const options = { actor: 'import', actId: actId(testUuid(4)), at: 1, additive: false };
  await store.change(id, () => planned(steps), options);
  return { id, last: testUuid(1_000_000 + length - 1) };
}

function* planned(steps: readonly Step[]): ReadProgram<Plan<number>> {
  // A planner that creates a tree first checks that the tree does not exist.
  const row = yield* ask('tree', {});
  return { steps, result: row?.version ?? 0 };
}

export function registerLargeTreeRules(subject: StoreSubject): void {
  describe('growing', () => {
    testStoreRule(
      subject,
      '[K120] a chain of very many messages is read, paged, cut, cleared and brought back',
      async (store) => {
        const { id, last } = await chain(store, deep);
        const end = nodeId(last);
        const fixture = new TestTree(store, id);
        expect((await askStore(store, id, 'path', { to: end })).nodes.length).toBe(deep);
        const page = await store.read(id, () => readPage(id, { limit: 20 }));
        expect(page.nodes.at(-1)?.id).toBe(last);
        expect(page.nodes.length).toBe(20);
        await fixture.run(
          { type: 'append', treeId: id, messages: [{ message: user('one more') }] },
          { newId: () => testUuid(50) },
        );
        const middle = nodeId(testUuid(1_000_000 + deep / 2));
        await fixture.run({ type: 'delete', treeId: id, nodeIds: [middle] }, { newId: () => testUuid(51) });
        expect((await askStore(store, id, 'path', { to: end })).nodes.length).toBe(deep - 1);
        const top = nodeId(testUuid(1_000_001));
        await fixture.run(
          { type: 'delete', treeId: id, nodeIds: [top], mode: 'cascade' },
          { newId: () => testUuid(52) },
        );
        expect(await askStore(store, id, 'node', { id: end })).toBeNull();
        expect((await store.trash(id))[0]?.count).toBe(deep - 1);
        await fixture.run({ type: 'undo', treeId: id });
        expect((await askStore(store, id, 'path', { to: end })).nodes.length).toBe(deep - 1);
        expect((await store.fsck({ treeId: id })).findings).toEqual([]);
      },
    );

    testStoreRule(
      subject,
      '[K121] a page of a tree of 10,000 nodes is read without reading the tree',
      async (store) => {
        const fixture = await createTestTree(store);
        const trunk = await fixture.addMessages(Array.from({ length: 100 }, (_, at) => `trunk ${at}`));
        for (const [at, parentId] of trunk.entries()) {
          const messages = Array.from({ length: 99 }, (_, turn) => ({ message: user(`branch ${at} turn ${turn}`) }));
          await fixture.run({ type: 'append', treeId: fixture.treeId, parentId, messages, select: false });
        }
        const asking: Read[] = [];
        const page = await store.read(fixture.treeId, () =>
          recordReads(readPage(fixture.treeId, { limit: 20 }), asking),
        );
        expect(page.nodes.length).toBe(20);
        expect(asking.map((read) => read.ask)).toEqual(['tree', 'path']);
        expect((await store.read(fixture.treeId, () => readTopology(fixture.treeId))).length).toBe(10_000);
        expect((await store.read(fixture.treeId, () => readTopology(fixture.treeId, { depth: 1 }))).length).toBe(1);
        // Two messages match, turn 42 of branch 57 and turn 57 of branch 42, because search terms have no order.
        if (store.supports.search) expect((await store.search({ text: 'branch 57 turn 42' })).items.length).toBe(2);
      },
    );

    testStoreRule(
      subject,
      '[K122] a parent of very many children gets another one and loses all of them',
      async (store) => {
        const fixture = await createTestTree(store);
        const [top] = await fixture.addMessages(['top']);
        const parentId = top ?? nodeId('');
        const replies = Array.from({ length: many }, (_, at) => ({
          message: { ...user(`reply ${at}`), role: 'assistant' as const },
        }));
        await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId, replies });
        await fixture.variant({ ...user('the last'), role: 'assistant' }, parentId);
        const children = await askStore(store, fixture.treeId, 'children', { of: parentId });
        expect(children.length).toBe(many + 1);
        expect(children.at(-1)?.seq).toBe(many + 2);
        await fixture.run({ type: 'clear', treeId: fixture.treeId });
        expect((await store.trash(fixture.treeId))[0]?.count).toBe(many + 2);
        await fixture.run({ type: 'undo', treeId: fixture.treeId });
        expect((await askStore(store, fixture.treeId, 'children', { of: parentId })).length).toBe(many + 1);
      },
    );
  });
}
