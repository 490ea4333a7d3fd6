import { expect, test } from 'vitest';
import { createTestId, createTree, openTestServer } from '../../testing/index.ts';

test('[A1] a tree is created with its first messages, and repeating the request with the same id gives the same tree', async () => {
  const server = await openTestServer();
  const id = createTestId();
  const body = {
    id,
    title: 'Plan',
    systemPrompt: 'Be brief.',
    tags: ['trip'],
    metadata: { __proto__: null, from: 'test' },
    messages: [{ role: 'user', content: 'Where to?' }],
  };
  const made = await server.ask('POST', '/api/trees', { body });
  expect(made.status).toBe(201);
  expect(made.headers.get('etag')).toBe('"2"');
  expect(made.body).toMatchObject({
    treeId: id,
    version: 2,
    result: { created: true, tree: { title: 'Plan', systemPrompt: 'Be brief.', tags: ['trip'], temporary: false } },
    nodes: [{ role: 'user', text: 'Where to?' }],
  });
  expect(made.body.activeNodeId).toBe(made.body.nodes[0].id);
  const again = await server.ask('POST', '/api/trees', { body });
  expect([again.status, again.body.version]).toEqual([200, 2]);
  const other = await server.ask('POST', '/api/trees', { body: { ...body, systemPrompt: 'Be long.' } });
  expect([other.status, other.body.error.code]).toEqual([409, 'tree/exists']);
  const bad = await server.ask('POST', '/api/trees', { body: { id: 'no' } });
  expect([bad.status, bad.body.error.code]).toEqual([400, 'id/invalid']);
  await server.close();
});

test('[A1] another title or other first messages with the id of a tree are a conflict, and nothing is added', async () => {
  const server = await openTestServer();
  const [id, copy, prompted] = [createTestId(), createTestId(), createTestId()];
  const body = { id, title: 'A', messages: [{ role: 'user', content: 'hi' }] };
  await server.ask('POST', '/api/trees', { body });
  const other = [{ role: 'user', content: 'something else' }];
  for (const wish of [{ title: 'B' }, { messages: other }, { metadata: { x: 1 } }]) {
    const refused = await server.ask('POST', '/api/trees', { body: { ...body, ...wish } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'tree/exists']);
  }
  expect((await server.ask('GET', `/api/trees/${id}?count=true`)).body).toMatchObject({ version: 2, messageCount: 1 });
  for (const [status, created] of [
    [201, true],
    [200, false],
  ]) {
    const copied = await server.ask('POST', `/api/trees/${id}/duplicate`, { body: { id: copy } });
    expect([copied.status, copied.body.result.created]).toEqual([status, created]);
    const put = await server.ask('PUT', `/api/trees/${id}/system-prompt`, {
      body: { id: prompted, systemPrompt: 'x' },
    });
    expect([put.status, put.body.result.created]).toEqual([status, created]);
  }
  const put = await server.ask('PUT', `/api/trees/${id}/system-prompt`, { body: { id: prompted, systemPrompt: 'y' } });
  expect([put.status, put.body.error.code]).toEqual([409, 'tree/exists']);
  await server.close();
});

test('[A2] first messages with taken or invalid ids leave no tree behind', async () => {
  const server = await openTestServer();
  const { nodeIds } = await createTree(server);
  for (const [node, status] of [
    [nodeIds[0], 409],
    ['no', 400],
  ]) {
    const id = createTestId();
    const messages = [{ id: node, role: 'user', content: 'other' }];
    expect((await server.ask('POST', '/api/trees', { body: { id, messages } })).status).toBe(status);
    expect((await server.ask('GET', `/api/trees/${id}`)).status).toBe(404);
  }
  await server.close();
});

test('[A2] a malformed message is refused by its index, and no tree is created', async () => {
  const server = await openTestServer();
  const id = createTestId();
  const messages = [
    { role: 'user', content: 'fine' },
    { role: 'user', content: [{ type: 'text' }] },
  ];
  const refused = await server.ask('POST', '/api/trees', { body: { id, messages } });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'message/invalid']);
  expect(refused.body.error.message).toContain('messages[1]');
  expect((await server.ask('GET', `/api/trees/${id}`)).status).toBe(404);
  await server.close();
});

test('[A3] trees are listed page by page and filtered by their attributes', async () => {
  const server = await openTestServer();
  for (const [title, folder] of [
    ['one', 'a'],
    ['two', 'a'],
    ['three', 'b'],
  ])
    await server.ask('POST', '/api/trees', {
      body: { title, folder, tags: [`tag ${folder}`], pinned: title === 'two' },
    });
  const first = await server.ask('GET', '/api/trees?limit=2');
  expect(first.body.items.map((tree: { title: string }) => tree.title)).toEqual(['three', 'two']);
  const rest = await server.ask('GET', `/api/trees?limit=2&cursor=${encodeURIComponent(first.body.cursor)}`);
  expect(rest.body.items.map((tree: { title: string }) => tree.title)).toEqual(['one']);
  expect(rest.body.cursor).toBeNull();
  expect((await server.ask('GET', '/api/trees?folder=a&pinned=true')).body.items).toMatchObject([{ title: 'two' }]);
  expect((await server.ask('GET', '/api/trees?cursor=nonsense')).body.error.code).toBe('cursor/invalid');
  expect((await server.ask('GET', '/api/trees?colour=red')).body.error.code).toBe('http/invalid');
  expect((await server.ask('GET', '/api/folders')).body.items).toEqual([
    { name: 'a', count: 2 },
    { name: 'b', count: 1 },
  ]);
  const renamed = await server.ask('PATCH', '/api/folders/a', { body: { name: 'c d' } });
  expect(renamed.body).toEqual({ name: 'c d', changed: 2 });
  expect((await server.ask('GET', '/api/trees?folder=c%20d')).body.items.length).toBe(2);
  expect((await server.ask('GET', '/api/tags')).body.items).toEqual([
    { name: 'tag a', count: 2 },
    { name: 'tag b', count: 1 },
  ]);
  await server.close();
});

test('[A4] attributes of a tree change without a version, and null removes one', async () => {
  const server = await openTestServer();
  const { id } = await createTree(server);
  const set = await server.ask('PATCH', `/api/trees/${id}`, {
    body: { title: 'New', pinned: true, metadata: { a: 1 } },
  });
  expect(set.body.result.tree).toMatchObject({ title: 'New', pinned: true, metadata: { a: 1 } });
  const unset = await server.ask('PATCH', `/api/trees/${id}`, { body: { title: null, pinned: null } });
  expect(unset.body.result.tree).toMatchObject({ title: null, pinned: false, metadata: { a: 1 } });
  const prompt = await server.ask('PATCH', `/api/trees/${id}`, { body: { systemPrompt: 'x' } });
  expect([prompt.status, prompt.body.error.code]).toEqual([422, 'tree/root-protected']);
  const empty = await server.ask('POST', '/api/trees', { body: { systemPrompt: 'a' } });
  const changed = await server.ask('PATCH', `/api/trees/${empty.body.result.treeId}`, { body: { systemPrompt: 'b' } });
  expect(changed.body.result.tree.systemPrompt).toBe('b');
  await server.close();
});

test('[A159] metadata past 64 kB is refused wherever it is set, and nothing is changed', async () => {
  const server = await openTestServer();
  const fits = { note: 'x'.repeat(65_536 - '{"note":""}'.length) };
  const over = { note: `${fits.note}x` };
  // This note has 22,000 characters of three bytes each.
  const wide = { note: '森'.repeat(22_000) };
  const { id } = await createTree(server);
  for (const metadata of [over, wide]) {
    const made = await server.ask('POST', '/api/trees', { body: { metadata } });
    expect([made.status, made.body.error.code]).toEqual([400, 'command/invalid']);
    expect((await server.ask('PATCH', `/api/trees/${id}`, { body: { metadata } })).status).toBe(400);
  }
  expect((await server.ask('GET', `/api/trees/${id}`)).body.metadata).toEqual({});
  expect((await server.ask('PATCH', `/api/trees/${id}`, { body: { metadata: fits } })).status).toBe(200);
  await server.close();
});

test('[A5] a new system prompt, or a duplicate, makes a new tree with the active path, or with everything', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  await server.ask('POST', `/api/trees/${id}/nodes/${nodeIds[0]}/edit`, { version, body: { content: 'a2' } });
  const prompted = await server.ask('PUT', `/api/trees/${id}/system-prompt`, { body: { systemPrompt: 'New' } });
  expect(prompted.status).toBe(201);
  expect(prompted.body.result.tree).toMatchObject({ systemPrompt: 'New', copiedFrom: { treeId: id } });
  const texts = async (tree: string) =>
    (await server.ask('GET', `/api/trees/${tree}/topology`)).body.nodes.map(
      (node: { preview: string }) => node.preview,
    );
  expect(await texts(prompted.body.treeId)).toEqual(['a2']);
  const whole = await server.ask('POST', `/api/trees/${id}/duplicate`, { body: { whole: true, title: 'Copy' } });
  expect(whole.body.result.tree.title).toBe('Copy');
  expect((await texts(whole.body.treeId)).toSorted()).toEqual(['a', 'a2', 'b', 'c']);
  const part = await server.ask('POST', `/api/trees/${id}/duplicate`, { body: { nodeId: nodeIds[1] } });
  expect(await texts(part.body.treeId)).toEqual(['a', 'b']);
  await server.close();
});

test('[A6] a tree is moved to the trash, restored, and purged only from the trash', async () => {
  const server = await openTestServer();
  const { id, version } = await createTree(server);
  expect((await server.ask('DELETE', `/api/trees/${id}?purge=true`)).body.error.code).toBe('command/invalid');
  expect((await server.ask('DELETE', `/api/trees/${id}`)).body.state).toBe('trashed');
  expect((await server.ask('GET', '/api/trees')).body.items).toEqual([]);
  expect((await server.ask('GET', '/api/trees?trashed=true')).body.items).toMatchObject([{ id }]);
  const write = { version: version + 1, body: { messages: [{ role: 'user', content: 'x' }] } };
  expect((await server.ask('POST', `/api/trees/${id}/messages`, write)).body.error.code).toBe('tree/read-only');
  await server.ask('POST', `/api/trees/${id}/restore`);
  expect((await server.ask('GET', '/api/trees')).body.items).toMatchObject([{ id, deletedAt: null }]);
  await server.ask('DELETE', `/api/trees/${id}`);
  expect((await server.ask('DELETE', `/api/trees/${id}?purge=true`)).body.state).toBe('purged');
  expect((await server.ask('GET', `/api/trees/${id}`)).status).toBe(404);
  await server.close();
});

test('[A7] clearing removes every message and leaves the root', async () => {
  const server = await openTestServer();
  const { id, rootId, version } = await createTree(server, ['a', 'b']);
  expect((await server.ask('DELETE', `/api/trees/${id}/messages`)).status).toBe(428);
  const cleared = await server.ask('DELETE', `/api/trees/${id}/messages`, { version });
  expect([cleared.status, cleared.body.activeNodeId]).toEqual([200, null]);
  const page = await server.ask('GET', `/api/trees/${id}/page`);
  expect(page.body).toMatchObject({ rootId, activeNodeId: null, nodes: [] });
  await server.close();
});

test('[A8] a temporary tree is in no list or search until it is kept, and a discarded one leaves nothing', async () => {
  const server = await openTestServer({ quotas: { temporaryTrees: 2 } });
  const make = () =>
    server.ask('POST', '/api/trees', {
      body: { temporary: true, messages: [{ role: 'user', content: 'secret plan' }] },
    });
  const one = await make();
  const two = await make();
  expect(one.body.result.tree.temporary).toBe(true);
  expect((await make()).body.error.code).toBe('http/too-many');
  const id = one.body.treeId;
  expect((await server.ask('GET', '/api/trees')).body.items).toEqual([]);
  expect((await server.ask('GET', '/api/search?q=secret')).body.items).toEqual([]);
  expect((await server.ask('GET', `/api/trees/${id}/page`)).body.nodes.length).toBe(1);
  const kept = await server.ask('POST', `/api/trees/${id}/keep`);
  expect(kept.body.tree).toMatchObject({ id, temporary: false, activeNodeId: one.body.activeNodeId });
  expect((await server.ask('GET', '/api/search?q=secret')).body.items).toMatchObject([{ treeId: id }]);
  expect((await server.ask('POST', `/api/trees/${id}/keep`)).body.error.code).toBe('command/invalid');
  expect((await server.ask('DELETE', `/api/trees/${two.body.treeId}`)).body.state).toBe('discarded');
  expect((await server.ask('GET', `/api/trees/${two.body.treeId}`)).status).toBe(404);
  await server.close();
});

test('[A150] silhouettes give the messages, branches and lines of trees, follow changes, and show nothing of other users', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  const other = await createTree(server, ['x']);
  const shapes = async (ids: string) => (await server.ask('GET', `/api/shapes?ids=${ids}`)).body.items;
  expect(await shapes(`${id},${createTestId()},${other.id}`)).toEqual([
    {
      treeId: id,
      version,
      messages: 3,
      branches: 1,
      stems: [{ height: 3, active: true }],
      on: null,
      first: 'a',
      words: 'c',
    },
    {
      treeId: other.id,
      version: other.version,
      messages: 1,
      branches: 1,
      stems: [{ height: 1, active: true }],
      on: null,
      first: 'x',
      words: 'x',
    },
  ]);
  await server.ask('POST', `/api/trees/${id}/nodes/${nodeIds[1]}/edit`, { version, body: { content: 'b2' } });
  expect(await shapes(id)).toMatchObject([
    {
      messages: 4,
      branches: 2,
      stems: [
        { height: 3, active: false },
        { height: 2, active: true },
      ],
    },
  ]);
  await server.ask('DELETE', `/api/trees/${other.id}`);
  expect(await shapes(other.id)).toEqual([]);
  await server.close();
});

test('[A153] a silhouette gives the position of its user: the nearest bookmark or title above, and the last words there', async () => {
  const server = await openTestServer();
  const { id, nodeIds } = await createTree(server, ['a', 'b', 'c'.repeat(500)]);
  const shape = async () => (await server.ask('GET', `/api/shapes?ids=${id}`)).body.items[0];
  expect(await shape()).toMatchObject({ on: null, words: 'c'.repeat(200) });
  for (const [at, title] of ['First', 'Second'].entries())
    await server.ask('PUT', `/api/trees/${id}/nodes/${nodeIds[at]}/bookmark`, { body: { title } });
  expect((await shape()).on).toBe('Second');
  await server.ask('PUT', `/api/trees/${id}/active`, { body: { nodeId: nodeIds[0] } });
  expect(await shape()).toMatchObject({ on: 'First', words: 'a' });
  // The shown text must not contain the thinking of the model.
  const content = [
    { type: 'thinking', thinking: 'Let me see.' },
    { type: 'text', text: 'Forty-two.' },
  ];
  const messages = [
    { role: 'user', content: 'How many?' },
    { role: 'assistant', content },
  ];
  const { body } = await server.ask('POST', '/api/trees', { body: { messages } });
  const position = async (treeId: string) => (await server.ask('GET', `/api/shapes?ids=${treeId}`)).body.items[0];
  expect(await position(body.treeId)).toMatchObject({ first: 'How many?', words: 'Forty-two.' });
  // The first question is also found above a long branch, and below a message of the model.
  const long = [
    { role: 'assistant', content: 'Welcome.' },
    ...Array.from({ length: 40 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `Message ${at}` })),
  ];
  const made = await server.ask('POST', '/api/trees', { body: { systemPrompt: 'Be brief.', messages: long } });
  expect(await position(made.body.treeId)).toMatchObject({ first: 'Message 0', words: 'Message 39' });
  const without = await server.ask('POST', '/api/trees', { body: { messages: long.slice(0, 1) } });
  expect(await position(without.body.treeId)).toMatchObject({ first: '', words: 'Welcome.' });
  await server.close();
});

test('[A151] bookmarks of all trees are listed with their text, tree by tree and page by page', async () => {
  const server = await openTestServer();
  const first = await createTree(server, ['a', 'b']);
  const second = await createTree(server, ['x', 'y']);
  await server.ask('PUT', `/api/trees/${first.id}/nodes/${first.nodeIds[1]}/bookmark`, { body: { title: 'One' } });
  await server.ask('PUT', `/api/trees/${second.id}/nodes/${second.nodeIds[0]}/bookmark`, { body: { title: 'Two' } });
  const { items, cursor } = (await server.ask('GET', '/api/bookmarks')).body;
  expect(items).toMatchObject([
    { treeId: second.id, title: 'Two', words: 'x', role: 'user' },
    { treeId: first.id, title: 'One', words: 'b', role: 'assistant' },
  ]);
  expect(cursor).toBeNull();
  const page = (await server.ask('GET', '/api/bookmarks?limit=1')).body;
  expect(page.items).toMatchObject([{ title: 'Two' }]);
  const next = (await server.ask('GET', `/api/bookmarks?limit=1&cursor=${encodeURIComponent(page.cursor)}`)).body;
  expect(next.items).toMatchObject([{ title: 'One' }]);
  await server.close();
});
