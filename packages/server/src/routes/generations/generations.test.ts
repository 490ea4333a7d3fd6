import { messageKit } from '@coppice/content';
import { nodeId, run as runCommand, treeId } from '@coppice/core';
import { createTools, defineTool, type TurnEvent } from '@coppice/engine';
import { makeTextEvents, makeToolEvents, type ScriptedReply } from '@coppice/engine/testing';
import { expect, test, vi } from 'vitest';
import { recoverRepliesOnce } from '../../live/background-tasks.ts';
import { createTestId, createTree, EventReader, openTestServer, type TestServer } from '../../testing/index.ts';
import { openSharedServer } from '../../testing/shared-server.ts';

/** Returns a reply that streams its first words, then waits until it is released or stopped. */
function gated(first: string, rest = 'through'): { readonly reply: ScriptedReply; goOn(): void } {
  const gate = new AbortController();
  return {
    async *reply(_request, _call, { signal }) {
      yield { type: 'text-delta', text: first };
      const stop = AbortSignal.any([gate.signal, ...(signal === undefined ? [] : [signal])]);
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
      yield* makeTextEvents(rest);
    },
    goOn: () => gate.abort(),
  };
}

async function send(server: TestServer, id: string, more: object = {}) {
  const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
  return server.ask('POST', `/api/trees/${id}/generations`, {
    version,
    body: { type: 'send', messages: [{ role: 'user', content: 'Hi' }], models: ['scripted/one'], ...more },
  });
}

async function through(server: TestServer, act: string): Promise<TurnEvent[]> {
  const reader = new EventReader(await server.raw('GET', `/api/generations/${act}/events`));
  return (await reader.all()).map((event) => event.data);
}

test('[A50] a turn returns 202 once its replies exist, and its events can be read from any index, repeatedly and late', async () => {
  const server = await openTestServer();
  const { id } = await createTree(server, []);
  const begun = await send(server, id);
  expect([begun.status, begun.body.nodes.length]).toEqual([202, 1]);
  const all = await through(server, begun.body.actId);
  expect(all.at(-1)).toMatchObject({ type: 'end', nodeIds: [begun.body.nodes[0].nodeId] });
  const again = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events?from=3`));
  const rest = await again.all();
  expect(rest.map((event) => event.data)).toEqual(all.slice(3));
  expect(rest[0]?.id).toBe('3');
  const resumed = new EventReader(
    await server.raw('GET', `/api/generations/${begun.body.actId}/events`, { headers: { 'last-event-id': '4' } }),
  );
  expect((await resumed.all()).map((event) => event.data)).toEqual(all.slice(5));
  const page = await server.ask('GET', `/api/trees/${id}/page`);
  expect(page.body.nodes.map((node: { text: string }) => node.text)).toEqual(['Hi', 'Hello there, how are you?']);
  await server.close();
});

test('[A51] several models and several replies are one group, and regenerating adds a variant', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['Hello', 'First']);
  const two = await server.ask('POST', `/api/trees/${id}/generations`, {
    version,
    body: { type: 'regenerate', nodeId: nodeIds[1], models: ['scripted/one', 'scripted/two'], n: 2 },
  });
  expect(two.body.nodes.length).toBe(4);
  await through(server, two.body.actId);
  const siblings = await server.ask('GET', `/api/trees/${id}/nodes/${nodeIds[1]}/siblings`);
  expect(siblings.body.total).toBe(5);
  expect(new Set(siblings.body.nodes.map((node: { groupId: number }) => node.groupId)).size).toBe(1);
  await server.close();
});

test('[A194] replies are combined into a new variant that names its sources, and undo removes it', async () => {
  const server = await openTestServer({
    replies: [makeTextEvents('Tea.'), makeTextEvents('Coffee.'), makeTextEvents('Tea [A] or coffee [B].')],
  });
  const { id } = await createTree(server, []);
  const begun = await send(server, id, { n: 2 });
  await through(server, begun.body.actId);
  const nodeIds = begun.body.nodes.map((node: { nodeId: string }) => node.nodeId);
  const combine = async (body: object) => {
    const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
    return server.ask('POST', `/api/trees/${id}/generations`, {
      version,
      body: { type: 'combine', models: ['scripted/one'], ...body },
    });
  };
  expect((await combine({})).body.error.code).toBe('http/invalid');
  expect((await combine({ nodeIds, way: 'louder' })).body.error.code).toBe('http/invalid');
  expect((await combine({ nodeIds: [nodeIds[0]] })).body.error.code).toBe('generate/invalid');
  const made = await combine({ nodeIds, way: 'differences', instructions: 'Be short.' });
  expect(made.status).toBe(202);
  await through(server, made.body.actId);
  const siblings = await server.ask('GET', `/api/trees/${id}/nodes/${nodeIds[0]}/siblings`);
  expect(siblings.body.nodes.map((node: { text: string }) => node.text)).toEqual([
    'Tea.',
    'Coffee.',
    'Tea [A] or coffee [B].',
  ]);
  expect(siblings.body.nodes[2].meta.source.combined_from).toEqual({
    way: 'differences',
    node_ids: nodeIds,
    instructions: 'Be short.',
  });
  const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
  expect((await server.ask('POST', `/api/trees/${id}/undo`, { version })).status).toBe(200);
  expect((await server.ask('GET', `/api/trees/${id}/nodes/${nodeIds[0]}/siblings`)).body.total).toBe(2);
  await server.close();
});

test('[A52] a turn that cannot start is refused with the status of its kind', async () => {
  const server = await openTestServer();
  const { id, version } = await createTree(server, ['Hello']);
  const ask = async (body: object) => {
    const wish = 'expectedVersion' in body ? { body } : { body, version };
    const { status, body: said } = await server.ask('POST', `/api/trees/${id}/generations`, wish);
    return [status, said.error.code];
  };
  expect(await ask({ type: 'reply', parentId: createTestId(), models: ['scripted/one'] })).toEqual([
    404,
    'tree/unknown-node',
  ]);
  expect(await ask({ type: 'send', messages: [], models: ['scripted/one'] })).toEqual([400, 'message/blank']);
  expect(await ask({ type: 'regenerate', models: ['scripted/one'] })).toEqual([400, 'http/invalid']);
  const [status, code] = await ask({ type: 'send', messages: [{ role: 'user', content: 'x' }], models: ['nobody/x'] });
  expect([status, code]).toEqual([404, 'provider/unknown']);
  const stale = {
    type: 'send',
    messages: [{ role: 'user', content: 'x' }],
    models: ['scripted/one'],
    expectedVersion: 1,
  };
  expect(await ask(stale)).toEqual([409, 'tree/version-conflict']);
  await server.close();
});

test('[A53] repeating a request gives the same turn', async () => {
  const { reply, goOn } = gated('not ');
  const server = await openTestServer({ replies: [reply] });
  const { id } = await createTree(server, []);
  const requestId = createTestId();
  const first = await send(server, id, { requestId });
  const again = await send(server, id, { requestId });
  expect(again.body.actId).toBe(first.body.actId);
  goOn();
  await through(server, first.body.actId);
  expect((await server.ask('GET', `/api/trees/${id}/topology`)).body.nodes.length).toBe(2);
  expect(server.provider.requests.length).toBe(1);
  await server.close();
});

test('[A53] repeating a request gives the same turn even with its old version, and after the turn ended', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['Hello', 'First']);
  for (const wish of [
    { type: 'send', messages: [{ role: 'user', content: 'Hi' }] },
    { type: 'reply', parentId: nodeIds[0] },
    { type: 'regenerate', nodeId: nodeIds[1] },
  ]) {
    const { body: seen } = await server.ask('GET', `/api/trees/${id}`);
    const body = { ...wish, models: ['scripted/one'], requestId: createTestId() };
    const first = await server.ask('POST', `/api/trees/${id}/generations`, { version: seen.version, body });
    await through(server, first.body.actId);
    const again = await server.ask('POST', `/api/trees/${id}/generations`, { version: seen.version, body });
    expect([wish.type, again.status]).toEqual([wish.type, 202]);
    expect(again.body.nodes.map((node: { nodeId: string }) => node.nodeId)).toEqual(
      first.body.nodes.map((node: { nodeId: string }) => node.nodeId),
    );
    await through(server, again.body.actId);
  }
  expect(server.provider.requests.length).toBe(3);
  const late = { type: 'regenerate', nodeId: nodeIds[1], models: ['scripted/one'], onConflict: 'branch' };
  const kept = await server.ask('POST', `/api/trees/${id}/generations`, { version, body: late });
  expect(kept.status).toBe(202);
  await server.close();
});

test('[A54] stopping keeps the text, can be repeated, and a reader that disconnects stops nothing', async () => {
  const server = await openTestServer({ replies: [gated('one two').reply] });
  const { id } = await createTree(server, []);
  const begun = await send(server, id);
  const { nodeId } = begun.body.nodes[0];
  const reader = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events`));
  await reader.until((all) => all.some((event) => event.event === 'text-delta'));
  await reader.close();
  expect((await server.ask('GET', `/api/trees/${id}/generations`)).body.items).toMatchObject([{ nodeId }]);
  expect((await server.ask('GET', `/api/trees/${id}/page`)).body.runs[nodeId]).toBe(begun.body.nodes[0].runId);
  expect((await server.ask('POST', `/api/generations/${begun.body.actId}/abort`)).body).toEqual({ aborted: true });
  expect((await server.ask('POST', `/api/generations/${begun.body.actId}/abort`)).body).toEqual({ aborted: false });
  const { node } = (await server.ask('GET', `/api/trees/${id}/nodes/${nodeId}`)).body;
  expect(node.status).toBe('aborted');
  expect(node.text.startsWith('one')).toBe(true);
  expect(server.provider.running).toBe(0);
  await server.close();
});

test('[A54] stopping a finished turn gives the same response from any process, and after it was removed', async () => {
  const server = await openTestServer({ store: 'sqlite', limits: { keepTurnMs: 1 } });
  const other = await openTestServer({ store: `sqlite:${(await server.store.info()).place}` });
  const { id } = await createTree(server, []);
  const begun = await send(server, id);
  const path = `/api/generations/${begun.body.actId}/abort`;
  const isForgotten = async () =>
    (await server.raw('GET', `/api/generations/${begun.body.actId}/events`)).status === 404;
  const reader = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events`));
  await reader.all();
  for (let forgotten = false; !forgotten; forgotten = await isForgotten()) {
    // Lets timers run. Nothing in this test waits for another process.
    await new Promise((resolve) => setTimeout(resolve, 2));
    for (const one of [server, other]) {
      const answer = await one.ask('POST', path);
      expect([answer.status, answer.body]).toEqual([200, { aborted: false }]);
    }
  }
  for (const one of [server, other]) expect((await one.ask('POST', path)).body).toEqual({ aborted: false });
  await other.close();
  await server.close();
});

test('[A55] a reply is followed from any offset and stopped from another process, keeping the stored text', async () => {
  const server = await openTestServer({
    store: 'sqlite',
    replies: [[...makeTextEvents('one, two, three.').slice(0, 3), { type: 'hang' }]],
  });
  const other = await openTestServer({ store: `sqlite:${(await server.store.info()).place}` });
  const { id } = await createTree(server, []);
  const begun = await send(server, id);
  const { nodeId } = begun.body.nodes[0];
  const reader = new EventReader(await other.raw('GET', `/api/trees/${id}/nodes/${nodeId}/stream?offset=4`));
  const text = () => reader.seen.map((event) => event.data.text ?? '').join('');
  await reader.until(() => text().includes('three.'));
  expect('one, two, three.'.slice(4).startsWith(text())).toBe(true);
  expect((await other.ask('POST', `/api/trees/${id}/nodes/${nodeId}/abort`)).body).toEqual({
    aborted: true,
    conversation_format: 'tree',
  });
  expect((await reader.all()).at(-1)?.data).toMatchObject({ type: 'end', status: 'aborted' });
  const { node } = (await server.ask('GET', `/api/trees/${id}/nodes/${nodeId}`)).body;
  expect([node.status, node.text]).toEqual(['aborted', 'one, two, three.']);
  await other.close();
  await server.close();
});

test('[A56] a tool with side effects waits for approval, runs if approved, and is reported if declined', async () => {
  const ran: string[] = [];
  const tools = createTools({
    tools: [
      defineTool({
        name: 'write_note',
        description: 'Writes a note.',
        parameters: { type: 'object', properties: { text: { type: 'string' } } },
        sideEffects: true,
        run: ({ text }) => {
          ran.push(String(text));
          return 'written';
        },
      }),
    ],
  });
  const call = (text: string) => makeToolEvents({ id: `call-${text}`, name: 'write_note', parameters: { text } });
  const server = await openTestServer({
    tools,
    replies: [call('a'), makeTextEvents('done'), call('b'), makeTextEvents('well')],
  });
  const { id } = await createTree(server, []);
  for (const [text, approve] of [
    ['a', true],
    ['b', false],
  ] as const) {
    const begun = await send(server, id, { tools: ['write_note'] });
    const events = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events`));
    const asked = (await events.until((all) => all.some((event) => event.event === 'approval'))).at(-1);
    expect(asked?.data).toMatchObject({ callId: `call-${text}`, name: 'write_note', parameters: { text } });
    const at = `/api/generations/${begun.body.actId}/approvals/call-${text}`;
    expect((await server.ask('POST', at, { body: { approve } })).body).toEqual({ approved: approve });
    expect((await server.ask('POST', at, { body: { approve } })).status).toBe(404);
    expect((await events.all()).at(-1)?.event).toBe('end');
  }
  expect(ran).toEqual(['a']);
  await server.close();
});

test('[A57] a user has a limited number of simultaneous turns', async () => {
  const server = await openTestServer({ replies: [[{ type: 'hang' }]], quotas: { generations: 1 } });
  const { id } = await createTree(server, []);
  expect((await send(server, id)).status).toBe(202);
  expect((await send(server, id)).body.error.code).toBe('http/too-many');
  await server.close();
});

test('[A58] a server that stops interrupts its turns and keeps their text', async () => {
  const server = await openTestServer({ replies: [[...makeTextEvents('so far').slice(0, 1), { type: 'hang' }]] });
  const { id } = await createTree(server, []);
  const begun = await send(server, id);
  const reader = new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  await reader.until((all) => all.some((event) => event.event === 'delta'));
  await server.server.close();
  await reader.all();
  const refused = await server.raw('GET', '/api/trees');
  expect(refused.status).toBe(503);
  const node = await server.store.read(begun.body.treeId, function* () {
    return yield { ask: 'node', id: begun.body.nodes[0].nodeId };
  });
  expect(node).toMatchObject({ status: 'interrupted', text: 'so' });
  await server.close();
});

test('[A59] undo stops a running reply, in this or another process, and removes it', async () => {
  const hanging = [[...makeTextEvents('never through').slice(0, 1), { type: 'hang' } as const]];
  const server = await openTestServer({ store: 'sqlite', replies: hanging });
  const other = await openTestServer({ store: `sqlite:${(await server.store.info()).place}`, replies: hanging });
  const { id, nodeIds } = await createTree(server, ['Hello']);
  for (const writer of [server, other]) {
    const begun = await send(writer, id);
    expect(begun.status).toBe(202);
    // A stale undo does not stop the turn.
    const stale = await server.ask('POST', `/api/trees/${id}/undo`, { version: begun.body.version - 1 });
    expect([stale.status, stale.body.error.code]).toEqual([409, 'tree/version-conflict']);
    expect((await server.ask('GET', `/api/trees/${id}/generations`)).body.items).toHaveLength(1);
    const undone = await server.ask('POST', `/api/trees/${id}/undo`, { version: begun.body.version });
    expect([undone.status, undone.body.activeNodeId]).toEqual([200, nodeIds[0]]);
    expect((await server.ask('GET', `/api/trees/${id}/generations`)).body.items).toEqual([]);
  }
  await other.close();
  await server.close();
});

test('[A170] undo without a tree stops a running reply and removes it', async () => {
  const server = await openTestServer({
    replies: [[...makeTextEvents('never through').slice(0, 1), { type: 'hang' }]],
  });
  const { id, nodeIds } = await createTree(server, ['Hello']);
  expect((await send(server, id)).status).toBe(202);
  const undone = await server.ask('POST', '/api/undo');
  expect([undone.status, undone.body.treeId, undone.body.activeNodeId]).toEqual([200, id, nodeIds[0]]);
  expect((await server.ask('GET', `/api/trees/${id}/generations`)).body.items).toEqual([]);
  await server.close();
});

test('[A195] lost replies of all users are recovered with one query, and users without one cost nothing', async () => {
  const server = await openSharedServer({ store: 'sqlite', generateLimits: { flushMs: 5, followMs: 5, staleMs: 0 } });
  const { services } = server.server;
  const opened = [vi.spyOn(server.store, 'forOwner'), vi.spyOn(server.store.accounts, 'users')];
  expect(await recoverRepliesOnce(services)).toBe(0);
  for (const calls of opened) expect(calls).not.toHaveBeenCalled();
  const replies: { readonly id: string; readonly reply: string; readonly token: string }[] = [];
  for (const token of ['ben', 'cleo']) {
    const store = server.store.forOwner(token);
    const made = await createTree(server, ['Hello'], token);
    const [id, reply, parentId] = [treeId(made.id), nodeId(createTestId()), nodeId(made.nodeIds[0] ?? '')];
    const run = { id: createTestId(), treeId: id, nodeId: reply, process: 'gone', startedAt: 1, beatAt: 1, data: {} };
    await store.runs.start(run);
    const command = { type: 'reply', treeId: id, parentId, replies: [{ id: reply }] } as const;
    await runCommand(store, command, { actor: token, now: () => 1, newId: createTestId, kit: messageKit });
    await store.runs.append(run.id, { offset: 0, text: `text for ${token}` });
    replies.push({ id, reply, token });
  }
  expect(await recoverRepliesOnce(services)).toBe(2);
  for (const { id, reply, token } of replies) {
    const { node } = (await server.ask('GET', `/api/trees/${id}/nodes/${reply}`, { token })).body;
    expect([node.status, node.text]).toEqual(['interrupted', `text for ${token}`]);
  }
  await server.close();
});

test('[A49] a reply whose process is gone is saved with its stored text', async () => {
  const server = await openTestServer({ store: 'sqlite', generateLimits: { flushMs: 5, followMs: 5, staleMs: 0 } });
  const { id, nodeIds } = await createTree(server, ['Hello']);
  const tree = treeId(id);
  const reply = nodeId(createTestId());
  const run = { id: createTestId(), treeId: tree, nodeId: reply, process: 'gone', startedAt: 1, beatAt: 1, data: {} };
  await server.store.runs.start(run);
  const parentId = nodeId(nodeIds[0] ?? '');
  const command = { type: 'reply', treeId: tree, parentId, replies: [{ id: reply }] } as const;
  await runCommand(server.store, command, { actor: 'local', now: () => 1, newId: createTestId, kit: messageKit });
  await server.store.runs.append(run.id, { offset: 0, text: 'as far as it' });
  expect(await recoverRepliesOnce(server.server.services)).toBe(1);
  const { node } = (await server.ask('GET', `/api/trees/${id}/nodes/${reply}`)).body;
  expect([node.status, node.text]).toEqual(['interrupted', 'as far as it']);
  await server.close();
});
