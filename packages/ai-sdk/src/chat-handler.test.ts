import { readTopology, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { jsonSchema, lastAssistantMessageIsCompleteWithToolCalls, tool, type UIMessage } from 'ai';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chatRunsOf } from './chat-run.ts';
import { type ChatHandlerOptions, chatTreeId, createChatHandler, loadChat } from './index.ts';
import { finishPart, manualStream, StockChat, scriptedModel, textParts, textsOf } from './testing/stock-chat.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store.close());

const user = 'ada';

function handlerFor(model: ChatHandlerOptions['model'], more: Partial<ChatHandlerOptions> = {}) {
  return createChatHandler({ store, model, user, ...more });
}

function load(chat: { readonly id: string }): Promise<UIMessage[]> {
  return loadChat({ store, user }, chat.id);
}

/** Counts the messages of a chat's tree on all branches. */
async function countNodes(chatId: string, owner = user): Promise<number> {
  const id = treeId(chatTreeId(owner, chatId));
  return (await store.forOwner(owner).read(id, () => readTopology(id))).length;
}

function post(body: unknown, type = 'application/json'): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request('http://app.test/api/chat', { method: 'POST', headers: { 'content-type': type }, body: text });
}

const ask = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });

describe('an unmodified useChat', () => {
  it('[AS2] keeps its default ids, and gets the same messages back after a reload', async () => {
    const chat = new StockChat(
      handlerFor(scriptedModel([...textParts('Four', '.'), finishPart()], [...textParts('Two.'), finishPart()])),
    );
    await chat.sendMessage({ text: 'Dice?' });
    await chat.sendMessage({ text: 'Again.' });
    expect(chat.error).toBeUndefined();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.', 'user: Again.', 'assistant: Two.']);
    expect(await load(chat)).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    expect(await countNodes(chat.id)).toBe(4);
  });

  it('[AS3] keeps the old reply when it generates again, and the old message when it is edited', async () => {
    const model = scriptedModel(
      ...['Four.', 'Five.', 'Heads.', 'Tails.'].map((text) => [...textParts(text), finishPart()]),
    );
    const chat = new StockChat(handlerFor(model));
    await chat.sendMessage({ text: 'Dice?' });
    await chat.regenerate();
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Five.']);
    expect(await countNodes(chat.id)).toBe(3);
    const [first] = chat.messages;
    await chat.sendMessage({ text: 'Coin?', messageId: first?.id ?? '' });
    expect(textsOf(await load(chat))).toEqual(['user: Coin?', 'assistant: Heads.']);
    expect((await load(chat))[0]?.id).toBe(first?.id);
    expect(await countNodes(chat.id)).toBe(5);
    await chat.sendMessage({ text: 'Again.' });
    expect(await countNodes(chat.id)).toBe(7);
    expect(await load(chat)).toEqual(JSON.parse(JSON.stringify(chat.messages)));
  });

  it('[AS4] runs tools on the server, and stores calls and results as separate messages', async () => {
    const roll = tool({
      inputSchema: jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } } }),
      execute: async ({ n }) => ({ eyes: n - 4 }),
    });
    const model = scriptedModel(
      [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: '{"n":6}' }, finishPart('tool-calls')],
      [...textParts('Two.'), finishPart()],
    );
    const chat = new StockChat(handlerFor(model, { tools: { roll } }));
    await chat.sendMessage({ text: 'Dice?' });
    expect(chat.error).toBeUndefined();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Two.']);
    expect(await load(chat)).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    expect(await countNodes(chat.id)).toBe(4);
  });

  it('[AS4] continues a reply after the page has run its tool', async () => {
    const roll = tool({
      inputSchema: jsonSchema<{ n: number }>({ type: 'object' }),
      outputSchema: jsonSchema<{ eyes: number }>({ type: 'object' }),
    });
    const model = scriptedModel(
      [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: '{"n":6}' }, finishPart('tool-calls')],
      [...textParts('Two.'), finishPart()],
    );
    const chat = new StockChat(handlerFor(model, { tools: { roll } }), {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
    await chat.sendMessage({ text: 'Dice?' });
    await chat.addToolOutput({ tool: 'roll', toolCallId: 'c1', output: { eyes: 2 } });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Two.');
    await expect.poll(() => chat.status).toBe('ready');
    expect(await load(chat)).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    expect(await countNodes(chat.id)).toBe(4);
  });

  it('[AS4] keeps files and data of the user, and reasoning and sources of the model', async () => {
    const model = scriptedModel([
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Look.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { anthropic: { signature: 'c2ln' } } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org', title: 'Dice' },
      ...textParts('A die.'),
      finishPart(),
    ]);
    const chat = new StockChat(handlerFor(model));
    await chat.sendMessage({
      role: 'user',
      metadata: { from: 'phone' },
      parts: [
        { type: 'text', text: 'What is it?' },
        { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA', filename: 'die.png' },
        { type: 'data-place', data: { x: 1 } },
      ],
    });
    expect(chat.error).toBeUndefined();
    expect(await load(chat)).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    expect(chat.messages[1]?.parts.map(({ type }) => type)).toEqual(['step-start', 'reasoning', 'source-url', 'text']);
  });
});

describe('a stream', () => {
  it('[AS5] continues without its reader, and is resumed from its beginning', async () => {
    const model = manualStream();
    const handler = handlerFor(scriptedModel(() => model.stream));
    const first = await handler(post({ id: 'c', messages: [ask('u', 'Dice?')] }));
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    await first.body?.cancel();
    const other = new StockChat(handler, { id: 'c', messages: await load({ id: 'c' }) });
    const resumed = other.resumeStream();
    model.push({ type: 'text-delta', id: 't', delta: 'ur.' }, { type: 'text-end', id: 't' }, finishPart());
    model.end();
    await resumed;
    expect(textsOf(other.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    expect(await load({ id: 'c' })).toEqual(JSON.parse(JSON.stringify(other.messages)));
    const after = await handler(new Request('http://app.test/api/chat/c/stream'));
    expect(after.status).toBe(204);
  });

  it('[AS5] stops on request, and stores the text generated so far', async () => {
    const model = manualStream();
    const handler = handlerFor(scriptedModel(() => model.stream));
    const response = await handler(post({ id: 'c', messages: [ask('u', 'Dice?')] }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    let seen = '';
    while (!seen.includes('"delta":"Fo"')) seen += (await reader?.read())?.value ?? '';
    const stopped = await handler(new Request('http://app.test/api/chat/c/stream', { method: 'DELETE' }));
    expect(stopped.status).toBe(204);
    expect(textsOf(await load({ id: 'c' }))).toEqual(['user: Dice?', 'assistant: Fo']);
  });

  it('[AS5] that a page has left is the same reply when the page continues with the part it has', async () => {
    const handler = handlerFor(
      scriptedModel([...textParts('Four.'), finishPart()], [...textParts('Two.'), finishPart()]),
    );
    const chat = new StockChat(handler);
    await chat.sendMessage({ text: 'Dice?' });
    const cut = structuredClone(chat.messages).map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.type === 'text' ? { ...part, text: part.text.slice(0, 2) } : part)),
    }));
    const [question] = chat.messages;
    if (question === undefined) throw new Error('There is no message.');
    const other = new StockChat(handler, { id: chat.id, messages: [question, ...cut.slice(1)] });
    await other.sendMessage({ text: 'Again.' });
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Four.', 'user: Again.', 'assistant: Two.']);
    expect(await countNodes(chat.id)).toBe(4);
  });
});

describe('a reply that its page has stopped', () => {
  /** Sends a question, stops the page after the first words of its reply, and sends another question. */
  async function stopAndSend(handler: (request: Request) => Promise<Response>, first: ReturnType<typeof manualStream>) {
    const chat = new StockChat(handler);
    const sent = chat.sendMessage({ text: 'Dice?' });
    first.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fo');
    await chat.stop();
    await sent;
    await chat.sendMessage({ text: 'Again.' });
    return chat;
  }

  it('[AS18] ends when the page goes on after it, and is stored once', async () => {
    const model = manualStream();
    const handler = handlerFor(scriptedModel(() => model.stream, [...textParts('Two.'), finishPart()]));
    const chat = await stopAndSend(handler, model);
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Fo', 'user: Again.', 'assistant: Two.']);
    expect(chatRunsOf(store).of(chatTreeId(user, chat.id))).toEqual([]);
    expect(await countNodes(chat.id)).toBe(4);
  });

  it('[AS18] ends also when the server notices the closed connection after the next request', async () => {
    const model = manualStream();
    const handler = handlerFor(scriptedModel(() => model.stream, [...textParts('Two.'), finishPart()]));
    // As over a network, the server learns a little later that the page has cancelled the response.
    const late = async (request: Request): Promise<Response> => {
      const response = await handler(request);
      const reader = response.body?.getReader();
      const body = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          const next = await reader?.read();
          if (next === undefined || next.done) controller.close();
          else controller.enqueue(next.value);
        },
        cancel: () => void setTimeout(() => void reader?.cancel(), 50),
      });
      return new Response(body, response);
    };
    const chat = await stopAndSend(late, model);
    expect(await countNodes(chat.id)).toBe(4);
  });

  it('[AS18] continues while another page reads it', async () => {
    const model = manualStream();
    const handler = handlerFor(scriptedModel(() => model.stream, [...textParts('Two.'), finishPart()]));
    const chat = new StockChat(handler);
    const sent = chat.sendMessage({ text: 'Dice?' });
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fo');
    const other = new StockChat(handler, { id: chat.id, messages: await load(chat) });
    const resumed = other.resumeStream();
    await expect.poll(() => textsOf(other.messages).at(-1)).toBe('assistant: Fo');
    await chat.stop();
    await sent;
    await chat.sendMessage({ text: 'Again.' });
    model.push({ type: 'text-delta', id: 't', delta: 'ur.' }, { type: 'text-end', id: 't' }, finishPart());
    model.end();
    await resumed;
    expect(textsOf(other.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Fo', 'user: Again.', 'assistant: Two.']);
  });
});

describe('unusual requests', () => {
  it('[AS6] sent twice at once get one reply', async () => {
    const model = scriptedModel([...textParts('Four.'), finishPart()], [...textParts('Five.'), finishPart()]);
    const handler = handlerFor(model);
    const body = { id: 'c', messages: [ask('u', 'Dice?')], trigger: 'submit-message' };
    const [one, two] = await Promise.all([handler(post(body)), handler(post(body))]);
    const [first, second] = await Promise.all([one.text(), two.text()]);
    expect(second).toBe(first);
    const late = await (await handler(post(body))).text();
    expect(late).toContain('Four.');
    expect(model.doStreamCalls.length).toBe(1);
    expect(await countNodes('c')).toBe(2);
  });

  it('[AS6] to two processes store one message and both replies', async () => {
    const body = { id: 'c', messages: [ask('u', 'Dice?')] };
    // Runs belong to a store object, and each process has its own store object.
    const handlers = ['Four.', 'Five.'].map((text) =>
      handlerFor(scriptedModel([...textParts(text), finishPart()]), { store: store.forOwner(user) }),
    );
    const responses = await Promise.all(handlers.map((handler) => handler(post(body))));
    await Promise.all(responses.map((response) => response.text()));
    expect(await countNodes('c')).toBe(3);
  });

  it('[AS7] with malformed data are refused with a reason, and nothing is written', async () => {
    const handler = handlerFor(scriptedModel([...textParts('Four.'), finishPart()]));
    type Refused = readonly [body: unknown, code: string, type?: string];
    const bad: Refused[] = [
      ['{', 'command/invalid'],
      ['', 'command/invalid'],
      ['[]', 'command/invalid'],
      [{ messages: [ask('u', 'x')] }, 'command/invalid'],
      [{ id: 'c' }, 'message/invalid'],
      [{ id: 'c', messages: [] }, 'message/invalid'],
      [{ id: 'c', messages: [7] }, 'message/invalid'],
      [{ id: 'c', messages: [{ ...ask('u', 'x'), role: 'root' }] }, 'message/invalid'],
      [{ id: 'c', messages: [{ id: 'u', role: 'user', parts: [{ type: 'nonsense' }] }] }, 'message/invalid'],
      [{ id: 'c', messages: [ask('u', 'x'), ask('u', 'y')] }, 'message/invalid'],
      [{ id: 'c', messages: [ask('u', ' ')] }, 'message/blank'],
      [{ id: 'c', messages: [ask('u', 'x')], trigger: 'explode' }, 'command/invalid'],
      [{ id: 'c', messages: [ask('u', 'x')] }, 'command/invalid', 'text/plain'],
    ];
    // Values that a store cannot store: JSON that nests too deeply, and numbers that are not finite.
    const nested = `${'['.repeat(2000)}${']'.repeat(2000)}`;
    const words = '{"type":"text","text":"x"}';
    const unstorable = [
      `{"id":"u","role":"user","parts":[${words},{"type":"data-x","data":${nested}}]}`,
      `{"id":"u","role":"user","parts":[${words}],"metadata":${nested}}`,
      `{"id":"u","role":"user","parts":[${words}],"metadata":{"n":1e999}}`,
    ];
    bad.push(
      ...unstorable.map(
        (message, at): Refused => [
          `{"id":"c","messages":[${message}]}`,
          at === 0 ? 'message/invalid' : 'command/invalid',
        ],
      ),
    );
    for (const [body, code, type] of bad) {
      const response = await handler(post(body, type));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code, message: expect.stringMatching(/\.$/) } });
    }
    const large = await handlerFor(scriptedModel([]), { maxRequestBytes: 20 })(post({ id: 'c', messages: [] }));
    expect(large.status).toBe(400);
    const patch = await handler(new Request('http://app.test/api/chat/c', { method: 'PATCH' }));
    expect(patch.status).toBe(405);
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":"c","messages":['));
        controller.error(new Error('The connection is gone.'));
      },
    });
    const headers = { 'content-type': 'application/json' };
    const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body: broken, duplex: 'half' };
    const cut = await handler(new Request('http://app.test/api/chat', init));
    expect(cut.status).toBe(400);
    expect(await cut.json()).toMatchObject({ error: { code: 'command/invalid' } });
    expect((await store.forOwner(user).trees()).items).toEqual([]);
  });

  it('[AS7] of any JSON are answered or refused with a sentence; what is refused leaves no chat', async () => {
    const handler = handlerFor(scriptedModel([...textParts('Four.'), finishPart()]));
    const role = fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'tool'), fc.jsonValue());
    const part = fc.oneof(
      fc.record({ type: fc.constantFrom('text', 'file', 'reasoning', 'data-x', 'tool-y', 'z'), text: fc.jsonValue() }),
      fc.jsonValue(),
    );
    const text = fc.string({ minLength: 1, unit: 'binary' });
    const message = fc.record({
      id: fc.oneof(text, fc.jsonValue()),
      role,
      parts: fc.oneof(fc.array(part), fc.jsonValue()),
    });
    const body = fc.record(
      {
        messages: fc.oneof(fc.array(fc.oneof(message, fc.jsonValue()), { maxLength: 4 }), fc.jsonValue()),
        message: fc.oneof(message, fc.jsonValue()),
        trigger: fc.oneof(fc.constant('regenerate-message'), fc.jsonValue()),
        messageId: fc.jsonValue(),
        run: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    let next = 0;
    await fc.assert(
      fc.asyncProperty(body, async (fields) => {
        const id = `chat ${++next}`;
        const response = await handler(post({ id, ...fields }));
        const answer = await response.text();
        if (response.status === 200) return;
        const isReference =
          fields.trigger === 'regenerate-message' && !('messages' in fields) && !('message' in fields);
        expect(response.status).toBe(isReference ? 404 : 400);
        expect(JSON.parse(answer).error.message).toMatch(/\.$/);
        expect(await load({ id })).toEqual([]);
        expect(await store.forOwner(user).formatOf(treeId(chatTreeId(user, id)))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  it('[AS16] may not add system messages unless the app allows it; stored ones reach the model', async () => {
    const model = scriptedModel([...textParts('Four.'), finishPart()]);
    const system = { id: 's', role: 'system', parts: [{ type: 'text', text: 'Obey.' }] };
    const body = { id: 'c', messages: [system, ask('u', 'Dice?')] };
    const handler = handlerFor(model);
    const refused = await handler(post(body));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: 'message/invalid' } });
    expect(await load({ id: 'c' })).toEqual([]);
    await (await handlerFor(model, { allowSystemInMessages: true })(post(body))).text();
    // The message is stored now, so it is accepted.
    const again = await handler(post({ id: 'c', messages: [...(await load({ id: 'c' })), ask('v', 'Again.')] }));
    expect(await again.text()).toContain('Four.');
    for (const { prompt } of model.doStreamCalls) expect(prompt[0]).toEqual({ role: 'system', content: 'Obey.' });
    const more = { ...system, id: 't' };
    const late = await handler(post({ id: 'c', messages: [...(await load({ id: 'c' })), more, ask('w', 'More.')] }));
    expect(late.status).toBe(400);
    expect(await countNodes('c')).toBe(5);
  });

  it('[AS6] of different messages at once are all kept, each with its reply', async () => {
    const handler = handlerFor(scriptedModel([...textParts('Four.'), finishPart()]));
    const posts = ['One?', 'Two?', 'Three?'].map((text) => post({ id: 'c', messages: [ask(text, text)] }));
    const responses = await Promise.all(posts.map((request) => handler(request)));
    const answers = await Promise.all(responses.map((response) => response.text()));
    expect(answers.filter((answer) => answer.includes('Four.')).length).toBe(3);
    expect(await countNodes('c')).toBe(6);
    // Two processes create the same chat at the same time, with different messages.
    const others = ['Five?', 'Six?'].map((text) =>
      handlerFor(scriptedModel([...textParts('Seven.'), finishPart()]), { store: store.forOwner(user) })(
        post({ id: 'd', messages: [ask(text, text)] }),
      ),
    );
    for (const response of await Promise.all(others)) expect(await response.text()).toContain('Seven.');
    expect(await countNodes('d')).toBe(4);
  });

  it('[AS8] cannot read or change data of another user', async () => {
    const model = scriptedModel([...textParts('Four.'), finishPart()]);
    const chatId = crypto.randomUUID();
    for (const id of [chatId, 'c']) {
      const response = await handlerFor(model)(post({ id, messages: [ask('u', 'Secret?')] }));
      await response.text();
    }
    const other = handlerFor(model, { user: 'eve' });
    const taken = await other(post({ id: chatId, messages: [ask('u', 'Secret?')] }));
    expect(taken.status).toBe(409);
    expect((await taken.json()).error.message).toBe(`The chat id ${chatId} is taken. Choose another one.`);
    expect((await other(new Request(`http://app.test/api/chat/${chatId}`))).status).toBe(404);
    expect((await other(new Request(`http://app.test/api/chat/${chatId}/stream`))).status).toBe(204);
    expect(await loadChat({ store, user: 'eve' }, chatId)).toEqual([]);
    // Another user's chat with the same id is a different chat.
    await (await other(post({ id: 'c', messages: [ask('u', 'Mine?')] }))).text();
    expect(textsOf(await loadChat({ store, user: 'eve' }, 'c'))).toEqual(['user: Mine?', 'assistant: Four.']);
    expect(textsOf(await load({ id: 'c' }))).toEqual(['user: Secret?', 'assistant: Four.']);
    const nobody = await handlerFor(model, { user: () => null })(post({ id: 'c', messages: [ask('u', 'x')] }));
    expect(nobody.status).toBe(401);
  });

  it('[AS9] whose model fails keep the message and the generated text, and report the failure', async () => {
    const model = manualStream();
    const chat = new StockChat(handlerFor(scriptedModel(() => model.stream, [...textParts('Four.'), finishPart()])));
    const sent = chat.sendMessage({ text: 'Dice?' });
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fo');
    model.fail(new Error('secret detail'));
    await sent;
    expect(chat.error?.message).toBe('The model could not answer.');
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Fo']);
    await chat.regenerate();
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Four.']);
  });

  it('[AS21] choose the model, tools, system prompt and settings of their reply, whose metadata is stored', async () => {
    const [small, large] = ['Small.', 'Large.'].map((text) => scriptedModel([...textParts(text), finishPart()]));
    const look = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => 'Bread.' });
    const handler = handlerFor((_request, { body }) => (body.model === 'large' ? large : small) ?? expect.fail(), {
      tools: (request, chat) => (request.headers.get('x-plan') === 'free' ? {} : { [`look_${chat.user}`]: look }),
      system: async (_request, { user: name, chatId }) => `You talk to ${name} in ${chatId}.`,
      settings: (_request, { body }) => ({ temperature: body.model === 'large' ? 1 : 0 }),
      messageMetadata: ({ part }) => (part.type === 'finish' ? { tokens: part.totalUsage.outputTokens } : undefined),
    });
    await (await handler(post({ id: 'c', messages: [ask('u', 'Dough?')], model: 'large' }))).text();
    const [call] = large?.doStreamCalls ?? [];
    expect(call).toMatchObject({ temperature: 1, tools: [{ name: 'look_ada' }] });
    expect(call?.prompt[0]).toMatchObject({ role: 'system', content: 'You talk to ada in c.' });
    expect((await load({ id: 'c' }))[1]?.metadata).toEqual({ tokens: 5 });
    const free = post({ id: 'd', messages: [ask('u', 'Dough?')] });
    free.headers.set('x-plan', 'free');
    await (await handler(free)).text();
    expect(small?.doStreamCalls[0]).toMatchObject({ temperature: 0 });
    expect(small?.doStreamCalls[0]?.tools ?? []).toEqual([]);
    expect(large?.doStreamCalls.length).toBe(1);
  });

  it('[AS10] with only one message continue the active branch', async () => {
    const handler = handlerFor(
      scriptedModel([...textParts('Four.'), finishPart()], [...textParts('Two.'), finishPart()]),
    );
    await (await handler(post({ id: 'c', message: ask('u', 'Dice?') }))).text();
    await (await handler(post({ id: 'c', message: ask('v', 'Again.') }))).text();
    expect(textsOf(await load({ id: 'c' }))).toEqual([
      'user: Dice?',
      'assistant: Four.',
      'user: Again.',
      'assistant: Two.',
    ]);
  });

  it('[AS10] with only the last message edit it, answer it again and continue its reply, as with all messages', async () => {
    const roll = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      outputSchema: jsonSchema<string>({ type: 'string' }),
    });
    const model = scriptedModel(
      [...textParts('Four.'), finishPart()],
      [...textParts('Five.'), finishPart()],
      [...textParts('Six.'), finishPart()],
      [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: '{}' }, finishPart('tool-calls')],
      [...textParts('Heads.'), finishPart()],
    );
    const sent: object[] = [];
    const chat = new StockChat(handlerFor(model, { tools: { roll } }), {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => {
        // As the documents of the SDK show it: nothing but the id of a reply that is generated again.
        const again = trigger === 'regenerate-message' && sent.length > 1;
        const body = { id, trigger, messageId, ...(again ? {} : { message: messages.at(-1) }) };
        sent.push(body);
        return { body };
      },
    });
    await chat.sendMessage({ text: 'Dice?' });
    await chat.regenerate();
    await chat.regenerate();
    expect(textsOf(await load(chat))).toEqual(['user: Dice?', 'assistant: Six.']);
    expect(await countNodes(chat.id)).toBe(4);
    await chat.sendMessage({ text: 'Coin?', messageId: chat.messages[0]?.id ?? '' });
    await chat.addToolOutput({ tool: 'roll', toolCallId: 'c1', output: 'heads' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Heads.');
    expect(textsOf(await load(chat))).toEqual(['user: Coin?', 'assistant: Heads.']);
    // The question, the call, its result and the rest of the reply, beside the first question and its three replies.
    expect(await countNodes(chat.id)).toBe(8);
    expect(await load(chat)).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    const unknown = await handlerFor(model)(post({ id: chat.id, trigger: 'regenerate-message', messageId: 'none' }));
    expect(unknown.status).toBe(404);
    const noChat = await handlerFor(model)(post({ id: 'new', trigger: 'regenerate-message' }));
    expect(noChat.status).toBe(404);
  });
});
