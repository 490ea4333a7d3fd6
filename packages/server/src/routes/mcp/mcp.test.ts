import { buildSubAgentLink, messageKit } from '@coppice/content';
import { run, treeId } from '@coppice/core';
import { createMcpClient, createMemoryToolPinStore, newId, parseConfig } from '@coppice/engine';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer, type TestServerOptions, testToken } from '../../testing/index.ts';
import { productVersion } from '../../version.ts';

let server: TestServer | null = null;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await server?.close();
  server = null;
});

/** Opens a second Coppice server that uses the first one as an MCP server. */
async function connected(mcpWrites: boolean) {
  server = await openTestServer({ store: 'sqlite', mcpWrites });
  const listening = await server.listen();
  closing.push(() => listening.close());
  const text = `[mcp.servers.past]\nurl = "${listening.url}/mcp"\napi_key = "${testToken}"\n`;
  const client = createMcpClient({
    config: parseConfig({ name: 'c.toml', text }, {}),
    pins: createMemoryToolPinStore(),
  });
  closing.push(() => client.close());
  await client.start();
  const call = async (name: string, parameters: object) => {
    const result = await client.tools.call(
      { id: 'c', name: `past__${name}`, parameters: JSON.parse(JSON.stringify(parameters)) },
      { approve: ({ hash }) => ({ approved: true, hash }) },
    );
    const [block] = result.message.content;
    const said = block !== undefined && 'text' in block ? String(block.text) : '';
    return { error: result.error, said };
  };
  return { server, client, call };
}

/** Connects the official MCP client over HTTP. */
async function official(options: TestServerOptions = {}) {
  server = await openTestServer({ store: 'sqlite', ...options });
  const listening = await server.listen();
  closing.push(() => listening.close());
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${testToken}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${listening.url}/mcp`), { requestInit: { headers } }),
  );
  closing.push(() => client.close());
  const call = async (name: string, words: Readonly<Record<string, unknown>>) => {
    const { content, isError } = await client.callTool({ name, arguments: words });
    const [first] = content;
    return { isError: isError === true, said: first?.type === 'text' ? first.text : '' };
  };
  return { server, client, call };
}

describe('the MCP server and the official client', () => {
  it('[MS5] every tool declares its arguments and whether it changes anything', async () => {
    const { client } = await official({ mcpWrites: true });
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint]));
    expect(hints).toEqual({
      list: true,
      search: true,
      'read-thread': true,
      'read-tree': true,
      compare: true,
      append: false,
      branch: false,
      bookmark: false,
      summarise: false,
    });
    for (const tool of tools) {
      expect(tool.description?.length).toBeGreaterThan(20);
      expect(tool.annotations).toMatchObject({ openWorldHint: false });
      if (tool.annotations?.readOnlyHint === false) expect(tool.annotations.destructiveHint).toBe(false);
      expect(tool.inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
    }
  });

  it('[MS2] only the configuration allows agents to write over HTTP', async () => {
    const reading = await official();
    const names = (await reading.client.listTools()).tools.map((tool) => tool.name);
    expect(names).not.toContain('append');
    const { treeId } = await sample(reading.server);
    await expect(reading.call('append', { tree: treeId, text: 'No.' })).rejects.toThrow('append');
    for (const close of closing.splice(0).reverse()) await close();
    await reading.server.close();
    const writing = await official({ config: '[mcp]\nwrites = true\n' });
    expect((await writing.client.listTools()).tools.map((tool) => tool.name)).toContain('append');
  });

  it('[MS6] trees and threads are resources, and omitted messages are counted', async () => {
    const { server: own, client } = await official();
    const { treeId, nodeIds } = await sample(own);
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: `coppice://trees/${treeId}`, name: 'Woods' }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((one) => one.uriTemplate).sort()).toEqual([
      'coppice://trees/{tree}',
      'coppice://trees/{tree}/nodes/{node}',
      'coppice://trees/{tree}/nodes/{node}/pictures/{index}',
    ]);
    const textOf = async (uri: string) => {
      const [first] = (await client.readResource({ uri })).contents;
      return first !== undefined && 'text' in first ? first.text : '';
    };
    expect(JSON.parse(await textOf(`coppice://trees/${treeId}`))).toMatchObject({
      left: 0,
      nodes: nodeIds.map((id) => ({ id })),
    });
    expect(await textOf(`coppice://trees/${treeId}/nodes/${nodeIds[1]}`)).toBe(
      '## user\n\nTell me about the oak.\n\n## assistant\n\nIt is old.',
    );
    for (const uri of ['coppice://trees/nonsense', `coppice://trees/${treeId}/nodes/${treeId}`, 'file:///etc/passwd'])
      await expect(client.readResource({ uri })).rejects.toThrow();
  });

  it('[MS6] a prompt gives a thread to continue', async () => {
    const { server: own, client } = await official();
    const { treeId: id, nodeIds } = await sample(own);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'continue-branch' }]);
    const words = { tree: id, node: nodeIds[0] ?? '' };
    const { messages } = await client.getPrompt({ name: 'continue-branch', arguments: words });
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining('the oak') } }]);
    expect(JSON.stringify(messages)).not.toContain('It is old');
    const context = { actor: 'me', kit: messageKit, now: Date.now, newId };
    const state = { role: 'user', content: [{ type: 'text', text: 'state of a program' }] } as const;
    await run(own.store, { type: 'mark', treeId: treeId(id), kind: 'state', message: state }, context);
    const whole = await client.getPrompt({ name: 'continue-branch', arguments: { tree: id } });
    expect(JSON.stringify(whole)).toContain('It is old');
    expect(JSON.stringify(whole)).not.toContain('state of a program');
  });

  it('[MS8] every tool declares its output, and the results match', async () => {
    const { server: own, client } = await official({ mcpWrites: true });
    const { treeId: tree, nodeIds } = await sample(own);
    // The client validates results against the schemas of the tools that it has listed.
    const { tools } = await client.listTools();
    for (const tool of tools)
      expect(tool.outputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
    const [a, b] = nodeIds;
    const lines: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ['list', {}],
      ['search', { text: 'oak' }],
      ['read-thread', { tree }],
      ['read-tree', { tree }],
      ['compare', { tree, a, b }],
      ['append', { tree, text: 'More.' }],
      ['branch', { tree, node: a }],
      ['bookmark', { tree, node: a, title: 'here' }],
    ];
    for (const [name, words] of lines) {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: words });
      expect([name, isError]).toEqual([name, undefined]);
      const [first] = content;
      expect(JSON.parse(first?.type === 'text' ? first.text : '')).toEqual(structuredContent);
    }
  });

  it('[MS8] unknown arguments of a tool are refused by name', async () => {
    const { call } = await official();
    const refused = await call('list', { titel: 'Woods' }).catch((thrown: unknown) => ({
      isError: true,
      said: String(thrown),
    }));
    expect(refused).toMatchObject({ isError: true, said: expect.stringContaining('titel') });
  });

  it('[RP30] the list names the sub-agents of a session, and the session of a sub-agent', async () => {
    const { server: own, call } = await official();
    const [parent, child] = [treeId(newId()), treeId(newId())];
    const context = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit };
    await run(own.store, { type: 'create', treeId: parent, attributes: { title: 'Session' } }, context);
    const spawnedBy = { session: 's1', treeId: parent, call: 't1' };
    const attributes = { title: 'Finder', metadata: { spawnedBy } };
    await run(own.store, { type: 'create', treeId: child, attributes }, context);
    await own.store.putExternalIds([buildSubAgentLink(child, parent)]);
    const { said } = await call('list', {});
    const { items } = JSON.parse(String(said));
    const of = (title: string) => items.find((item: { readonly title: string }) => item.title === title);
    expect(of('Session')).toMatchObject({ spawnedBy: null, subAgents: [{ id: child, title: 'Finder', call: 't1' }] });
    expect(of('Finder')).toMatchObject({ spawnedBy, subAgents: [] });
  });

  it('[MS8] the server has the version of the program', async () => {
    const { client } = await official();
    expect(client.getServerVersion()).toMatchObject({ name: 'coppice', version: productVersion });
  });

  it('[MS9] pictures of messages are resources, from the message or from the attachments', async () => {
    const { server: own, client, call } = await official();
    const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
    const { hash, size } = await own.store.blobs.put(bytes, 'image/png');
    const id = treeId(newId());
    const context = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit };
    await run(own.store, { type: 'create', treeId: id }, context);
    const image = (source: object) => ({ type: 'image', mediaType: 'image/png', source });
    const content = [
      { type: 'text', text: 'Look' },
      image({ type: 'base64', data: 'iVBORw==' }),
      image({ type: 'blob', hash, size }),
      image({ type: 'url', url: 'https://example.com/a.png' }),
    ];
    await run(own.store, { type: 'append', treeId: id, messages: [{ message: { role: 'user', content } }] }, context);
    const { messages } = JSON.parse((await call('read-thread', { tree: id })).said);
    expect(messages[0].pictures).toHaveLength(2);
    for (const uri of messages[0].pictures) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, mimeType: 'image/png', blob: 'iVBORw==' }]);
    }
    const past = String(messages[0].pictures[0]).replace(/0$/, '2');
    await expect(client.readResource({ uri: past })).rejects.toThrow('no such image');
  });

  it('[MS7] lists are given a page at a time, and long texts and large trees are cut and counted', async () => {
    const { server: own, call } = await official();
    const trees: string[] = [];
    for (const _ of [1, 2, 3]) trees.push((await sample(own)).treeId);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = JSON.parse((await call('list', { limit: 2, ...(cursor === '' ? {} : { cursor }) })).said);
      seen.push(...page.items.map((one: { id: string }) => one.id));
      cursor = page.cursor;
    }
    expect(seen.sort()).toEqual(trees.sort());
    const found = JSON.parse((await call('search', { text: 'oak', limit: 2 })).said);
    expect(found.items).toHaveLength(2);
    expect(JSON.parse((await call('search', { text: 'oak', limit: 2, cursor: found.cursor })).said).items).toHaveLength(
      1,
    );
    const long = Array.from({ length: 600 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: at === 599 ? 'x'.repeat(9_000) : `message ${at}`,
    }));
    const { body } = await own.ask('POST', '/api/trees', { body: { messages: long } });
    const shape = JSON.parse((await call('read-tree', { tree: body.treeId, depth: 1_000 })).said);
    expect([shape.nodes.length, shape.left]).toEqual([500, 100]);
    const thread = JSON.parse((await call('read-thread', { tree: body.treeId, limit: 3 })).said);
    expect(thread.messages.at(-1)).toMatchObject({ cut: true });
    expect(thread.messages.at(-1).text).toHaveLength(8_000);
    const before = JSON.parse((await call('read-thread', { tree: body.treeId, limit: 3, before: thread.before })).said);
    expect(before.messages.at(-1).text).toBe('message 596');
  });

  it('[MS7] resources are given page by page to the last, and an invalid cursor is refused with its code', async () => {
    const { server: own, client } = await official();
    const context = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit };
    const trees = Array.from({ length: 101 }, () => treeId(newId()));
    for (const id of trees) await run(own.store, { type: 'create', treeId: id }, context);
    const pageFrom = (cursor: string | null) =>
      client.request({ method: 'resources/list', params: cursor === null ? {} : { cursor } });
    const first = await pageFrom(null);
    const second = await pageFrom(first.nextCursor ?? '');
    expect([first.resources.length, second.resources.length, second.nextCursor]).toEqual([100, 1, undefined]);
    const seen = [...first.resources, ...second.resources].map(({ uri }) => uri);
    expect(seen.sort()).toEqual(trees.map((id) => `coppice://trees/${id}`).sort());
    await expect(client.listResources({ cursor: 'nonsense' })).rejects.toThrow('cursor/invalid');
  });

  it('[MS7] a request past its limit is refused with a message that a model can read', async () => {
    const { call } = await official();
    for (const words of [{ limit: 1_000 }, { limit: 0 }, { cursor: 'x'.repeat(3_000) }])
      expect(
        await call('list', words).catch((thrown: unknown) => ({ isError: true, said: String(thrown) })),
      ).toMatchObject({
        isError: true,
        said: expect.stringMatching(/limit|cursor/),
      });
    expect(await call('list', { cursor: 'nonsense' })).toMatchObject({ isError: true });
    expect(await call('read-thread', { tree: '__proto__' })).toMatchObject({
      isError: true,
      said: expect.stringContaining('id/invalid'),
    });
  });
});

describe('the MCP server', () => {
  it('[MS1] a second Coppice lists, searches, reads and compares the trees of the first', async () => {
    const { server: own, client, call } = await connected(false);
    expect(client.servers()).toMatchObject([{ status: 'ready' }]);
    const { treeId, nodeIds } = await sample(own);
    expect(JSON.parse((await call('list', {})).said)).toMatchObject({ items: [{ id: treeId }] });
    expect(JSON.parse((await call('search', { text: 'oak' })).said).items.length).toBeGreaterThan(0);
    const thread = JSON.parse((await call('read-thread', { tree: treeId })).said);
    expect(thread.messages.map((one: { id: string }) => one.id)).toEqual(nodeIds);
    const shape = JSON.parse((await call('read-tree', { tree: treeId })).said);
    expect(shape.nodes).toHaveLength(2);
    const same = JSON.parse((await call('compare', { tree: treeId, a: nodeIds[0], b: nodeIds[1] })).said);
    expect(same).toMatchObject({ shared: 1, left: [], right: [{ id: nodeIds[1] }] });
    expect((await call('read-thread', { tree: '01890c2e-0000-7000-8000-00000000000f' })).said).toContain(
      'tree/unknown-tree',
    );
  });

  it('[MS2] writing over HTTP is refused unless the operator allows it', async () => {
    const { client } = await connected(false);
    const names = client.tools.list().map((tool) => tool.name);
    expect(names).toContain('past__search');
    for (const name of ['append', 'branch', 'bookmark', 'summarise']) expect(names).not.toContain(`past__${name}`);
  });

  it('[MS3] if allowed, it appends, branches, bookmarks and merges branches', async () => {
    const { server: own, call } = await connected(true);
    const { treeId: woods, nodeIds } = await sample(own);
    const added = JSON.parse((await call('append', { tree: woods, node: nodeIds[0], text: 'Another way.' })).said);
    expect(added).toMatchObject({ treeId: woods });
    expect(JSON.parse((await call('branch', { tree: woods, node: nodeIds[1] })).said)).toMatchObject({
      nodeId: nodeIds[1],
    });
    await call('bookmark', { tree: woods, node: nodeIds[1], title: 'here' });
    expect(JSON.parse((await call('summarise', { tree: woods, node: added.nodeId })).said)).toMatchObject({
      added: [expect.any(String)],
    });
    const begun = JSON.parse((await call('append', { text: 'A new one.' })).said);
    expect(begun.treeId).not.toBe(woods);
    // A new tree and its first message are one act, so that one undo takes back the message.
    const commits = await own.store.history(treeId(begun.treeId), { limit: 9 });
    expect(new Set(commits.map(({ actId }) => actId)).size).toBe(1);
    expect(commits.length).toBe(2);
  });

  it('[MS3] an invalid addition is refused, and no tree is left behind', async () => {
    const { call, server: own } = await connected(true);
    expect(await call('append', { text: ' \n ' })).toMatchObject({ said: expect.stringContaining('message/blank') });
    const node = '01890c2e-0000-7000-8000-000000000000';
    expect(await call('append', { node, text: 'Hi.' })).toMatchObject({ said: expect.stringContaining('the chat') });
    expect((await own.store.trees({})).items).toEqual([]);
    await call('append', { text: 'Which tea? And why?' });
    expect((await own.store.trees({})).items).toMatchObject([{ attributes: { autoTitle: 'Which tea?' } }]);
  });

  it('[MS4] a request without the token is refused', async () => {
    const { server: own } = await connected(false);
    const answer = await own.raw('POST', '/mcp', { token: null, body: {} });
    expect(answer.status).toBe(401);
  });
});

async function sample(own: TestServer): Promise<{ readonly treeId: string; readonly nodeIds: readonly string[] }> {
  const made = await own.ask('POST', '/api/trees', { body: { title: 'Woods' } });
  const { treeId, version } = made.body;
  const messages = [
    { role: 'user', content: 'Tell me about the oak.' },
    { role: 'assistant', content: 'It is old.' },
  ];
  const said = await own.ask('POST', `/api/trees/${treeId}/messages`, { body: { messages }, version });
  return { treeId, nodeIds: said.body.nodes.map((one: { id: string }) => one.id) };
}
