import { request } from 'node:http';
import * as zlib from 'node:zlib';
import { encodeReply, encodeReplyStream } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { testToken } from '../testing/index.ts';
import { openProxyFixture, operatorApiKey, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

type Handler = Parameters<typeof openProxyFixture>[0];

async function proxied(handler: Handler, config = ''): Promise<ProxyFixture> {
  open = await openProxyFixture(handler, { config });
  return open;
}

const chat = '/v1/chat/completions';
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

function user(content: unknown) {
  return { role: 'user', content };
}

function said(content: unknown, more: object = {}) {
  return { role: 'assistant', content, ...more };
}

function completion(text: string): string {
  return JSON.stringify(encodeReply('openai', { text }));
}

/** Returns a service that returns these bodies one after the other, then the last one repeatedly. */
function saying(...bodies: readonly string[]): Handler {
  return (_request, response, number) => {
    response.writeHead(200, json);
    response.end(bodies[Math.min(number, bodies.length - 1)]);
  };
}

function texts(nodes: readonly { readonly text: string }[]): string[] {
  return nodes.map((node) => node.text);
}

describe('a history that is sent again', () => {
  it('[RP2] as parts, with cache marks, other white space and another order of keys, adds nothing', async () => {
    const { post, nodes } = await proxied(saying(completion('Green.'), completion('Sure.')));
    await post(chat, { model: 'm', messages: [user('Which tea?')] });
    const parts = [{ cache_control: { type: 'ephemeral' }, text: 'Which tea?\n', type: 'text' }];
    await post(chat, { messages: [user(parts), said([{ type: 'text', text: 'Green.' }]), user('Sure?')], model: 'm' });
    expect(texts(await nodes())).toEqual(['Which tea?', 'Green.', 'Sure?', 'Sure.']);
  });

  it('[RP2] without the reasoning of the response, adds nothing', async () => {
    const first = JSON.stringify(encodeReply('anthropic', { thinking: 'Hm.', text: 'Green.' }));
    const { post, nodes } = await proxied(saying(first, JSON.stringify(encodeReply('anthropic', { text: 'Sure.' }))));
    const head = { model: 'c', max_tokens: 9, system: [{ type: 'text', text: 'Be brief.' }] };
    await post('/v1/messages', { ...head, messages: [user('Which tea?')] });
    const again = [user([{ type: 'text', text: 'Which tea?' }]), said('Green.'), user('Sure?')];
    await post('/v1/messages', { ...head, system: 'Be brief.', messages: again });
    const all = await nodes();
    expect(texts(all)).toEqual(['Which tea?', 'Green.\nHm.', 'Sure?', 'Sure.']);
    expect(all[1]?.node.message?.content).toMatchObject([{ type: 'thinking', thinking: 'Hm.' }, { text: 'Green.' }]);
  });

  it('[RP2] with differently formatted arguments, and with extra fields of services, adds nothing', async () => {
    const answer = JSON.parse(completion('Let me look.'));
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{ "at" :1 }' } };
    answer.choices[0].message = { ...answer.choices[0].message, tool_calls: [call], annotations: [], refusal: null };
    const { post, nodes } = await proxied(saying(JSON.stringify(answer), completion('Done.')));
    await post(chat, { model: 'm', messages: [user('Look')] });
    const again = { ...call, function: { name: 'look', arguments: '{"at":1}' } };
    const result = { role: 'tool', tool_call_id: 'c1', content: 'A tree.' };
    await post(chat, { model: 'm', messages: [user('Look'), said('Let me look.', { tool_calls: [again] }), result] });
    expect((await nodes()).map(({ role, depth }) => [role, depth])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['assistant', 4],
    ]);
  });

  it('[RP2] with an edit becomes a branch at the edited message', async () => {
    const { post, nodes } = await proxied(saying(completion('A.'), completion('B.'), completion('C.')));
    const session = { 'x-coppice-session': 'one' };
    await post(chat, { model: 'm', messages: [user('one')] }, session);
    await post(chat, { model: 'm', messages: [user('one'), said('A.'), user('two')] }, session);
    await post(chat, { model: 'm', messages: [user('one'), said('A, edited.'), user('two')] }, session);
    expect((await nodes()).map(({ text, depth }) => [text, depth])).toEqual([
      ['one', 1],
      ['A.', 2],
      ['two', 3],
      ['B.', 4],
      ['A, edited.', 2],
      ['two', 3],
      ['C.', 4],
    ]);
  });
});

describe('variants', () => {
  it('[RP6] a call repeated after an error is recorded as a variant of the error', async () => {
    const { post, nodes } = await proxied((_request, response, number) => {
      response.writeHead(number === 0 ? 500 : 200, json);
      response.end(number === 0 ? '{"error":{"message":"Oops"}}' : completion('Yes.'));
    });
    const body = { model: 'm', messages: [user('Hi')] };
    expect((await post(chat, body)).status).toBe(500);
    expect((await post(chat, body)).status).toBe(200);
    expect((await nodes()).map(({ text, status, depth }) => [text, status, depth])).toEqual([
      ['Hi', 'success', 1],
      ['', 'error', 2],
      ['Yes.', 'success', 2],
    ]);
  });

  it('[RP6] several choices of one call become one group', async () => {
    const two = JSON.parse(completion('A.'));
    two.choices.push({ ...two.choices[0], index: 1, message: { role: 'assistant', content: 'B.' } });
    const { post, nodes } = await proxied(saying(JSON.stringify(two)));
    await post(chat, { model: 'm', n: 2, messages: [user('Hi')] });
    const all = await nodes();
    expect(all.map(({ text }) => text)).toEqual(['Hi', 'A.', 'B.']);
    expect(new Set(all.slice(1).map(({ node }) => node.groupId)).size).toBe(1);
    expect(all[1]?.node.groupId).toBeGreaterThan(0);
  });
});

function response(id: string, text: string, more: object = {}): string {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  const item = { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  return JSON.stringify({ id, object: 'response', status: 'completed', model: 'm', output: [item], ...more });
}

describe('chains of responses', () => {
  it('[RP7] a chain with an unknown beginning becomes a separate conversation', async () => {
    const { post, nodes } = await proxied(saying(response('resp_9', 'Old.')));
    await post('/v1/responses', { model: 'm', input: 'How old?', previous_response_id: 'resp_unknown' });
    expect((await nodes()).map(({ text, depth }) => [text, depth])).toEqual([
      ['How old?', 1],
      ['Old.', 2],
    ]);
  });

  it('[RP7] a chain with an unknown reply continues the session that the program names', async () => {
    const { post, nodes } = await proxied(saying(response('r1', 'Oak.'), response('r2', 'Old.')));
    const session = { 'session-id': 's1', 'user-agent': 'codex_exec/1' };
    await post('/v1/responses', { model: 'm', input: 'Name one.' }, session);
    await post('/v1/responses', { model: 'm', input: 'How old?', previous_response_id: 'resp_lost' }, session);
    expect((await nodes()).map(({ text, depth }) => `${depth} ${text}`)).toEqual([
      '1 Name one.',
      '2 Oak.',
      '3 How old?',
      '4 Old.',
    ]);
  });

  it('[RP7] a chain whose tree was deleted becomes a separate conversation', async () => {
    const { post, nodes, trees, server } = await proxied(saying(response('r1', 'Oak.'), response('r2', 'Old.')));
    await post('/v1/responses', { model: 'm', input: 'Name one.' });
    const [tree] = await trees();
    await server.ask('DELETE', `/api/trees/${tree?.id}`, { version: tree?.version ?? 0 });
    await post('/v1/responses', { model: 'm', input: 'How old?', previous_response_id: 'r1' });
    expect(texts(await nodes())).toEqual(['How old?', 'Old.']);
  });

  it.each(['session', 'prompt'])(
    '[RP7] calls of one conversation continue its newest reply, and another one with the same words is apart (by %s)',
    async (grouping) => {
      const answers = ['Oak.', 'Old.', 'Tall.', 'Ash.'].map((text, index) => response(`r${index}`, text));
      const { post, nodes } = await proxied(saying(...answers), `[proxy.projects]\nproxy = "${grouping}"\n`);
      const send = (conversation: string | object, input: string) =>
        post('/v1/responses', { model: 'm', conversation, input });
      await send('conv_1', 'Name one.');
      await send({ id: 'conv_1' }, 'How old?');
      await send('conv_1', 'How tall?');
      await send('conv_2', 'Name one.');
      const chain = ['1 Name one.', '2 Oak.', '3 How old?', '4 Old.', '5 How tall?', '6 Tall.'];
      // Grouped by prompt, both conversations are in one tree and share their first message.
      const apart = grouping === 'session' ? ['1 Name one.', '2 Ash.'] : ['2 Ash.'];
      expect((await nodes()).map(({ text, depth }) => `${depth} ${text}`)).toEqual([...chain, ...apart]);
    },
  );

  it('[RP7] with `store: false` a resent history is found, with or without reasoning and annotations', async () => {
    const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'xyz' };
    const first = JSON.parse(response('r1', 'Oak.'));
    first.output.unshift(reasoning);
    const { post, nodes } = await proxied(saying(JSON.stringify(first), response('r2', 'Old.')));
    const head = { model: 'm', store: false, instructions: 'Trees.' };
    await post('/v1/responses', { ...head, input: [user('Name one.')] });
    const again = [
      user('Name one.'),
      reasoning,
      { role: 'assistant', content: [{ type: 'output_text', text: 'Oak.' }] },
    ];
    await post('/v1/responses', { ...head, input: [...again, user('How old?')] });
    expect(texts(await nodes())).toEqual(['Name one.', 'Oak.', 'How old?', 'Old.']);
  });

  it('[RP7] items of every kind are kept and found again: shell output, approvals, tools run by the service', async () => {
    const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'xyz' };
    const shell = { id: 'ls_1', type: 'local_shell_call', call_id: 'call_1', action: { command: ['ls'] } };
    const wish = { id: 'ar_1', type: 'mcp_approval_request', name: 'look', arguments: '{}' };
    const hosted = [
      { id: 'sh_1', type: 'shell_call', call_id: 'call_2', action: { commands: ['date'] } },
      { id: 'so_1', type: 'shell_call_output', call_id: 'call_2', output: [{ stdout: 'Monday' }] },
    ];
    const { output: done, ...rest } = JSON.parse(response('r3', 'Done.'));
    const outputs = [[reasoning, shell], [wish], [...hosted, ...done]];
    const { post, nodes } = await proxied(
      saying(...outputs.map((output, at) => JSON.stringify({ ...rest, id: `r${at}`, output })), response('r4', 'Bye.')),
    );
    const turns = [
      [user('Look.')],
      [{ type: 'local_shell_call_output', call_id: 'call_1', output: 'a.txt' }],
      [{ type: 'mcp_approval_response', approval_request_id: 'ar_1', approve: true }],
      [user('Thanks.')],
    ];
    const input: unknown[] = [];
    for (const [at, turn] of turns.entries()) {
      input.push(...turn);
      await post('/v1/responses', { model: 'm', store: false, input });
      input.push(...(outputs[at] ?? []));
    }
    const all = await nodes();
    const roles = [
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ];
    expect(all.map(({ role, depth }) => [role, depth])).toEqual(roles.map((role, at) => [role, at + 1]));
    expect(all[1]?.node.message?.content).toMatchObject([
      { type: 'thinking', redacted: 'xyz' },
      { type: 'tool-use', id: 'call_1', name: 'local_shell' },
    ]);
    expect(JSON.stringify(all)).toContain('Monday');
  });

  it.each([false, true])('[RP7] audio is kept, and found by its id (streamed: %s)', async (stream) => {
    const audio = { id: 'audio_1', data: 'QUJD', transcript: 'It is an oak.' };
    const pieces = [{ id: 'audio_1', transcript: 'It is' }, { data: 'QQ==' }, { data: 'QkM=', transcript: ' an oak.' }];
    const parts = [...pieces.map((one) => ({ delta: { audio: one } })), { delta: {}, finish_reason: 'stop' }];
    const spoken = stream
      ? parts.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join('')
      : JSON.stringify({ choices: [{ message: said(null, { audio }), finish_reason: 'stop' }] });
    const { post, nodes } = await proxied(saying(spoken, completion('Old.')));
    await post(chat, { model: 'm', stream, messages: [user('Name one.')] });
    const named = said(null, { audio: { id: 'audio_1' } });
    await post(chat, { model: 'm', messages: [user('Name one.'), named, user('How old?')] });
    const all = await nodes();
    expect(all.map(({ role, depth }) => [role, depth])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['user', 3],
      ['assistant', 4],
    ]);
    expect(all[1]).toMatchObject({ status: 'success', text: expect.stringContaining('It is an oak.') });
    expect(all[1]?.node.message?.content[1]).toEqual({ type: 'audio', id: 'audio_1', data: 'QUJD' });
  });

  it('[RP7] items that a client names and does not send again are found', async () => {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' };
    const first = JSON.parse(response('r1', 'Let me look.'));
    first.output.push(call);
    const { post, nodes } = await proxied(saying(JSON.stringify(first), response('r2', 'Old.')));
    await post('/v1/responses', { model: 'm', input: [user('Name one.')] });
    const named = ['msg_r1', 'fc_1'].map((id) => ({ type: 'item_reference', id }));
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'An oak.' };
    await post('/v1/responses', { model: 'm', input: [user('Name one.'), ...named, output] });
    const all = await nodes();
    expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(all.map(({ depth }) => depth)).toEqual([1, 2, 3, 4]);
  });
});

describe('passing bytes on', () => {
  const answer = encodeReplyStream('openai', { text: 'Grüße, 世界 🌳!' }).join('');

  it('[RP3] events and characters split anywhere arrive unchanged, and are recorded completely', async () => {
    const bytes = Buffer.from(answer);
    const { post, nodes } = await proxied(async (_request, back) => {
      back.writeHead(200, events);
      for (let at = 0; at < bytes.length; at += 7) {
        back.write(bytes.subarray(at, at + 7));
        if (at % 70 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      back.end();
    });
    const upstreamRequest = await post(chat, { model: 'm', stream: true, messages: [user('Hi')] });
    expect(Buffer.from(await upstreamRequest.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await nodes()).at(-1)).toMatchObject({ text: 'Grüße, 世界 🌳!', status: 'success' });
  });

  it('[RP3] a compressed response stays compressed, with its length, and is unpacked for the recording', async () => {
    const packed = zlib.gzipSync(completion('Packed.'));
    const { url, service, nodes } = await proxied((_request, back) => {
      back.writeHead(200, { ...json, 'content-encoding': 'gzip', 'content-length': String(packed.length) });
      back.end(packed);
    });
    const body = '{ "model":"m","messages":[{"role":"user","content":"\\u00e9 é"}] }';
    const upstreamRequest = await rawly(`${url}${chat}`, body, { 'accept-encoding': 'gzip, zstd' });
    expect(upstreamRequest.bytes.equals(packed)).toBe(true);
    expect(upstreamRequest.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(packed.length),
    });
    expect(service.requests[0]?.body).toBe(body);
    expect(service.requests[0]?.headers['accept-encoding']).toBe('gzip');
    expect(texts(await nodes())).toEqual(['é é', 'Packed.']);
  });

  it('[RP3] a response that cannot be decompressed is passed on, and its encoding is recorded', async () => {
    const packed = zlib.deflateRawSync(completion('Raw.'));
    const answers: readonly (readonly [string, Buffer])[] = [
      ['deflate', packed],
      ['zstd', Buffer.from('28b52ffd', 'hex')],
      ['gzip', packed],
    ];
    const { url, nodes } = await proxied((_request, back, index) => {
      const [encoding = '', bytes = packed] = answers[index] ?? [];
      back.writeHead(200, { ...json, 'content-encoding': encoding });
      back.end(bytes);
    });
    for (const [encoding, bytes] of answers) {
      const body = JSON.stringify({ model: 'm', messages: [user(encoding)] });
      expect((await rawly(`${url}${chat}`, body, { 'accept-encoding': 'gzip' })).bytes.equals(bytes)).toBe(true);
    }
    const replies = (await nodes()).filter(({ role }) => role === 'assistant');
    expect(replies.map(({ text, node }) => text || node.meta.error)).toEqual([
      // Without the header of zlib, as some services send it.
      'Raw.',
      { status: 200, message: 'The response has the content encoding zstd, and could not be decompressed.' },
      { status: 200, message: 'The response has the content encoding gzip, and could not be decompressed.' },
    ]);
  });

  it.each(['gzip', 'deflate', 'br'])(
    '[RP3] a compressed request (%s) stays compressed, and is unpacked for the recording',
    async (encoding) => {
      const { begin, service, nodes } = await proxied(saying(completion('Oak.')));
      const plain = JSON.stringify({ model: 'm', messages: [user('Name one.')] });
      const pack = encoding === 'gzip' ? zlib.gzipSync : encoding === 'br' ? zlib.brotliCompressSync : zlib.deflateSync;
      const answer = await begin(chat, pack(plain), { 'content-encoding': encoding });
      expect([answer.status, await answer.text()]).toEqual([200, completion('Oak.')]);
      const [sent] = service.requests;
      expect([sent?.headers['content-encoding'], sent?.body]).toEqual([encoding, pack(plain).toString()]);
      expect(texts(await nodes())).toEqual(['Name one.', 'Oak.']);
    },
  );

  it('[RP3] a request and a response with several encodings are passed on as they came, and recorded', async () => {
    const packed = zlib.brotliCompressSync(zlib.gzipSync(completion('Oak.')));
    const { url, service, nodes } = await proxied((_request, back) => {
      back.writeHead(200, { ...json, 'content-encoding': 'gzip, br' });
      back.end(packed);
    });
    const plain = JSON.stringify({ model: 'm', messages: [user('Name one.')] });
    const body = zlib.gzipSync(zlib.deflateRawSync(zlib.brotliCompressSync(plain)));
    const back = await rawly(`${url}${chat}`, body, { 'content-encoding': 'br, deflate, identity, gzip' });
    expect(back.bytes.equals(packed)).toBe(true);
    expect(service.requests[0]?.body).toBe(body.toString());
    expect(texts(await nodes())).toEqual(['Name one.', 'Oak.']);
  });

  it('[RP3] a response with several encodings that breaks off is recorded as far as it came', async () => {
    const whole = zlib.brotliCompressSync(zlib.gzipSync(answer));
    const { begin, nodes } = await proxied((_request, back) => {
      back.writeHead(200, { ...events, 'content-encoding': 'gzip, br', 'content-length': String(whole.length) });
      back.write(whole.subarray(0, whole.length - 60), () => back.destroy());
    });
    const back = await begin(chat, { model: 'm', stream: true, messages: [user('Hi')] });
    await expect(back.arrayBuffer()).rejects.toThrow();
    expect((await nodes()).at(-1)).toMatchObject({ text: expect.stringMatching(/^Grüße/), status: 'interrupted' });
  });

  it('[RP3] a request in Zstandard is recorded where Node can unpack it', async () => {
    const plain = Buffer.from(JSON.stringify({ model: 'm', messages: [user('Name one.')] }));
    // A frame with one raw block: magic number, size, block header, data.
    const frame = [Buffer.from('28b52ffd20', 'hex'), Buffer.from([plain.length]), Buffer.alloc(3), plain];
    frame[2]?.writeUIntLE(plain.length * 8 + 1, 0, 3);
    const { begin, nodes } = await proxied(saying(completion('Oak.')));
    const answer = await begin(chat, Buffer.concat(frame), { 'content-encoding': 'zstd' });
    expect(await answer.text()).toBe(completion('Oak.'));
    expect(texts(await nodes())).toEqual('createZstdDecompress' in zlib ? ['Name one.', 'Oak.'] : []);
  });

  it('[RP3] a request in an unknown encoding, or one that cannot be unpacked, is passed on and not recorded', async () => {
    const { begin, service, nodes } = await proxied(saying(completion('Oak.')));
    for (const encoding of ['zstd', 'gzip'])
      expect((await begin(chat, Buffer.from('packed'), { 'content-encoding': encoding })).status).toBe(200);
    expect(service.requests.map(({ body }) => body)).toEqual(['packed', 'packed']);
    expect(await nodes()).toEqual([]);
  });

  it('[RP3] the rest of a path is passed on, and no browser header is returned', async () => {
    const { url, service } = await proxied((_request, back) => {
      back.writeHead(307, {
        location: 'http://elsewhere.example/',
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
      });
      back.end();
    });
    const upstreamRequest = await rawly(`${url}/v1/messages?beta=true&a=%20x&token=t&a=2`, '{"messages":[]}', {
      'anthropic-beta': 'x-1',
    });
    expect(service.requests[0]).toMatchObject({ path: '/v1/messages?beta=true&a=%20x&a=2' });
    expect(service.requests[0]?.headers).toMatchObject({ 'anthropic-beta': 'x-1' });
    expect(upstreamRequest.status).toBe(307);
    for (const name of ['location', 'set-cookie', 'access-control-allow-origin'])
      expect(upstreamRequest.headers).not.toHaveProperty(name);
  });
});

/** Sends an HTTP request that `fetch` would not allow. */
function rawly(
  url: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly bytes: Buffer; readonly headers: object }> {
  return new Promise((resolve, reject) => {
    const sent = { ...json, 'x-api-key': testToken, ...headers };
    request(url, { method: 'POST', headers: sent }, async (back) => {
      const pieces: Buffer[] = [];
      for await (const piece of back) pieces.push(Buffer.from(piece));
      resolve({ status: back.statusCode ?? 0, bytes: Buffer.concat(pieces), headers: back.headers });
    })
      .on('error', reject)
      .end(body);
  });
}

describe('calls that fail or break off', () => {
  it('[RP18] a message past the limit keeps its position, and the large part is named by its size and hash', async () => {
    const { post, nodes, recorder } = await proxied(saying(completion('Seen.'), completion('Again.')));
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(11_000_000)}` } };
    const first = user([{ type: 'text', text: 'What is on it?' }, picture]);
    await post(chat, { model: 'm', messages: [first] });
    await post(chat, { model: 'm', messages: [first, said('Seen.'), user('Sure?')] });
    const all = await nodes();
    expect(all.map(({ text, depth }) => [text, depth])).toEqual([
      ['What is on it?\n[omitted]', 1],
      ['Seen.', 2],
      ['Sure?', 3],
      ['Again.', 4],
    ]);
    const omitted = { type: 'omitted', of: 'image', bytes: expect.any(Number), sha256: expect.any(String) };
    expect(all[0]?.node.message?.content).toMatchObject([{ type: 'text' }, omitted]);
    expect(recorder.state).toMatchObject({ recorded: 2, failed: 0 });
  });

  it('[RP18] a response past the limit keeps its beginning', async () => {
    const { post, nodes } = await proxied(saying(completion(`Long. ${'word '.repeat(2_200_000)}`)));
    const upstreamRequest = await post(chat, { model: 'm', messages: [user('Talk.')] });
    expect((await upstreamRequest.arrayBuffer()).byteLength).toBeGreaterThan(11_000_000);
    const answer = (await nodes()).at(-1);
    expect(answer).toMatchObject({ status: 'success', text: expect.stringMatching(/^Long\. word/) });
    expect(answer?.node.message?.content).toMatchObject([{ type: 'text' }, { type: 'omitted', of: 'text' }]);
  });

  it('[RP5] an HTML page instead of a response is passed on and recorded as a short error', async () => {
    const page = `<html><body>${'<p>Sign in</p>'.repeat(1_000)}</body></html>`;
    const { post, nodes } = await proxied((_request, back, number) => {
      back.writeHead(number === 0 ? 503 : 200, { 'content-type': 'text/html' });
      back.end(page);
    });
    for (const status of [503, 200]) {
      const upstreamRequest = await post(chat, { model: 'm', messages: [user('Hi')] });
      expect([upstreamRequest.status, await upstreamRequest.text()]).toEqual([status, page]);
    }
    const all = await nodes();
    expect(all.map(({ status }) => status)).toEqual(['success', 'error', 'error']);
    expect(JSON.stringify(all.map(({ node }) => node.meta)).length).toBeLessThan(8_000);
    expect(all[1]?.node.meta['error']).toMatchObject({ status: 503, message: expect.stringContaining('Sign in') });
  });

  it('[RP4] a key that a service repeats is passed on and not recorded', async () => {
    const { post, nodes, server } = await proxied((seen, back) => {
      back.writeHead(401, json);
      back.end(JSON.stringify({ error: { message: `Wrong key ${seen.headers.authorization}` } }));
    });
    const own = {
      'x-coppice-token': testToken,
      authorization: 'Bearer an-odd-key-of-the-client',
      cookie: 'c=canary-cookie',
    };
    const body = { model: 'm', messages: [user('Hi')] };
    expect(await (await post(chat, body, own)).text()).toContain('an-odd-key-of-the-client');
    expect(await (await post(chat, body)).text()).toContain(operatorApiKey);
    const kept = JSON.stringify([await nodes(), (await server.ask('GET', '/api/proxy')).body]);
    for (const secret of ['an-odd-key', operatorApiKey, testToken, 'canary-cookie']) expect(kept).not.toContain(secret);
  });

  it('[RP4] a key in a compressed response, a stream, several pieces or a tool result of the client is not recorded', async () => {
    const [key, short] = ['an-odd-key-of-the-client', 'kurz-42'];
    const error = JSON.stringify({ error: { message: `Wrong key: ${key}, ${operatorApiKey} or ${short}.` } });
    const pieces = ['It is an-odd-key', '-of-the-client.'].map((content, at) => {
      const choice = { index: 0, delta: { content }, finish_reason: at === 0 ? null : 'stop' };
      return `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
    });
    const answers: readonly [number, Record<string, string>, string | Buffer][] = [
      [401, { ...json, 'content-encoding': 'gzip' }, zlib.gzipSync(error)],
      [200, events, `data: ${error}\n\n`],
      [200, { 'content-type': 'text/html' }, `<p>${error}`],
      [200, events, pieces.join('')],
      [200, json, completion('Yes.')],
    ];
    const { post, nodes, server } = await proxied((_seen, back, number) => {
      const [status, headers, body] = answers[number] ?? answers[0] ?? [];
      back.writeHead(status ?? 500, headers);
      back.end(body);
    });
    const printed = [user('Look.'), user(`KEY=${key} OTHER=${operatorApiKey} ${short}`)];
    const own = { 'x-coppice-token': testToken, authorization: `Bearer ${key}`, 'x-api-key': short };
    for (const _ of answers) await post(chat, { model: 'm', messages: printed }, own);
    const all = await nodes();
    const kept = JSON.stringify([all, (await server.ask('GET', '/api/proxy')).body]);
    for (const secret of ['an-odd-key', operatorApiKey]) expect(kept).not.toContain(secret);
    // A short value may be an ordinary word.
    expect(texts(all).slice(0, 2)).toEqual(['Look.', `KEY=[key …ient] OTHER=[key …7890] ${short}`]);
    expect(all.filter(({ role }) => role === 'assistant').map(({ text }) => text)).toEqual([
      '',
      '',
      '',
      'It is [key …ient].',
      'Yes.',
    ]);
    const errors = all.map(({ node }) => node.meta['error']).filter((reported) => reported !== undefined);
    expect(errors).toHaveLength(3);
    expect(JSON.stringify(errors)).not.toContain(short);
  });

  it('[RP4] a key that the end of a reply cuts off is not recorded, and the resent reply is found', async () => {
    const key = 'an-odd-key/of-the-client';
    const cut = `It is ${key.slice(0, -3)}`;
    const { post, nodes } = await proxied((_seen, back, number) => {
      back.writeHead(200, json);
      back.end(completion(number === 0 ? cut : 'Yes.'));
    });
    const own = { 'x-coppice-token': testToken, authorization: `Bearer ${key}` };
    await post(chat, { model: 'm', messages: [user('Look.')] }, own);
    const resent = [user('Look.'), { role: 'assistant', content: cut }, user('And now?')];
    await post(chat, { model: 'm', messages: resent }, own);
    const all = await nodes();
    expect(JSON.stringify(all)).not.toContain('an-odd-key');
    expect(texts(all)).toEqual(['Look.', 'It is [key …ient]', 'And now?', 'Yes.']);
  });

  it('[RP5] a stream that breaks off is recorded as interrupted, and one that reports an error keeps it', async () => {
    const parts = encodeReplyStream('openai', { text: 'One two three.' });
    let breakOff: () => void = () => undefined;
    const { begin, post, nodes, recorder } = await proxied((_request, back, number) => {
      back.writeHead(200, events);
      back.write(parts.slice(0, 3).join(''));
      if (number === 0) breakOff = () => void back.destroy();
      else back.end('data: {"error":{"message":"Overloaded","type":"overloaded"}}\n\n');
    });
    const body = { model: 'm', stream: true, messages: [user('Hi')] };
    const cut = (await begin(chat, body)).body?.getReader();
    // When the client has received a part, the proxy has received it too.
    expect((await cut?.read())?.done).toBe(false);
    breakOff();
    const toTheEnd = async () => {
      while ((await cut?.read())?.done === false);
    };
    await expect(toTheEnd()).rejects.toThrow();
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect(await (await post(chat, body)).text()).toContain('Overloaded');
    expect((await nodes()).map(({ text, status }) => [text, status])).toEqual([
      ['Hi', 'success'],
      ['One two', 'interrupted'],
      ['One two', 'interrupted'],
    ]);
    expect((await nodes())[2]?.node.meta['error']).toMatchObject({ message: 'Overloaded' });
  });

  it('[RP12] a client that disconnects ends the call to the service, before the first byte or after it', async () => {
    let broken = 0;
    const { begin, nodes, service, recorder } = await proxied((_request, back, number) => {
      back.on('close', () => broken++);
      if (number === 0) return;
      back.writeHead(200, events);
      back.write(encodeReplyStream('openai', { text: 'One two three.' }).slice(0, 3).join(''));
    });
    const body = { model: 'm', stream: true, messages: [user('Hi')] };
    const early = new AbortController();
    const first = fetch(`${open?.url}${chat}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...json, authorization: `Bearer ${testToken}` },
      signal: early.signal,
    });
    await expect.poll(() => service.requests.length).toBe(1);
    early.abort();
    await expect(first).rejects.toThrow();
    await expect.poll(() => broken).toBe(1);
    const reader = (await begin(chat, body)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect.poll(() => broken).toBe(2);
    await expect.poll(() => recorder.state.recorded).toBe(2);
    expect((await nodes()).map(({ text, status }) => [text, status])).toEqual([
      ['Hi', 'success'],
      ['', 'aborted'],
      ['One two', 'aborted'],
    ]);
  });

  it('[RP11] a service that never ends delays no other call of the project', async () => {
    const { begin, post, nodes, recorder } = await proxied((seen, back) => {
      back.writeHead(200, events);
      back.write(encodeReplyStream('openai', { text: 'One two.' })[0]);
      if (!seen.body.includes('endless')) back.end(encodeReplyStream('openai', { text: 'One two.' }).slice(1).join(''));
    });
    const endless = await begin(chat, { model: 'm', stream: true, messages: [user('endless')] });
    await (await post(chat, { model: 'm', stream: true, messages: [user('short')] })).text();
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect(texts(await nodes())).toEqual(['endless', 'short', 'One two.']);
    await endless.body?.cancel();
    await expect.poll(() => recorder.state.recorded).toBe(2);
  });

  it('[RP5, RP19] an unreachable service is reported in the format of the API, and recorded as an error', async () => {
    const { post, nodes, service } = await proxied(saying(''));
    await service.close();
    const upstreamRequest = await post(chat, { model: 'm', messages: [user('Hi')] });
    const error = { message: expect.stringContaining('cannot be reached'), code: 'upstream_unreachable' };
    expect([upstreamRequest.status, await upstreamRequest.json()]).toEqual([
      502,
      { error: { ...error, type: 'server_error', param: null } },
    ]);
    const other = await post('/v1/messages', { model: 'm', max_tokens: 9, messages: [user('Hi')] });
    expect([other.status, await other.json()]).toEqual([
      502,
      { type: 'error', error: { ...error, type: 'api_error' } },
    ]);
    expect((await nodes()).map(({ status }) => status)).toEqual(['success', 'error', 'error']);
  });

  it('[RP3] a request that cannot be parsed is passed on and not recorded', async () => {
    const { post, nodes, service } = await proxied(saying('{"odd":true}'));
    for (const body of ['[1,2', '{"messages":"none"}', '[]'])
      expect(await (await post(chat, body)).text()).toBe('{"odd":true}');
    expect(service.requests.map(({ body }) => body)).toEqual(['[1,2', '{"messages":"none"}', '[]']);
    expect(await nodes()).toEqual([]);
  });
});

describe('projects', () => {
  it('[RP17] a tree is named after its first question, once and without a separate write', async () => {
    const config = '[proxy.projects]\nproxy = "prompt"\n';
    const { post, trees } = await proxied(saying(completion('Green.')), config);
    const ask = (...messages: readonly object[]) => post(chat, { model: 'm', messages });
    const prompt = { role: 'system', content: 'Be brief.' };
    await ask(prompt, user('<note>Late.</note>\n**Which tea** is best? And why?'));
    const named = { attributes: { autoTitle: 'Late' }, version: 3 };
    expect(await trees()).toMatchObject([named]);
    await ask(prompt, user('Which coffee?'));
    expect(await trees()).toMatchObject([{ ...named, version: 5 }]);
    await ask(user([{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }]));
    expect((await trees())[0]?.attributes.autoTitle).toBeUndefined();
    await ask(user('What is on it?'));
    expect(await trees()).toMatchObject([{ attributes: { autoTitle: 'What is on it?' } }, { ...named, version: 5 }]);
  });

  it('[RP13] a path or a header groups the trees of a program; other names are refused', async () => {
    const { post, trees } = await proxied(saying(completion('Yes.')));
    const body = (system: string) => ({ model: 'm', messages: [{ role: 'system', content: system }, user('Hi')] });
    await post(`/p/shop${chat}`, body('One.'));
    await post(chat, body('Two.'), { 'x-coppice-project': 'shop' });
    await post(chat, body('Three.'));
    expect((await post(chat, body('Four.'), { 'x-coppice-project': '../etc' })).status).toBe(400);
    const of = (await trees()).map(({ attributes }) => [attributes.project, attributes.systemPrompt]);
    expect(of.sort()).toEqual([
      ['proxy', 'Three.'],
      ['shop', 'One.'],
      ['shop', 'Two.'],
    ]);
  });
});
