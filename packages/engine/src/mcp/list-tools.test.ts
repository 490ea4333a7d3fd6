import { describe, expect, test } from 'vitest';
import { resultTextOf, serverStateOf, waitForServerStatus } from '../testing/mcp.ts';
import { callOddServerTool, createMcpFixture } from '../testing/mcp-fixture.ts';
import { waitUntil } from '../testing/turn-fixture.ts';
import { defineTool } from '../tools/define.ts';
import { createTools } from '../tools/registry.ts';

const { start } = createMcpFixture();

describe('a list of tools', () => {
  test('[M17] is updated when it changes', async () => {
    const client = await start('good');
    await callOddServerTool(client, 'drop');
    await waitUntil(() => client.tools.find('odd__echo') === undefined);
    expect((await callOddServerTool(client, 'echo')).error).toBe('tool/unknown');
    expect(client.tools.find('odd__pid')).toBeDefined();
  });

  test('[M17] is read page by page, up to a number of pages, of tools and of characters', async () => {
    const pages = await start('pages', '', { limits: { pages: 5 } });
    expect(serverStateOf(pages, 'odd').tools).toHaveLength(15);
    expect(serverStateOf(pages, 'odd').problems).toEqual([
      'The list of tools has more than 5 pages; the rest is left out.',
    ]);
    const circle = await start('circle');
    expect(serverStateOf(circle, 'odd').problems.join()).toContain('lead in a circle');
    const many = await start('many', '10000');
    expect(serverStateOf(many, 'odd').tools).toHaveLength(512);
    expect(serverStateOf(many, 'odd').problems).toEqual(['There are more than 512 tools; the rest is left out.']);
    const large = await start('many', '100', { limits: { listBytes: 1_000 } });
    expect(serverStateOf(large, 'odd')).toMatchObject({ status: 'ready', tools: [] });
    expect(serverStateOf(large, 'odd').problems.join()).toContain('more than 1000 characters');
  });

  test('[M17] with invalid entries keeps the others, and reports the invalid ones', async () => {
    const object = { type: 'object' };
    const list = [
      { name: 'good', inputSchema: object },
      { name: 'good', inputSchema: object },
      { inputSchema: object },
      { name: 'x'.repeat(300) },
      { name: 'no-object', inputSchema: 'string' },
      { name: 'deep', inputSchema: JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`) },
      { name: 'bad.schema', inputSchema: { type: 'array' } },
      { name: 'titled', title: 'A title', inputSchema: object },
      7,
    ];
    const client = await start('listed', JSON.stringify(list));
    const { tools, problems } = serverStateOf(client, 'odd');
    expect(tools.map((tool) => [tool.tool, tool.status])).toEqual([
      ['bad.schema', 'refused'],
      ['good', 'ready'],
      ['titled', 'ready'],
    ]);
    expect(tools[0]?.problem).toContain('are not described as an object');
    expect(tools[2]?.description).toBe('A title');
    expect(problems).toHaveLength(6);
  });

  test('[M17] that is malformed, and a message past the limit, are failures of the server', async () => {
    const none = await start('no-list', '', { limits: { restarts: 0 } });
    expect(serverStateOf(none, 'odd')).toMatchObject({ status: 'down', lastError: 'its list of tools is none' });
    const flood = await start('good', '', { limits: { restarts: 0, messageBytes: 100_000 } });
    const answered = await callOddServerTool(flood, 'flood', { bytes: 5_000_000 });
    expect(answered.error).toBe('tool/unavailable');
    expect(resultTextOf(answered)).toContain('a message of more than 100000 bytes');
    await waitForServerStatus(flood, 'odd', 'down');
  });

  test('[M8] shows models no hidden characters, and shortens long texts', async () => {
    const list = [{ name: 'sly', description: `Adds.\u200b${'x'.repeat(9_000)}`, inputSchema: { type: 'object' } }];
    const client = await start('listed', JSON.stringify(list));
    const [spec] = client.tools.specs();
    expect(spec?.description.startsWith('Adds.‹U+200B›xxx')).toBe(true);
    expect(spec?.description).toHaveLength(8_193);
  });

  test('[M3] with a name that another tool already has is refused, and the other tool stays', async () => {
    const tools = createTools({ tools: [defineTool({ name: 'odd__echo', description: 'Mine.', run: () => 'mine' })] });
    const client = await start('good', '', { tools });
    expect(client.tools).toBe(tools);
    expect(serverStateOf(client, 'odd').tools.find((tool) => tool.tool === 'echo')).toMatchObject({
      status: 'refused',
    });
    expect(resultTextOf(await callOddServerTool(client, 'echo'))).toBe('mine');
    await client.close();
    expect(tools.list().map((tool) => tool.name)).toEqual(['odd__echo']);
  });
});
