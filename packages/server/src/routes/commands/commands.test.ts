import { expect, test } from 'vitest';
import { createTree, openTestServer } from '../../testing/index.ts';

test('[A115] commands are listed, completed and run as in the terminal, by line or by name', async () => {
  const server = await openTestServer();
  const { id, nodeIds } = await createTree(server, ['a', 'b', 'c']);
  const at = `/api/trees/${id}/commands`;
  const listed = await server.ask('GET', '/api/commands');
  expect(listed.body.items.map((one: { name: string }) => one.name)).toEqual(
    expect.arrayContaining(['switch', 'undo', 'tree']),
  );
  const run = await server.ask('POST', at, { body: { line: `/switch ${nodeIds[1]}` } });
  expect(run.body.place).toEqual({ treeId: id, activeNodeId: nodeIds[1] });
  const named = await server.ask('POST', at, { body: { name: 'label', args: { text: 'Here' } } });
  expect([named.status, named.body.undo]).toEqual([200, '/undo']);
  expect((await server.ask('GET', `/api/trees/${id}/bookmarks`)).body.items).toMatchObject([{ title: 'Here' }]);
  const completed = await server.ask('POST', `${at}/complete`, { body: { line: '/sw' } });
  expect(completed.body.items.map((one: { value: string }) => one.value.trim())).toContain('/switch');
  const unknown = await server.ask('POST', at, { body: { line: '/swich' } });
  expect(unknown.status).toBe(404);
  expect(unknown.body.error.message).toContain('switch');
  expect((await server.ask('POST', at, { body: {} })).body.error.code).toBe('http/invalid');
  await server.close();
});
