import { makeTextEvents } from '@coppice/engine/testing';
import { expect, test } from 'vitest';
import {
  createTestId,
  createTree,
  EventReader,
  openTestServer,
  type ReceivedEvent,
  type TestServer,
} from '../../testing/index.ts';

function commits(seen: readonly ReceivedEvent[]): ReceivedEvent[] {
  return seen.filter((event) => event.event === 'commit');
}

async function say(server: TestServer, id: string, content: string): Promise<number> {
  const { body } = await server.ask('GET', `/api/trees/${id}`);
  const messages = [{ role: 'user', content }];
  return (await server.ask('POST', `/api/trees/${id}/messages`, { version: body.version, body: { messages } })).body
    .version;
}

test('[A40] a feed gives every commit once, in order, under its version, with the nodes that it changed', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server);
  const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  await say(server, id, 'one');
  await say(server, id, 'two');
  await server.ask('PUT', `/api/trees/${id}/nodes/${nodeIds[0]}/title`, { body: { title: 'T' } });
  const seen = commits(await reader.until((all) => commits(all).length === 3));
  expect(seen.map((event) => event.id)).toEqual([version + 1, version + 2, version + 3].map(String));
  expect(seen[0]?.data).toMatchObject({ treeId: id, version: version + 1, nodes: [{ text: 'one', seq: 3 }] });
  expect(seen[2]?.data.nodes).toMatchObject([{ id: nodeIds[0], meta: { title: 'T' } }]);
  await reader.close();
  await server.close();
});

test('[A40] a commit that restores a subtree includes it with its bookmarks; a large one has to be read', async () => {
  const server = await openTestServer();
  const small = await createTree(server, ['One', 'Two', 'Three']);
  const large = await createTree(
    server,
    Array.from({ length: 300 }, (_, index) => `m${index}`),
  );
  for (const [{ id, nodeIds }, kept] of [
    [small, 3],
    [large, 0],
  ] as const) {
    await server.ask('PUT', `/api/trees/${id}/nodes/${nodeIds[2]}/bookmark`, { body: { title: 'Here' } });
    const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
    const removed = await server.ask('DELETE', `/api/trees/${id}/nodes/${nodeIds[0]}?mode=cascade`, { version });
    const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed?since=${removed.body.version}`));
    await server.ask('POST', `/api/trees/${id}/undo`, { version: removed.body.version, body: {} });
    const [commit] = commits(await reader.until((all) => commits(all).length === 1));
    const restored = commit?.data.restored[nodeIds[0] ?? ''];
    expect(restored?.nodes.map((node: { id: string }) => node.id) ?? []).toEqual(nodeIds.slice(0, kept));
    if (kept > 0) expect(restored.bookmarks).toMatchObject([{ nodeId: nodeIds[2], title: 'Here' }]);
    await reader.close();
  }
  await server.close();
});

test('[A41] a reader that reconnects with its last event id gets what it missed and nothing twice', async () => {
  for (const store of ['memory:', 'sqlite']) {
    const server = await openTestServer({ store });
    const { id, version } = await createTree(server);
    for (let count = 0; count < 20; count++) await say(server, id, `m${count}`);
    const headers = { 'last-event-id': String(version + 5) };
    const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`, { headers }));
    await reader.until((all) => commits(all).length >= 3);
    const late = say(server, id, 'late');
    const seen = commits(
      await reader.until((all) => commits(all).some((event) => event.data.nodes[0]?.text === 'late')),
    );
    expect(seen.map((event) => Number(event.id))).toEqual(
      Array.from({ length: 16 }, (_, index) => version + 6 + index),
    );
    await late;
    const since = new EventReader(await server.raw('GET', `/api/trees/${id}/feed?since=${version + 19}`));
    expect(commits(await since.until((all) => commits(all).length === 2)).length).toBe(2);
    await Promise.all([reader.close(), since.close()]);
    await server.close();
  }
});

test('[A42] a reader that knows a higher version than the tree has is told to read again', async () => {
  const server = await openTestServer();
  const { id, version } = await createTree(server);
  const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed?since=99`));
  expect(await reader.until((all) => all.length === 1)).toEqual([
    { event: 'reset', id: String(version), data: { version } },
  ]);
  await reader.close();
  await server.close();
});

test('[A313] a reader whose next commits were deleted from the history is told to read again, then follows', async () => {
  for (const store of ['memory:', 'sqlite']) {
    const server = await openTestServer({ store });
    const { id, version } = await createTree(server, ['a']);
    for (const text of ['b', 'c', 'd']) await say(server, id, text);
    const before = Date.now() + 1000;
    expect((await server.store.trimHistory({ before })).trees).toBe(1);
    const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed?since=${version}`));
    const [first] = await reader.until((all) => all.length === 1);
    const latest = version + 3;
    expect(first).toEqual({ event: 'reset', id: String(latest), data: { version: latest } });
    const late = say(server, id, 'late');
    const [commit] = commits(await reader.until((all) => commits(all).length === 1));
    expect(commit?.id).toBe(String(latest + 1));
    await late;
    await reader.close();
    await server.close();
  }
});

test('[A43] text of a reply in progress is sent between its commits, from its beginning for late readers', async () => {
  // The model streams until the second reader has joined, however long that takes.
  const joined = new AbortController();
  const server = await openTestServer({
    replies: [
      function* () {
        for (let count = 0; !joined.signal.aborted; count++)
          yield* [{ type: 'text-delta', text: `word${count} ` } as const, { type: 'wait', ms: 2 } as const];
        yield* makeTextEvents('and the rest');
      },
    ],
    limits: { deltaMs: 5 },
  });
  const { id, version } = await createTree(server, ['Hello']);
  const early = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  const begun = await server.ask('POST', `/api/trees/${id}/generations`, {
    version,
    body: {
      type: 'reply',
      parentId: (await server.ask('GET', `/api/trees/${id}`)).body.activeNodeId,
      models: ['scripted/one'],
    },
  });
  const [{ nodeId }] = begun.body.nodes;
  await early.until((all) => all.filter((event) => event.event === 'delta').length >= 2);
  const late = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  await late.until((all) => all.some((event) => event.event === 'delta'));
  joined.abort();
  for (const reader of [early, late]) {
    const through = (event: ReceivedEvent) =>
      event.event === 'commit' &&
      event.data.nodes.some((node: { id: string; status: string }) => node.id === nodeId && node.status === 'success');
    const seen = await reader.until((all) => all.some(through));
    let text = '';
    for (const { event, data, id: eventId } of seen) {
      if (event !== 'delta') continue;
      expect([eventId, data.nodeId, data.offset]).toEqual([null, nodeId, text.length]);
      text += data.text;
    }
    const [last] = seen.filter(through).flatMap((event) => event.data.nodes);
    expect(last.text.startsWith(text.trimEnd())).toBe(true);
    expect(text.length).toBeGreaterThan(0);
    await reader.close();
  }
  const inserted = commits(early.seen).findIndex((event) =>
    event.data.nodes.some((node: { id: string }) => node.id === nodeId),
  );
  expect(early.seen.findIndex((event) => event.event === 'delta')).toBeGreaterThan(inserted);
  await server.close();
});

test('[A44] commits and replies of another process reach the feed of this one', async () => {
  const seenHere = new AbortController();
  const server = await openTestServer({ store: 'sqlite', limits: { deltaMs: 5 } });
  const other = await openTestServer({
    store: `sqlite:${(await server.store.info()).place}`,
    // The reply ends only after this test has received part of it.
    replies: [
      async function* () {
        yield { type: 'text-delta', text: 'from the other ' } as const;
        await new Promise((resolve) => seenHere.signal.addEventListener('abort', resolve));
        yield* makeTextEvents('process');
      },
    ],
  });
  const { id, version } = await createTree(server, ['Hello']);
  const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  await other.ask('POST', `/api/trees/${id}/generations`, {
    version,
    body: { type: 'send', messages: [{ role: 'user', content: 'Hi' }], models: ['scripted/one'] },
  });
  await reader.until((all) => all.some((event) => event.event === 'delta'));
  seenHere.abort();
  await reader.until((all) =>
    commits(all).some((event) =>
      event.data.nodes.some(
        (node: { status: string; role: string }) => node.role === 'assistant' && node.status === 'success',
      ),
    ),
  );
  await reader.close();
  await other.close();
  await server.close();
});

test('[A45] the list feed reports which of your trees changed and continues after its cursor', async () => {
  const server = await openTestServer();
  const reader = new EventReader(await server.raw('GET', '/api/feed'));
  const { id, version } = await createTree(server);
  const seen = await reader.until((all) => all.some((event) => event.data.version === version));
  expect(seen.every((event) => event.event === 'tree' && event.data.treeId === id)).toBe(true);
  await reader.close();
  const first = seen[0]?.id ?? '';
  const back = new EventReader(await server.raw('GET', '/api/feed', { headers: { 'last-event-id': first } }));
  expect((await back.until((all) => all.length === 1))[0]?.data).toEqual({ treeId: id, version });
  await back.close();
  expect((await server.raw('GET', '/api/feed?since=nonsense')).status).toBe(400);
  await server.close();
});

test('[A46] a reader that lags too far behind is disconnected, others are not, and it can reconnect', async () => {
  const server = await openTestServer({ limits: { backlogBytes: 20_000 } });
  const { id, version } = await createTree(server);
  const slow = await server.raw('GET', `/api/trees/${id}/feed`);
  const quick = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  await quick.until(() => true);
  for (let count = 0; count < 8; count++) {
    await say(server, id, 'x'.repeat(4_000));
    await quick.until((all) => commits(all).length === count + 1);
  }
  await expect(new EventReader(slow).all()).rejects.toThrow('too slow');
  const back = new EventReader(await server.raw('GET', `/api/trees/${id}/feed?since=${version}`));
  expect(commits(await back.until((all) => commits(all).length === 8)).length).toBe(8);
  await Promise.all([quick.close(), back.close()]);
  await server.close();
});

test('[A47] a user has a limited number of streams, and closing one frees its place', async () => {
  const server = await openTestServer({ quotas: { streams: 2 } });
  const { id } = await createTree(server);
  const open = () => server.raw('GET', `/api/trees/${id}/feed`);
  const [one, two] = [await open(), await open()];
  expect((await open()).status).toBe(429);
  await one.body?.cancel();
  const three = await open();
  expect(three.status).toBe(200);
  await Promise.all([two.body?.cancel(), three.body?.cancel()]);
  expect((await server.raw('GET', `/api/trees/${createTestId()}/feed`)).status).toBe(404);
  await server.close();
});
