import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestId, createTree, openTestServer, type TestServer } from '../../testing/index.ts';
import { routes } from '../index.ts';

async function thread(server: TestServer, id: string): Promise<string[]> {
  const { body } = await server.ask('GET', `/api/trees/${id}/page?limit=100`);
  return body.nodes.map((node: { text: string }) => node.text);
}

type JsonSchema = z.core.JSONSchema.JSONSchema;

function toSchema(type: z.ZodType): JsonSchema {
  return z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
}

/** Whether a JSON Schema, or one of its alternatives, accepts fields that it does not name. */
function acceptsAnyField({ type, properties, additionalProperties, anyOf, oneOf }: JsonSchema): boolean {
  const alternatives = [...(anyOf ?? []), ...(oneOf ?? [])];
  if (alternatives.some((one) => acceptsAnyField(one))) return true;
  return type === 'object' && properties !== undefined && additionalProperties !== false;
}

function say(...texts: string[]) {
  return texts.map((content) => ({ role: 'user', content }));
}

test('[T30] every list of the API refuses a limit of zero', () => {
  const limited = routes.filter((route) => 'limit' in (toSchema(route.query ?? z.object({})).properties ?? {}));
  expect(limited.length).toBeGreaterThan(8);
  for (const { method, path, query } of limited) {
    const { issues = [] } = query?.safeParse({ limit: '0' }).error ?? {};
    expect([method, path, issues.map((issue) => issue.path)]).toEqual([
      method,
      path,
      expect.arrayContaining([['limit']]),
    ]);
  }
});

test('[A20] a structural or content write without a version is refused with 428; header, query and body are accepted', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  const at = `/api/trees/${id}`;
  const bare = await server.ask('POST', `${at}/messages`, { body: { messages: say('x') } });
  expect([bare.status, bare.body.error.code]).toEqual([428, 'tree/version-required']);
  const inBody = await server.ask('POST', `${at}/messages`, { body: { messages: say('x'), expectedVersion: version } });
  expect([inBody.status, inBody.headers.get('etag')]).toEqual([200, `"${version + 1}"`]);
  const inQuery = await server.ask('DELETE', `${at}/nodes/${nodeIds[2]}?expectedVersion=${version + 1}`);
  expect(inQuery.status).toBe(200);
  const star = await server.ask('POST', `${at}/messages`, {
    body: { messages: say('y') },
    headers: { 'if-match': '*' },
  });
  expect([star.status, star.body.error.code]).toEqual([400, 'http/invalid']);
  for (const path of ['/undo', '/redo', `/trash/${nodeIds[2]}/restore`])
    expect([path, (await server.ask('POST', `${at}${path}`)).body.error?.code]).toEqual([
      path,
      'tree/version-required',
    ]);
  await server.close();
});

test('[A20, A21, A26] undo, redo and restores from the trash need a version like other writes', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  const at = `/api/trees/${id}`;
  await server.ask('DELETE', `${at}/nodes/${nodeIds[2]}`, { version });
  const paths = ['/undo', '/redo', `/trash/${nodeIds[2]}/restore`];
  for (const path of paths) {
    const stale = await server.ask('POST', `${at}${path}`, { version });
    const { code, data } = stale.body.error;
    expect([path, stale.status, code, data.version]).toEqual([path, 409, 'tree/version-conflict', version + 1]);
  }
  // A change of metadata must not cause a version conflict.
  await server.ask('PATCH', at, { body: { title: 'Letters' } });
  expect((await server.ask('POST', `${at}${paths[2]}`, { version: version + 1 })).status).toBe(200);
  await server.close();
});

test('[A21] a stale write is refused with 409, the current version and the changes since, and changes nothing', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server);
  await server.ask('POST', `/api/trees/${id}/messages`, { version, body: { messages: say('first') } });
  const stale = { version, body: { content: 'mine' } };
  const late = await server.ask('POST', `/api/trees/${id}/nodes/${nodeIds[1]}/edit`, stale);
  expect([late.status, late.body.error.code, late.headers.get('etag')]).toEqual([
    409,
    'tree/version-conflict',
    `"${version + 1}"`,
  ]);
  expect(late.body.error.data).toMatchObject({ version: version + 1, since: [{ version: version + 1 }] });
  expect(await thread(server, id)).toEqual(['Hello', 'Hi!', 'first']);
  const kept = await server.ask('POST', `/api/trees/${id}/nodes/${nodeIds[1]}/edit?onConflict=branch`, stale);
  expect(kept.status).toBe(200);
  expect(await thread(server, id)).toEqual(['Hello', 'mine']);
  await server.close();
});

test('[A22] selecting, titling, tagging and bookmarking need no version and make no other write stale', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server);
  const at = `/api/trees/${id}`;
  await server.ask('PUT', `${at}/active`, { body: { nodeId: nodeIds[0] } });
  await server.ask('PUT', `${at}/nodes/${nodeIds[0]}/title`, { body: { title: 'T' } });
  await server.ask('PUT', `${at}/nodes/${nodeIds[0]}/tags`, { body: { tags: ['x'] } });
  await server.ask('PUT', `${at}/nodes/${nodeIds[0]}/bookmark`, { body: { title: 'B' } });
  await server.ask('PATCH', `${at}/nodes/${nodeIds[0]}/meta`, { body: { set: { excluded: true } } });
  const node = await server.ask('GET', `${at}/nodes/${nodeIds[0]}`);
  expect(node.body.node.meta).toEqual({ title: 'T', tags: ['x'], excluded: true });
  await server.ask('DELETE', `${at}/nodes/${nodeIds[0]}/bookmark`);
  const append = await server.ask('POST', `${at}/messages`, { version, body: { messages: say('next') } });
  expect(append.status).toBe(200);
  await server.close();
});

test('[A23] an append with its own ids can be repeated safely, and another body with the same id is a conflict', async () => {
  const server = await openTestServer();
  const { id, version } = await createTree(server);
  const mine = createTestId();
  const body = { messages: [{ id: mine, role: 'user', content: 'once' }] };
  const first = await server.ask('POST', `/api/trees/${id}/messages`, { version, body });
  const again = await server.ask('POST', `/api/trees/${id}/messages`, { version, body });
  expect([again.status, again.body.version]).toEqual([200, first.body.version]);
  expect(again.body.result).toMatchObject({ nodeId: mine, added: [] });
  const other = { messages: [{ id: mine, role: 'user', content: 'twice' }] };
  const clash = await server.ask('POST', `/api/trees/${id}/messages`, { version: first.body.version, body: other });
  expect([clash.status, clash.body.error.code]).toEqual([409, 'id/taken']);
  await server.close();
});

test('[A24] every write returns the version, the act, the active node and the nodes that it changed', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  const [a, b, c] = nodeIds;
  const at = `/api/trees/${id}`;
  const split = await server.ask('POST', `${at}/nodes/${c}/split`, { version, body: { position: 1 } });
  expect(split.body.error.code).toBe('message/bad-position');
  const edited = await server.ask('POST', `${at}/nodes/${a}/edit`, {
    version,
    body: { content: 'ab cd', mode: 'in-place' },
  });
  expect(edited.body.nodes).toMatchObject([{ id: a, text: 'ab cd' }]);
  const cut = await server.ask('POST', `${at}/nodes/${a}/split`, { version: version + 1, body: { position: 2 } });
  expect(cut.body.result.right).toBe(a);
  expect(cut.body.nodes.map((node: { text: string }) => node.text).toSorted()).toEqual([' cd', 'ab']);
  const joined = await server.ask('POST', `${at}/nodes/${cut.body.result.nodeId}/join`, {
    version: version + 2,
    body: {},
  });
  expect(joined.body.result).toEqual({ nodeId: a, removed: cut.body.result.nodeId });
  expect(joined.body.nodes).toContainEqual(expect.objectContaining({ id: a, text: 'ab cd' }));
  const moved = await server.ask('POST', `${at}/nodes/${c}/move`, { version: version + 3, body: { parentId: a } });
  expect(moved.body).toMatchObject({
    activeNodeId: c,
    result: { nodeId: c, from: b },
    nodes: [{ id: c, parentId: a }],
  });
  const cycle = await server.ask('POST', `${at}/nodes/${a}/move`, { version: version + 4, body: { parentId: c } });
  expect([cycle.status, cycle.body.error.code]).toEqual([422, 'tree/cycle']);
  const picked = await server.ask('POST', `${at}/cherry-pick`, { version: version + 4, body: { nodeId: b } });
  expect(picked.body.nodes).toMatchObject([{ text: 'b', meta: { pickedFrom: { nodeId: b } } }]);
  await server.close();
});

test('[A25] a delete splices, cascades or removes a group, reports the removed nodes, and refuses the root', async () => {
  const server = await openTestServer();
  const { id, rootId, nodeIds, version } = await createTree(server, ['a', 'b', 'c', 'd']);
  const at = `/api/trees/${id}`;
  const spliced = await server.ask('DELETE', `${at}/nodes/${nodeIds[1]}`, { version });
  expect(spliced.body.result).toMatchObject({ removed: [nodeIds[1]], parentId: nodeIds[0] });
  expect(await thread(server, id)).toEqual(['a', 'c', 'd']);
  const gone = await server.ask('DELETE', `${at}/nodes/${nodeIds[2]}?mode=cascade`, { version: version + 1 });
  expect(gone.body.activeNodeId).toBe(nodeIds[0]);
  const root = await server.ask('DELETE', `${at}/nodes/${rootId}?mode=cascade`, { version: version + 2 });
  expect([root.status, root.body.error.code]).toEqual([422, 'tree/root-protected']);
  const trash = await server.ask('GET', `${at}/trash`);
  expect(trash.body.items).toMatchObject([
    { nodeId: nodeIds[2], count: 2 },
    { nodeId: nodeIds[1], count: 1 },
  ]);
  await server.ask('POST', `${at}/trash/${nodeIds[2]}/restore`, { version: version + 2 });
  expect((await server.ask('GET', `${at}/topology`)).body.nodes.length).toBe(3);
  expect((await server.ask('DELETE', `${at}/trash/${nodeIds[1]}`)).body.nodes).toBe(1);
  expect((await server.ask('GET', `${at}/trash`)).body.items).toEqual([]);
  await server.close();
});

test('[A26] undo reverts an act and redo repeats it, for any number of acts', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b']);
  const at = `/api/trees/${id}`;
  await server.ask('DELETE', `${at}/nodes/${nodeIds[0]}?mode=cascade`, { version });
  const undone = await server.ask('POST', `${at}/undo`, { version: version + 1 });
  expect(undone.body).toMatchObject({ activeNodeId: nodeIds[1], result: { versions: [version + 1] } });
  expect(await thread(server, id)).toEqual(['a', 'b']);
  await server.ask('POST', `${at}/redo`, { version: version + 2, body: {} });
  expect(await thread(server, id)).toEqual([]);
  const nothing = await server.ask('POST', `${at}/redo`, { version: version + 3 });
  expect([nothing.status, nothing.body.error.code]).toEqual([422, 'undo/nothing']);
  await server.close();
});

test('[A27] a branch is moved to another tree as a copy there and a removal here, one act, under the version of the source tree', async () => {
  const server = await openTestServer();
  const here = await createTree(server, ['a', 'b', 'c']);
  const there = await createTree(server, ['x']);
  // Trees with the same history have the same version. A second message gives this tree another version.
  const more = { messages: [{ role: 'assistant', content: 'y' }], parentId: there.nodeIds[0], select: false };
  await server.ask('POST', `/api/trees/${there.id}/messages`, { version: there.version, body: more });
  await server.ask('PUT', `/api/trees/${there.id}/active`, { body: { nodeId: there.nodeIds[0] } });
  const move = (version: number) =>
    server.ask('POST', `/api/trees/${here.id}/nodes/${here.nodeIds[1]}/move`, {
      version,
      body: { parentId: there.nodeIds[0], treeId: there.id },
    });
  const stale = await move(1);
  expect([stale.status, stale.body.error]).toMatchObject([409, { data: { treeId: here.id, version: here.version } }]);
  const moved = await move(here.version);
  expect(moved.status).toBe(200);
  expect(await thread(server, here.id)).toEqual(['a']);
  expect(await thread(server, there.id)).toEqual(['x', 'b', 'c']);
  await server.ask('POST', `/api/trees/${here.id}/undo`, { version: here.version + 1 });
  expect(await thread(server, here.id)).toEqual(['a', 'b', 'c']);
  expect(await thread(server, there.id)).toEqual(['x']);
  await server.close();
});

test('[A28] navigating wraps around the variants and selects the leaf last visited', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  const at = `/api/trees/${id}`;
  const edit = await server.ask('POST', `${at}/nodes/${nodeIds[0]}/edit`, { version, body: { content: 'a2' } });
  const to = async (direction: string) =>
    (await server.ask('POST', `${at}/navigate`, { body: { nodeId: edit.body.result.nodeId, direction } })).body
      .activeNodeId;
  expect(await to('next')).toBe(nodeIds[2]);
  expect(await to('previous')).toBe(nodeIds[2]);
  const grouped = await server.ask('POST', `${at}/group`, { version: version + 1, body: { nodeIds: [nodeIds[0]] } });
  expect(grouped.body.nodes).toMatchObject([{ groupId: 0 }]);
  await server.close();
});

test('[A170] undo without a tree restores a deleted tree and leaves the others unchanged', async () => {
  const server = await openTestServer();
  const [other, gone] = [await createTree(server, ['a', 'b']), await createTree(server, ['c'])];
  await server.ask('PATCH', `/api/trees/${gone.id}`, { body: { title: 'Letters' } });
  await server.ask('DELETE', `/api/trees/${gone.id}`);
  const back = await server.ask('POST', '/api/undo');
  expect(back.status).toBe(200);
  expect(back.body).toMatchObject({ treeId: gone.id, result: { title: 'Letters', deletedAt: null } });
  expect([await thread(server, gone.id), await thread(server, other.id)]).toEqual([['c'], ['a', 'b']]);
  const again = await server.ask('POST', '/api/redo', { body: {} });
  expect(again.body).toMatchObject({ treeId: gone.id, result: { deletedAt: expect.any(Number) } });
  const unknown = await server.ask('POST', '/api/undo', { body: { forced: true } });
  expect([unknown.status, unknown.body.error.code]).toEqual([400, 'http/invalid']);
  await server.close();
});

test('[A171] a limit below one and an unknown field are refused by every route', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b']);
  const at = `/api/trees/${id}`;
  const lists = routes.filter((route) => route.query !== null && 'limit' in route.query.shape);
  expect(lists.length).toBeGreaterThanOrEqual(9);
  for (const { path } of lists) {
    const place = path
      .replace('{tree}', id)
      .replace('{node}', nodeIds[0] ?? '')
      .replace(/\{\w+\}/g, createTestId());
    const asked = await server.ask('GET', `${place}?q=a&limit=0`);
    expect([path, asked.status]).toEqual([path, 400]);
  }
  const wrong = await server.ask('POST', `${at}/messages`, {
    version,
    body: { messages: say('x'), parentID: nodeIds[0] },
  });
  expect([wrong.status, wrong.body.error.message]).toEqual([400, expect.stringContaining('parentID')]);
  const asked = await server.ask('GET', `${at}?selct=1`);
  expect([asked.status, asked.body.error.message]).toEqual([400, expect.stringContaining('selct')]);
  const settings = await server.ask('GET', '/api/settings?selct=1');
  expect([settings.status, settings.body.error.message]).toEqual([400, expect.stringContaining('selct')]);
  // Routes outside of the API forward what a service defines.
  const open = routes.flatMap(({ method, path, query, body, needs }) =>
    [query, needs.body === 'json' ? body : null]
      .filter((schema) => schema !== null && acceptsAnyField(toSchema(schema)))
      .flatMap(() => (path.startsWith('/api/') ? [`${method} ${path}`] : [])),
  );
  expect(open).toEqual([]);
  await server.close();
});

test('[A172] plain text is accepted as a user message', async () => {
  const server = await openTestServer();
  const { id, version } = await createTree(server, []);
  const added = await server.ask('POST', `/api/trees/${id}/messages`, { version, body: { messages: ['plain'] } });
  expect(added.body.nodes[0]).toMatchObject({ role: 'user', text: 'plain' });
  const made = await server.ask('POST', '/api/trees', {
    body: { messages: ['first', { role: 'assistant', content: 'second' }] },
  });
  expect(await thread(server, made.body.treeId)).toEqual(['first', 'second']);
  await server.close();
});

test('[A199] a tree reports what an undo and a redo would change, or that there is nothing', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['Hello']);
  const read = async () => (await server.ask('GET', `/api/trees/${id}/reversible`)).body;
  const body = { parentId: nodeIds[0], messages: [{ role: 'assistant', content: 'Oaks and ashes' }] };
  const added = await server.ask('POST', `/api/trees/${id}/messages`, { version, body });
  expect(await read()).toMatchObject({ undo: { steps: { insert: 1 }, text: 'Oaks and ashes' }, redo: null });
  const undone = await server.ask('POST', `/api/trees/${id}/undo`, { version: added.body.version });
  expect((await read()).redo).toMatchObject({ steps: { restore: 1 } });
  await server.ask('POST', `/api/trees/${id}/undo`, { version: undone.body.version });
  expect((await read()).undo).toBeNull();
  await server.close();
});

test('[M73] inline pictures of new and edited messages are blobs in what the server answers', async () => {
  const server = await openTestServer();
  const data = Buffer.alloc(400, 7).toString('base64');
  const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data } };
  const { id, nodeIds, version } = await createTree(server, ['a']);
  const at = `/api/trees/${id}`;
  const body = { messages: [{ role: 'user', content: [image] }] };
  const added = await server.ask('POST', `${at}/messages`, { version, body });
  const edited = await server.ask('POST', `${at}/nodes/${nodeIds[0]}/edit`, {
    version: added.body.version,
    body: { content: [image, { type: 'text', text: 'Which tree is this?' }] },
  });
  expect([added.status, edited.status]).toEqual([200, 200]);
  for (const shown of [added.body, edited.body, (await server.ask('GET', `${at}/page?limit=100`)).body]) {
    const text = JSON.stringify(shown);
    expect(text).not.toContain(data.slice(0, 60));
    expect(text).toContain('"type":"blob"');
  }
  await server.close();
});
