import { treeId } from '@coppice/core';
import { makeTextEvents } from '@coppice/engine/testing';
import { createTree, openTestServer } from '@coppice/server/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type CoppiceClient, createClient } from './client.ts';
import { createMemoryStorage } from './environment.ts';
import { loadedPath } from './loaded-branch.ts';
import { readEvents } from './read-events.ts';
import { TreeSession } from './session.ts';
import { openNodeClient } from './testing/node-client.ts';

function shown({ state }: TreeSession): readonly string[] {
  return state.part === null ? [] : loadedPath(state.part).map((node) => node.text);
}

const stream =
  ': ping\n\nretry: 1000\n\nid: 4\nevent: commit\ndata: {"n":"ä€😀"}\n\ndata:one\r\ndata: two\r\n\r\nevent: end\ndata\n\n';
const expected = [
  ['commit', '{"n":"ä€😀"}'],
  ['message', 'one\ntwo'],
  ['end', ''],
];

test('[CL9] events are the same in whatever pieces a stream arrives', async () => {
  const bytes = new TextEncoder().encode(stream);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, index) => bytes.slice(at[index], end));
      const seen: string[][] = [];
      await readEvents(new Blob(pieces).stream(), (name, data) => seen.push([name, data]));
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(piece);
          controller.close();
        },
      });
      const cut: string[][] = [];
      await readEvents(body, (name, data) => cut.push([name, data]));
      expect(seen).toEqual(expected);
      expect(cut).toEqual(expected);
    }),
  );
});

test('[CL9] a broken feed is reopened after the last commit, and no commit is missed', async () => {
  const server = await openTestServer();
  const { id } = await createTree(server, ['One']);
  const streams: AbortController[] = [];
  const opened: string[] = [];
  const client = createClient({
    baseUrl: 'http://localhost',
    token: server.token,
    async fetch(request) {
      const response = await server.server.app.request(request);
      if (response.body === null || !request.url.includes('/feed')) return response;
      opened.push(request.url);
      const broken = new AbortController();
      streams.push(broken);
      return new Response(response.body.pipeThrough(new TransformStream(), { signal: broken.signal }), response);
    },
  });
  const session = client.openTree(treeId(id));
  await session.open();
  await session.actions.append('Two');
  await expect.poll(() => session.state.base?.tree.version).toBe(3);
  streams[0]?.abort();
  await expect.poll(() => session.state.connected).toBe(false);
  await server.ask('POST', `/api/trees/${id}/messages`, {
    body: { messages: [{ role: 'user', content: 'Three' }] },
    version: 3,
  });
  await expect.poll(() => shown(session)).toEqual(['One', 'Two', 'Three']);
  expect(opened.at(-1)).toContain('since=3');
  session.close();
  await server.close();
});

test('[CL10] writes wait while the server is away, are shown meanwhile, and are sent in order when it is back', async () => {
  const server = await openTestServer({ replies: [makeTextEvents('Hi.')] });
  const { id } = await createTree(server, ['One']);
  let away = false;
  const client = createClient({
    baseUrl: 'http://localhost',
    token: server.token,
    async fetch(request) {
      if (away) throw new TypeError('fetch failed');
      return server.server.app.request(request);
    },
  });
  const session = client.openTree(treeId(id));
  await session.open();
  away = true;
  const two = session.actions.append('Two');
  await expect.poll(() => client.hasWaitingWrites()).toBe(true);
  const three = session.actions.append('Three');
  expect(shown(session)).toEqual(['One', 'Two', 'Three']);
  expect(session.state.unconfirmed.size).toBe(2);
  away = false;
  session.retry();
  await Promise.all([two, three]);
  expect(client.hasWaitingWrites()).toBe(false);
  const { body } = await server.ask('GET', `/api/trees/${id}/page`);
  expect(body.nodes.map((node: { text: string }) => node.text)).toEqual(['One', 'Two', 'Three']);
  await expect(session.actions.move(body.nodes[0].id, body.nodes[2].id)).rejects.toMatchObject({ status: 422 });
  expect(shown(session)).toEqual(['One', 'Two', 'Three']);
  session.close();
  await server.close();
});

test('[CL37] the feed of a hidden app stays open until its reply has ended, and continues when it is visible', async () => {
  let finish: () => void = () => undefined;
  const replies = [
    async function* () {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      yield* makeTextEvents('Done.');
    },
  ];
  const server = await openTestServer({ replies });
  const { id } = await createTree(server);
  const client = openNodeClient(server);
  let visible = true;
  const listeners = new Set<() => void>();
  const session = new TreeSession(treeId(id), {
    ...client,
    isVisible: () => visible,
    onVisibilityChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const setVisible = (is: boolean) => {
    visible = is;
    for (const listener of listeners) listener();
  };
  const feeds = () => client.requests.filter((request) => request.endsWith('/feed')).length;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  try {
    await session.open();
    await session.actions.send('Go', { models: ['scripted/one'] });
    await expect.poll(() => session.state.live.size).toBe(1);
    setVisible(false);
    await vi.advanceTimersByTimeAsync(20_000);
    finish();
    await expect.poll(() => shown(session).at(-1)).toBe('Done.');
    expect(session.state.live.size).toBe(0);
    // Nothing runs any more, so the feed is closed: what another user adds is shown when the app is visible again.
    await vi.advanceTimersByTimeAsync(10_000);
    const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
    const messages = [{ role: 'user', content: 'Meanwhile' }];
    await server.ask('POST', `/api/trees/${id}/messages`, { version, body: { messages } });
    await vi.advanceTimersByTimeAsync(10_000);
    expect([shown(session).at(-1), feeds()]).toEqual(['Done.', 1]);
    setVisible(true);
    await expect.poll(() => shown(session).at(-1)).toBe('Meanwhile');
    expect(feeds()).toBe(2);
  } finally {
    vi.useRealTimers();
    session.close();
    await server.close();
  }
});

test('[CL11] a token is sent with every request, without a cookie; clock, ids, storage and fetch can be given', async () => {
  const server = await openTestServer();
  const requests: Request[] = [];
  let next = 0;
  const storage = createMemoryStorage();
  const client = createClient({
    baseUrl: 'http://localhost',
    token: server.token,
    storage,
    now: () => 1234,
    newId: () => `00000000-0000-4000-8000-${String(++next).padStart(12, '0')}`,
    async fetch(request) {
      requests.push(request);
      return server.server.app.request(request);
    },
  });
  const { treeId: made } = await client.api.create({ title: 'Mine' });
  const session = client.openTree(made);
  await session.open();
  const writing = session.actions.append('Hello');
  expect(loadedPath(session.state.part ?? expect.fail())).toMatchObject([
    { createdAt: 1234, id: expect.stringMatching(/1$/) },
  ]);
  await writing;
  expect((await client.upload(new Blob(['abc'], { type: 'text/plain' }))).size).toBe(3);
  session.close();
  expect(requests.length).toBeGreaterThan(4);
  for (const request of requests) {
    expect(request.headers.get('authorization')).toBe(`Bearer ${server.token}`);
    expect(request.credentials).toBe('omit');
  }
  await server.close();
});

test('[CL15] an option that is undefined keeps its default, and a fetch that is no function is refused', async () => {
  const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ items: [] }));
  const none = { fetch: undefined, newId: undefined, now: undefined, storage: undefined };
  const client: CoppiceClient = Reflect.apply(createClient, undefined, [{ baseUrl: 'http://127.0.0.1:4747', ...none }]);
  await client.api.trees({});
  expect(asked).toHaveBeenCalledOnce();
  expect(client.newId()).toMatch(/^[0-9a-f-]{36}$/);
  asked.mockRestore();
  expect(() => Reflect.apply(createClient, undefined, [{ fetch: 5 }])).toThrow('`fetch` must be a function');
});

test('[CL38] a misspelt option is refused with the nearest one', () => {
  const misspelt = { baseURL: 'http://127.0.0.1:4747' };
  expect(() => Reflect.apply(createClient, undefined, [misspelt])).toThrow(
    'createClient has no option "baseURL". Did you mean "baseUrl"?',
  );
  expect(() => Reflect.apply(createClient, undefined, ['http://127.0.0.1:4747'])).toThrow('its options as an object');
});

test('[CL15] without the address of a server each request fails with the reason, and no write waits', async () => {
  for (const baseUrl of [undefined, '', 'null', '/api', 'localhost:4747', '127.0.0.1:4747']) {
    const client = createClient({ token: 'a-long-random-token', ...(baseUrl === undefined ? {} : { baseUrl }) });
    const refusal = { code: 'client/no-address', offline: false, message: expect.stringContaining('baseUrl') };
    await expect(client.api.create({})).rejects.toMatchObject(refusal);
    await expect(client.upload(new Blob(['abc']))).rejects.toMatchObject(refusal);
    await expect(client.send('/api/trees')).rejects.toMatchObject(refusal);
    const session = client.openTree('00000000-0000-4000-8000-000000000001');
    await session.open();
    expect(session.state).toMatchObject({ phase: 'failed', problem: refusal });
    session.close();
    expect(client.hasWaitingWrites()).toBe(false);
  }
});

test('[CL11] a given fetch is called without an object, as a browser requires of its own', async () => {
  const server = await openTestServer();
  const client = createClient({
    baseUrl: 'http://localhost',
    token: server.token,
    async fetch(this: unknown, request: Request) {
      if (this !== undefined) throw new TypeError('Illegal invocation');
      return server.server.app.request(request);
    },
  });
  expect((await client.api.create({})).treeId).toBeDefined();
  await server.close();
});

test('[CL31] a tree that could not be read is read when the server responds again; actions before fail with the reason', async () => {
  const server = await openTestServer();
  const { id } = await createTree(server, ['One']);
  let away = true;
  const client = createClient({
    baseUrl: 'http://localhost',
    token: server.token,
    async fetch(request) {
      if (away) throw new TypeError('fetch failed');
      return server.server.app.request(request);
    },
  });
  const [waiting, asking] = [client.openTree(id), client.openTree(id)];
  await Promise.all([waiting.open(), asking.open()]);
  expect(waiting.state).toMatchObject({ phase: 'failed', problem: { offline: true } });
  await expect(waiting.actions.append('Two')).rejects.toThrow('fetch failed');
  await expect(client.openTree(id).actions.send('Two')).rejects.toMatchObject({ code: 'client/not-open' });
  away = false;
  asking.retry();
  for (const session of [asking, waiting]) {
    await expect.poll(() => session.state).toMatchObject({ phase: 'ready', problem: null });
    expect(shown(session)).toEqual(['One']);
  }
  await waiting.actions.append('Two');
  for (const session of [waiting, asking]) await expect.poll(() => shown(session)).toEqual(['One', 'Two']);

  const missing = client.openTree('00000000-0000-4000-8000-000000000001');
  await missing.open();
  await expect(missing.actions.append('Two')).rejects.toThrow('There is no chat');
  for (const session of [waiting, asking, missing]) session.close();
  await server.close();
});

test('[CL32] a session that is closed while it opens follows nothing, and a tree that was deleted for good is not asked for again', async () => {
  const server = await openTestServer();
  const { id } = await createTree(server, ['One']);
  const client = openNodeClient(server);
  client.reads.hold();
  const closed = client.openTree(id);
  const opening = closed.open();
  await expect.poll(() => client.reads.waiting).toBe(1);
  closed.close();
  client.reads.open();
  await opening;
  expect(client.requests.filter((path) => path.endsWith('/feed'))).toEqual([]);

  const open = client.openTree(id);
  await open.open();
  await expect.poll(() => open.state.connected).toBe(true);
  await server.ask('DELETE', `/api/trees/${id}`);
  await server.ask('DELETE', `/api/trees/${id}?purge=true`);
  await expect.poll(() => open.state.phase).toBe('missing');
  open.close();
  await server.close();
});

test('[CL11] the address of the server may end with a slash', async () => {
  const server = await openTestServer();
  const paths: string[] = [];
  const client = createClient({
    baseUrl: 'http://localhost/',
    token: server.token,
    async fetch(request) {
      paths.push(new URL(request.url).pathname);
      return server.server.app.request(request);
    },
  });
  const session = client.openTree((await client.api.create({})).treeId);
  await session.open();
  await expect.poll(() => session.state.connected).toBe(true);
  session.close();
  expect(paths.filter((path) => !path.startsWith('/api/'))).toEqual([]);
  await server.close();
});

test('[CL12] an unsent message is offered to the next program that opens its tree, not to one that is sending it', () => {
  const storage = createMemoryStorage();
  const [first, second] = [createClient({ storage }), createClient({ storage })];
  const tree = treeId('00000000-0000-4000-8000-000000000001');
  const id = first.openTree(tree).actions.newNodeId();
  first.unsent.keep(tree, id, 'Hello', 5);
  expect(first.unsent.of(tree)).toEqual([]);
  expect(second.unsent.of(tree)).toEqual([{ id, text: 'Hello', at: 5 }]);
  second.unsent.drop(tree, id);
  expect(createClient({ storage }).unsent.of(tree)).toEqual([]);
  storage.write(`unsent.${tree}`, 'not JSON');
  expect(second.unsent.of(tree)).toEqual([]);
});
