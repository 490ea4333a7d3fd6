import { createMcpClient, memoryPins, parseConfig } from '@coppice/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer, testToken } from '../../testing/index.ts';

let server: TestServer | null = null;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await server?.close();
  server = null;
});

/** A second Coppice whose MCP server is the first. */
async function connected(mcpWrites: boolean) {
  server = await openTestServer({ store: 'sqlite', mcpWrites });
  const listening = await server.listen();
  closing.push(() => listening.close());
  const text = `[mcp.servers.past]\nurl = "${listening.url}/mcp"\napi_key = "${testToken}"\n`;
  const client = createMcpClient({ config: parseConfig({ name: 'c.toml', text }, {}), pins: memoryPins() });
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

describe('the MCP server', () => {
  it('[MS1] a second Coppice lists, searches, reads and compares what the first keeps', async () => {
    const { server: own, client, call } = await connected(false);
    expect(client.servers()).toMatchObject([{ status: 'ready' }]);
    const { treeId, nodeIds } = await planted(own);
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

  it('[MS2] nothing writes over HTTP unless the operator says so', async () => {
    const { client } = await connected(false);
    const names = client.tools.list().map((tool) => tool.name);
    expect(names).toContain('past__search');
    for (const name of ['append', 'branch', 'bookmark', 'summarise']) expect(names).not.toContain(`past__${name}`);
  });

  it('[MS3] where it may, it appends, branches, bookmarks and brings branches back', async () => {
    const { server: own, call } = await connected(true);
    const { treeId, nodeIds } = await planted(own);
    const added = JSON.parse((await call('append', { tree: treeId, node: nodeIds[0], text: 'Another way.' })).said);
    expect(added).toMatchObject({ treeId });
    expect(JSON.parse((await call('branch', { tree: treeId, node: nodeIds[1] })).said)).toMatchObject({
      nodeId: nodeIds[1],
    });
    await call('bookmark', { tree: treeId, node: nodeIds[1], title: 'here' });
    expect(JSON.parse((await call('summarise', { tree: treeId, node: added.nodeId })).said)).toMatchObject({
      added: [expect.any(String)],
    });
    const begun = JSON.parse((await call('append', { text: 'A new one.' })).said);
    expect(begun.treeId).not.toBe(treeId);
  });

  it('[MS4] without the token nobody comes in', async () => {
    const { server: own } = await connected(false);
    const answer = await own.raw('POST', '/mcp', { token: null, body: {} });
    expect(answer.status).toBe(401);
  });
});

async function planted(own: TestServer): Promise<{ readonly treeId: string; readonly nodeIds: readonly string[] }> {
  const made = await own.ask('POST', '/api/trees', { body: { title: 'Woods' } });
  const { treeId, version } = made.body;
  const messages = [
    { role: 'user', content: 'Tell me about the oak.' },
    { role: 'assistant', content: 'It is old.' },
  ];
  const said = await own.ask('POST', `/api/trees/${treeId}/messages`, { body: { messages }, version });
  return { treeId, nodeIds: said.body.nodes.map((one: { id: string }) => one.id) };
}
