// @module-tag full
/** Two servers on one database: what one server begins, the other one continues or ends. */

import { treeId } from '@coppice/core';
import { createTools, type DailyBudgetUse, defineTool } from '@coppice/engine';
import { makeTextEvents, makeToolEvents } from '@coppice/engine/testing';
import { openStore } from '@coppice/stores';
import {
  type NotificationDroppingProxy,
  startNotificationDroppingProxy,
} from '@coppice/stores/testing/notification-dropping-proxy';
import { createTestDatabase, type TestDatabase } from '@coppice/stores/testing/postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recoverRepliesOnce } from './live/background-tasks.ts';
import {
  createTestId,
  createTree,
  EventReader,
  openTestServer,
  type TestServer,
  type TestServerOptions,
  testToken,
} from './testing/index.ts';

let database: TestDatabase;
let deaf: NotificationDroppingProxy;
let servers: TestServer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  deaf = await startNotificationDroppingProxy(database.url);
});
beforeEach(() => async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});
afterAll(async () => {
  await deaf.close();
  await database.drop();
});

const limits = { flushMs: 20, followMs: 20, lookMs: 50 };

/** Opens two servers on the database. The second one gets no notifications, so it has to poll. */
async function openTwo(options: TestServerOptions = {}): Promise<readonly [TestServer, TestServer]> {
  const open = async (url: string) => {
    const server = await openTestServer({ store: url, generateLimits: limits, ...options });
    servers.push(server);
    return server;
  };
  return [await open(database.url), await open(deaf.url)];
}

/** Sends a message, with the newest version as seen by the other server. */
async function send(server: TestServer, other: TestServer, id: string, more: object = {}) {
  const { version } = (await other.ask('GET', `/api/trees/${id}`)).body;
  return server.ask('POST', `/api/trees/${id}/generations`, {
    version,
    body: { type: 'send', messages: [{ role: 'user', content: 'Hi' }], models: ['scripted/one'], ...more },
  });
}

async function readEvents(server: TestServer, act: string, from = 0): Promise<EventReader> {
  const response = await server.raw('GET', `/api/generations/${act}/events?from=${from}`);
  expect(response.status).toBe(200);
  return new EventReader(response);
}

test('[A315] a code that one server made signs a browser in at the other, once', async () => {
  const [a, b] = await openTwo();
  const code = await a.server.services.signInCodes.make();
  const enter = async (server: TestServer) =>
    (await server.raw('GET', `/?code=${code}`, { token: null })).headers.get('set-cookie');
  const cookies = await Promise.all([b, a, b, a].map(enter));
  expect(cookies.filter((cookie) => cookie !== null)).toHaveLength(1);
  expect(cookies.join()).toContain(`coppice=${testToken}`);
  // The code itself is not stored.
  expect(JSON.stringify(await database.query('SELECT * FROM shared_record'))).not.toContain(code);
});

/** Returns how many seconds are left of the minute by the clock of the database, which counts the requests. */
async function secondsLeft(): Promise<number> {
  const [row] = await database.query('SELECT CAST(extract(epoch FROM clock_timestamp()) AS FLOAT8) AS s');
  return 60 - (Number(row?.['s']) % 60);
}

/** Waits for the next minute if this one may end during a test. */
async function waitForTimeInMinute(): Promise<void> {
  const left = await secondsLeft();
  if (left < 20) await new Promise((resolve) => setTimeout(resolve, left * 1_000 + 500));
}

test('[A316] requests and uploaded bytes are counted by all servers together', async () => {
  const [a, b] = await openTwo({ quotas: { requestsPerMinute: 10, uploadBytesPerDay: 1_000 } });
  await waitForTimeInMinute();
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++)
    statuses.push((await (count % 2 === 0 ? a : b).ask('GET', '/api/me')).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  const upload = (server: TestServer, bytes: number) => server.server.services.usage.upload('ada', bytes);
  await upload(a, 600);
  await expect(upload(b, 500)).rejects.toMatchObject({ code: 'http/too-many' });
  await upload(b, 400);
  await expect(upload(a, 1)).rejects.toMatchObject({ code: 'http/too-many' });
}, 60_000);

test('[A341] a client above its limits is told to wait until the period ends by the clock of the database', async () => {
  await waitForTimeInMinute();
  const [a] = await openTwo({
    quotas: { requestsPerMinute: 1, uploadBytesPerDay: 10 },
    now: () => Date.now() + 25_000,
  });
  const asked = async () => Number((await a.raw('GET', '/api/me')).headers.get('retry-after'));
  await asked();
  for (let count = 0; count < 3; count++) {
    const wanted = await secondsLeft();
    expect(Math.abs((await asked()) - wanted)).toBeLessThan(5);
  }
  const upload = a.server.services.usage.upload('eve', 11);
  await expect(upload).rejects.toMatchObject({ data: { most: 10, retryAfterMs: expect.any(Number) } });
}, 60_000);

test('[A342] a server that was opened while the database took no writes shares everything once it does', async () => {
  const own = await createTestDatabase();
  await (await openStore(own.url)).close();
  const name = new URL(own.url).pathname.slice(1);
  await own.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
  const quotas = { requestsPerMinute: 1_000_000, uploadBytesPerDay: 100 };
  const early = await openTestServer({ store: own.url, generateLimits: limits, quotas });
  servers.push(early);
  const { services } = early.server;
  expect(early.store.shared).toBeNull();
  const code = await services.signInCodes.make();
  expect((await early.raw('GET', `/?code=${code}`, { token: null })).headers.get('set-cookie')).not.toBeNull();
  expect((await early.ask('POST', '/api/trees', { body: {} })).status).toBe(422);
  await own.connected(async (query) => {
    await query('SET default_transaction_read_only = off');
    await query(`ALTER DATABASE "${name}" SET default_transaction_read_only = off`);
    await query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  });
  await expect.poll(async () => (await early.ask('POST', '/api/trees', { body: {} })).status).toBe(201);
  const late = await openTestServer({ store: own.url, generateLimits: limits, quotas });
  servers.push(late);
  await services.usage.upload('ada', 60);
  await expect(late.server.services.usage.upload('ada', 60)).rejects.toMatchObject({ code: 'http/too-many' });
  const shared = await services.signInCodes.make();
  expect((await late.raw('GET', `/?code=${shared}`, { token: null })).headers.get('set-cookie')).not.toBeNull();
  await services.engine.spending.add('2026-11-18', 3, { owner: 'ada', tokens: 1 });
  expect(await late.server.services.engine.spending.on('2026-11-18')).toBe(3);
  const made = await early.ask('POST', '/api/trees', {
    body: { temporary: true, messages: [{ role: 'user', content: 'x' }] },
  });
  expect((await late.ask('GET', `/api/trees/${made.body.treeId}`)).body).toMatchObject({ temporary: true });
  const { id } = await createTree(early, []);
  const sent = await send(early, late, id);
  await readEvents(late, sent.body.actId);
  await Promise.all([early.close(), late.close()]);
  servers = [];
  await own.drop();
}, 60_000);

test('[A317] the turns of a user are limited on all servers together, and one that is stopped by another server ends', async () => {
  const [a, b] = await openTwo({ quotas: { generations: 2 }, replies: [[{ type: 'hang' }]] });
  const { id } = await createTree(a, []);
  const [first, second] = [await send(a, b, id), await send(b, a, id)];
  expect([first.status, second.status]).toEqual([202, 202]);
  expect((await send(a, b, id)).body.error.code).toBe('http/too-many');
  expect((await send(b, a, id)).body.error.code).toBe('http/too-many');
  expect((await b.ask('POST', `/api/generations/${first.body.actId}/abort`)).body).toEqual({ aborted: true });
  await expect.poll(async () => (await send(b, a, id)).status).toBe(202);
});

test('[A318] the spending of a day is that of all servers, and what one reserves the other cannot spend', async () => {
  const [a, b] = await openTwo();
  const [ours, theirs] = [a.server.services.engine.spending, b.server.services.engine.spending];
  const day = '2026-11-18';
  await ours.add(day, 2, { owner: 'ada', tokens: 100 });
  expect(await theirs.on(day)).toBe(2);
  expect((await theirs.byOwner(day)).get('ada')).toEqual({ calls: 1, tokens: 100, usd: 2 });
  const rest = ({ spent, reserved }: DailyBudgetUse) => Math.min(3, 8 - spent - reserved) || null;
  const releases = await Promise.all([ours, theirs, ours].map((spending) => spending.reserve(day, 'ada', rest)));
  expect(releases.filter((release) => release !== null)).toHaveLength(2);
  for (const release of releases) release?.();
  await expect.poll(async () => (await theirs.reserve(day, 'ada', rest)) !== null).toBe(true);
});

test('[A319] every server gives the events of a turn, from any index, and they are the same everywhere', async () => {
  const words = makeTextEvents('One two three four five six seven.');
  const [a, b] = await openTwo({
    replies: [[...words.slice(0, 3), { type: 'wait', ms: 300 }, ...words.slice(3)]],
    generateLimits: { ...limits, heartbeatMs: 100, staleMs: 1_000 },
  });
  const { id } = await createTree(a, []);
  const { actId } = (await send(a, b, id)).body;
  // Both servers are asked while the turn runs.
  const [here, there] = [await readEvents(a, actId), await readEvents(b, actId)];
  const [own, others] = [await here.all(), await there.all()];
  expect(others).toEqual(own);
  expect(own.at(-1)?.event).toBe('end');
  expect(own.filter(({ event }) => event === 'text-delta').length).toBeGreaterThan(1);
  // After the turn has ended, its events can be read from the middle.
  expect(await (await readEvents(b, actId, 3)).all()).toEqual(own.slice(3));
  // Other users do not get the events, and the run with the events is not listed as a reply in progress.
  expect(
    await b.server.services
      .ownerServicesOf('ben')
      .engineOf(b.store.forOwner('ben'))
      .generator.followTurn(actId, 0, new AbortController().signal),
  ).toBeNull();
  expect((await b.ask('GET', `/api/trees/${id}/generations`)).body.items).toEqual([]);
  expect((await b.ask('GET', `/api/generations/${createTestId()}/events`)).status).toBe(404);
  // The events disappear soon after the turn, like a lost run.
  const kept = async () => {
    await recoverRepliesOnce(b.server.services);
    return b.store.runs.find(`events ${actId}`);
  };
  await expect.poll(kept).toBeNull();
});

test('[A320] a tool call is decided on any server, once, and the pages of all servers see the question', async () => {
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
  const [first, second, third] = ['a', 'b', 'c'].map((text) => [call(text), makeTextEvents('done')]);
  const [a, b] = await openTwo({ tools, replies: [...(first ?? []), ...(second ?? []), ...(third ?? [])] });
  const { id } = await createTree(a, []);
  const decide = (server: TestServer, act: string, text: string, body: object) =>
    server.ask('POST', `/api/generations/${act}/approvals/call-${text}`, { body });
  const asked = (act: string, page: EventReader) =>
    page.until((all) => all.some(({ event, data }) => event === 'approval' && data.actId === act));
  const page = new EventReader(await b.raw('GET', `/api/trees/${id}/feed`));

  const one = (await send(a, b, id, { tools: ['write_note'] })).body.actId;
  await asked(one, page);
  expect((await decide(b, one, 'other', { approve: true })).status).toBe(404);
  expect((await decide(b, one, 'a', { approve: true })).body).toEqual({ approved: true });
  expect((await (await readEvents(b, one)).all()).at(-1)?.event).toBe('end');
  expect([(await decide(b, one, 'a', { approve: true })).status, ran]).toEqual([404, ['a']]);

  // Two people decide at the same moment, on two servers.
  const two = (await send(a, b, id, { tools: ['write_note'] })).body.actId;
  await asked(two, page);
  const decisions = await Promise.all([
    decide(a, two, 'b', { approve: true, remember: true }),
    decide(b, two, 'b', { approve: true, remember: true }),
  ]);
  expect(decisions.map(({ status }) => status).sort()).toEqual([200, 404]);
  await (await readEvents(a, two)).all();

  // The other server does not ask again for a tool that was allowed for all further calls.
  const three = (await send(a, b, id, { tools: ['write_note'] })).body.actId;
  expect((await (await readEvents(b, three)).all()).map(({ event }) => event)).not.toContain('approval');
  expect(ran).toEqual(['a', 'b', 'c']);
});

function createNoteTool(ran: string[]) {
  return createTools({
    tools: [
      defineTool({
        name: 'keep_note',
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
}

const noteCall = (text: string) => makeToolEvents({ id: `call-${text}`, name: 'keep_note', parameters: { text } });

test('[A320, A324] a page that is opened while a tool call waits gets the question, on every server', async () => {
  const ran: string[] = [];
  const [a, b] = await openTwo({ tools: createNoteTool(ran), replies: [noteCall('late'), makeTextEvents('done')] });
  const { id } = await createTree(a, []);
  const openPage = async (server: TestServer) => new EventReader(await server.raw('GET', `/api/trees/${id}/feed`));
  const isAsked = (page: EventReader) => page.until((all) => all.some(({ event }) => event === 'approval'));
  const first = await openPage(a);
  const { actId } = (await send(a, b, id, { tools: ['keep_note'] })).body;
  await isAsked(first);
  // One new page is beside an open page, the other is the only page of its server.
  const pages = [await openPage(a), await openPage(b)];
  for (const page of pages) await isAsked(page);
  for (const page of pages.splice(0)) await page.close();
  pages.push(await openPage(b));
  for (const page of pages) await isAsked(page);
  expect(pages[0]?.seen.filter(({ event }) => event === 'approval')).toHaveLength(1);
  await b.ask('POST', `/api/generations/${actId}/approvals/call-late`, { body: { approve: true } });
  await (await readEvents(b, actId)).all();
  expect(ran).toEqual(['late']);
  // The decided call does not wait for approval again.
  const last = await openPage(b);
  await send(a, b, id);
  await last.until((all) => all.some(({ event }) => event === 'commit'));
  expect(last.seen.map(({ event }) => event)).not.toContain('approval');
});

test('[A320] a call is decided although its run lacks it, or was ended by another server', async () => {
  const ran: string[] = [];
  const [a, b] = await openTwo({
    tools: createNoteTool(ran),
    replies: [noteCall('x'), makeTextEvents('done'), noteCall('y'), makeTextEvents('done')],
  });
  const { id } = await createTree(a, []);
  const page = new EventReader(await a.raw('GET', `/api/trees/${id}/feed`));
  const begin = async () => {
    const { actId } = (await send(a, b, id, { tools: ['keep_note'] })).body;
    await page.until((all) => all.some(({ event, data }) => event === 'approval' && data.actId === actId));
    return actId;
  };
  const decide = async (server: TestServer, act: string, text: string) =>
    (await server.ask('POST', `/api/generations/${act}/approvals/call-${text}`, { body: { approve: true } })).status;
  // The run lacks the call, as if the database had been unavailable when the call began to wait.
  const one = await begin();
  await database.query(
    "UPDATE run SET data = CAST(CAST(data AS JSONB) - 'waiting call-x' AS TEXT) WHERE data LIKE '%tools%'",
  );
  await expect.poll(() => decide(b, one, 'x')).toBe(200);
  await (await readEvents(a, one)).all();
  // The run is gone, as if another server had considered this one dead after a long silence.
  const two = await begin();
  await database.query("DELETE FROM run WHERE data LIKE '%tools%'");
  await expect.poll(() => decide(a, two, 'y')).toBe(200);
  await (await readEvents(a, two)).all();
  expect(ran).toEqual(['x', 'y']);
});

test('[A324] a turn is stopped on any server, also between its replies, and in a temporary tree', async () => {
  const [a, b] = await openTwo({ tools: createNoteTool([]), replies: [noteCall('x'), [{ type: 'hang' }]] });
  const abort = async (act: string) => (await b.ask('POST', `/api/generations/${act}/abort`)).body;
  const { id } = await createTree(a, []);
  const { actId } = (await send(a, b, id, { tools: ['keep_note'] })).body;
  const page = new EventReader(await a.raw('GET', `/api/trees/${id}/feed`));
  await page.until((all) => all.some(({ event }) => event === 'approval'));
  // The turn has no run left besides its events, as during a compaction.
  await database.query("DELETE FROM run WHERE data LIKE '%tools%'");
  expect(await abort(actId)).toEqual({ aborted: true });
  expect((await (await readEvents(a, actId)).all()).at(-1)?.event).toBe('error');
  expect(await abort(actId)).toEqual({ aborted: false });
  const made = await a.ask('POST', '/api/trees', {
    body: { temporary: true, messages: [{ role: 'user', content: 'apart' }] },
  });
  const apart = (await send(a, b, made.body.treeId)).body.actId;
  expect(await abort(apart)).toEqual({ aborted: true });
  expect(await abort(createTestId())).toEqual({ aborted: false });
});

test('[A325] a database user who may not create schemas has no temporary trees, is told why, and has everything else', async () => {
  const [owner] = await openTwo();
  const { id } = await createTree(owner, []);
  const role = `limited_${createTestId().replaceAll('-', '')}`;
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'limited'`);
  await database.query('DROP SCHEMA IF EXISTS coppice_temporary CASCADE');
  for (const what of ['TABLES', 'SEQUENCES'])
    await database.query(`GRANT ALL ON ALL ${what} IN SCHEMA public TO ${role}`);
  const url = Object.assign(new URL(database.url), { username: role, password: 'limited' });
  const limited = await openTestServer({ store: url.href, generateLimits: limits });
  servers.push(limited);
  const ask = async (method: string, path: string, body?: object) =>
    (await limited.ask(method, path, body === undefined ? {} : { body })).status;
  expect(await ask('GET', `/api/trees/${createTestId()}`)).toBe(404);
  expect(await ask('GET', `/api/generations/${createTestId()}/events`)).toBe(404);
  expect(await ask('POST', `/api/generations/${createTestId()}/approvals/x`, { approve: true })).toBe(404);
  expect(await ask('POST', `/api/generations/${createTestId()}/abort`)).toBe(200);
  expect((await send(limited, limited, id)).status).toBe(202);
  const messages = [{ role: 'user', content: 'apart' }];
  const refused = await limited.ask('POST', '/api/trees', { body: { temporary: true, messages } });
  expect(refused.body.error.message).toContain('grant CREATE on the database');
  await limited.close();
  servers = servers.filter((server) => server !== limited);
  await database.query(`DROP OWNED BY ${role}`);
  await database.query(`DROP ROLE ${role}`);
});

test('[A321] if the server of a turn ends, the events of the turn end with an error at the others, and its text is kept', async () => {
  const store = await openStore(database.url);
  const generateLimits = { ...limits, heartbeatMs: 100, staleMs: 1_000 };
  const replies = [[...makeTextEvents('It was a dark night.').slice(0, 3), { type: 'hang' as const }]];
  const a = await openTestServer({ store, generateLimits, replies });
  const b = await openTestServer({ store: database.url, generateLimits });
  servers.push(a, b);
  const { id } = await createTree(a, []);
  const { actId, nodes } = (await send(a, b, id)).body;
  const events = await readEvents(b, actId);
  await events.until((all) => all.some(({ event }) => event === 'text-delta'));
  // From here on, nothing of this server reaches the database.
  await store.close();
  while (!events.seen.some(({ event }) => event === 'error')) {
    await recoverRepliesOnce(b.server.services);
    await new Promise((resolve) => setTimeout(resolve, 100));
    if ((await b.store.runs.list()).length === 0) await events.all();
  }
  expect(events.seen.at(-1)?.data).toMatchObject({ type: 'error', code: 'generate/lost' });
  const { node } = (await b.ask('GET', `/api/trees/${id}/nodes/${nodes[0].nodeId}`)).body;
  expect([node.status, node.text]).toEqual(['interrupted', 'It was a']);
});

test('[A322] an import is watched and cancelled on any server', async () => {
  const [a, b] = await openTwo();
  const chats = Array.from({ length: 3_000 }, (_, index) => ({
    id: `chat-${index}`,
    title: `Chat ${index}`,
    messages: [{ role: 'user', content: `Question ${index}` }],
  }));
  const begun = await a.ask('POST', '/api/imports?name=chats.json', {
    body: JSON.stringify(chats),
    headers: { 'content-type': 'application/json' },
  });
  const at = `/api/imports/${begun.body.id}`;
  expect((await b.ask('GET', at)).body.id).toBe(begun.body.id);
  await expect.poll(async () => (await b.ask('GET', at)).body.taken?.stored ?? 0).toBeGreaterThan(0);
  const events = new EventReader(await b.raw('GET', `${at}/events`));
  await events.until((all) => all.length > 0);
  const stopped = (await b.ask('DELETE', at)).body;
  expect(stopped).toMatchObject({ cancelled: true, import: { id: begun.body.id, state: 'cancelled' } });
  expect((await events.all()).at(-1)).toMatchObject({ event: 'end', data: { state: 'cancelled' } });
  for (const server of [a, b]) {
    expect((await server.ask('GET', at)).body.taken).toEqual(stopped.import.taken);
    const { items } = (await server.ask('GET', '/api/imports')).body;
    expect(items.map((item: { id: string }) => item.id)).toEqual([begun.body.id]);
    expect((await server.ask('GET', `${at}/trees`)).body.items[0]).toMatchObject({ title: 'Chat 0', created: true });
  }
  // An import that one server removes from the list is gone from the lists of all servers.
  expect((await b.ask('DELETE', at)).body.cancelled).toBe(false);
  expect((await a.ask('GET', at)).status).toBe(404);
});

test('[A323] a temporary chat begun on one server is continued, kept or discarded on another, and is in no list, search or backup', async () => {
  const [a, b] = await openTwo();
  const begin = async (text: string) => {
    const made = await a.ask('POST', '/api/trees', {
      body: { temporary: true, messages: [{ role: 'user', content: text }] },
    });
    expect([made.status, made.body.result.tree.temporary]).toEqual([201, true]);
    return made.body.treeId as string;
  };
  const [id, other] = [await begin('a secret word'), await begin('another secret')];
  const read = async (server: TestServer) => (await server.ask('GET', `/api/trees/${id}`)).body;
  expect(await read(b)).toMatchObject({ id, temporary: true });
  const { actId } = (await send(b, a, id)).body;
  expect((await (await readEvents(a, actId)).all()).at(-1)?.event).toBe('end');
  expect((await read(a)).version).toBe((await read(b)).version);
  for (const server of [a, b]) {
    expect((await server.ask('GET', '/api/trees')).body.items.map(({ id: one }: { id: string }) => one)).not.toContain(
      id,
    );
    expect((await server.ask('GET', '/api/search?q=secret')).body.items).toEqual([]);
  }
  // Another user does not find the chat.
  const elsewhere = b.server.services.ownerServicesOf('ben');
  expect(await elsewhere.storeOf(treeId(id))).toBe(elsewhere.store);
  // The tables are unlogged, and the main tables do not contain the chat.
  expect(
    await database.query("SELECT relpersistence FROM pg_class WHERE oid = 'coppice_temporary.node'::regclass"),
  ).toEqual([{ relpersistence: 'u' }]);
  expect(
    await database.query('SELECT count(*)::int AS n FROM public.node WHERE content LIKE $1', ['%secret%']),
  ).toEqual([{ n: 0 }]);
  const path = `/api/trees/${id}`;
  const before = (await b.ask('GET', `${path}/path`)).body;
  expect((await a.ask('POST', `${path}/keep`)).status).toBe(200);
  expect(await read(b)).toMatchObject({ id, temporary: false });
  expect((await b.ask('GET', `${path}/path`)).body.nodes?.length).toBe(before.nodes?.length);
  expect((await b.ask('DELETE', `/api/trees/${other}`)).status).toBe(200);
  expect((await a.ask('GET', `/api/trees/${other}`)).status).toBe(404);
  expect(await database.query('SELECT id FROM coppice_temporary.tree')).toEqual([]);
  expect(await database.query('SELECT id FROM coppice_temporary.node')).toEqual([]);
});

test('[A323] temporary chats that nobody changes for a day are deleted', async () => {
  const [a, b] = await openTwo();
  const made = await a.ask('POST', '/api/trees', {
    body: { temporary: true, messages: [{ role: 'user', content: 'old' }] },
  });
  const day = 24 * 60 * 60_000;
  expect(await b.store.shared?.discardUnusedTrees(day)).toBe(0);
  // The time of the tree is that of a server, whose clock may be a year ahead or behind.
  for (const years of [1, -2]) {
    await database.query('UPDATE coppice_temporary.tree SET updated_at = updated_at + $1', [years * 365 * day]);
    expect(await b.store.shared?.discardUnusedTrees(day)).toBe(0);
  }
  const wait = () => database.query('UPDATE coppice_temporary.tree_use SET at = at - $1', [day + 60_000]);
  await wait();
  const path = `/api/trees/${made.body.treeId}`;
  const body = { messages: [{ role: 'user', content: 'more' }] };
  expect((await a.ask('POST', `${path}/messages`, { body, version: made.body.version })).status).toBe(200);
  expect(await b.store.shared?.discardUnusedTrees(day)).toBe(0);
  await wait();
  expect(await b.store.shared?.discardUnusedTrees(day)).toBe(1);
  expect((await a.ask('GET', `/api/trees/${made.body.treeId}`)).status).toBe(404);
});

test('[A323, K117] nothing that is acknowledged is lost if a temporary chat is kept while another server writes', async () => {
  const [a, b] = await openTwo();
  for (const pause of [0, 20, 40, 60, 80]) {
    const begun = await a.ask('POST', '/api/trees', { body: { temporary: true, messages: [] } });
    const id = begun.body.treeId;
    const acknowledged: string[] = [];
    let kept = false;
    const write = async () => {
      for (let { version } = begun.body, n = 0; !kept; n++) {
        const body = { messages: [{ role: n % 2 === 0 ? 'user' : 'assistant', content: `text ${n}` }] };
        const answer = await b.ask('POST', `/api/trees/${id}/messages`, { version, body });
        if (answer.status !== 200 && answer.status !== 201) return;
        acknowledged.push(...answer.body.nodes.map((node: { readonly id: string }) => node.id));
        version = answer.body.version;
      }
    };
    const writing = write();
    await new Promise((resolve) => setTimeout(resolve, pause));
    expect((await a.ask('POST', `/api/trees/${id}/keep`)).status).toBe(200);
    kept = true;
    await writing;
    const stored = await database.query('SELECT id FROM public.node');
    expect(stored.map((row) => row.id)).toEqual(expect.arrayContaining(acknowledged));
  }
});

test('[A323] a page of one server leaves a temporary chat that another server keeps or discards, at once', async () => {
  // Servers that never poll, so that a page that waits for a poll would wait until the test is ended.
  const options = { readOnly: false, pollInterval: 3_600_000 };
  const open = async () => {
    const store = await openStore(database.url, options);
    const server = await openTestServer({ store, generateLimits: limits });
    servers.push(server);
    return server;
  };
  const [a, c] = [await open(), await open()];
  for (const [method, path] of [
    ['POST', '/keep'],
    ['DELETE', ''],
  ] as const) {
    const body = { temporary: true, messages: [{ role: 'user', content: 'x' }] };
    const id = (await a.ask('POST', '/api/trees', { body })).body.treeId;
    const page = new EventReader(await c.raw('GET', `/api/trees/${id}/feed`));
    expect((await a.ask(method, `/api/trees/${id}${path}`)).status).toBe(200);
    await page.all();
  }
});
