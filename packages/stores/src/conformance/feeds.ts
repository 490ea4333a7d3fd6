/** Tests of the feeds of one tree and of all trees. */
import { type Commit, type TreeListEvent, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { applyOrThrow, emptyTree, treeToJson } from '@coppice/core/tree';
import { describe, expect } from 'vitest';
import {
  askStore,
  createTestTree,
  expectFeedRefusalCode,
  expectRefusalCode,
  readTreeJson,
  type StoreSubject,
  skipUnlessSupported,
  takeItems,
  testStoreRule,
  waitForListEvent,
} from './subject.ts';

export function registerFeedRules(subject: StoreSubject): void {
  describe('feeding', () => {
    testStoreRule(
      subject,
      '[K70] a feed gives the commits after a version, then future ones, each once',
      async (store) => {
        const fixture = await createTestTree(store);
        await fixture.addMessages(['a']);
        await fixture.addMessages(['b']);
        const seen: Commit[] = [];
        const stop = new AbortController();
        const reading = (async () => {
          for await (const commit of store.feed(fixture.treeId, 1, stop.signal)) {
            seen.push(commit);
            if (seen.length === 7) break;
          }
        })();
        for (let at = 0; at < 5; at++) await fixture.addMessages([`c${at}`]);
        await reading;
        expect(seen.map((commit) => commit.version)).toEqual([2, 3, 4, 5, 6, 7, 8]);
        expect(seen).toEqual(await askStore(store, fixture.treeId, 'log', { since: 1 }));
      },
    );

    testStoreRule(subject, '[K71] applying a feed from the first commit on gives the tree', async (store) => {
      const fixture = await createTestTree(store, 1, 'Be brief.');
      const [first, second] = await fixture.addMessages(['a', 'b', 'c']);
      if (first !== undefined) await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: first, title: 'T' });
      if (second !== undefined)
        await fixture.run({
          type: 'edit',
          treeId: fixture.treeId,
          nodeId: second,
          content: 'b again',
          mode: 'in-place',
        });
      if (second !== undefined) await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [second] });
      await fixture.run({ type: 'undo', treeId: fixture.treeId });
      const row = await askStore(store, fixture.treeId, 'tree', {});
      const commits = await takeItems(store.feed(fixture.treeId, 0), row?.version ?? 0);
      let tree = emptyTree(fixture.treeId, store.owner, commits[0]?.at ?? 0);
      for (const commit of commits) tree = applyOrThrow(tree, commit.steps, { at: commit.at }).tree;
      expect(treeToJson(tree)).toEqual(await readTreeJson(store, fixture.treeId));
    });

    testStoreRule(subject, '[K72] a feed ends when its signal aborts, even while it waits', async (store) => {
      const fixture = await createTestTree(store);
      const stop = new AbortController();
      const seen: number[] = [];
      const reading = (async () => {
        for await (const commit of store.feed(fixture.treeId, 0, stop.signal)) {
          seen.push(commit.version);
          stop.abort();
        }
      })();
      await reading;
      const again = new AbortController();
      const waiting = (async () => {
        for await (const commit of store.feed(fixture.treeId, 1, again.signal)) seen.push(commit.version);
      })();
      again.abort();
      await waiting;
      const never = store.feed(fixture.treeId, 0, AbortSignal.abort());
      for await (const commit of never) seen.push(commit.version);
      expect(seen).toEqual([1]);
    });

    testStoreRule(subject, '[K73] a feed of an unknown tree is refused', async (store) => {
      expect(await expectFeedRefusalCode(store, treeId(testUuid(5)))).toBe('tree/unknown-tree');
    });

    testStoreRule(
      subject,
      '[K74] a feed over all trees tells every change after a cursor, in the order of a tree’s versions',
      async (store) => {
        const fixture = await createTestTree(store, 1);
        const other = await createTestTree(store, 2);
        const begun = await waitForListEvent(store, () => fixture.addMessages(['to begin with']));
        const start = begun.cursor;
        await other.addMessages(['a']);
        await fixture.addMessages(['b']);
        await other.addMessages(['c']);
        const last = new Map<string, number>();
        const events: TreeListEvent[] = [];
        for await (const event of store.feedAll(start)) {
          events.push(event);
          expect(event.version).toBeGreaterThan(last.get(event.treeId) ?? 0);
          last.set(event.treeId, event.version);
          if (last.get(other.treeId) === 3 && (last.get(fixture.treeId) ?? 0) >= (await versionOf(fixture))) break;
        }
        // The cursor of an event continues the feed after that event.
        const [first] = events;
        const rest = await takeItems(store.feedAll(first?.cursor ?? ''), events.length - 1);
        expect(rest).toEqual(events.slice(1));
        for (const bad of ['x', '', toText(first?.cursor)])
          expect(await expectRefusalCode(async () => takeItems(store.feedAll(bad), 1))).toBe('cursor/invalid');
      },
    );

    testStoreRule(
      subject,
      '[K76] whoever followed all trees is told of what comes after a purge and an opening',
      async (store) => {
        const kept = await createTestTree(store, 1);
        const gone = await createTestTree(store, 2);
        const begun = await waitForListEvent(store, () => gone.addMessages(['a', 'b', 'c', 'd']));
        const { version } = await gone.run({ type: 'delete-tree', treeId: gone.treeId });
        let deleted = begun;
        for await (const event of store.feedAll(begun.cursor)) {
          deleted = event;
          if (event.treeId === gone.treeId && event.version === version) break;
        }
        await store.purgeTree(gone.treeId);
        const again = subject.reopen === undefined ? store : await subject.reopen(store);
        await new TestTree(again, kept.treeId).run(
          {
            type: 'append',
            treeId: kept.treeId,
            messages: [{ message: { role: 'user', content: [textBlock('after')] } }],
          },
          { newId: () => crypto.randomUUID() },
        );
        const [next] = await takeItems(again.feedAll(deleted.cursor), 1);
        expect(next?.treeId).toBe(kept.treeId);
        if (again !== store) await again.close();
      },
    );

    testStoreRule(subject, '[K75] a feed includes commits of other processes', async (store, context) => {
      skipUnlessSupported(context, store.supports.crossProcessFeed, 'this store lives in one process');
      const second = await (subject.openSecond ?? (async () => store))(store);
      const fixture = await createTestTree(store);
      const reading = takeItems(store.feed(fixture.treeId, 1), 3);
      const other = new TestTree(second, fixture.treeId);
      for (const text of ['x', 'y', 'z'])
        await other.run(
          {
            type: 'append',
            treeId: fixture.treeId,
            messages: [{ message: { role: 'user', content: [textBlock(text)] } }],
          },
          { newId: () => crypto.randomUUID() },
        );
      expect((await reading).map((commit) => commit.version)).toEqual([2, 3, 4]);
      await second.close();
    });
  });
}

function textBlock(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text };
}

async function versionOf(fixture: TestTree): Promise<number> {
  return (
    (
      await fixture.store.read(fixture.treeId, function* () {
        const row = yield { ask: 'tree' } as const;
        return row as { readonly version: number } | null;
      })
    )?.version ?? 0
  );
}

function toText(cursor: string | undefined): string {
  return `${cursor ?? ''}A`;
}
