import { treeId } from '@coppice/core';
import { makeTextEvents } from '@coppice/engine/testing';
import { createTree, openTestServer } from '@coppice/server/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createClient } from './client.ts';
import { createMemoryStorage } from './environment.ts';
import { loadedPath } from './loaded-branch.ts';
import { readEvents } from './read-events.ts';
import type { TreeSession } from './session.ts';

function shown({ state }: TreeSession): readonly string[] {
  return state.part === null ? [] : loadedPath(state.part).map((node) => node.text);
}

const waitOptions = { timeout: 60_000 };

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
  await vi.waitFor(() => expect(session.state.base?.tree.version).toBe(3), waitOptions);
  streams[0]?.abort();
  await vi.waitFor(() => expect(session.state.connected).toBe(false), waitOptions);
  await server.ask('POST', `/api/trees/${id}/messages`, {
    body: { messages: [{ role: 'user', content: 'Three' }] },
    version: 3,
  });
  await vi.waitFor(() => expect(shown(session)).toEqual(['One', 'Two', 'Three']), waitOptions);
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
  await vi.waitFor(() => expect(client.hasWaitingWrites()).toBe(true), waitOptions);
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
