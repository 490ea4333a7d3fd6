/** Tests of trimming, which deletes the old commits of trees. */
import { type NodeId, nodeId, readNodesAsOf, readTreeAsOf, type ShareLink, type Store } from '@coppice/core';
import { readHistoryStart } from '@coppice/core/history';
import { assistant, TestTree, testUuid, user } from '@coppice/core/testing';
import { treeToJson } from '@coppice/core/tree';
import { describe, expect } from 'vitest';
import {
  askStore,
  createTestTree,
  expectRefusal,
  expectRefusalCode,
  readTreeJson,
  requireSubjectMethod,
  type StoreSubject,
  takeItems,
  testStoreRule,
  waitForListEvent,
} from './subject.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

/** Appends one message a day, from the first day of the year on, each as its own act. */
async function appendDaily(fixture: TestTree, texts: readonly string[]): Promise<NodeId[]> {
  const added: NodeId[] = [];
  for (const [index, text] of texts.entries()) {
    const { result } = await fixture.run(
      { type: 'append', treeId: fixture.treeId, messages: [{ message: user(text) }] },
      { now: () => start + index * day },
    );
    added.push(result.added[0] ?? nodeId(''));
  }
  return added;
}

async function versionsOf(store: Store, fixture: TestTree): Promise<number[]> {
  return (await store.history(fixture.treeId)).map(({ version }) => version);
}

function shareOf(fixture: TestTree, owner: string, version: number, nodeIds: readonly NodeId[]): ShareLink {
  return {
    id: testUuid(900),
    owner,
    treeId: fixture.treeId,
    version,
    nodeIds,
    fields: [],
    title: null,
    hash: 'hash',
    createdAt: start,
    expiresAt: null,
    revokedAt: null,
  };
}

export function registerTrimRules(subject: StoreSubject): void {
  describe('a shortened history', () => {
    testStoreRule(
      subject,
      '[K200] trimming deletes old commits and leaves the tree, its trash and its search as they are',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const [, b = nodeId('')] = await appendDaily(fixture, ['alpha', 'beta', 'gamma', 'delta', 'epsilon']);
        await fixture.run({ type: 'delete', treeId, nodeIds: [b], mode: 'splice' }, { now: () => start + 5 * day });
        await fixture.run(
          { type: 'append', treeId, messages: [{ message: user('zeta') }] },
          { now: () => start + 8 * day },
        );
        const before = await readTreeJson(store, treeId);
        const report = await store.trimHistory({ before: start + 7 * day });
        expect(report).toEqual({ trees: 1, commits: 7, skipped: 0 });
        expect(await store.trimHistory({ before: start + 7 * day })).toEqual({ trees: 0, commits: 0, skipped: 0 });
        const again = subject.reopen === undefined ? store : await subject.reopen(store);
        expect(await readTreeJson(again, treeId)).toEqual(before);
        expect(await versionsOf(again, fixture)).toEqual([8]);
        expect(await again.read(treeId, () => readHistoryStart())).toEqual({ version: 8, at: start + 8 * day });
        expect((await again.trash(treeId)).map(({ nodeId: id, at }) => ({ id, at }))).toEqual([
          { id: b, at: start + 8 * day },
        ]);
        if (again.supports.search)
          for (const text of ['alpha', 'zeta'])
            expect((await again.search({ text })).items.map((hit) => hit.treeId)).toEqual([treeId]);
        expect((await again.fsck()).findings).toEqual([]);
        const { result } = await new TestTree(again, treeId).run({ type: 'restore', treeId, nodeId: b });
        expect(result).toBeDefined();
        expect(await versionsOf(again, fixture)).toEqual([9, 8]);
        expect((await again.fsck()).findings).toEqual([]);
        if (again !== store) await again.close();
      },
    );

    testStoreRule(
      subject,
      '[K201] the newest act of a tree stays, and an act is undone completely or not at all',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        await appendDaily(fixture, ['alpha', 'beta']);
        const act = { actId: testUuid(70) };
        for (const [index, text] of ['one', 'two', 'three'].entries())
          await fixture.run(
            { type: 'append', treeId, messages: [{ message: user(text) }] },
            { ...act, now: () => start + (2 + index) * day },
          );
        await store.trimHistory({ before: start + 3.5 * day });
        expect(await versionsOf(store, fixture)).toEqual([6, 5, 4]);
        await store.trimHistory({ before: start + 100 * day });
        expect(await versionsOf(store, fixture)).toEqual([6, 5, 4]);
        await fixture.run({ type: 'undo', treeId });
        const rows = await askStore(store, treeId, 'rows', {});
        expect(rows?.nodes.filter((node) => node.removedIn === null).map((node) => node.text)).toEqual([
          '',
          'alpha',
          'beta',
        ]);
        const refused = await expectRefusal(fixture.run({ type: 'undo', treeId }));
        expect([refused.code, refused.data.version, refused.data.at]).toEqual(['undo/nothing', 4, start + 2 * day]);
        expect(refused.message).toContain('2026-01-03');
        await fixture.run({ type: 'redo', treeId });
        expect((await expectRefusal(fixture.run({ type: 'redo', treeId }))).message).toContain('2026-01-03');
        expect((await store.fsck()).findings).toEqual([]);
      },
    );

    testStoreRule(
      subject,
      '[K202] versions after the beginning of a shortened history read as before, earlier ones are refused',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const [a = nodeId('')] = await appendDaily(fixture, ['first', 'second', 'third']);
        for (const [index, text] of ['draft one', 'draft two', 'draft three'].entries())
          await fixture.run(
            { type: 'edit', treeId, nodeId: a, content: user(text).content, mode: 'in-place' },
            { now: () => start + (3 + index) * day },
          );
        const wanted = new Map<number, unknown>();
        for (const version of [1, 2, 3, 4, 5, 6, 7])
          wanted.set(version, treeToJson(await store.read(treeId, () => readTreeAsOf(treeId, version))));
        await store.trimHistory({ before: start + 4 * day, treeId });
        expect(await versionsOf(store, fixture)).toEqual([7, 6]);
        const again = subject.reopen === undefined ? store : await subject.reopen(store);
        for (const version of [5, 6, 7])
          expect(treeToJson(await again.read(treeId, () => readTreeAsOf(treeId, version)))).toEqual(
            wanted.get(version),
          );
        for (const version of [1, 2, 3, 4]) {
          const refused = await expectRefusal(again.read(treeId, () => readTreeAsOf(treeId, version)));
          expect([refused.code, refused.kind, refused.data.version, refused.data.at]).toEqual([
            'history/trimmed',
            'refused',
            6,
            start + 4 * day,
          ]);
          expect(refused.message).toContain('2026-01-05');
        }
        expect(
          await expectRefusalCode(new TestTree(again, treeId).run({ type: 'restore-version', treeId, version: 3 })),
        ).toBe('history/trimmed');
        expect((await again.fsck()).findings).toEqual([]);
        if (again !== store) await again.close();
      },
    );

    testStoreRule(
      subject,
      '[K203] a feed whose next commit was deleted is refused, and a feed over all trees still reports each changed tree',
      async (store) => {
        const fixture = await createTestTree(store, 1);
        const other = await createTestTree(store, 2);
        const begun = await waitForListEvent(store, () => other.addMessages(['to begin with']));
        await appendDaily(fixture, ['alpha', 'beta', 'gamma', 'delta']);
        const reading = store.feed(fixture.treeId, 0)[Symbol.asyncIterator]();
        expect((await reading.next()).value?.version).toBe(1);
        await store.trimHistory({ before: start + 2 * day });
        expect(await versionsOf(store, fixture)).toEqual([5, 4]);
        const refused = await expectRefusal(takeItems(store.feed(fixture.treeId, 1), 1));
        expect([refused.code, refused.data.version]).toEqual(['history/trimmed', 4]);
        const [next, last] = await takeItems(store.feed(fixture.treeId, 3), 2);
        expect([next?.version, last?.version]).toEqual([4, 5]);
        await reading.return?.();
        for await (const event of store.feedAll(begun.cursor))
          if (event.treeId === fixture.treeId && event.version === 5) break;
      },
    );

    testStoreRule(
      subject,
      '[K204] trimming deletes former contents and attachments that no version shows any more, but keeps what a share link shows',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const [a = nodeId('')] = await appendDaily(fixture, ['first', 'second', 'third']);
        const { hash } = await store.blobs.put(new TextEncoder().encode('old picture'), 'image/png');
        const picture = { type: 'image', source: { type: 'blob', hash, mediaType: 'image/png', size: 11 } };
        const message = { role: 'assistant', content: [...assistant('picture').content, picture] } as const;
        const at = (days: number) => ({ now: () => start + days * day });
        const { result: replied } = await fixture.run(
          { type: 'reply', treeId, parentId: a, replies: [{ message, status: 'pending' }] },
          at(3),
        );
        const [reply = nodeId('')] = replied.added;
        await fixture.run(
          { type: 'finish', treeId, nodeId: reply, status: 'success', message: assistant('no picture') },
          at(4),
        );
        for (const [index, text] of ['draft one', 'draft two'].entries())
          await fixture.run(
            { type: 'edit', treeId, nodeId: a, content: user(text).content, mode: 'in-place' },
            at(5 + index),
          );
        await fixture.addMessages(['newest']);
        const share = shareOf(fixture, store.owner, 7, [a]);
        await store.accounts.putShare(share);
        await store.trimHistory({ before: start + 100 * day });
        const [shown] = await store.read(treeId, () => readNodesAsOf([a], 7));
        expect(shown?.text).toBe('draft one');
        expect(await versionsOf(store, fixture)).toEqual([9, 8]);
        expect(await store.blobs.find(hash)).toBeNull();
        await store.accounts.putShare({ ...share, revokedAt: start });
        await store.trimHistory({ before: start + 100 * day });
        expect(await versionsOf(store, fixture)).toEqual([9]);
        expect(await expectRefusalCode(store.read(treeId, () => readNodesAsOf([a], 7)))).toBe('history/trimmed');
        const all = JSON.stringify([
          await askStore(store, treeId, 'rows', {}),
          await askStore(store, treeId, 'log', { since: 0 }),
        ]);
        expect(all).not.toContain('draft one');
        const second = await requireSecond(subject, store);
        expect(await versionsOf(second, fixture)).toEqual([9]);
        if (second !== store) await second.close();
      },
      { attachmentGrace: 0 },
    );
  });
}

/** Opens the store like another process, if it supports that. */
async function requireSecond(subject: StoreSubject, store: Store): Promise<Store> {
  if (!store.supports.processes) return store;
  return requireSubjectMethod(subject.openSecond, 'openSecond')(store);
}
