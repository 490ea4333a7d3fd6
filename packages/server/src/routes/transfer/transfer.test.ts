import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { formats, openInput, wrapBytesAsFile } from '@coppice/content/formats';
import { afterAll, expect, test } from 'vitest';
import { createTree, EventReader, openSharedServer, openTestServer, type TestServer } from '../../testing/index.ts';

const spool = mkdtempSync(join(tmpdir(), 'coppice-transfer-'));
afterAll(() => rmSync(spool, { recursive: true, force: true }));

const auth = { authorization: 'Bearer test-token', 'content-type': 'application/octet-stream' };

function chat(index: number, turns = 1) {
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: 'user', content: `Question ${index}.${turn}` },
    { role: 'assistant', content: `Answer ${index}.${turn}` },
  ]);
  return { id: `chat-${index}`, title: `Chat ${index}`, messages: messages.flat() };
}

const chats = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => chat(index)));

function begin(server: TestServer, body: string, query = '', token?: string) {
  return server.ask('POST', `/api/imports?name=chats.json${query}`, {
    body,
    headers: { 'content-type': 'application/json' },
    ...(token === undefined ? {} : { token }),
  });
}

/** Starts an import and waits until it has ended. */
async function imported(server: TestServer, body: string, query = '', token?: string) {
  const begun = await begin(server, body, query, token);
  expect(begun.status).toBe(202);
  const asked = token === undefined ? {} : { token };
  const events = new EventReader(await server.raw('GET', `/api/imports/${begun.body.id}/events`, asked));
  return (await events.all()).at(-1)?.data;
}

test('[TR1] an upload is imported in the background, and its report is given by its id', async () => {
  const server = await openTestServer({ spool });
  const begun = await begin(server, chats(3), '&format=linear');
  expect([begun.status, begun.body.name, begun.body.size > 300]).toEqual([202, 'chats.json', true]);
  const at = `/api/imports/${begun.body.id}`;
  await new EventReader(await server.raw('GET', `${at}/events`)).all();
  const { body } = await server.ask('GET', at);
  expect(body).toMatchObject({
    state: 'done',
    format: { name: 'linear' },
    error: null,
    taken: { stored: 3, merged: 0 },
  });
  expect(body.report.conversations).toEqual({ read: 3, stored: 3, merged: 0, rejected: 0 });
  expect(body.report.records).toEqual({ read: 6, stored: 6, merged: 0, rejected: 0 });
  expect((await server.ask('GET', '/api/imports')).body.items.map((item: { id: string }) => item.id)).toEqual([
    body.id,
  ]);
  const { items } = (await server.ask('GET', `${at}/trees`)).body;
  expect(items.map((item: { title: string }) => item.title)).toEqual(['Chat 0', 'Chat 1', 'Chat 2']);
  expect((await server.ask('GET', `/api/trees/${items[0].treeId}`)).body.title).toBe('Chat 0');
  const again = await imported(server, chats(4));
  expect(again.report.conversations).toEqual({ read: 4, stored: 1, merged: 3, rejected: 0 });
  await server.close();
});

test('[TR2] events report everything, the last one is the end, and late readers get it too', async () => {
  const server = await openTestServer({ spool });
  const begun = await begin(server, chats(300));
  const at = `/api/imports/${begun.body.id}/events`;
  const gone = new EventReader(await server.raw('GET', at));
  await gone.close();
  const seen = await new EventReader(await server.raw('GET', at)).all();
  expect(seen.map((event) => event.event).filter((name) => name === 'end')).toEqual(['end']);
  expect(seen.at(-1)).toMatchObject({ event: 'end', data: { state: 'done', progress: { conversations: 300 } } });
  const late = await new EventReader(await server.raw('GET', at)).all();
  expect(late).toEqual([seen.at(-1)]);
  expect(server.server.services.usage.streams).toBe(0);
  await server.close();
});

test('[TR3] an import is stopped between two conversations, imported ones stay complete, and the next import adds the rest', async () => {
  const server = await openTestServer({ store: 'sqlite', spool });
  const begun = await begin(server, chats(150));
  const at = `/api/imports/${begun.body.id}`;
  // The test polls between two conversations, because an event might arrive after all conversations are stored.
  while ((await server.ask('GET', at)).body.taken.stored === 0) await setImmediate();
  const stopped = (await server.ask('DELETE', at)).body;
  expect(stopped).toMatchObject({ cancelled: true, import: { state: 'cancelled', error: { code: 'import/aborted' } } });
  const { stored } = stopped.import.taken;
  expect(stored).toBeLessThan(150);
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: { id: string; messageCount: number }[]; cursor: string | null } = (
      await server.ask('GET', `/api/trees?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    ).body;
    for (const tree of page.items) expect(tree.messageCount ?? 2).toBe(2);
    count += page.items.length;
    cursor = page.cursor;
  }
  expect(count).toBe(stored);
  expect((await server.ask('GET', at)).body.state).toBe('cancelled');
  expect((await server.ask('DELETE', at)).body.cancelled).toBe(false);
  expect((await server.ask('GET', at)).status).toBe(404);
  const rest = await imported(server, chats(150));
  expect(rest.report.conversations).toEqual({ read: 150, stored: 150 - stored, merged: stored, rejected: 0 });
  await server.close();
});

test('[TR4] a dry run stores nothing and reports what would happen; a strict import refuses flawed input with reasons', async () => {
  const server = await openTestServer({ spool });
  const dry = await imported(server, chats(2), '&dryRun=true');
  expect(dry).toMatchObject({ state: 'done', dryRun: true, report: { conversations: { stored: 2 } } });
  const flawed = JSON.stringify([chat(1), 'no conversation']);
  const strict = await imported(server, flawed, '&strict=true');
  expect(strict).toMatchObject({ state: 'failed', strict: true, error: { code: 'import/strict', kind: 'refused' } });
  const { items } = (await server.ask('GET', `/api/imports/${strict.id}/findings`)).body;
  expect(items[0]).toMatchObject({ severity: 'loss', place: expect.stringContaining('chats.json') });
  expect((await server.ask('GET', '/api/trees')).body.items).toEqual([]);
  const nonsense = await imported(server, 'nothing that anybody could read');
  expect(nonsense).toMatchObject({ state: 'failed', error: { code: 'import/unknown-format' } });
  const unknown = await imported(server, chats(1), '&format=no-such');
  expect(unknown.error.code).toBe('import/unknown-format');
  await server.close();
});

test('[TR6] an upload past the size limit, an empty one and one past the daily limit are refused and leave nothing', async () => {
  const server = await openTestServer({ spool, limits: { importBytes: 2_000 }, quotas: { uploadBytesPerDay: 500 } });
  const large = await begin(server, 'x'.repeat(2_001));
  expect([large.status, large.body.error.code]).toEqual([413, 'http/too-large']);
  expect((await begin(server, '')).status).toBe(400);
  expect((await begin(server, chats(2))).status).toBe(202);
  const more = await begin(server, chats(2));
  expect([more.status, more.body.error.code]).toEqual([429, 'http/too-many']);
  expect((await server.ask('GET', '/api/imports')).body.items.length).toBe(1);
  expect(readdirSync(spool)).toEqual([]);
  await server.close();
});

test('[TR6] the size limit of an upload comes from the configuration, unless the caller overrides it', async () => {
  const config = '[server]\nimport_bytes = 2000';
  for (const [limits, status] of [
    [{}, 413],
    [{ importBytes: 3_000 }, 202],
  ] as const) {
    const server = await openTestServer({ spool, config, limits });
    expect((await begin(server, chats(2).padEnd(2_001))).status).toBe(status);
    await server.close();
  }
});

/** Starts an upload that continues until `end` is called. */
function slowUpload(server: TestServer, token: string) {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
      opened.enqueue(new TextEncoder().encode('['));
    },
  });
  const asked: RequestInit = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  };
  const answer = Promise.resolve(server.server.app.request('/api/imports', asked));
  return {
    answer,
    end: () => {
      controller?.enqueue(new TextEncoder().encode(`${JSON.stringify(chat(1))}]`));
      controller?.close();
    },
    breakOff: () => controller?.error(new Error('The line is dead.')),
  };
}

test('[TR7] a user has a limited number of imports, uploads included, and one that ends or fails frees its place', async () => {
  const server = await openSharedServer({ spool });
  const [first, second] = [slowUpload(server, 'ben'), slowUpload(server, 'ben')];
  await expect.poll(() => server.server.services.imports.running).toBe(2);
  // The spool file is unlinked when it is opened, which may be a moment after the upload is counted.
  await expect.poll(() => readdirSync(spool)).toEqual([]);
  const third = await begin(server, chats(1), '', 'ben');
  expect([third.status, third.body.error.code]).toEqual([429, 'http/too-many']);
  expect((await imported(server, chats(1), '', 'cleo')).state).toBe('done');
  first.end();
  expect((await first.answer).status).toBe(202);
  second.breakOff();
  expect((await second.answer).status).toBeGreaterThanOrEqual(400);
  await expect.poll(() => server.server.services.imports.running).toBe(0);
  expect((await imported(server, chats(1), '', 'ben')).state).toBe('done');
  await server.close();
});

test('[TR7] an upload that stops arriving is dropped, and frees its place', async () => {
  const server = await openTestServer({ spool, limits: { uploadWindowMs: 50 } });
  const answer = await slowUpload(server, 'test-token').answer;
  expect([answer.status, (await answer.json()) as unknown]).toMatchObject([408, { error: { code: 'http/too-slow' } }]);
  expect(server.server.services.imports.running).toBe(0);
  await server.close();
});

test('[TR8] findings and trees are given page by page, losses first', async () => {
  const server = await openTestServer({ spool });
  const many = [...Array.from({ length: 120 }, (_, index) => chat(index)), 'no conversation'];
  const { id, report } = await imported(server, JSON.stringify(many));
  expect(report.conversations.stored).toBe(120);
  const first = (await server.ask('GET', `/api/imports/${id}/trees?limit=100`)).body;
  expect([first.items.length, first.cursor]).toEqual([100, '100']);
  const rest = (await server.ask('GET', `/api/imports/${id}/trees?limit=100&cursor=${first.cursor}`)).body;
  expect([rest.items.length, rest.cursor]).toEqual([20, null]);
  const { items } = (await server.ask('GET', `/api/imports/${id}/findings`)).body;
  expect(items[0]).toMatchObject({ severity: 'loss', rejected: 1, place: expect.stringContaining('120') });
  expect((await server.ask('GET', `/api/imports/${id}/trees?cursor=x`)).status).toBe(400);
  await server.close();
});

test('[TR9] imports of other users are unknown, and a viewer can export trees but import none', async () => {
  const server = await openSharedServer({ spool });
  const { id } = await imported(server, chats(1), '', 'ben');
  for (const path of ['', '/events', '/findings', '/trees'])
    expect((await server.raw('GET', `/api/imports/${id}${path}`, { token: 'cleo' })).status).toBe(404);
  expect((await server.ask('DELETE', `/api/imports/${id}`, { token: 'ada' })).status).toBe(404);
  expect((await server.ask('GET', '/api/imports', { token: 'cleo' })).body.items).toEqual([]);
  expect((await begin(server, chats(1), '', 'vic')).status).toBe(403);
  expect((await server.raw('GET', '/api/export?format=archive', { token: 'vic' })).status).toBe(200);
  const all = await (await server.raw('GET', '/api/export?format=linear', { token: 'cleo' })).arrayBuffer();
  expect(Buffer.from(all).includes('Question')).toBe(false);
  await server.close();
});

test('[TR10] a server that stops ends its imports and deletes the uploads', async () => {
  const server = await openTestServer({ store: 'sqlite', spool });
  const begun = await begin(server, chats(400));
  const live = await server.server.services.imports.find(server.store.owner, begun.body.id);
  await server.server.close();
  expect(live?.state).toBe('cancelled');
  expect(server.server.services.imports.running).toBe(0);
  await server.close();
});

test('[TR5] a large upload over a socket is never held in memory, and an interrupted one is deleted', async () => {
  const server = await openTestServer({ spool, limits: { importBytes: 400 * 1024 ** 2 } });
  const { port } = await server.listen();
  const total = 200 * 1024 ** 2;
  const piece = Buffer.alloc(256 * 1024, ' ');
  let most = 0;
  const send = (breakOffAt: number) =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request(
        { port, host: '127.0.0.1', method: 'POST', path: '/api/imports', headers: auth },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      ).on('error', reject);
      let sent = 0;
      const more = () => {
        for (;;) {
          most = Math.max(most, process.memoryUsage().arrayBuffers);
          if (sent >= breakOffAt) {
            call.destroy();
            return;
          }
          if (sent >= total) {
            call.end();
            return;
          }
          sent += piece.length;
          if (!call.write(piece)) break;
        }
        call.once('drain', more);
      };
      more();
    });
  const before = process.memoryUsage().arrayBuffers;
  expect(await send(Number.POSITIVE_INFINITY)).toBe(202);
  // The bound is half of the sent bytes, because garbage collection may run late on a busy machine.
  expect(most - before).toBeLessThan(total / 2);
  await expect(send(20 * 1024 ** 2)).rejects.toThrow();
  const { imports } = server.server.services;
  await expect.poll(() => imports.running).toBe(0);
  expect(readdirSync(spool)).toEqual([]);
  await server.close();
});

test('[TR6] over a socket, too, an upload that declares too large a size is refused before it is sent', async () => {
  const server = await openTestServer({ spool, limits: { importBytes: 1_000 } });
  const { url } = await server.listen();
  const answer = await fetch(`${url}/api/imports`, { method: 'POST', headers: auth, body: Buffer.alloc(5_000_000) });
  expect([answer.status, (await answer.json()) as unknown]).toMatchObject([413, { error: { code: 'http/too-large' } }]);
  await server.close();
});

test('[TR11] a tree, a branch or a path is exported as a download that browsers never open as a page', async () => {
  const server = await openTestServer();
  const { id, nodeIds } = await createTree(server, ['Hello', 'Hi!', 'Bye', 'See you']);
  await server.ask('PATCH', `/api/trees/${id}`, { body: { title: 'Tea / "Büro"' } });
  const page = await server.raw('GET', `/api/trees/${id}/export?format=html`);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  expect(page.headers.get('content-disposition')).toBe(
    `attachment; filename="Tea B_ro.html"; filename*=UTF-8''Tea%20B%C3%BCro.html`,
  );
  expect(await page.text()).toContain('See you');
  const linear = async (query: string) => {
    const answer = await server.raw('GET', `/api/trees/${id}/export?format=linear${query}`);
    const { messages }: { messages: { content: string }[] } = JSON.parse(await answer.text());
    return messages.map((message) => message.content);
  };
  expect(await linear('')).toEqual(['Hello', 'Hi!', 'Bye', 'See you']);
  expect(await linear(`&what=path&node=${nodeIds[1]}`)).toEqual(['Hello', 'Hi!']);
  expect(await linear(`&node=${nodeIds[0]}`)).toEqual(['Hello']);
  expect(await linear(`&what=branch&node=${nodeIds[2]}`)).toEqual(['Hello', 'Hi!', 'Bye', 'See you']);
  const other = await createTree(server, ['Else']);
  const refused: [string, number, string][] = [
    ['format=no-such', 400, 'import/unknown-format'],
    ['format=claude-ai', 422, 'import/no-writer'],
    ['format=linear&what=branch', 400, 'http/invalid'],
    [`format=linear&what=tree&node=${nodeIds[0]}`, 400, 'http/invalid'],
    [`format=linear&node=${other.nodeIds[0]}`, 404, 'tree/unknown-node'],
    ['format=linear&node=x', 400, 'id/invalid'],
  ];
  for (const [query, status, code] of refused)
    for (const path of ['export', 'export/report']) {
      const answer = await server.ask('GET', `/api/trees/${id}/${path}?${query}`);
      expect([query, answer.status, answer.body.error.code]).toEqual([query, status, code]);
    }
  const passing = await server.ask('POST', '/api/trees', {
    body: { temporary: true, messages: [{ role: 'user', content: 'Not for long' }] },
  });
  const kept = await server.raw('GET', `/api/trees/${passing.body.treeId}/export?format=markdown`);
  expect([kept.status, await kept.text()]).toEqual([200, expect.stringContaining('Not for long')]);
  const head = await server.raw('HEAD', `/api/trees/${id}/export?format=html`);
  expect([head.status, await head.text()]).toEqual([200, '']);
  await server.close();
});

test('[TR12] everything is exported as one archive that another server imports completely, or as a zip with a file for each', async () => {
  const server = await openTestServer();
  const ids = [(await createTree(server, ['One'])).id, (await createTree(server, ['Two'])).id];
  await server.ask('DELETE', `/api/trees/${ids[1]}`);
  const archive = await (await server.raw('GET', '/api/export?format=archive&trashed=true')).text();
  const other = await openTestServer({ spool });
  const back = await imported(other, archive);
  expect(back.report.conversations).toEqual({ read: 2, stored: 2, merged: 0, rejected: 0 });
  expect((await other.ask('GET', `/api/trees/${ids[0]}`)).status).toBe(200);
  await other.close();
  await server.ask('POST', `/api/trees/${ids[1]}/restore`);
  const zip = await server.raw('GET', '/api/export?format=markdown');
  expect(zip.headers.get('content-type')).toBe('application/zip');
  expect(zip.headers.get('content-disposition')).toMatch(/^attachment; filename="coppice-\d{4}-\d\d-\d\d\.zip"/);
  const bytes = new Uint8Array(await zip.arrayBuffer());
  const { files } = await openInput({ files: [wrapBytesAsFile('all.zip', bytes)] });
  expect(files.map((file) => file.name).toSorted()).toEqual(ids.map((id) => `${id}.md`).toSorted());
  for (const file of files) {
    let text = '';
    for await (const piece of file.stream()) text += Buffer.from(piece).toString();
    expect(text).toMatch(/One|Two/);
  }
  await server.close();
});

test('[TR13] the report of an export names what its format cannot hold in advance, with correct totals', async () => {
  const server = await openTestServer();
  const { id, nodeIds } = await createTree(server, ['Hello', 'Hi!']);
  await server.ask('PUT', `/api/trees/${id}/nodes/${nodeIds[1]}/bookmark`, { body: { title: 'here' } });
  const { body } = await server.ask('GET', `/api/trees/${id}/export/report?format=linear`);
  expect(body).toMatchObject({ format: 'linear', trees: 1, counts: { bookmarks: 1 } });
  expect(body.nodes).toEqual({ read: 2, written: 2, merged: 0, left: 0 });
  expect(body.losses[0].place).toContain(nodeIds[1]);
  expect((await server.ask('GET', '/api/export/report?format=archive')).body).toMatchObject({ trees: 1, losses: [] });
  const listed = (await server.ask('GET', '/api/formats')).body.items;
  expect(listed.length).toBe(formats.length);
  for (const what of Object.keys(body.counts))
    expect(listed.find((one: { name: string }) => one.name === 'linear').writes.loses).toHaveProperty(what);
  await server.close();
});

test('[TR14] a reader who disconnects ends the export, and downloads count among the streams of a user', async () => {
  const server = await openTestServer({ quotas: { streams: 1 } });
  const long = 'word '.repeat(20_000);
  await createTree(
    server,
    Array.from({ length: 40 }, () => long),
  );
  const first = await server.raw('GET', '/api/export?format=archive');
  const reader = first.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  expect((await server.raw('GET', '/api/export?format=archive')).status).toBe(429);
  await reader?.cancel();
  expect(server.server.services.usage.streams).toBe(0);
  const whole = await (await server.raw('GET', '/api/export?format=archive')).text();
  expect(whole.length).toBeGreaterThan(40 * long.length);
  expect(server.server.services.usage.streams).toBe(0);
  expect((await server.raw('GET', '/api/export?format=claude-ai')).status).toBe(422);
  expect(server.server.services.usage.streams).toBe(0);
  await server.close();
});
