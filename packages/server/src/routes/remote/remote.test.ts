import { expect, test } from 'vitest';
import { createTree, openTestServer } from '../../testing/index.ts';

test('[A290] a read returns the version of its tree, and an invalid one is refused by field', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b']);
  const reads = `/api/trees/${id}/reads`;
  const path = await server.ask('POST', reads, { body: { name: 'path', with: { to: nodeIds[1] } } });
  expect(path.body).toMatchObject({ version, answer: { complete: true, nodes: [{ text: 'a' }, { text: 'b' }] } });
  const missing = await server.ask('POST', reads, { body: { name: 'path', with: {} } });
  expect(missing).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('with.to') } } });
  // The response must not reveal the ids of other users' trees.
  const taken = await server.ask('POST', reads, { body: { name: 'taken', with: { ids: nodeIds } } });
  expect(taken.status).toBe(400);
  const none = await server.ask('GET', `/api/trees/${id}/external-ids`);
  expect(none.body.items).toEqual([]);
  await server.close();
});

test('[A291] a command of core runs as the caller, and fields that only the server sets are refused', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b']);
  const run = (command: object, more: object = {}) => server.ask('POST', '/api/run', { body: { command, ...more } });
  const split = {
    type: 'append',
    treeId: id,
    parentId: nodeIds[0],
    messages: [{ message: { role: 'user', content: 'c' } }],
  };
  const added = await run(split);
  expect(added.body).toMatchObject({ treeId: id, version: version + 1, commit: { kind: 'do' } });
  expect((await run(split, { expectedVersion: version, onConflict: 'branch' })).status).toBe(200);
  expect((await run({ type: 'undo' })).body).toMatchObject({ treeId: id, commit: { kind: 'undo' } });
  const forged = {
    type: 'append',
    treeId: id,
    messages: [{ message: { role: 'assistant', content: 'd' }, meta: { source: { cost: { total: 0 } } } }],
  };
  expect((await run(forged)).status).toBe(400);
  const branch = { type: 'branch', treeId: id, nodeId: nodeIds[0], summary: 'so far' };
  expect((await run({ ...branch, details: { usage: {} } })).status).toBe(400);
  expect((await run(branch)).body).toMatchObject({ treeId: id, commit: { kind: 'do' } });
  const annotate = { type: 'annotate', treeId: id, nodeId: nodeIds[1], set: { custom: {} } };
  expect((await run(annotate)).status).toBe(400);
  expect((await run({ type: 'nonsense', treeId: id })).status).toBe(400);
  expect((await run({ ...split, treeId: '00000000-0000-7000-8000-000000000000' })).status).toBe(404);
  await server.close();
});
