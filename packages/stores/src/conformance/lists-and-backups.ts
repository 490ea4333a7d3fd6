/**
 * Tests of lists that are read as trees, of switching branching on for some owners, of temporary trees, and of backups.
 */
import { messageKit } from '@coppice/content';
import {
  actId,
  type BackfillProgress,
  type NodeId,
  nodeId,
  type Store,
  type StoredLinearConversation,
  treeId,
  type WorkProgress,
} from '@coppice/core';
import { assistant, TestTree, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import { TemporaryTrees } from '../temporary.ts';
import {
  askStore,
  awkwardTexts,
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  readTreeJson,
  requireSubjectMethod,
  type StoreSubject,
  secondOwnerOf,
  skipUnlessSupported,
  takeItems,
  testStoreRule,
} from './subject.ts';

function listOf(id: number, texts: readonly string[]): StoredLinearConversation {
  return {
    treeId: treeId(testUuid(id)),
    title: `List ${id}`,
    systemPrompt: 'Be brief.',
    createdAt: 1000 + id,
    messages: texts.map((text, at) => ({
      message: at % 2 === 0 ? user(text) : assistant(text),
      createdAt: 1000 + id + at,
    })),
  };
}

async function thread(store: Store, id: StoredLinearConversation['treeId']): Promise<string[]> {
  const row = await askStore(store, id, 'tree', {});
  if (row?.activeNodeId == null) return [];
  return (await askStore(store, id, 'path', { to: row.activeNodeId })).nodes.map((node) => node.text);
}

async function formats(store: Store): Promise<string[]> {
  const { items } = await store.trees();
  // `formatOf` must agree with the list of trees.
  for (const item of items) expect(await store.formatOf(item.id)).toBe(item.format);
  expect(await store.formatOf(treeId(testUuid(999)))).toBeNull();
  return items.map((item) => item.format);
}

export function registerListAndBackupRules(subject: StoreSubject): void {
  describe('lists', () => {
    testStoreRule(
      subject,
      '[K110] a stored list reads as a tree at once, and the same after it is stored as one',
      async (store) => {
        const record = listOf(1, ['a', 'b', ...awkwardTexts]);
        await store.putLinear(record);
        await store.putLinear(record);
        expect(await formats(store)).toEqual(['linear']);
        const texts = record.messages.map(({ message }) => messageKit.text(message));
        expect(await thread(store, record.treeId)).toEqual(texts);
        const before = await readTreeJson(store, record.treeId);
        const log = await askStore(store, record.treeId, 'log', { since: 0 });
        expect(log.length).toBe(1);
        expect(await takeItems(store.feed(record.treeId, 0), 1)).toEqual(log);
        if (store.supports.search) expect((await store.search({ text: 'surrogate' })).items.length).toBe(1);
        const active = (await askStore(store, record.treeId, 'tree', {}))?.activeNodeId ?? nodeId('');
        expect(JSON.parse((await store.content(record.treeId, [active])).get(active) ?? '')).toEqual(
          record.messages.at(-1)?.message,
        );
        await expectNoErrors(store, record.treeId);
        const progress: BackfillProgress[] = [];
        for await (const step of store.backfill()) progress.push(step);
        expect(progress.at(-1)).toEqual({ done: 1, left: 0 });
        expect(await formats(store)).toEqual(['tree']);
        expect(await readTreeJson(store, record.treeId)).toEqual(before);
        expect(await askStore(store, record.treeId, 'log', { since: 0 })).toEqual(log);
      },
    );

    testStoreRule(
      subject,
      '[K290] a write that changes nothing names the format, and the next one the new format',
      async (store) => {
        const record = listOf(1, ['a', 'b']);
        await store.putLinear(record);
        const fixture = new TestTree(store, record.treeId);
        const append = (texts: readonly string[]) =>
          fixture.run(
            { type: 'append', treeId: record.treeId, messages: texts.map((text) => ({ message: user(text) })) },
            { kit: messageKit },
          );
        expect(await append([])).toMatchObject({ commit: null, format: 'linear' });
        expect(await formats(store)).toEqual(['linear']);
        expect(await append(['c'])).toMatchObject({ version: 2, format: 'tree' });
        expect(await formats(store)).toEqual(['tree']);
        expect(await append([])).toMatchObject({ commit: null, format: 'tree' });
      },
    );

    testStoreRule(subject, '[K111] the next write stores a list as a tree, with its additions', async (store) => {
      const record = listOf(1, ['a', 'b']);
      await store.putLinear(record);
      const fixture = new TestTree(store, record.treeId);
      await fixture.run({ type: 'append', treeId: record.treeId, messages: [] }, { kit: messageKit });
      const before = await askStore(store, record.treeId, 'rows', {});
      const first = before?.nodes.find((node) => node.text === 'a')?.id ?? nodeId('');
      await fixture.run(
        { type: 'edit', treeId: record.treeId, nodeId: first, content: 'a, but better', mode: 'branch' },
        { kit: messageKit },
      );
      expect(await formats(store)).toEqual(['tree']);
      expect(await thread(store, record.treeId)).toEqual(['a, but better']);
      expect((await askStore(store, record.treeId, 'tree', {}))?.version).toBe(2);
      expect((await askStore(store, record.treeId, 'log', { since: 0 })).map((commit) => commit.version)).toEqual([
        1, 2,
      ]);
      await expectNoErrors(store, record.treeId);
      // Messages of the list are found by their keys and reused, because a list has the same keys as a tree.
      const { rootId } = (await askStore(store, record.treeId, 'tree', {})) ?? { rootId: nodeId('') };
      const again = await fixture.run(
        {
          type: 'append',
          treeId: record.treeId,
          parentId: rootId,
          messages: record.messages.map(({ message }) => ({ message })),
        },
        { kit: messageKit },
      );
      expect(again.result.reused.length).toBe(2);
    });

    testStoreRule(subject, '[K110] a list that is copied into another tree is copied as a tree', async (store) => {
      const record = listOf(1, ['a', 'b', 'c']);
      await store.putLinear(record);
      const copy = new TestTree(store, treeId(testUuid(2)));
      await copy.run({ type: 'duplicate', treeId: copy.treeId, from: record.treeId }, { kit: messageKit });
      expect(await thread(store, copy.treeId)).toEqual(['a', 'b', 'c']);
      // A read of one list can read another list.
      const other = listOf(3, ['d']);
      await store.putLinear(other);
      const seen = await askStore(store, other.treeId, 'tree', { treeId: record.treeId });
      expect(seen?.activeNodeId).toBe((await askStore(store, record.treeId, 'tree', {}))?.activeNodeId);
      expect((await formats(store)).filter((format) => format === 'linear')).toHaveLength(2);
    });

    testStoreRule(
      subject,
      '[K19] the ids of a list are taken while it is one, and stay the ids of its tree',
      async (store) => {
        const list = (id: number, ids: readonly number[]): StoredLinearConversation => ({
          ...listOf(id, []),
          messages: ids.map((n) => ({ message: user(`said ${n}`), id: testUuid(n) })),
        });
        const record = list(1, [91, 92]);
        await store.putLinear(record);
        const fixture = await createTestTree(store, 2);
        const elsewhere = await createTestTree(store.forOwner(secondOwnerOf(subject)), 3);
        for (const other of [fixture, elsewhere]) {
          const messages = [{ message: user('another'), id: testUuid(91) }];
          expect(await other.refusal({ type: 'append', treeId: other.treeId, messages })).toBe('id/taken');
          const tree = new TestTree(other.store, treeId(testUuid(92)));
          expect(await tree.refusal({ type: 'create', treeId: tree.treeId })).toBe('id/taken');
        }
        const foreign = { type: 'append', treeId: fixture.treeId, messages: [{ message: user('here') }] } as const;
        expect(await fixture.refusal({ ...foreign, parentId: nodeId(testUuid(91)) })).toBe('tree/foreign-parent');
        expect(await expectRefusalCode(store.putLinear(list(4, [93, 92])))).toBe('id/taken');
        expect(await expectRefusalCode(store.putLinear(list(4, [4])))).toBe('id/taken');
        const own = new TestTree(store, record.treeId);
        const again = {
          type: 'append',
          treeId: own.treeId,
          messages: [{ message: user('said 92'), id: testUuid(92) }],
        } as const;
        expect((await own.run({ ...again, parentId: nodeId(testUuid(91)) }, { kit: messageKit })).commit).toBeNull();
        expect(await own.refusal({ ...again, messages: [{ message: user('other'), id: testUuid(92) }] })).toBe(
          'id/taken',
        );
        for await (const step of store.backfill()) expect(step.left).toBe(0);
        expect(await fixture.refusal({ ...foreign, parentId: nodeId(testUuid(91)) })).toBe('tree/foreign-parent');
        await own.run({ type: 'delete-tree', treeId: own.treeId });
        await store.purgeTree(own.treeId);
        await store.putLinear(list(4, [91, 92]));
      },
    );

    testStoreRule(subject, '[K112] a backfill can be stopped and repeated until no list is left', async (store) => {
      for (let at = 1; at <= 7; at++) await store.putLinear(listOf(at, [`one ${at}`, `two ${at}`]));
      for await (const step of store.backfill({ batch: 2 })) {
        expect(step).toEqual({ done: 2, left: 5 });
        break;
      }
      expect((await formats(store)).filter((format) => format === 'linear').length).toBe(5);
      let last: unknown = null;
      for await (const step of store.backfill({ batch: 3 })) last = step;
      expect(last).toEqual({ done: 5, left: 0 });
      expect(await formats(store)).toEqual(Array.from({ length: 7 }, () => 'tree'));
      expect((await store.fsck()).findings).toEqual([]);
    });

    testStoreRule(subject, '[K113] an invalid list is refused and nothing of it is stored', async (store) => {
      const good = listOf(1, ['a', 'b']);
      await store.putLinear(good);
      const cases: readonly (readonly [StoredLinearConversation, string])[] = [
        [{ ...listOf(2, ['x']), treeId: treeId('../../etc/passwd') }, 'id/invalid'],
        [{ ...good, title: 'another' }, 'tree/exists'],
        [
          {
            ...listOf(2, []),
            messages: [
              { message: user('a'), id: testUuid(5) },
              { message: user('b'), id: testUuid(5) },
            ],
          },
          'id/taken',
        ],
        [
          { ...listOf(2, []), messages: [{ message: { role: 'user', content: [{ type: 'text' }] } }] },
          'message/invalid',
        ],
      ];
      for (const [record, code] of cases)
        expect([code, await expectRefusalCode(store.putLinear(record))]).toEqual([code, code]);
      expect((await store.trees()).items.length).toBe(1);
      for (const said of ['{"role":"user"}', '{"role":"x","content":[]}', 'null', '[]'])
        expect(
          await expectRefusalCode(store.putLinear({ ...listOf(3, []), messages: [{ message: JSON.parse(said) }] })),
        ).toBe('message/invalid');
      await store.putLinear({ ...listOf(3, []), messages: [] });
      await store.putLinear({ ...listOf(4, []), messages: [{ message: user('own id'), id: testUuid(66) }] });
      expect((await askStore(store, treeId(testUuid(4)), 'tree', {}))?.activeNodeId).toBe(testUuid(66));
      expect((await askStore(store, treeId(testUuid(3)), 'tree', {}))?.activeNodeId).toBeNull();
    });

    testStoreRule(
      subject,
      '[K114, K290] where tree writes are off, appends go on at the end and branching is refused',
      async (store) => {
        const record = listOf(1, ['a', 'b']);
        await store.putLinear(record);
        const fixture = new TestTree(store, record.treeId);
        const append = (text: string, parentId?: NodeId) =>
          ({
            type: 'append',
            treeId: record.treeId,
            messages: [{ message: user(text) }],
            ...(parentId === undefined ? {} : { parentId }),
          }) as const;
        expect(await fixture.run(append('c'), { kit: messageKit })).toMatchObject({ version: 2, format: 'linear' });
        expect(await thread(store, record.treeId)).toEqual(['a', 'b', 'c']);
        const rows = await askStore(store, record.treeId, 'rows', {});
        const [first, second] = ['a', 'b'].map(
          (text) => rows?.nodes.find((node) => node.text === text)?.id ?? nodeId(''),
        );
        const before = await readTreeJson(store, record.treeId);
        const { rootId = nodeId('') } = (await askStore(store, record.treeId, 'tree', {})) ?? {};
        expect(await fixture.refusal(append('fork', first), { kit: messageKit })).toBe('tree/branching-off');
        expect(await fixture.refusal(append('fork', rootId), { kit: messageKit })).toBe('tree/branching-off');
        expect(
          await fixture.refusal(
            { type: 'edit', treeId: record.treeId, nodeId: second ?? nodeId(''), content: 'x', mode: 'branch' },
            { kit: messageKit },
          ),
        ).toBe('tree/branching-off');
        expect(await readTreeJson(store, record.treeId)).toEqual(before);
        await fixture.run(
          { type: 'title', treeId: record.treeId, nodeId: second ?? nodeId(''), title: 'T' },
          { kit: messageKit },
        );
        await fixture.run(
          { type: 'delete', treeId: record.treeId, nodeIds: [second ?? nodeId('')] },
          { kit: messageKit },
        );
        expect(await thread(store, record.treeId)).toEqual(['a', 'c']);
        const made = await createTestTree(store, 9);
        await made.addMessages(['new', 'conversation']);
        expect(await thread(store, made.treeId)).toEqual(['new', 'conversation']);
        await store.putLinear(listOf(3, ['still', 'a list']));
        for await (const step of store.backfill()) expect(step.done).toBe(0);
        const left = (await store.trees()).items.find((item) => item.id === treeId(testUuid(3)));
        expect(left?.format).toBe('linear');
        await expectNoErrors(store, record.treeId);
      },
      { treeWrites: 'off' },
    );

    testStoreRule(
      subject,
      '[K115] tree writes may be on for some owners only',
      async (store) => {
        for (const [at, owner] of ['pioneer', 'somebody'].entries()) {
          const own = store.forOwner(owner);
          const fixture = await createTestTree(own, 20 + at);
          const [first] = await fixture.addMessages(['a', 'b']);
          const fork = {
            type: 'append',
            treeId: fixture.treeId,
            parentId: first ?? nodeId(''),
            messages: [{ message: user('c') }],
          } as const;
          if (owner === 'pioneer') await fixture.run(fork);
          else expect(await fixture.refusal(fork)).toBe('tree/branching-off');
        }
      },
      { treeWrites: { owners: ['pioneer'] } },
    );
  });

  describe('temporary trees', () => {
    testStoreRule(
      subject,
      '[K116] a temporary tree is in no list, search, feed or check of the store',
      async (store) => {
        const temporary = new TemporaryTrees(store);
        const fixture = await createTestTree(temporary.store);
        await fixture.addMessages(['whispered', 'answered']);
        expect(await temporary.has(fixture.treeId)).toBe(true);
        expect(await temporary.storeOf(fixture.treeId)).toBe(temporary.store);
        expect(await temporary.storeOf(treeId(testUuid(9)))).toBe(store);
        expect((await store.trees()).items).toEqual([]);
        expect((await store.search({ text: 'whispered' })).items).toEqual([]);
        expect((await store.fsck()).trees).toBe(0);
        expect(await temporary.forOwner('somebody else').has(fixture.treeId)).toBe(false);
        await temporary.discard(fixture.treeId);
        expect(await temporary.has(fixture.treeId)).toBe(false);
        expect((await temporary.store.trees()).items).toEqual([]);
        expect(await expectRefusalCode(temporary.discard(fixture.treeId))).toBe('tree/unknown-tree');
        await temporary.close();
        await createTestTree(store);
      },
    );

    testStoreRule(
      subject,
      '[K117] keeping a temporary tree is one commit with ids, order, groups, bookmarks and pointer',
      async (store) => {
        const temporary = new TemporaryTrees(store);
        const fixture = await createTestTree(temporary.store, 1, 'Be brief.');
        const [first, second, third] = await fixture.addMessages(['one two', 'b', 'c']);
        const [a, b] = [first ?? nodeId(''), second ?? nodeId('')];
        await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: b, content: 'b2', mode: 'branch' });
        await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: a, position: 4 });
        await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b, title: 'B' });
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [third ?? nodeId('')] });
        const { hash } = await temporary.store.blobs.put(new Uint8Array([1, 2]), 'image/png');
        const picture = { type: 'image', source: { type: 'blob', hash }, media_type: 'image/png' };
        await fixture.addMessages([{ role: 'user', content: [picture] }]);
        const before = shape(await askStore(temporary.store, fixture.treeId, 'rows', {}));
        const kept = await temporary.keep(fixture.treeId, { actor: 'me', actId: actId(testUuid(70)), at: 5000 });
        expect(kept.commit?.version).toBe(1);
        expect(await temporary.has(fixture.treeId)).toBe(false);
        expect(shape(await askStore(store, fixture.treeId, 'rows', {}))).toEqual(before);
        expect(await store.blobs.read(hash)).toEqual(new Uint8Array([1, 2]));
        expect((await store.history(fixture.treeId)).length).toBe(1);
        await expectNoErrors(store, fixture.treeId);
        const blocked = await createTestTree(temporary.store, 2);
        const [asking] = await blocked.addMessages(['question']);
        await blocked.run({ type: 'reply', treeId: blocked.treeId, parentId: asking ?? nodeId(''), replies: [{}] });
        expect(
          await expectRefusalCode(temporary.keep(blocked.treeId, { actor: 'me', actId: actId(testUuid(71)), at: 1 })),
        ).toBe('tree/pending');
        expect(await temporary.has(blocked.treeId)).toBe(true);
        // A tree with the same node id is in the main store, so this one cannot be kept.
        const taken = await createTestTree(store, 3);
        const doubled = new TestTree(temporary.store, treeId(testUuid(73)));
        const rootId = (await askStore(store, taken.treeId, 'tree', {}))?.rootId ?? nodeId('');
        await doubled.run({ type: 'create', treeId: doubled.treeId, rootId });
        await doubled.addMessages(['before']);
        expect(
          await expectRefusalCode(temporary.keep(doubled.treeId, { actor: 'me', actId: actId(testUuid(72)), at: 1 })),
        ).toBe('id/taken');
        await doubled.addMessages(['after']);
        await temporary.close();
      },
    );
  });

  describe('checks', () => {
    testStoreRule(subject, '[K194] a check reports how many trees are done, up to all of them', async (store) => {
      for (const number of [1, 2, 3]) await (await createTestTree(store, number)).addMessages([`tree ${number}`]);
      const reported: WorkProgress[] = [];
      const report = await store.fsck({ onProgress: (progress) => reported.push(progress) });
      expect(report).toMatchObject({ trees: 3, findings: [] });
      expect(reported.at(-1)).toEqual({ done: 3, total: 3 });
      const done = reported.map((progress) => progress.done);
      expect(done).toEqual([...done].sort((a, b) => a - b));
      expect((await store.fsck({ treeId: treeId(testUuid(2)), onProgress: () => undefined })).trees).toBe(1);
    });
  });

  describe('backups', () => {
    testStoreRule(
      subject,
      '[K118] a backup is a complete store with every acknowledged write',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.durable, 'there are no files to copy, which K119 holds it to say');
        const fixture = await createTestTree(store, 1, 'Be brief.');
        await fixture.addMessages(['kept', ...awkwardTexts]);
        const { hash } = await store.blobs.put(new Uint8Array([4, 5]), 'image/png');
        await store.accounts.putUser({ id: 'u', name: 'Ann', role: 'admin', createdAt: 1, disabledAt: null });
        const image = await readTreeJson(store, fixture.treeId);
        const log = await askStore(store, fixture.treeId, 'log', { since: 0 });
        const copy = await requireSubjectMethod(subject.backup, 'backup')(store);
        await store.backup(copy.to);
        await fixture.addMessages(['after the backup']);
        const opened = await copy.open();
        expect(await readTreeJson(opened, fixture.treeId)).toEqual(image);
        expect(await askStore(opened, fixture.treeId, 'log', { since: 0 })).toEqual(log);
        expect(await opened.blobs.read(hash)).toEqual(new Uint8Array([4, 5]));
        expect((await opened.accounts.users()).length).toBe(1);
        expect((await opened.search({ text: 'kept' })).items.length).toBe(1);
        expect((await opened.fsck()).findings).toEqual([]);
        await new TestTree(opened, fixture.treeId).run(
          { type: 'append', treeId: fixture.treeId, messages: [{ message: user('lives on'), id: testUuid(600) }] },
          { newId: () => testUuid(601) },
        );
        await opened.close();
      },
    );

    testStoreRule(subject, '[K119] a store that cannot be backed up reports it', async (store, context) => {
      skipUnlessSupported(context, !store.supports.durable, 'this store can be copied, which K118 holds it to');
      expect(await expectRefusalCode(store.backup('anywhere'))).toBe('store/unavailable');
    });
  });
}

/** Returns the live rows without the numbers and visit marks that differ after a tree was moved to another store. */
function shape(rows: Awaited<ReturnType<typeof askStore<'rows'>>>): unknown {
  const live = (rows?.nodes ?? []).filter((node) => node.removedIn === null);
  return {
    active: rows?.row.activeNodeId,
    attributes: rows?.row.attributes,
    bookmarks: rows?.bookmarks,
    nodes: live
      .map(({ seq: _seq, addedIn: _in, contentIn: _content, lastChildId: _last, ...node }) => node)
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}
