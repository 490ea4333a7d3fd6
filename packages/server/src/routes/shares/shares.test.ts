import { expect, test } from 'vitest';
import { createTree, openSharedServer, openTestServer, type TestServer } from '../../testing/index.ts';

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

test('[A95] a link does not show later versions of a message, in whole or in part; deleted messages disappear from it', async () => {
  for (const kind of ['memory:', 'sqlite']) {
    const server = await openTestServer({ store: kind });
    const { id, nodeIds } = await createTree(server, ['one two', 'three', 'four']);
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

test('[A156] a link shows only the known fields of a block', async () => {
  const server = await openTestServer();
  const secret = 'canary-of-the-client';
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.', 'x-path': secret, cache_control: { note: secret } },
        {
          type: 'image',
          mediaType: 'image/png',
          source: { type: 'url', url: 'https://example.org/a.png', 'x-token': secret },
          'x-path': secret,
        },
        { type: 'x-note', text: secret },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: secret, redacted: secret },
        { type: 'tool-use', id: 'c1', name: 'read', parameters: { path: 'a' }, arguments: secret, 'x-env': secret },
      ],
    },
  ];
  const made = await server.ask('POST', '/api/trees', { body: { messages } });
  const fields = ['tools', 'thinking', 'models', 'usage', 'times', 'system-prompt'];
  const shared = await server.ask('POST', `/api/trees/${made.body.treeId}/shares`, { body: { fields } });
  const seen = await server.ask('GET', `/api/shared/${shared.body.token}`, { token: null });
  expect(JSON.stringify(seen.body)).not.toContain(secret);
  expect(seen.body.messages.map((one: { content: unknown }) => one.content)).toEqual([
    [
      { type: 'text', text: 'Look.' },
      { type: 'image', mediaType: 'image/png', source: { type: 'url', url: 'https://example.org/a.png' } },
    ],
    [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool-use', id: 'c1', name: 'read', parameters: { path: 'a' } },
    ],
  ]);
  await server.close();
});

test('[A156] an edit in place names the links that show the old text, and each can be updated', async () => {
  const server = await openTestServer();
  const { id, nodeIds, version } = await createTree(server, ['one', 'two', 'three']);
  const share = async (body: object) => (await server.ask('POST', `/api/trees/${id}/shares`, { body })).body;
  const [whole, upper, revoked] = [await share({}), await share({ nodeId: nodeIds[0] }), await share({})];
  await server.ask('DELETE', `/api/shares/${revoked.share.id}`);
  const edit = (body: object, seen: number) =>
    server.ask('POST', `/api/trees/${id}/nodes/${nodeIds[1]}/edit`, { version: seen, body });
  const edited = await edit({ content: 'new two', mode: 'in-place' }, version);
  expect(edited.body.outdatedShares.map((one: { id: string }) => one.id)).toEqual([whole.share.id]);
  const texts = async (token: string) =>
    (await server.ask('GET', `/api/shared/${token}`, { token: null })).body.messages.map(
      (one: { content: readonly { text: string }[] }) => one.content[0]?.text,
    );
  expect(await texts(whole.token)).toEqual(['one', 'two', 'three']);
  expect((await server.ask('POST', `/api/shares/${whole.share.id}/update`)).status).toBe(200);
  expect(await texts(whole.token)).toEqual(['one', 'new two', 'three']);
  expect(await texts(upper.token)).toEqual(['one']);
  expect((await server.ask('POST', `/api/shares/${revoked.share.id}/update`)).status).toBe(404);
  const again = await edit({ content: 'a variant' }, edited.body.version);
  expect(again.body.outdatedShares).toBeUndefined();
  await server.close();
});

test('[A95] a link shows its path as it was, to anybody, and only the parts that were selected', async () => {
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

test('[A96] a link stops working when it is revoked, expires, or its tree is in the trash; its token is not stored', async () => {
  let now = 1_000;
  const server = await openTestServer({ now: () => now });
  const { id } = await createTree(server);
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

test('[A96] a link of a disabled user stops working until they are enabled again, attachments included', async () => {
  const server = await openSharedServer();
  const hash = await upload(server, picture, 'image/png', 'ben');
  const body = { messages: [{ role: 'user', content: [imageOf(hash)] }] };
  const id = (await server.ask('POST', '/api/trees', { token: 'ben', body })).body.treeId;
  const { token } = (await server.ask('POST', `/api/trees/${id}/shares`, { token: 'ben', body: {} })).body;
  const statuses = async () => [
    (await server.raw('GET', `/api/shared/${token}`, { token: null })).status,
    (await server.raw('GET', `/api/shared/${token}/attachments/${hash}`, { token: null })).status,
  ];
  const shut = (disabled: boolean) => server.ask('PATCH', '/api/users/ben', { token: 'ada', body: { disabled } });
  expect(await statuses()).toEqual([200, 200]);
  await shut(true);
  expect(await statuses()).toEqual([404, 404]);
  await shut(false);
  expect(await statuses()).toEqual([200, 200]);
  await server.close();
});

test('[A96] a link that would already be expired is refused', async () => {
  const server = await openTestServer({ now: () => 5_000 });
  const { id } = await createTree(server);
  for (const expiresAt of [5_000, 0, -1]) {
    const made = await server.ask('POST', `/api/trees/${id}/shares`, { body: { expiresAt } });
    expect([made.status, made.body.error?.code]).toEqual([400, 'http/invalid']);
  }
  expect((await server.ask('GET', '/api/shares')).body.items).toEqual([]);
  await server.close();
});

test('[A97] only their owner lists or revokes links', async () => {
  const server = await openSharedServer();
  const { id } = await createTree(server, ['Hello'], 'ben');
  const { share, token } = (await server.ask('POST', `/api/trees/${id}/shares`, { token: 'ben', body: {} })).body;
  expect((await server.ask('GET', '/api/shares', { token: 'cleo' })).body.items).toEqual([]);
  expect((await server.ask('DELETE', `/api/shares/${share.id}`, { token: 'cleo' })).status).toBe(404);
  expect((await server.ask('GET', `/api/shared/${token}`, { token: null })).status).toBe(200);
  expect((await server.ask('GET', '/api/shares', { token: 'ben' })).body.items.length).toBe(1);
  await server.close();
});

const picture = new Uint8Array(1_000).map((_, index) => index % 251);

async function upload(server: TestServer, body: Uint8Array, type = 'image/png', token = server.token): Promise<string> {
  return (await server.ask('POST', '/api/attachments', { body, token, headers: { 'content-type': type } })).body.hash;
}

const imageOf = (hash: string) => ({ type: 'image', mediaType: 'image/png', source: { type: 'blob', hash } });

test('[A98] a link serves the pictures and files that it shows to anybody, completely or in ranges, with the same safety headers', async () => {
  const server = await openSharedServer();
  const bens = (bytes: Uint8Array, type?: string) => upload(server, bytes, type, 'ben');
  const shown = await bens(picture);
  const page = await bens(new TextEncoder().encode('<script>alert(1)</script>'), 'text/html');
  const file = { type: 'file', name: 'a.html', mediaType: 'text/html', source: { type: 'blob', hash: page } };
  const body = { messages: [{ role: 'user', content: [imageOf(shown), file] }] };
  const id = (await server.ask('POST', '/api/trees', { token: 'ben', body })).body.treeId;
  const { token } = (await server.ask('POST', `/api/trees/${id}/shares`, { token: 'ben', body: {} })).body;
  const get = (hash: string, headers = {}) =>
    server.raw('GET', `/api/shared/${token}/attachments/${hash}`, { token: null, headers });
  const whole = await get(shown);
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(picture);
  const part = await get(shown, { range: 'bytes=990-' });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 990-999/1000']);
  expect(new Uint8Array(await part.arrayBuffer())).toEqual(picture.slice(990));
  expect((await get(shown, { range: 'bytes=1000-' })).status).toBe(416);
  for (const hash of [shown, page]) {
    const [own, open] = [await server.raw('GET', `/api/attachments/${hash}`, { token: 'ben' }), await get(hash)];
    const differing = new Set(['cache-control', 'x-request-id', 'x-robots-tag']);
    const compared = ({ headers }: Response) => new Map([...headers].filter(([name]) => !differing.has(name)));
    expect(compared(open)).toEqual(compared(own));
    expect(open.headers.get('x-robots-tag')).toContain('noindex');
    // A browser may cache the bytes but has to revalidate them, because the link may be revoked.
    expect(open.headers.get('cache-control')).toBe('private, no-cache');
  }
  expect((await get(shown, { 'if-none-match': `"${shown}"` })).status).toBe(304);
  // The link must not give access to any other route.
  expect((await server.raw('GET', `/api/attachments/${shown}`, { token })).status).toBe(401);
  await server.close();
});

test('[A98] an attachment that the link does not show is unknown: of another branch, a later version, not selected, another user', async () => {
  for (const kind of ['memory:', 'sqlite']) {
    const server = await openTestServer({ store: kind });
    const bytesOf = (text: string) => new TextEncoder().encode(text);
    const hash = new Map<string, string>();
    for (const name of ['first', 'tool', 'beside', 'later', 'edited', 'nowhere'])
      hash.set(name, await upload(server, bytesOf(name)));
    const image = (name: string) => imageOf(hash.get(name) ?? '');
    const messages = [
      { role: 'user', content: [image('first')] },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'c1', name: 'draw', parameters: {} }] },
      { role: 'tool', tool_call_id: 'c1', content: [image('tool')] },
      { role: 'assistant', content: 'Done.' },
    ];
    const made = (await server.ask('POST', '/api/trees', { body: { messages } })).body;
    const at = `/api/trees/${made.treeId}`;
    const share = async (body: object) => (await server.ask('POST', `${at}/shares`, { body })).body.token;
    const [plain, ticked] = [await share({}), await share({ fields: ['tools'] })];
    const seen = async (token: string) => {
      const found: string[] = [];
      for (const [name, one] of hash) {
        const { status } = await server.raw('GET', `/api/shared/${token}/attachments/${one}`, { token: null });
        if (status === 200) found.push(name);
        else expect(status).toBe(404);
      }
      return found;
    };
    expect([await seen(plain), await seen(ticked)]).toEqual([['first'], ['first', 'tool']]);
    const first = made.nodes[0].id;
    const write = async (method: string, path: string, body?: object) => {
      const { version } = (await server.ask('GET', at)).body;
      const done = await server.ask(method, `${at}${path}`, { version, ...(body && { body }) });
      expect([path, done.status, done.body.error]).toEqual([path, 200, undefined]);
    };
    await write('POST', '/messages', { messages: [{ role: 'user', content: [image('later')] }] });
    await write('POST', '/messages', { messages: [{ role: 'user', content: [image('beside')] }], parentId: first });
    await write('POST', `/nodes/${first}/edit`, { content: [image('edited')] });
    expect([await seen(plain), await seen(ticked)]).toEqual([['first'], ['first', 'tool']]);
    await write('DELETE', `/nodes/${first}?mode=splice`);
    expect([await seen(plain), await seen(ticked)]).toEqual([[], ['tool']]);
    await server.close();
  }
});

test('[A98] attachments of a link are gone with it: revoked, expired, or its tree in the trash', async () => {
  let now = 1_000;
  const server = await openTestServer({ now: () => now });
  const hash = await upload(server, picture);
  const body = { messages: [{ role: 'user', content: [imageOf(hash)] }] };
  const id = (await server.ask('POST', '/api/trees', { body })).body.treeId;
  const make = async (wish: object = {}) => (await server.ask('POST', `/api/trees/${id}/shares`, { body: wish })).body;
  const [revoked, brief, lasting] = [await make(), await make({ expiresAt: 2_000 }), await make()];
  // A conditional request must not reveal more either.
  const headers = { 'if-none-match': `"${hash}"` };
  const statuses = async () => {
    const found: number[] = [];
    for (const { token } of [revoked, brief, lasting]) {
      const path = `/api/shared/${token}/attachments/${hash}`;
      found.push((await server.raw('GET', path, { token: null, headers })).status);
    }
    return found;
  };
  expect(await statuses()).toEqual([304, 304, 304]);
  await server.ask('DELETE', `/api/shares/${revoked.share.id}`);
  now = 2_000;
  expect(await statuses()).toEqual([404, 404, 304]);
  await server.ask('DELETE', `/api/trees/${id}`);
  expect(await statuses()).toEqual([404, 404, 404]);
  await server.close();
});

test('[A311] on a server with users a link names the person who shared it, and on others nobody', async () => {
  const server = await openSharedServer();
  const messages = [{ role: 'user', content: 'Hello' }];
  const made = await server.ask('POST', '/api/trees', { token: 'ben', body: { messages } });
  const path = `/api/trees/${made.body.treeId}/shares`;
  const { token } = (await server.ask('POST', path, { token: 'ben', body: {} })).body;
  expect((await server.ask('GET', `/api/shared/${token}`, { token: null })).body.by).toBe('ben');
  await server.close();
  const alone = await openTestServer();
  const { id: own } = await createTree(alone, ['one']);
  const link = (await alone.ask('POST', `/api/trees/${own}/shares`, { body: {} })).body;
  expect('by' in (await alone.ask('GET', `/api/shared/${link.token}`, { token: null })).body).toBe(false);
  await alone.close();
});
