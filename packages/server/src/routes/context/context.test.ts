import { createEventBus } from '@coppice/engine';
import { makeUsageEvent, type ScriptedReply } from '@coppice/engine/testing';
import { expect, test } from 'vitest';
import { createTestId, createTree, openTestServer } from '../../testing/index.ts';

test('[A105] the context of a model is given with its tokens, its window and the remaining space', async () => {
  const server = await openTestServer();
  const messages = [{ role: 'user', content: 'Hello' }];
  const { treeId, activeNodeId } = (
    await server.ask('POST', '/api/trees', { body: { systemPrompt: 'Be brief.', messages } })
  ).body;
  const { body } = await server.ask('GET', `/api/trees/${treeId}/context?model=scripted/one`);
  expect(body).toMatchObject({
    nodeId: activeNodeId,
    model: 'scripted/one',
    entries: [
      { kind: 'system-prompt', nodeId: null },
      { kind: 'message', nodeId: activeNodeId },
    ],
    compaction: null,
    room: 'ok',
  });
  expect(body.tokens).toBe(body.entries[0].tokens + body.entries[1].tokens);
  expect(body.used).toBeCloseTo(body.estimate.tokens / body.window);
  expect((await server.ask('GET', `/api/trees/${treeId}/context?nodeId=${createTestId()}`)).status).toBe(404);
  expect((await server.ask('GET', `/api/trees/${treeId}/context?model=nobody/x`)).body.error.code).toBe(
    'provider/unknown',
  );
  await server.close();
});

test('[A106] a branch is switched with a summary, merged as one, and compacted; each is one act that can be undone', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c', 'd']);
  const at = `/api/trees/${id}`;
  const summed = { nodeId: nodeIds[1], summary: 'We spoke of c.' };
  expect((await server.ask('POST', `${at}/branch`, { body: summed })).status).toBe(428);
  const left = await server.ask('POST', `${at}/branch`, { version, body: summed });
  expect(left.body.nodes).toMatchObject([{ kind: 'branch-summary', parentId: nodeIds[1] }]);
  await server.ask('POST', `${at}/undo`, { version: version + 1 });
  expect((await server.ask('GET', at)).body.activeNodeId).toBe(nodeIds[3]);
  const plain = await server.ask('POST', `${at}/branch`, { body: { nodeId: nodeIds[1] } });
  expect(plain.body.activeNodeId).toBe(nodeIds[1]);
  const bare = await server.ask('POST', `${at}/merge`, { body: { nodeId: nodeIds[3] } });
  expect(bare.status).toBe(428);
  const seen = (await server.ask('GET', at)).body.version;
  const merged = await server.ask('POST', `${at}/merge`, { version: seen, body: { nodeId: nodeIds[3] } });
  expect(merged.body.nodes).toMatchObject([{ kind: 'branch-summary', marker: { mergedFrom: { nodeId: nodeIds[3] } } }]);
  const early = await server.ask('POST', `${at}/compact`, {
    version: merged.body.version,
    body: { nodeId: nodeIds[3] },
  });
  expect([early.status, early.body.error.code]).toEqual([422, 'context/nothing-to-compact']);
  const long = await createTree(
    server,
    Array.from({ length: 40 }, (_, index) => `Turn ${index}: ${'word '.repeat(120)}`),
  );
  const there = `/api/trees/${long.id}`;
  const compacted = await server.ask('POST', `${there}/compact`, {
    version: long.version,
    body: { model: 'scripted/one', summary: 'All of it.' },
  });
  expect(compacted.body.nodes).toMatchObject([{ kind: 'compaction', text: 'All of it.' }]);
  const { body } = await server.ask('GET', `${there}/context?model=scripted/one`);
  expect(body.compaction).toMatchObject({ summary: 'All of it.' });
  expect(body.entries.length).toBeLessThan(40);
  await server.ask('POST', `${there}/undo`, { version: long.version + 1 });
  expect((await server.ask('GET', `${there}/context?model=scripted/one`)).body.compaction).toBeNull();
  expect(version).toBeLessThan(seen);
  await server.close();
});

test('[A107] a long context is given in pages, with the token count of the whole on every page', async () => {
  const server = await openTestServer();
  const { id, nodeIds } = await createTree(
    server,
    Array.from({ length: 50 }, (_, index) => `Turn ${index}`),
  );
  const at = `/api/trees/${id}/context?model=scripted/one`;
  const whole = (await server.ask('GET', at)).body;
  expect([whole.entries.length, whole.count, whole.before]).toEqual([50, 50, null]);
  const end = (await server.ask('GET', `${at}&limit=20`)).body;
  expect([end.entries.length, end.count, end.before]).toEqual([20, 50, nodeIds[30]]);
  expect([end.tokens, end.estimate, end.shares]).toEqual([whole.tokens, whole.estimate, whole.shares]);
  const above = (await server.ask('GET', `${at}&limit=40&before=${end.before}`)).body;
  expect([...above.entries, ...end.entries]).toEqual(whole.entries);
  expect(above.before).toBeNull();
  const weighed = (await server.ask('GET', `${at}&limit=1`)).body;
  expect(weighed.tokens).toBe(whole.tokens);
  const off = await server.ask('GET', `${at}&before=${createTestId()}`);
  expect([off.status, off.body.error.code]).toEqual([400, 'tree/not-on-path']);
  await server.close();
});

test('[A21] slow operations are refused too if the tree has changed, with the changes since', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['a', 'b', 'c', 'd']);
  const at = `/api/trees/${id}`;
  const later = { version, body: { messages: [{ role: 'user', content: 'meanwhile' }] } };
  await server.ask('POST', `${at}/messages`, later);
  const calls = server.provider.requests.length;
  for (const [path, body] of [
    ['merge', { nodeId: nodeIds[1] }],
    ['branch', { nodeId: nodeIds[1], summarize: true }],
    ['compact', {}],
    ['generations', { type: 'reply', parentId: nodeIds[2], models: ['scripted/one'] }],
    ['generations', { type: 'regenerate', nodeId: nodeIds[1], models: ['scripted/one'] }],
    ['generations', { type: 'send', messages: [{ role: 'user', content: 'x' }], models: ['scripted/one'] }],
  ] as const) {
    expect([path, (await server.ask('POST', `${at}/${path}`, { body })).status]).toEqual([path, 428]);
    const refused = await server.ask('POST', `${at}/${path}`, { version, body });
    expect([path, refused.status, refused.body.error.code]).toEqual([path, 409, 'tree/version-conflict']);
    expect(refused.body.error.data).toMatchObject({ version: version + 1, since: [{ version: version + 1 }] });
  }
  expect(server.provider.requests.length).toBe(calls);
  expect((await server.ask('GET', at)).body.version).toBe(version + 1);
  await server.close();
});

const compactions = [
  ['over HTTP', 'compact', {}],
  ['as a command', 'commands', { line: '/compact' }],
] as const;

test.each(compactions)(
  '[A108] a compaction %s respects the daily budget and hooks that cancel',
  async (_, path, body) => {
    const events = createEventBus();
    const config = [
      '[models."scripted/one"]\nwindow = 100000\nmax_output = 1000\nprice = { input = 100, output = 1000 }',
      '[summaries]\nmodel = "scripted/one"',
      '[budgets]\nday_usd = 6',
    ].join('\n');
    const summary: ScriptedReply = [
      { type: 'text-delta', text: 'In short.' },
      makeUsageEvent(60_000, 100),
      { type: 'end', finishReason: 'stop', raw: 'stop' },
    ];
    const server = await openTestServer({ events, config, replies: [summary] });
    const compact = async () => {
      const texts = Array.from({ length: 40 }, (_turn, index) => `Turn ${index}: ${'word '.repeat(600)}`);
      const { id, version } = await createTree(server, texts);
      const answer = await server.ask('POST', `/api/trees/${id}/${path}`, { version, body });
      const after = await server.ask('GET', `/api/trees/${id}/context?model=scripted/one`);
      return { answer, compaction: after.body.compaction };
    };
    expect((await compact()).compaction).not.toBeNull();
    const { length } = server.provider.requests;
    expect(length).toBe(1);
    // The first compaction cost 6.10 dollars, which is more than the daily budget.
    expect((await compact()).compaction).not.toBeNull();
    expect(server.provider.requests).toHaveLength(length);
    events.before('compact', () => ({ cancel: 'Not now.' }));
    const { answer, compaction } = await compact();
    expect(answer.body.error).toMatchObject({ code: 'event/cancelled', message: 'Not now.' });
    expect(compaction).toBeNull();
    await server.close();
  },
);

test.each([
  ['merge', { summary: 'Given.' }],
  ['merge', { mode: 'messages' }],
  ['merge', {}],
  ['branch', { summary: 'Given.' }],
  ['branch', {}],
] as const)('[A108] a hook can cancel a %s with %j, and is called after it otherwise', async (act, body) => {
  const events = createEventBus();
  const server = await openTestServer({ events });
  const { id, nodeIds, version } = await createTree(server, ['a', 'b']);
  const asked: unknown[] = [];
  const reported: unknown[] = [];
  const remove = events.before(act, (event) => {
    asked.push(event.nodeId);
    return { cancel: 'Not now.' };
  });
  events.after(act, (event) => void reported.push(event.treeId));
  await server.ask('POST', `/api/trees/${id}/branch`, { version, body: { nodeId: nodeIds[0] } });
  reported.length = 0;
  const append = { parentId: nodeIds[0], messages: [{ role: 'user', content: 'c' }] };
  const grown = (await server.ask('POST', `/api/trees/${id}/messages`, { version, body: append })).body.version;
  const post = () =>
    server.ask('POST', `/api/trees/${id}/${act}`, { version: grown, body: { nodeId: nodeIds[1], ...body } });
  expect((await post()).body.error.code).toBe('event/cancelled');
  expect(asked.at(-1)).toBe(nodeIds[1]);
  remove();
  expect((await post()).status).toBe(200);
  expect(reported).toEqual([id]);
  await server.close();
});

test('[A200] the context counts the offered tools, and gives the expected and the highest cost of a reply', async () => {
  // The request selects built-in tools by name.
  const server = await openTestServer({
    config: '[models."scripted/one"]\nwindow = 100000\nmax_output = 5000\nprice = { input = 10, output = 30 }',
  });
  const { id } = await createTree(server, ['Hello', 'A short answer']);
  const read = async (more: string) =>
    (await server.ask('GET', `/api/trees/${id}/context?model=scripted/one${more}`)).body;
  const [bare, offered] = [await read(''), await read('&tools=current_date,nothing')];
  expect(bare.toolDefinitions).toEqual({ count: 0, tokens: 0 });
  expect(offered.toolDefinitions.count).toBe(1);
  expect(offered.tokens).toBe(bare.tokens + offered.toolDefinitions.tokens);
  expect(offered.cost.input).toBeGreaterThan(bare.cost.input);
  expect(offered.expectedCost.total).toBeLessThan(offered.cost.total);
  await server.close();
});
