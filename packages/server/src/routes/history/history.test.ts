import { expect, test } from 'vitest';
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
