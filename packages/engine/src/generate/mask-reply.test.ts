import { type TextBlock, textMessage } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { Forest } from '../forest/forest.ts';
import { redactKeys } from '../http/redact.ts';
import type { ProviderEvent } from '../providers/contract.ts';
import { makeErrorEvent } from '../providers/errors.ts';
import { makeTextEvents, makeToolEvents, makeUsageEvent, type ScriptedReply } from '../testing/scripted.ts';
import { collectEvents, openTurnFixture, type TurnFixture } from '../testing/turn-fixture.ts';
import { ToolResultContent } from '../tools/content.ts';
import { defineTool } from '../tools/define.ts';
import { createTools } from '../tools/registry.ts';

const key = 'sk-lab-0123456789abcdef';
const mask = '[key …cdef]';
const config = `[providers.lab]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\napi_key = "${key}"`;

let fixture: TurnFixture;
afterEach(() => fixture.close());

const said = (...pieces: readonly string[]): ScriptedReply => [
  ...pieces.map((text): ProviderEvent => ({ type: 'text-delta', text })),
  makeUsageEvent(10, 10),
  { type: 'end', finishReason: 'stop', raw: 'stop' },
];

async function everythingStored(): Promise<string> {
  const { items } = await fixture.store.search({ text: 'key', limit: 50 });
  return JSON.stringify([items, await fixture.thread()]);
}

describe('a key that a provider repeats', () => {
  test.each([
    ['whole', [`Your key is ${key}.`]],
    ['cut in two', [`Your key is ${key.slice(0, 9)}`, `${key.slice(9)}.`]],
    ['letter by letter', [...`Your key is ${key}.`]],
  ])('[G38] %s is stored, shown and logged as its mask', async (_, pieces) => {
    fixture = await openTurnFixture('sqlite', [said(...pieces)], { config });
    const chunks: string[] = [];
    const { append } = fixture.store.runs;
    fixture.store.runs.append = (id, chunk) => {
      chunks.push(chunk.text);
      return append.call(fixture.store.runs, id, chunk);
    };
    const events = await collectEvents(fixture.send('Which key?'));
    expect((await fixture.thread()).at(-1)).toBe(`assistant: Your key is ${mask}.`);
    expect(JSON.stringify(events)).not.toContain(key.slice(0, 12));
    const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
    expect(text).toBe(`Your key is ${mask}.`);
    expect(chunks.join('')).not.toContain(key.slice(0, 12));
    expect(await everythingStored()).not.toContain(key);
  });

  test('[G38] is masked in thinking, whose signature is dropped, in arguments and in tool results', async () => {
    const ran: unknown[] = [];
    const tools = createTools({
      tools: [
        defineTool({
          name: 'look',
          description: 'Looks.',
          sideEffects: false,
          parameters: { type: 'object' },
          run: (parameters) => {
            ran.push(parameters);
            return { found: [`the key ${key}`] };
          },
        }),
      ],
    });
    const reply: ScriptedReply = [
      { type: 'thinking-delta', text: `Say ${key.slice(0, 10)}` },
      { type: 'thinking-delta', text: key.slice(10) },
      { type: 'thinking-end', signature: 'proof' },
      { type: 'tool-use-start', index: 0, id: 'a', name: 'look' },
      { type: 'tool-use-delta', index: 0, json: `{"for": "\\u0073${key.slice(1, 12)}` },
      { type: 'tool-use-delta', index: 0, json: `${key.slice(12)}"}` },
      { type: 'tool-use-end', index: 0, parameters: { for: key } },
      { type: 'end', finishReason: 'tool-use', raw: 'x' },
    ];
    fixture = await openTurnFixture('memory', [reply, makeTextEvents('Done.')], { config, tools });
    const turn = fixture.send('Look', { tools: ['look'] });
    const events = await collectEvents(turn);
    expect(ran).toEqual([{ for: mask }]);
    const { replies } = await turn.first;
    const node = await fixture.node(replies[0]?.nodeId);
    expect(node.message?.content).toMatchObject([
      { type: 'thinking', thinking: `Say ${mask}` },
      { type: 'tool-use', parameters: { for: mask } },
    ]);
    expect(JSON.stringify([node, events, await fixture.children(node.id), fixture.provider.requests])).not.toMatch(
      /0123456789abcdef|proof/,
    );
    expect((await fixture.thread())[2]).toContain(mask);
  });

  test('[G38] is masked in the id of a call, in the sentence about its malformed arguments and in a signature', async () => {
    const reply: ScriptedReply = [
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'thinking-end', signature: `v1 ${key}` },
      { type: 'tool-use-start', index: 0, id: `call ${key}`, name: 'look' },
      { type: 'tool-use-delta', index: 0, json: `{"${key}": 1, "${key}": 2}` },
      { type: 'tool-use-end', index: 0, parameters: {}, malformed: `The key "${key}" is there twice.` },
      { type: 'end', finishReason: 'tool-use', raw: 'x' },
    ];
    fixture = await openTurnFixture('memory', [reply, makeTextEvents('Done.')], { config });
    const turn = fixture.send('Look', { tools: [] });
    const events = await collectEvents(turn);
    const { replies } = await turn.first;
    const node = await fixture.node(replies[0]?.nodeId);
    expect(node.message?.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool-use', malformed: `The key "${mask}" is there twice.` },
    ]);
    expect(JSON.stringify([node, events, await fixture.children(node.id), fixture.provider.requests])).not.toContain(
      key.slice(0, 12),
    );
  });

  test('[G38] is masked if the provider reports usage in the middle of it, and if the reply ends with a part of it', async () => {
    const within: ScriptedReply = [
      { type: 'text-delta', text: `It is ${key.slice(0, 9)}` },
      makeUsageEvent(10, 5),
      { type: 'text-delta', text: `${key.slice(9)}, that is ${key.slice(0, 14)}` },
      makeUsageEvent(10, 10),
      { type: 'end', finishReason: 'length', raw: 'length' },
    ];
    fixture = await openTurnFixture('memory', [within], { config });
    const events = await collectEvents(fixture.send('Which key?'));
    expect((await fixture.thread()).at(-1)).toBe(`assistant: It is ${mask}, that is ${mask}`);
    expect(JSON.stringify(events)).not.toContain(key.slice(0, 12));
  });

  test('[G38] is masked if a reply is cut within it and continued', async () => {
    const begun: ScriptedReply = [
      { type: 'text-delta', text: `It is ${key.slice(0, 10)}` },
      makeErrorEvent('provider/dropped', 'Gone.'),
    ];
    fixture = await openTurnFixture('memory', [begun, said(`${key.slice(10)}.`)], { config });
    const { nodeIds } = await fixture.send('Which key?').done;
    const [nodeId] = nodeIds;
    if (nodeId === undefined) throw new Error('There is no reply.');
    const again = { type: 'continue', treeId: fixture.treeId, nodeId } as const;
    await fixture.generator.generate(again, { models: ['scripted/one'] }).done;
    expect((await fixture.thread()).at(-1)).toBe(`assistant: It is ${mask}.`);
  });

  test('[G38, G39] is masked in a tool result before that is cut, and so are secrets of MCP servers in replies', async () => {
    const token = 'ghp-0123456789-secret';
    const env = `GITHUB_TOKEN = "${token}", DATA_FOLDER = "/home/me/a-folder-0123456789", LEVEL = "correct horse battery"`;
    const servers = `[mcp.servers.git]\ncommand = ["git-mcp"]\nenabled = false\nenv = { ${env} }`;
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      sideEffects: false,
      parameters: { type: 'object' },
      run: () => `${key} `.repeat(40),
    });
    const tools = createTools({ tools: [look], limits: { resultBytes: 142 } });
    fixture = await openTurnFixture(
      'memory',
      [makeToolEvents({ id: 'a', name: 'look', parameters: {} }), said(`${token}, /home/me/a-folder-0123456789`)],
      { config: `${config}\n${servers}`, tools },
    );
    await fixture.send('Look', { tools: ['look'] }).done;
    const thread = await fixture.thread();
    expect(thread[2]).not.toContain(key.slice(0, 3));
    expect(thread.at(-1)).toBe('assistant: [key …cret], /home/me/a-folder-0123456789');
  });

  test('[G38] is masked in every block of a tool result, also where its text is cut within it', async () => {
    const note = { type: 'note', words: [`It is ${key}.`] };
    const long: TextBlock = { type: 'text', text: `${key} `.repeat(40) };
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      sideEffects: false,
      parameters: { type: 'object' },
      run: () => new ToolResultContent([note, long]),
    });
    const tools = createTools({ tools: [look], limits: { resultBytes: 142 } });
    const replies = [makeToolEvents({ id: 'a', name: 'look', parameters: {} }), said('Done.')];
    fixture = await openTurnFixture('memory', replies, { config, tools });
    const turn = fixture.send('Look', { tools: ['look'] });
    const events = await collectEvents(turn);
    const [called] = (await turn.first).replies;
    const [result] = await fixture.children((await fixture.node(called?.nodeId)).id);
    expect(result?.message?.content[0]).toEqual({ type: 'note', words: [`It is ${mask}.`] });
    expect(JSON.stringify([result, events, fixture.provider.requests])).not.toContain(key.slice(0, 3));
  });

  test('[G160] is masked like the secrets in headers, arguments, addresses and passed variables, and no other setting is', async () => {
    const secrets = [
      'pass-0123456789-abc',
      'head-0123456789-abc',
      'args-0123456789-abc',
      'word-0123456789-abc',
      'addr-0123456789-abc',
    ];
    const [passed = '', header = '', argument = '', word = '', query = ''] = secrets;
    const servers = [
      '[mcp.servers.git]',
      `command = ["git-mcp", "--api-token", "${argument}", "--secret=${word}", "--name", "plain-name-of-a-package-2"]`,
      'enabled = false\npass_env = ["GIT_TOKEN", "TREE_FOLDER"]',
      `[mcp.servers.wiki]\nurl = "https://wiki.example/mcp?token=${query}"\nenabled = false`,
      `headers = { X-Wiki-Auth = "Bearer ${header}", X-Team = "the trees of the wood" }`,
    ].join('\n');
    const env = { GIT_TOKEN: passed, TREE_FOLDER: '/home/me/passed-folder-0123456789' };
    const plain = 'plain-name-of-a-package-2, the trees of the wood, /home/me/passed-folder-0123456789';
    fixture = await openTurnFixture('memory', [said(`${secrets.join(', ')}, ${plain}`)], {
      config: `${config}\n${servers}`,
      env,
    });
    await fixture.send('Which?').done;
    expect((await fixture.thread()).at(-1)).toBe(`assistant: ${secrets.map(() => '[key …-abc]').join(', ')}, ${plain}`);
    for (const secret of secrets) expect(redactKeys(`Failed with ${secret}.`)).toBe('Failed with [key …-abc].');
    expect(redactKeys(plain)).toBe(plain);
  });

  test('[G38] may be cut off: text held back for the rest of it is kept when a provider throws', async () => {
    const broken: ScriptedReply = [
      { type: 'text-delta', text: `It begins with ${key.slice(0, 6)}` },
      { type: 'throw', error: new Error('oops') },
    ];
    fixture = await openTurnFixture('memory', [broken], { config });
    await fixture.send('Which key?').done;
    expect((await fixture.thread()).at(-1)).toBe(`assistant: It begins with ${key.slice(0, 6)}`);
  });

  test('[G38] is masked in errors', async () => {
    fixture = await openTurnFixture('memory', [[makeErrorEvent('provider/unauthorised', `Wrong key ${key}.`)]], {
      config,
    });
    const end = await fixture.send('Hello').done;
    expect(end).toMatchObject({ type: 'error', message: `Wrong key ${mask}.` });
    expect((await fixture.node(end.nodeIds[0])).meta.error).toMatchObject({ message: `Wrong key ${mask}.` });
  });

  test('[G38] leads to the same nodes when a history with it is sent again', async () => {
    fixture = await openTurnFixture('memory', [said(`It is ${key}.`)], { config });
    await fixture.send('Which key?').done;
    const before = await fixture.thread();
    const history = [textMessage('user', 'Which key?'), textMessage('assistant', `It is ${key}.`)];
    const messages = history.map((message) => ({ message }));
    const parentId = fixture.rootId;
    await fixture.generator.generate(
      {
        type: 'send',
        treeId: fixture.treeId,
        parentId,
        messages: [...messages, { message: textMessage('user', 'And?') }],
      },
      { models: ['scripted/one'] },
    ).done;
    expect((await fixture.thread()).slice(0, 2)).toEqual(before);
    expect(await fixture.children(fixture.rootId)).toHaveLength(1);
    const forest = new Forest(fixture.store);
    const again = await forest.append(fixture.treeId, history);
    expect(await fixture.children(fixture.rootId)).toHaveLength(1);
    expect(JSON.stringify(again)).toContain(mask);
    await forest.close();
  });

  test('[G38] is masked in titles and summaries', async () => {
    fixture = await openTurnFixture('memory', [said(`Key ${key}`)], {
      config: `${config}\n[summaries]\nmodel = "scripted/one"`,
      summaries: { model: 'scripted/one' },
    });
    const near = fixture.providers.model('scripted/one');
    const messages = [textMessage('user', 'Which key?'), textMessage('assistant', 'That one.')];
    expect((await fixture.generator.summarizer.title({ messages, near }))?.text).toBe(`Key ${mask}`);
    expect((await fixture.generator.summarizer.branch({ messages, near })).text).toContain(mask);
  });
});
