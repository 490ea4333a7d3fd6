// @module-tag full
import { type Store, type TreeListEvent, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { startOwnPostgresServer } from '../../test/postgres.ts';
import { encodeCursor } from '../cursor.ts';
import { open } from './index.ts';

async function taken(store: Store, since: string | null, count: number): Promise<TreeListEvent[]> {
  const found: TreeListEvent[] = [];
  for await (const event of store.feedAll(since)) if (found.push(event) === count) break;
  return found;
}

function titled(of: TestTree, title: string): Promise<unknown> {
  return of.run({ type: 'attributes', treeId: of.treeId, set: { title } });
}

function versionsOf(events: readonly TreeListEvent[]): readonly number[] {
  return events.map(({ version }) => version);
}

test('[L184] after a promotion that lost commits, a cursor of a lost commit gets every commit of the new server', async () => {
  const primary = await startOwnPostgresServer();
  const url = await primary.createDatabase();
  const before = await open(url);
  const first = await TestTree.make({ store: before, treeId: treeId(testUuid(1)) });
  const standby = await primary.copy({ standby: true });
  const copyUrl = standby.url(new URL(url).pathname.slice(1));
  const there = await open(copyUrl);
  expect((await there.info()).readOnly).toBe(true);
  // The last commit that reaches the standby. It is disconnected before the next ones.
  await titled(first, 'replicated');
  const [, start] = await taken(there, encodeCursor('changes', [0]), 2);
  expect(start?.version).toBe(2);
  await there.close();
  await standby.cutOff();
  // A standby's sequence may be up to 32 numbers ahead of the primary's, so this writes more commits than that.
  const many = 40;
  for (let n = 0; n < many; n++) await titled(first, `lost ${n}`);
  const lost = (await taken(before, start?.cursor ?? null, many)).at(-1);
  expect(lost?.version).toBe(2 + many);
  await before.close();
  await primary.stop();
  await standby.promote();
  const after = await open(copyUrl);
  const again = new TestTree(after, first.treeId);
  for (const title of ['new 1', 'new 2']) await titled(again, title);
  // A reader that saw the lost commits still gets both new ones. A reader that did not see them gets each new one once.
  expect(versionsOf(await taken(after, lost?.cursor ?? null, 2))).toEqual([3, 4]);
  expect(versionsOf(await taken(after, start?.cursor ?? null, 2))).toEqual([3, 4]);
  await after.close();
  await standby.close();
  await primary.close();
}, 120_000);
