import { type Store, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { z } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import { createTestId, createTree, openTestServer, type TestServer } from '../../testing/index.ts';
import { readThreadPage } from '../../thread-page.ts';
import { routes } from '../index.ts';

interface Named {
  readonly id: string;
  readonly text: string;
}

function texts(nodes: readonly Named[]): string[] {
  return nodes.map((node) => node.text);
}

/** Creates a tree a → b → c, with a second variant of b and a reply to that variant. */
async function forked(server: TestServer) {
  const { id, rootId, nodeIds, version } = await createTree(server, ['a', 'b', 'c']);
  const [a = '', b = '', c = ''] = nodeIds;
  const edited = await server.ask('POST', `/api/trees/${id}/nodes/${b}/edit`, { version, body: { content: 'b2' } });
  return { id, rootId, a, b, c, b2: edited.body.result.nodeId, version: edited.body.version };
}

test('[A10] a page is the end of a branch with root, active node and version, and its cursor gives the page before it', async () => {
  const server = await openTestServer();
  const all = Array.from({ length: 45 }, (_, index) => `m${index}`);
  const { id, rootId, nodeIds, version } = await createTree(server, all);
  const seen: string[] = [];
  let before: string | null = null;
  do {
    const cursor: string = before === null ? '' : `?before=${before}`;
    const page = await server.ask('GET', `/api/trees/${id}/page${cursor}`);
    expect(page.body).toMatchObject({ rootId, activeNodeId: nodeIds.at(-1), version, conversation_format: 'tree' });
    expect(page.headers.get('etag')).toBe(`"${version}"`);
    seen.unshift(...texts(page.body.nodes));
    before = page.body.before;
  } while (before !== null);
  expect(seen).toEqual(all);
  const down: string[] = [];
  for (let after: string | null = rootId; after !== null; ) {
    const page = await server.ask('GET', `/api/trees/${id}/page?after=${after}&limit=20`);
    down.push(...texts(page.body.nodes));
    after = page.body.after;
  }
  expect(down).toEqual(all);
  const [first] = (await server.ask('GET', `/api/trees/${id}/page?limit=100`)).body.nodes;
  expect(first.parentId).toBe(rootId);
  await server.close();
});

test('[A11] a page has the position of each message among its variants, and on request the other members of its group', async () => {
  const server = await openTestServer();
  const { id, b, b2 } = await forked(server);
  const page = await server.ask('GET', `/api/trees/${id}/page?siblings=true`);
  expect(texts(page.body.nodes)).toEqual(['a', 'b2']);
  expect(page.body.variants[b2]).toEqual({ index: 1, total: 2, ids: [b, b2] });
  expect(texts(page.body.groups[b2])).toEqual(['b']);
  await server.ask('PUT', `/api/trees/${id}/nodes/${b2}/bookmark`, { body: { title: 'Here' } });
  expect((await server.ask('GET', `/api/trees/${id}/page`)).body.bookmarks).toMatchObject({ [b2]: { title: 'Here' } });
  expect((await server.ask('GET', `/api/trees/${id}/bookmarks`)).body.items).toMatchObject([{ title: 'Here' }]);
  await server.close();
});

test('[A12] a cursor off the path, an unknown node and an unknown tree are refused by name', async () => {
  const server = await openTestServer();
  const { id, b } = await forked(server);
  const off = await server.ask('GET', `/api/trees/${id}/page?before=${b}`);
  expect([off.status, off.body.error.code]).toEqual([400, 'tree/not-on-path']);
  const nowhere = await server.ask('GET', `/api/trees/${id}/page?nodeId=${createTestId()}`);
  expect([nowhere.status, nowhere.body.error.code]).toEqual([404, 'tree/unknown-node']);
  const unknown = await server.ask('GET', `/api/trees/${createTestId()}/page`);
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'tree/unknown-tree']);
  await server.close();
});

test('[A13] the root is never among the nodes of a page, a path or a topology, and is the parent of first turns', async () => {
  const server = await openTestServer();
  const { id, rootId, a } = await forked(server);
  const bodies = [
    (await server.ask('GET', `/api/trees/${id}/page`)).body,
    (await server.ask('GET', `/api/trees/${id}/topology`)).body,
    (await server.ask('GET', `/api/trees/${id}/topology?from=${rootId}&depth=1`)).body,
    (await server.ask('GET', `/api/trees/${id}/path`)).body,
    (await server.ask('GET', `/api/trees/${id}/leaves`)).body,
  ];
  for (const { nodes } of bodies) {
    expect(nodes.some((node: Named) => node.id === rootId)).toBe(false);
    const first = nodes.filter((node: { parentId: string }) => node.parentId === rootId);
    for (const turn of first) expect(turn.id).toBe(a);
  }
  expect((await server.ask('GET', `/api/trees/${id}/nodes/${rootId}/children`)).body.nodes).toMatchObject([{ id: a }]);
  await server.close();
});

test('[A14] a topology is flat, without content, and marks where a limit cut it', async () => {
  const server = await openTestServer();
  const { id, a, version } = await forked(server);
  const whole = await server.ask('GET', `/api/trees/${id}/topology`);
  expect(whole.body.version).toBe(version);
  expect(whole.body.nodes.map((node: { preview: string }) => node.preview)).toEqual(['a', 'b', 'c', 'b2']);
  expect(whole.body.nodes[0].message).toBeUndefined();
  const { columns, ...rest } = (await server.ask('GET', `/api/trees/${id}/topology/columns`)).body;
  const { nodes, ...same } = whole.body;
  expect(rest).toEqual(same);
  const { parent, role, since, createdAt } = columns;
  expect(columns.id).toEqual(nodes.map((node: Named) => node.id));
  expect(columns.preview).toEqual(['a', 'b', 'c', 'b2']);
  expect(parent).toEqual([-1, 0, 1, 0]);
  expect(role.at.map((at: number) => role.of[at])).toEqual(nodes.map((node: { role: string }) => node.role));
  expect(createdAt.map((at: number) => since + at)).toEqual(nodes.map((node: { createdAt: number }) => node.createdAt));
  const cut = await server.ask('GET', `/api/trees/${id}/topology?from=${a}&depth=1`);
  expect(cut.body.nodes).toMatchObject([
    { preview: 'a', childCount: 2 },
    { preview: 'b', hasChildren: true },
    { preview: 'b2', hasChildren: false },
  ]);
  await server.close();
});

test('[A15] paths, children, variants and messages are given by node', async () => {
  const server = await openTestServer();
  const { id, a, b, c, b2 } = await forked(server);
  const at = `/api/trees/${id}`;
  expect(texts((await server.ask('GET', `${at}/nodes/${b}/path`)).body.nodes)).toEqual(['a', 'b', 'c']);
  expect(texts((await server.ask('GET', `${at}/nodes/${b}/path?limit=1`)).body.nodes)).toEqual(['c']);
  expect(texts((await server.ask('GET', `${at}/path?from=${b}&to=${c}`)).body.nodes)).toEqual(['b', 'c']);
  expect((await server.ask('GET', `${at}/path?from=${b2}&to=${c}`)).body.error.code).toBe('tree/not-on-path');
  expect((await server.ask('GET', `${at}/nodes/${b2}/siblings`)).body).toMatchObject({ index: 1, total: 2 });
  expect(texts((await server.ask('GET', `${at}/nodes/${a}/children`)).body.nodes)).toEqual(['b', 'b2']);
  const { messages } = (await server.ask('GET', `${at}/contents?ids=${a},${createTestId()},${c}`)).body;
  expect(messages).toEqual({
    [a]: { role: 'user', content: [{ type: 'text', text: 'a' }] },
    [c]: { role: 'user', content: [{ type: 'text', text: 'c' }] },
  });
  expect((await server.ask('GET', `${at}/nodes/${b}`)).body).toMatchObject({ node: { text: 'b' }, bookmark: null });
  await server.close();
});

test('[A16] a preview of a delete lists the nodes to be removed and the links to them', async () => {
  const server = await openTestServer();
  const { id, a, b } = await forked(server);
  await server.ask('PUT', `/api/trees/${id}/nodes/${b}/bookmark`, { body: { title: 'B' } });
  const whole = await server.ask('GET', `/api/trees/${id}/nodes/${a}/impact?mode=cascade`);
  expect(whole.body).toMatchObject({ count: 4, active: true, pending: [], shares: 0, bookmarks: [{ title: 'B' }] });
  expect((await server.ask('GET', `/api/trees/${id}/nodes/${b}/impact?mode=group`)).body.count).toBe(2);
  expect((await server.ask('GET', `/api/trees/${id}/nodes/${b}/impact`)).body.count).toBe(1);
  await server.close();
});

test('[A17] two branches are compared from their fork, word by word', async () => {
  const server = await openTestServer();
  const { id, a, c, b2 } = await forked(server);
  const { body } = await server.ask('GET', `/api/trees/${id}/diff?a=${c}&b=${b2}`);
  expect(body).toMatchObject({ common: a, shared: 1 });
  expect([texts(body.left), texts(body.right)]).toEqual([['b', 'c'], ['b2']]);
  expect(body.messages).toMatchObject([
    {
      equal: false,
      text: [
        { type: 'removed', text: 'b' },
        { type: 'added', text: 'b2' },
      ],
    },
  ]);
  await server.close();
});

test('[A18] a search finds exact text in every branch', async () => {
  const server = await openTestServer();
  await createTree(server, ['The price rose by 50% in May', 'A rise of 500 is not that']);
  const hits = await server.ask('GET', `/api/search?q=${encodeURIComponent('50%')}`);
  expect(hits.body.items.map((hit: { role: string }) => hit.role)).toEqual(['user']);
  expect((await server.ask('GET', '/api/search?q=rise&role=user')).body.items).toEqual([]);
  expect((await server.ask('GET', '/api/search?q=rise&role=nobody')).body.error.code).toBe('command/invalid');
  await server.close();
});

test('[A19] a linear conversation is read as a tree and marked as a list, and is given as a list on request', async () => {
  const server = await openTestServer();
  const id = createTestId();
  await server.store.putLinear({
    treeId: treeId(id),
    createdAt: 1,
    messages: [{ message: textMessage('user', 'old') }],
  });
  expect((await server.ask('GET', `/api/trees/${id}`)).body.conversation_format).toBe('linear');
  expect((await server.ask('GET', `/api/trees/${id}/page`)).body).toMatchObject({
    conversation_format: 'linear',
    nodes: [{ text: 'old' }],
  });
  expect((await server.ask('GET', '/api/trees')).body.items).toMatchObject([{ id, conversation_format: 'linear' }]);
  const page = await server.ask('GET', `/api/trees/${id}/page?format=linear&limit=1`);
  expect(page.body).toMatchObject({
    conversation_format: 'linear',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'old' }], status: 'success' }],
  });
  expect((await server.ask('GET', `/api/trees/${id}/page?format=other`)).status).toBe(400);
  const linear = await server.ask('GET', `/api/trees/${id}?format=linear`);
  expect(linear.body.messages).toMatchObject([{ role: 'user', content: [{ type: 'text', text: 'old' }] }]);
  await server.ask('POST', `/api/trees/${id}/messages`, {
    version: linear.body.version,
    body: { messages: [{ role: 'assistant', content: 'new' }] },
  });
  expect((await server.ask('GET', `/api/trees/${id}`)).body.conversation_format).toBe('tree');
  await server.close();
});

test('[A154] every route about one tree reports how it is stored', () => {
  const silent = routes.filter(({ path, answer, produces }) => {
    if (produces !== 'application/json') return false;
    const fields = answer instanceof z.ZodObject ? Object.keys(answer.shape) : [];
    return (path.includes('{tree}') || fields.includes('treeId')) && !fields.includes('conversation_format');
  });
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('[A154] reads, writes, contexts and earlier states report how the tree is stored, as a list until it branches', async () => {
  const store = await openStore('memory:', { treeWrites: 'off' });
  const server = await openTestServer({ store });
  const { id, nodeIds, version } = await createTree(server, ['Hello', 'Hi']);
  const at = `/api/trees/${id}`;
  const made = await server.ask('POST', '/api/trees', { body: { messages: [{ role: 'user', content: 'one' }] } });
  const messages = [{ role: 'user', content: 'more' }];
  const appended = await server.ask('POST', `${at}/messages`, { version, body: { messages } });
  const read = [
    ...['', '/page', '/topology', '/topology/columns', '/path', '/leaves', '/history', '/context', '/bookmarks'],
    ...[`/contents?ids=${nodeIds[0]}`, `/nodes/${nodeIds[0]}`, `/nodes/${nodeIds[0]}/children`, '/generations'],
    ...['/trash', '/shares', '/history/1', '/history/1/page', `/nodes/${nodeIds[1]}/impact`],
  ];
  const answers = [made, appended];
  for (const path of read) answers.push(await server.ask('GET', `${at}${path}`));
  expect(answers.map(({ body }) => body.conversation_format)).toEqual(answers.map(() => 'linear'));
  await server.close();
  const branching = await openTestServer();
  const tree = await createTree(branching);
  const edit = await branching.ask('POST', `/api/trees/${tree.id}/nodes/${tree.nodeIds[0]}/edit`, {
    version: tree.version,
    body: { content: 'Hey' },
  });
  expect(edit.body.conversation_format).toBe('tree');
  await branching.close();
});

/** Wraps a store and records the name of every read. */
function watched(store: Store): { readonly store: Store; readonly asked: string[] } {
  const asked: string[] = [];
  const read: Store['read'] = (id, reading) =>
    store.read(id, function* () {
      const asking = reading();
      let step = asking.next();
      while (!step.done) {
        asked.push(step.value.ask);
        step = asking.next(yield step.value);
      }
      return step.value;
    });
  const watching = new Proxy(store, {
    get(target, key) {
      if (key === 'read') return read;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store: watching, asked };
}

test('[A9] a page makes the same few queries however long it is', async () => {
  const server = await openTestServer();
  const { id, version } = await createTree(
    server,
    Array.from({ length: 200 }, (_, index) => `m${index}`),
  );
  const [last] = (await server.ask('GET', `/api/trees/${id}/page?limit=1`)).body.nodes;
  await server.ask('POST', `/api/trees/${id}/nodes/${last.id}/edit`, { version, body: { content: 'other' } });
  const counts: number[] = [];
  for (const limit of [2, 200]) {
    const { store, asked } = watched(server.store);
    const page = await readThreadPage(store, treeId(id), { limit, siblings: true });
    expect(page.nodes).toHaveLength(limit);
    expect(Object.values(page.variants)).toHaveLength(limit);
    expect(Object.values(page.groups).flat()).toMatchObject([{ text: 'm199' }]);
    counts.push(asked.length);
  }
  expect(counts[1]).toBe(counts[0]);
  expect(counts[0]).toBeLessThanOrEqual(8);
  await server.close();
});

test('[A152] reading further down reads the whole branch once, and sees its changes', async () => {
  const server = await openTestServer();
  const { id, rootId, nodeIds } = await createTree(
    server,
    Array.from({ length: 50 }, (_, index) => `m${index}`),
  );
  const { store, asked } = watched(server.store);
  const seen: string[] = [];
  for (let after: string | null = rootId; after !== null; ) {
    const page = await readThreadPage(store, treeId(id), { after, limit: 20 });
    seen.push(...texts(page.nodes));
    after = page.after;
  }
  expect(seen).toHaveLength(50);
  expect(asked.filter((question) => question === 'pathMeta')).toHaveLength(1);
  const [first, second, third] = nodeIds;
  // New nodes at the end or on other branches, edits and another leaf must not invalidate the cached path.
  const write = async (path: string, body: object) => {
    const now = (await server.ask('GET', `/api/trees/${id}`)).body.version;
    return (await server.ask('POST', `/api/trees/${id}${path}`, { version: now, body })).body;
  };
  const grown = await write('/messages', { messages: [{ role: 'user', content: 'new' }] });
  await write(`/nodes/${third}/edit`, { content: 'm2 again', mode: 'in-place' });
  await write(`/nodes/${second}/edit`, { content: 'm1 beside' });
  const end: string = grown.activeNodeId;
  const below = await readThreadPage(store, treeId(id), { nodeId: end, after: nodeIds[48], limit: 20 });
  expect(texts(below.nodes)).toEqual(['m49', 'new']);
  const above = await readThreadPage(store, treeId(id), { nodeId: nodeIds[3], after: first, limit: 20 });
  expect(texts(above.nodes)).toEqual(['m1', 'm2 again', 'm3']);
  expect(asked.filter((question) => question === 'pathMeta')).toHaveLength(1);
  await server.ask('PUT', `/api/trees/${id}/active`, { body: { nodeId: end } });
  const version = (await server.ask('GET', `/api/trees/${id}`)).body.version;
  await server.ask('DELETE', `/api/trees/${id}/nodes/${second}?mode=splice`, { version });
  const page = await readThreadPage(store, treeId(id), { after: first, limit: 1 });
  expect(page.nodes.map((node) => node.id)).toEqual([third]);
  await expect(readThreadPage(store, treeId(id), { after: second, limit: 1 })).rejects.toMatchObject({
    code: 'tree/not-on-path',
  });
  await server.close();
});
