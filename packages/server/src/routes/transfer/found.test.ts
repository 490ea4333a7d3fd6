import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventReader, openSharedServer, openTestServer, type TestServer } from '../../testing/index.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coppice-found-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const computer = () => ({ home, env: {}, platform: 'linux' });

function line(name: string, above: string | null, role: 'user' | 'assistant', text: string): string {
  const message =
    role === 'user'
      ? { role, content: text }
      : { role, id: name, type: 'message', model: 'x', content: [{ type: 'text', text }] };
  const at = { sessionId: 's-1', timestamp: '2026-01-02T03:04:05.000Z' };
  return `${JSON.stringify({ type: role, uuid: name, parentUuid: above, message, ...at })}\n`;
}

/** Writes a session of Claude Code, and returns its path. */
function writeSession(...lines: readonly string[]): string {
  const path = join(home, '.claude/projects/-work/s-1.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join(''));
  return path;
}

const first = [line('a', null, 'user', 'Plan a garden'), line('b', 'a', 'assistant', 'With which plants?')];

async function imported(server: TestServer, body: object) {
  const begun = await server.ask('POST', '/api/found/imports', { body });
  expect(begun.status).toBe(202);
  const events = new EventReader(await server.raw('GET', `/api/imports/${begun.body.id}/events`));
  return (await events.all()).at(-1)?.data;
}

test.each([
  ['on the thread of the server', false],
  ['on a thread of its own', true],
])(
  '[FD3] conversations on this computer are listed, imported like an upload, and updated with their sessions, %s',
  async (_, thread) => {
    const server = await openTestServer({ computer: computer(), ...(thread ? { store: 'sqlite', thread } : {}) });
    server.server.services.bound.isLoopback = true;
    expect((await server.ask('GET', '/api/found')).body).toEqual({ offered: true, items: [] });
    expect((await server.ask('POST', '/api/found/imports', { body: { format: 'claude-code' } })).status).toBe(404);
    expect((await server.ask('POST', '/api/found/imports', { body: { format: 'no-program' } })).status).toBe(404);
    const path = writeSession(...first);
    expect((await server.ask('GET', '/api/found')).body.items).toMatchObject([
      { format: 'claude-code', label: 'Claude Code', sessions: 1, folders: [join(home, '.claude/projects')] },
    ]);
    const looked = await imported(server, { format: 'claude-code', dryRun: true });
    expect(looked).toMatchObject({ state: 'done', dryRun: true, taken: { stored: 1 } });
    expect((await server.ask('GET', '/api/trees')).body.items).toEqual([]);
    const done = await imported(server, { format: 'claude-code' });
    expect(done).toMatchObject({ name: 'Claude Code', state: 'done', taken: { stored: 1, merged: 0 } });
    writeFileSync(path, line('c', 'b', 'user', 'Roses'), { flag: 'a' });
    const again = await imported(server, { format: 'claude-code' });
    expect(again).toMatchObject({ state: 'done', taken: { stored: 0, merged: 1 } });
    const { items } = (await server.ask('GET', '/api/trees')).body;
    expect(items.length).toBe(1);
    // The import must make the last message of the session active.
    const { body } = await server.ask('GET', `/api/trees/${items[0].id}/path`);
    expect(JSON.stringify(body)).toContain('Roses');
    await server.close();
  },
);

test('[FD3] a shared server, a server reachable by others, and one without folders search nothing', async () => {
  writeSession(...first);
  const shared = await openSharedServer({ computer: computer() });
  shared.server.services.bound.isLoopback = true;
  const reachable = await openTestServer({ computer: computer() });
  const without = await openTestServer();
  without.server.services.bound.isLoopback = true;
  for (const [server, asked] of [
    [shared, { token: 'ada' }],
    [reachable, {}],
    [without, {}],
  ] as const) {
    expect((await server.ask('GET', '/api/found', asked)).body).toEqual({ offered: false, items: [] });
    const refused = await server.ask('POST', '/api/found/imports', { ...asked, body: { format: 'claude-code' } });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'http/forbidden']);
    expect((await server.ask('GET', '/api/imports', asked)).body.items).toEqual([]);
    await server.close();
  }
});

test('[FD3] imports of conversations on this computer count as imports', async () => {
  writeSession(...first);
  const server = await openTestServer({ computer: computer(), quotas: { imports: 0 } });
  server.server.services.bound.isLoopback = true;
  const refused = await server.ask('POST', '/api/found/imports', { body: { format: 'claude-code' } });
  expect([refused.status, refused.body.error.code]).toEqual([429, 'http/too-many']);
  await server.close();
});
