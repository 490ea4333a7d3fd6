import { expect, test } from 'vitest';
import { openSharedServer, openTestServer, plantTree } from '../../testing/index.ts';

const conversation = [
  { role: 'user', content: 'What is in the file?' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'inner thought' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-use', id: 'c1', name: 'read', parameters: { path: '/home/me/secret.txt' } },
    ],
    meta: { source: { type: 'model', model: 'x/one', usage: { inputTokens: 7 } } },
  },
  { role: 'tool', tool_call_id: 'c1', content: 'tool output' },
  { role: 'assistant', content: 'It says hello.' },
];

test('[A95] what is said in the place of a message later, whole or in part, is not in the link; what is deleted is gone from it', async () => {
  for (const kind of ['memory:', 'sqlite']) {
    const server = await openTestServer({ store: kind });
    const { id, nodeIds } = await plantTree(server, ['one two', 'three', 'four']);
    const shared = await server.ask('POST', `/api/trees/${id}/shares`, { body: {} });
    const seen = async () =>
      (await server.ask('GET', `/api/shared/${shared.body.token}`, { token: null })).body.messages.map(
        (one: { content: readonly { text: string }[] }) => one.content[0]?.text,
      );
    const change = async (method: string, path: string, body?: object) => {
      const { version } = (await server.ask('GET', `/api/trees/${id}`)).body;
      const done = await server.ask(method, `/api/trees/${id}/nodes/${path}`, { version, ...(body && { body }) });
      expect(done.status).toBe(200);
    };
    await change('POST', `${nodeIds[1]}/edit`, { content: 'private', mode: 'in-place' });
    await change('POST', `${nodeIds[1]}/edit`, { content: 'more private', mode: 'in-place' });
    await change('POST', `${nodeIds[0]}/split`, { position: 4 });
    expect(await seen()).toEqual(['one two', 'three', 'four']);
    await change('DELETE', `${nodeIds[1]}`);
    expect(await seen()).toEqual(['one two', 'four']);
    await server.close();
  }
});

test('[A95] a link shows its path as it was, to anybody, and nothing that was not ticked', async () => {
  const server = await openTestServer();
  const made = await server.ask('POST', '/api/trees', {
    body: { title: 'T', systemPrompt: 'hidden prompt', messages: conversation },
  });
  const id: string = made.body.treeId;
  const shared = await server.ask('POST', `/api/trees/${id}/shares`, { body: {} });
  expect([shared.status, shared.body.url]).toEqual([201, `/s/${shared.body.token}`]);
  const messages = [{ role: 'user', content: 'added later' }];
  await server.ask('POST', `/api/trees/${id}/messages`, { version: made.body.version, body: { messages } });
  const seen = await server.ask('GET', `/api/shared/${shared.body.token}`, { token: null });
  expect(seen.headers.get('x-robots-tag')).toContain('noindex');
  expect(seen.body.messages.map((one: { content: unknown }) => one.content)).toEqual([
    [{ type: 'text', text: 'What is in the file?' }],
    [{ type: 'text', text: 'Let me look.' }],
    [{ type: 'text', text: 'It says hello.' }],
  ]);
  const text = JSON.stringify(seen.body);
  for (const inside of [
    'hidden prompt',
    'inner thought',
    'secret.txt',
    'tool output',
    'x/one',
    'inputTokens',
    'added later',
    id,
  ])
    expect(text).not.toContain(inside);
  const fields = ['system-prompt', 'tools', 'thinking', 'models', 'usage', 'times'];
  const all = await server.ask('POST', `/api/trees/${id}/shares`, { body: { fields, nodeId: made.body.activeNodeId } });
  const open = JSON.stringify((await server.ask('GET', `/api/shared/${all.body.token}`, { token: null })).body);
  for (const ticked of [
    'hidden prompt',
    'inner thought',
    'secret.txt',
    'tool output',
    'x/one',
    'inputTokens',
    'createdAt',
  ])
    expect(open).toContain(ticked);
  expect(open).not.toContain('added later');
  await server.close();
});

test('[A96] a link leads nowhere once it is revoked, has run out, or its tree is in the trash; its token is not kept', async () => {
  let now = 1_000;
  const server = await openTestServer({ now: () => now });
  const { id } = await plantTree(server);
  const make = async (body: object = {}) => (await server.ask('POST', `/api/trees/${id}/shares`, { body })).body;
  const status = async (token: string) => (await server.ask('GET', `/api/shared/${token}`, { token: null })).status;
  const [revoked, brief, lasting] = [await make(), await make({ expiresAt: 2_000 }), await make()];
  for (const one of [revoked, brief, lasting]) expect(await status(one.token)).toBe(200);
  const listed = await server.ask('GET', `/api/trees/${id}/shares`);
  expect(listed.body.items.length).toBe(3);
  expect(JSON.stringify(listed.body)).not.toContain(lasting.token);
  await server.ask('DELETE', `/api/shares/${revoked.share.id}`);
  now = 2_000;
  expect([await status(revoked.token), await status(brief.token), await status(lasting.token)]).toEqual([
    404, 404, 200,
  ]);
  await server.ask('DELETE', `/api/trees/${id}`);
  expect(await status(lasting.token)).toBe(404);
  expect(await status('guess')).toBe(404);
  await server.close();
});

test('[A97] links are their owner’s: others neither list nor revoke them', async () => {
  const server = await openSharedServer();
  const { id } = await plantTree(server, ['Hello'], 'ben');
  const { share, token } = (await server.ask('POST', `/api/trees/${id}/shares`, { token: 'ben', body: {} })).body;
  expect((await server.ask('GET', '/api/shares', { token: 'cleo' })).body.items).toEqual([]);
  expect((await server.ask('DELETE', `/api/shares/${share.id}`, { token: 'cleo' })).status).toBe(404);
  expect((await server.ask('GET', `/api/shared/${token}`, { token: null })).status).toBe(200);
  expect((await server.ask('GET', '/api/shares', { token: 'ben' })).body.items.length).toBe(1);
  await server.close();
});
