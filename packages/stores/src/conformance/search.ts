/** Tests of search over all branches, and of lists of trees. */
import {
  libraryProject,
  nodeId,
  type SearchQuery,
  type Store,
  type TreeAttributes,
  type TreeQuery,
  treeId,
} from '@coppice/core';
import { assistant, TestTree, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import { createTestTree, expectRefusalCode, type StoreSubject, skipUnlessSupported, testStoreRule } from './subject.ts';

async function found(store: Store, text: string, more: Partial<SearchQuery> = {}): Promise<string[]> {
  const { items } = await store.search({ text, ...more });
  return items.map((hit) => hit.snippet);
}

/** Registers a test of search with an empty tree. It is skipped for a store that does not search. */
function testSearchRule(
  subject: StoreSubject,
  name: string,
  body: (store: Store, fixture: TestTree) => Promise<void>,
): void {
  testStoreRule(subject, name, async (store, context) => {
    skipUnlessSupported(context, store.supports.search, 'this store does not search');
    await body(store, await createTestTree(store));
  });
}

export function registerSearchRules(subject: StoreSubject): void {
  describe('searching', () => {
    testSearchRule(
      subject,
      '[K60] terms are parts of texts in any case, all of them needed, on every branch',
      async (store, fixture) => {
        const [first] = await fixture.addMessages(['The quick brown fox', 'jumps over the lazy dog']);
        await fixture.variant(assistant('Quickly said the Brownie'), first ?? nodeId(''));
        expect(await found(store, 'QUICK brown')).toEqual(['Quickly said the Brownie', 'The quick brown fox']);
        expect(await found(store, 'uick')).toHaveLength(2);
        expect(await found(store, 'lazy quick')).toEqual([]);
        expect(await found(store, '')).toEqual([]);
        expect(await found(store, '   ')).toEqual([]);
      },
    );

    testSearchRule(subject, '[K61] lone surrogates and NUL are found inside long terms too', async (store, fixture) => {
      await fixture.addMessages(['before\ud800after', 'before\u0000after', 'before\ufffdafter']);
      expect(await found(store, 'before\ud800after')).toEqual(['before\ud800after']);
      expect(await found(store, 'e\u0000a')).toEqual(['before\u0000after']);
      expect(await found(store, 'ore\ufffdaft')).toEqual(['before\ufffdafter']);
      expect(await found(store, 'after')).toHaveLength(3);
    });

    testSearchRule(
      subject,
      '[K61] no character has a special meaning, and short terms match too',
      async (store, fixture) => {
        const texts = [
          '50% off',
          '500 of them',
          'a_b',
          'axb',
          'say "hi" (NEAR it) -not',
          "it's; DROP TABLE node",
          'Größe 漢字',
          'back\\slash*',
        ];
        await fixture.addMessages(texts.map(user));
        const cases: readonly (readonly [string, number])[] = [
          ['50%', 1],
          ['a_b', 1],
          ['"hi"', 1],
          ['(NEAR', 1],
          ['-not', 1],
          ["it's;", 1],
          ['größe', 1],
          ['漢', 1],
          ['h\\s', 0],
          ['k\\s', 1],
          ['slash*', 1],
          ['of', 2],
          ['b', 4],
          ['%', 1],
          ['OR', 0],
          ['nothing NOT', 0],
        ];
        for (const [text, count] of cases) expect([text, (await found(store, text)).length]).toEqual([text, count]);
      },
    );

    testSearchRule(
      subject,
      '[K62] search finds nodes that were moved out of a restored subtree',
      async (store, fixture) => {
        const { treeId } = fixture;
        const [a = nodeId(''), b = nodeId(''), c = nodeId('')] = await fixture.addMessages([
          'alpha',
          'beta',
          'gamma',
          'delta',
        ]);
        await fixture.run({ type: 'delete', treeId, nodeIds: [b], mode: 'cascade' });
        expect(await found(store, 'delta')).toEqual([]);
        await fixture.run({ type: 'undo', treeId });
        await fixture.run({ type: 'move', treeId, nodeId: c, parentId: a });
        expect(await found(store, 'gamma')).toHaveLength(1);
        expect(await found(store, 'delta')).toHaveLength(1);
      },
    );

    testSearchRule(
      subject,
      '[K62] search finds the last acknowledged messages and nothing that was removed',
      async (store, fixture) => {
        const [first, second] = await fixture.addMessages(['alpha secret', 'beta']);
        expect(await found(store, 'alpha')).toHaveLength(1);
        await fixture.run({
          type: 'edit',
          treeId: fixture.treeId,
          nodeId: second ?? nodeId(''),
          content: 'gamma',
          mode: 'in-place',
        });
        expect(await found(store, 'beta')).toEqual([]);
        expect(await found(store, 'gamma')).toHaveLength(1);
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [first ?? nodeId('')] });
        expect(await found(store, 'secret')).toEqual([]);
        await fixture.run({ type: 'undo', treeId: fixture.treeId });
        expect(await found(store, 'secret')).toHaveLength(1);
        await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
        expect(await found(store, 'secret')).toEqual([]);
        await fixture.run({ type: 'restore-tree', treeId: fixture.treeId });
        expect(await found(store, 'secret')).toHaveLength(1);
      },
    );

    testSearchRule(
      subject,
      '[K63] hits come newest first, in parts without gap or double, by tree, project and role',
      async (store, fixture) => {
        const other = await createTestTree(store, 2);
        await other.run({ type: 'attributes', treeId: other.treeId, set: { project: 'garden', title: 'Named' } });
        for (let at = 0; at < 7; at++)
          await (at % 2 === 0 ? fixture : other).addMessages([`needle ${at}`, `reply with needle ${at}`]);
        const all: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.search({ text: 'needle', limit: 3, ...(cursor === undefined ? {} : { cursor }) });
          expect(page.items.length).toBeLessThanOrEqual(3);
          for (const hit of page.items) all.push(hit.nodeId);
          cursor = page.cursor ?? undefined;
        } while (cursor !== undefined);
        expect(new Set(all).size).toBe(14);
        const whole = await store.search({ text: 'needle', limit: 100 });
        expect(whole.items.map((hit) => hit.nodeId)).toEqual(all);
        expect(whole.cursor).toBeNull();
        const times = whole.items.map((hit) => hit.createdAt);
        expect(times).toEqual([...times].sort((a, b) => b - a));
        expect((await store.search({ text: 'needle', treeId: other.treeId })).items).toHaveLength(6);
        const garden = (await store.search({ text: 'needle', project: 'garden', roles: ['assistant'] })).items;
        expect(garden).toHaveLength(3);
        expect(garden[0]).toMatchObject({ treeId: other.treeId, role: 'assistant', title: 'Named' });
        for (const bad of ['x', '', 'bm8', (await store.trees({ limit: 1 })).cursor ?? 'none'])
          expect(await expectRefusalCode(store.search({ text: 'needle', cursor: bad }))).toBe('cursor/invalid');
      },
    );
  });

  describe('listing trees', () => {
    testStoreRule(
      subject,
      '[K64] trees are listed newest change first, in pages without gaps or repeats',
      async (store) => {
        const fixtures: TestTree[] = [];
        for (let at = 1; at <= 7; at++) fixtures.push(await createTestTree(store, at));
        // The times are chosen so that several trees changed at the same time.
        const times = [50, 40, 60, 40, 40, 70, 30];
        for (const [at, fixture] of fixtures.entries())
          await fixture.run(
            { type: 'append', treeId: fixture.treeId, messages: [{ message: user(`T${at}`) }] },
            { now: () => (times[at] ?? 0) * 1_000_000 },
          );
        // Changes that touch no message do not change the order.
        for (const { treeId } of fixtures)
          await fixtures[0]?.run(
            { type: 'attributes', treeId, set: { title: 'New', pinned: true, tags: ['red'] } },
            { now: () => 90_000_000 },
          );
        const all: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.trees({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
          for (const item of page.items) all.push(item.id);
          cursor = page.cursor ?? undefined;
        } while (cursor !== undefined);
        expect([...all].sort()).toEqual(fixtures.map((fixture) => fixture.treeId));
        expect([all.slice(0, 3), all.at(-1)]).toEqual([
          [5, 2, 0].map((at) => fixtures[at]?.treeId),
          fixtures[6]?.treeId,
        ]);
        expect((await store.trees()).items.map((item) => item.id)).toEqual(all);
        for (const bad of ['x', '', '"', 'WyJ0cmVlcyJd'])
          expect(await expectRefusalCode(store.trees({ cursor: bad }))).toBe('cursor/invalid');
      },
    );

    testStoreRule(
      subject,
      '[K64] the trash lists the last deleted tree first, and a restored tree returns to its place',
      async (store) => {
        const fixtures = await Promise.all([1, 2, 3, 4].map((at) => createTestTree(store, at)));
        const at = (ms: number) => ({ now: () => ms * 1_000_000 });
        for (const [index, fixture] of fixtures.entries())
          await fixture.run(
            { type: 'append', treeId: fixture.treeId, messages: [{ message: user('a') }] },
            at(50 + index),
          );
        const [a, b, c, d] = fixtures.map((fixture) => fixture.treeId);
        for (const [index, fixture] of fixtures.slice(0, 3).reverse().entries())
          await fixture.run({ type: 'delete-tree', treeId: fixture.treeId }, at(80 + index));
        const first = await store.trees({ trashed: true, limit: 2 });
        const second = await store.trees({ trashed: true, limit: 2, ...(first.cursor && { cursor: first.cursor }) });
        expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([a, b, c]);
        for (const fixture of fixtures.slice(0, 2))
          await fixture.run({ type: 'restore-tree', treeId: fixture.treeId }, at(90));
        expect((await store.trees()).items.map(({ id }) => id)).toEqual([d, b, a]);
      },
    );

    testStoreRule(
      subject,
      '[K65] parts of titles match in any case of any script, and tags match exactly',
      async (store) => {
        const titled = async (id: number, attributes: TreeAttributes) => {
          const fixture = new TestTree(store, treeId(testUuid(id)));
          await fixture.run({ type: 'create', treeId: fixture.treeId, attributes });
        };
        const titles = async (query: TreeQuery) =>
          (await store.trees(query)).items.map((tree) => tree.attributes.title);
        await titled(1, { title: 'Été à Łódź 50%', tags: ['Work', 'a"b'], metadata: { play: 'x' } });
        await titled(2, { title: 'ПРИВЕТ "play"', tags: ['work'] });
        await titled(3, { title: 'x\ud800y', tags: ['play\ud800'] });
        for (const title of ['ÉTÉ', 'été à', 'łÓDŹ', '50%'])
          expect(await titles({ title })).toEqual(['Été à Łódź 50%']);
        expect(await titles({ title: 'привет' })).toEqual(['ПРИВЕТ "play"']);
        expect(await titles({ title: 'X\ud800' })).toEqual(['x\ud800y']);
        expect(await titles({ title: '0_' })).toEqual([]);
        expect(await titles({ tag: 'Work' })).toEqual(['Été à Łódź 50%']);
        expect(await titles({ tag: 'work' })).toEqual(['ПРИВЕТ "play"']);
        expect(await titles({ tag: 'a"b' })).toEqual(['Été à Łódź 50%']);
        expect(await titles({ tag: 'play\ud800' })).toEqual(['x\ud800y']);
        expect(await titles({ tag: 'play' })).toEqual([]);
      },
    );

    testStoreRule(
      subject,
      '[K64] [K65] trees filtered by title are listed in pages without gaps or repeats',
      async (store) => {
        const wanted: string[] = [];
        // Stores compare 200 titles at once. The first page ends beyond them, and one title is left for the next.
        const fitting = [30, 60, 120, 180, 240];
        for (let id = 1; id <= 260; id++) {
          const fixture = new TestTree(store, treeId(testUuid(id)));
          const title = fitting.includes(id) ? `Ärger ${id}` : `Ruhe ${id}`;
          if (fitting.includes(id)) wanted.unshift(title);
          await fixture.run({ type: 'create', treeId: fixture.treeId, attributes: { title } });
        }
        const got: (string | undefined)[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page: Awaited<ReturnType<Store['trees']>> = await store.trees({
            title: 'ärger',
            limit: 4,
            ...(cursor === undefined ? {} : { cursor }),
          });
          for (const tree of page.items) got.push(tree.attributes.title);
          ({ cursor } = page);
        }
        expect([...got].sort()).toEqual([...wanted].sort());
      },
    );

    testStoreRule(
      subject,
      '[K65] trees are found by project, folder, tag, pin, title, forest and trash',
      async (store) => {
        const fixture = await createTestTree(store, 1);
        const set = { project: 'p1', folder: 'f1', tags: ['red', 'b"l%ue'], pinned: true, title: 'My 50% Title' };
        await fixture.run({ type: 'attributes', treeId: fixture.treeId, set });
        await createTestTree(store, 2);
        const trashed = await createTestTree(store, 3);
        await trashed.run({ type: 'delete-tree', treeId: trashed.treeId });
        const forest = new TestTree(store, treeId(testUuid(4)));
        await forest.run({ type: 'create', treeId: forest.treeId, forest: true }, { newId: () => testUuid(4444) });
        const ids = async (query: TreeQuery) => (await store.trees(query)).items.map((item) => item.id).sort();
        expect(await ids({})).toEqual([testUuid(1), testUuid(2), testUuid(4)]);
        expect(await ids({ trashed: true })).toEqual([testUuid(3)]);
        const preset = new TestTree(store, treeId(testUuid(5)));
        const library = { project: libraryProject, systemPrompt: 'Be brief.' };
        await preset.run(
          { type: 'create', treeId: preset.treeId, attributes: library },
          { newId: () => testUuid(5555) },
        );
        expect(await ids({})).toEqual([testUuid(1), testUuid(2), testUuid(4)]);
        expect(await ids({ project: libraryProject })).toEqual([testUuid(5)]);
        expect(await ids({ project: 'p1' })).toEqual([testUuid(1)]);
        expect(await ids({ project: 'p' })).toEqual([]);
        expect(await ids({ folder: 'f1' })).toEqual([testUuid(1)]);
        expect(await ids({ tag: 'red' })).toEqual([testUuid(1)]);
        expect(await ids({ tag: 'b"l%ue' })).toEqual([testUuid(1)]);
        expect(await ids({ tag: 're' })).toEqual([]);
        expect(await ids({ pinned: true })).toEqual([testUuid(1)]);
        expect(await ids({ pinned: false })).toEqual([testUuid(2), testUuid(4)]);
        expect(await ids({ title: 'my 50%' })).toEqual([testUuid(1)]);
        expect(await ids({ title: '5_' })).toEqual([]);
        expect(await ids({ forest: true })).toEqual([testUuid(4)]);
        expect(await ids({ forest: false })).toEqual([testUuid(1), testUuid(2)]);
        const [item] = (await store.trees({ project: 'p1' })).items;
        expect(item).toMatchObject({
          id: testUuid(1),
          owner: store.owner,
          version: 2,
          activeNodeId: null,
          format: 'tree',
          attributes: set,
        });
      },
    );
  });
}
