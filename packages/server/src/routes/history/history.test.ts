import { type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { trimHistoryOnce } from '../../live/background-tasks.ts';
import { createTree, openTestServer } from '../../testing/index.ts';

test('[A100] a tree can be read as of any version and restored to it, as a new commit', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b']);
  const at = `/api/trees/${id}`;
  const edit = { version, body: { content: 'changed', mode: 'in-place' } };
  await server.ask('POST', `${at}/nodes/${nodeIds[1]}/edit`, edit);
  await server.ask('DELETE', `${at}/nodes/${nodeIds[0]}?mode=cascade`, { version: version + 1 });
  const list = await server.ask('GET', `${at}/history?limit=2`);
  expect(list.body.items.map((one: { version: number }) => one.version)).toEqual([version + 2, version + 1]);
  expect((await server.ask('GET', `${at}/history?before=${version}`)).body.items.length).toBe(version - 1);
  const then = await server.ask('GET', `${at}/history/${version}`);
  expect(then.body).toMatchObject({ activeNodeId: nodeIds[1], tree: { version, messageCount: 2 }, bookmarks: [] });
  expect(then.body.nodes.map((one: { preview: string }) => one.preview)).toEqual(['a', 'b']);
  const page = await server.ask('GET', `${at}/history/${version}/page`);
  expect(page.body.nodes.map((one: { text: string }) => one.text)).toEqual(['a', 'b']);
  expect(page.body.variants[nodeIds[1] ?? '']).toMatchObject({ index: 0, total: 1 });
  const back = await server.ask('POST', `${at}/history/${version}/restore`, { version: version + 2 });
  expect(back.body.version).toBe(version + 3);
  const now = await server.ask('GET', `${at}/page`);
  expect(now.body.nodes.map((one: { text: string }) => one.text)).toEqual(['a', 'b']);
  expect((await server.ask('GET', `${at}/history/99`)).body.error.code).toBe('tree/unknown-version');
  await server.close();
});

test('[A314] a server with `history.keep_days` deletes older changes, and the history names its beginning', async () => {
  const day = 86_400_000;
  const late = Date.now() + 40 * day;
  const server = await openTestServer({ config: '[history]\nkeep_days = 30', now: () => late });
  const { treeId } = await appendEarly(server.store);
  const at = `/api/trees/${treeId}`;
  expect((await server.ask('GET', `${at}/history`)).body).toMatchObject({ begins: null });
  expect(await trimHistoryOnce(server.server.services)).toEqual({ trees: 1, commits: 2, skipped: 0 });
  const { body } = await server.ask('GET', `${at}/history`);
  expect(body.items.map((one: { version: number }) => one.version)).toEqual([3]);
  expect(body.begins).toEqual({ version: 3, at: body.items[0].at });
  const refused = await server.ask('GET', `${at}/history/1/page`);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'history/trimmed']);
  expect(refused.body.error.data).toMatchObject({
    version: 3,
    begins: new Date(body.begins.at).toISOString().slice(0, 10),
  });
  expect((await server.ask('GET', `${at}/history/2/page`)).status).toBe(200);
  await server.close();
  const unlimited = await openTestServer();
  expect(await trimHistoryOnce(unlimited.server.services)).toBeNull();
  await unlimited.close();
});

/** Creates a tree with two messages, each in an act of its own, at the current time. */
async function appendEarly(store: Store): Promise<TestTree> {
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(['a']);
  await fixture.addMessages(['b']);
  return fixture;
}
