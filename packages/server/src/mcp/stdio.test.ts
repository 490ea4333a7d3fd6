import { PassThrough } from 'node:stream';
import type { Json } from '@coppice/core';
import { afterEach, describe, expect, it } from 'vitest';
import { generateHostileVariants, type JsonSchema, SchemaExampleGenerator } from '../testing/hostile-values.ts';
import { createTree, openTestServer, type TestServer } from '../testing/index.ts';
import { maxJsonRpcLineBytes } from './json-rpc-line-filter.ts';
import { serveTreesOverStreams } from './stdio.ts';

/** A message that the server has written. Tests access messages of all shapes. */
type Message = ReturnType<typeof JSON.parse>;

const begin = {
  jsonrpc: '2.0',
  id: 'begin',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const begun = { jsonrpc: '2.0', method: 'notifications/initialized' };
const ping = (id: Json) => ({ jsonrpc: '2.0', id, method: 'ping' });
const callTool = (id: Json, name: Json, given: Json) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** An agent that writes any bytes to the server and reads its messages. */
class Agent {
  readonly input = new PassThrough();
  readonly messages: Message[] = [];
  readonly ended: Promise<void>;

  constructor(server: TestServer) {
    const output = new PassThrough();
    let text = '';
    output.on('data', (piece) => {
      text += piece.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) this.messages.push(JSON.parse(line));
    });
    const { store } = server;
    const { kit, now, newId } = server.server.services;
    const context = () => ({ actor: 'local', kit, now, newId });
    const options = { store, context, readOnly: false, version: '1.0.0', signal: new AbortController().signal };
    this.ended = serveTreesOverStreams(options, this.input, output);
  }

  static async open(server: TestServer): Promise<Agent> {
    const agent = new Agent(server);
    agent.write(begin, begun);
    await agent.answerTo('begin');
    return agent;
  }

  write(...values: readonly unknown[]): void {
    for (const value of values)
      this.input.write(typeof value === 'string' || value instanceof Uint8Array ? value : `${JSON.stringify(value)}\n`);
  }

  async answerTo(id: Json): Promise<Message> {
    const find = () => this.messages.find((message) => message.id === id);
    await expect.poll(find, { interval: 5 }).toBeDefined();
    return find();
  }

  /** Sends a last call, waits for its answer and `count` other messages, and returns the others. */
  async answers(count: number): Promise<readonly Message[]> {
    this.write(ping('last'));
    await this.answerTo('last');
    await expect.poll(() => this.messages.length, { interval: 5 }).toBeGreaterThanOrEqual(count + 2);
    return this.messages.filter(({ id }) => id !== 'begin' && id !== 'last');
  }
}

let server: TestServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function openAgent(): Promise<Agent> {
  server = await openTestServer();
  return Agent.open(server);
}

describe('an agent on standard input', () => {
  it.each([
    ['broken JSON', '{"jsonrpc":\n', [null, -32700]],
    ['no JSON', 'Content-Length: 20\n', [null, -32700]],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x0a), [null, -32700]],
    ['a number', '5\n', [null, -32600]],
    ['an empty object', '{}\n', [null, -32600]],
    ['several messages in a list', `${JSON.stringify([ping(1), ping(2)])}\n`, [null, -32600]],
    ['a method that is no text', { ...ping(7), method: 7 }, [7, -32600]],
    ['parameters that are no object', { ...ping('x'), params: 5 }, ['x', -32600]],
    ['another version of JSON-RPC', { ...ping(2), jsonrpc: '1.0' }, [2, -32600]],
    ['no version of JSON-RPC', { id: 3, method: 'ping' }, [3, -32600]],
    ['an id that is an object', ping({}), [null, -32600]],
    ['an id that is null', ping(null), [null, -32600]],
    ['a fractional id', ping(9.5), [9.5, -32600]],
    ['an unknown method', { ...ping(4), method: 'nothing' }, [4, -32601]],
    ['a method that every object has', { ...ping(4), method: '__proto__' }, [4, -32601]],
    ['an unknown tool', callTool(5, 'nothing', {}), [5, -32602]],
    ['a tool that every object has', callTool(5, 'constructor', {}), [5, -32602]],
    ['a tool whose name is no text', callTool(5, 5, {}), [5, -32602]],
    ['arguments that are no object', callTool(5, 'search', 'x'), [5, -32602]],
    ['an invalid notification', { jsonrpc: '2.0', method: 'notifications/cancelled', params: 'x' }, null],
    ['a notification of an unknown kind', { jsonrpc: '2.0', method: 'notifications/odd' }, null],
    ['a response that nobody asked for', { jsonrpc: '2.0', id: 8, result: {} }, null],
    ['an invalid response', { jsonrpc: '2.0', id: {}, error: 'x' }, null],
    ['empty lines', '\n\r\n  \n', null],
  ])(
    '[MS10] %s is answered with an error if anybody waits for it, and the next call is answered',
    async (_name, line, expected) => {
      const agent = await openAgent();
      agent.write(line);
      const answers = await agent.answers(expected === null ? 0 : 1);
      expect(answers.map(({ id, error }) => [id, error?.code])).toEqual(expected === null ? [] : [expected]);
      for (const { error } of answers) expect(error.message).toMatch(/^.{8,}$/s);
      agent.input.end();
      await agent.ended;
    },
  );

  it.each([
    ['first', '{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"text": "', '"}}\n', 1],
    ['last', '{"method":"ping","params":{"text":"', '"},"jsonrpc":"2.0","id":"long"}\n', 'long'],
    ['inside only', '{"method":"ping","params":{"jsonrpc":"2.0","id":1,"text":"', '"}}\n', null],
  ])(
    '[MS10] a line that is too long is skipped and refused by its id, which comes %s',
    async (_where, first, last, id) => {
      const agent = await openAgent();
      agent.write(first);
      const piece = 'x'.repeat(1_000_000);
      for (let sent = 0; sent <= maxJsonRpcLineBytes; sent += piece.length) agent.write(piece);
      agent.write(last);
      const answers = await agent.answers(1);
      expect(answers).toMatchObject([
        { id, error: { code: -32600, message: expect.stringMatching(/too long: at most/) } },
      ]);
      agent.input.end();
      await agent.ended;
    },
  );

  it('[MS10] a message of several megabytes, and one that arrives byte by byte, are read', async () => {
    const agent = await openAgent();
    const { id } = await createTree(server ?? (await openTestServer()), ['Hello']);
    agent.write({ ...ping(1), params: { text: 'ä😀'.repeat(2_000_000) } });
    expect((await agent.answerTo(1)).result).toEqual({});
    const bytes = Buffer.from(`${JSON.stringify(callTool(2, 'append', { tree: id, text: 'Käse 🧀' }))}\r\n`);
    for (const byte of bytes) agent.write(Uint8Array.of(byte));
    const { nodeId } = (await agent.answerTo(2)).result.structuredContent;
    const kept = await server?.ask('GET', `/api/trees/${id}/nodes/${nodeId}`);
    expect(kept?.body.node.text).toBe('Käse 🧀');
    agent.input.end();
    await agent.ended;
  });

  it('[MS10] calls before the first message of the protocol, with the same id and cancelled ones harm no others', async () => {
    server = await openTestServer();
    const agent = new Agent(server);
    agent.write(ping('early'), callTool('early call', 'search', { text: 'x' }), begin, begun);
    for (const id of ['early', 'early call', 'begin']) await agent.answerTo(id);
    agent.write(`${[1, 1, 1].map((id) => JSON.stringify(ping(id))).join('\n')}\n`);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
    const unknown = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'unknown' } };
    agent.write(
      [callTool(2, 'search', { text: 'x' }), cancelled, unknown, callTool(3, 'search', { text: 'x' })]
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    );
    expect((await agent.answerTo(3)).result.structuredContent.items).toEqual([]);
    const ids = (await agent.answers(6)).map(({ id }) => id);
    expect(ids.filter((id) => id === 1)).toHaveLength(3);
    expect(ids.filter((id) => id === 2).length).toBeLessThanOrEqual(1);
    agent.write(begin, ping('again'));
    await agent.answerTo('again');
    agent.input.end();
    await agent.ended;
  });

  it('[MS10] a wrong value of any argument of any tool gets an answer with its id', { timeout: 120_000 }, async () => {
    const agent = await openAgent();
    const { id: tree, nodeIds } = await createTree(server ?? (await openTestServer()), ['Hello', 'Hi']);
    agent.write({ ...ping('tools'), method: 'tools/list', params: {} });
    const { tools } = (await agent.answerTo('tools')).result;
    const values: readonly Json[] = [null, true, -1, 1.5, '', 'a\0b', '__proto__', [], {}, [null], { toString: 1 }];
    const sent: string[] = [];
    for (const tool of tools as readonly { readonly name: string; readonly inputSchema: JsonSchema }[])
      for (const example of new SchemaExampleGenerator({}, nodeIds.slice(-1)).of(tool.inputSchema))
        for (const given of generateHostileVariants(
          { ...(typeof example === 'object' ? example : {}), tree },
          values,
        )) {
          sent.push(`call-${sent.length}`);
          agent.write(callTool(sent.at(-1) ?? '', tool.name, given));
        }
    expect(sent.length).toBeGreaterThan(300);
    await expect.poll(() => agent.messages.length, { interval: 20 }).toBe(sent.length + 2);
    const answers = new Map(agent.messages.map((message) => [message.id, message]));
    for (const id of sent) {
      const { error, result } = answers.get(id);
      const said = error?.message ?? result.content[0]?.text;
      expect([id, typeof said, /went wrong|unexpected/i.test(said)]).toEqual([id, 'string', false]);
    }
    agent.input.end();
    await agent.ended;
  });

  it.each([
    ['nothing', ''],
    ['a part of a message', '{"jsonrpc":"2.0","id":1,"meth'],
    ['a part of a character', Uint8Array.of(0x22, 0xf0, 0x9f)],
    ['calls that are still running', `${JSON.stringify(callTool(1, 'search', { text: 'x' }))}\n`.repeat(50)],
  ])('[MS11] serving ends when the input ends after %s', async (_name, text) => {
    const agent = await openAgent();
    agent.write(text);
    agent.input.end();
    await agent.ended;
    expect((await (server ?? (await openTestServer())).ask('GET', '/api/trees')).status).toBe(200);
  });

  it('[MS11] serving ends when the input fails', async () => {
    const agent = await openAgent();
    agent.input.destroy(new Error('The pipe is broken.'));
    await agent.ended;
  });
});
