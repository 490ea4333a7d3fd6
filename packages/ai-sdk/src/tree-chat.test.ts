import { randomUUID as nodeUuid } from 'node:crypto';
import type { Store } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { jsonSchema, lastAssistantMessageIsCompleteWithToolCalls, tool, type UIMessage } from 'ai';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ChatHandler, type ChatHandlerOptions, createChatHandler, loadChat } from './index.ts';
import {
  BranchingChat,
  finishPart,
  manualStream,
  StockChat,
  scriptedModel,
  textParts,
  textsOf,
} from './testing/stock-chat.ts';

const user = 'ada';
let store: Store;
const opened: BranchingChat[] = [];

beforeEach(async () => {
  store = await openStore('memory:');
});

afterEach(async () => {
  for (const chat of opened.splice(0)) chat.tree.close();
  await store.close();
});

function handlerFor(model: ChatHandlerOptions['model'], more: Partial<ChatHandlerOptions> = {}): ChatHandler {
  return createChatHandler({ store, model, user, ...more });
}

async function openChat(handler: ChatHandler, id = 'c', live = false): Promise<BranchingChat> {
  const chat = new BranchingChat(handler, id, { live });
  opened.push(chat);
  await chat.tree.open();
  return chat;
}

const answers = (...texts: readonly string[]) =>
  scriptedModel(...texts.map((text) => [...textParts(text), finishPart()]));

function idOf(chat: { readonly messages: readonly UIMessage[] }, at: number): string {
  return chat.messages.at(at)?.id ?? '';
}

/** Returns the number of replies that are being generated, as the store has it now. */
async function countRuns({ tree }: Awaited<ReturnType<typeof openChat>>): Promise<number> {
  await tree.refresh();
  return tree.getSnapshot().state.runs.length;
}

describe('a chat with its tree', () => {
  it('[AS12] has the variants of edits and regenerated replies, switches between them and finds them after a reload', async () => {
    const handler = handlerFor(answers('Four.', 'Five.', 'Heads.'));
    const chat = await openChat(handler);
    await chat.tree.sendMessage({ text: 'Dice?' });
    await chat.tree.regenerate();
    expect(chat.tree.variants(idOf(chat, 1))).toMatchObject({ index: 1, count: 2 });
    await chat.tree.previous(idOf(chat, 1));
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    await chat.tree.previous(idOf(chat, 1));
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Five.']);
    await chat.tree.edit(idOf(chat, 0), 'Coin?');
    expect(textsOf(chat.messages)).toEqual(['user: Coin?', 'assistant: Heads.']);
    expect(chat.tree.variants(idOf(chat, 0))).toMatchObject({ index: 1, count: 2 });

    const reloaded = await openChat(handler);
    expect(reloaded.messages).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    await reloaded.tree.next(idOf(reloaded, 0));
    expect(textsOf(reloaded.messages)).toEqual(['user: Dice?', 'assistant: Five.']);
    expect(reloaded.tree.getSnapshot().state.branches.map(({ text }) => text)).toEqual(['Heads.', 'Five.', 'Four.']);
    expect(textsOf(await loadChat({ store, user }, 'c'))).toEqual(['user: Dice?', 'assistant: Five.']);
  });

  it('[AS22] sends headers and fields that come later, with the fetch of a browser, on a page without HTTPS', async () => {
    const handler = handlerFor(answers('Four.'), { newId: nodeUuid });
    const requests: { readonly token: string | null; readonly body: string }[] = [];
    vi.spyOn(crypto, 'randomUUID').mockImplementation(() => expect.fail('Pages without HTTPS have no randomUUID.'));
    const chat = new BranchingChat(handler, 'c', {
      live: false,
      headers: async () => new Headers({ authorization: 'Bearer abc' }),
      body: async () => ({ model: 'large' }),
      async fetch(this: unknown, input: RequestInfo | URL, init?: RequestInit) {
        if (this !== undefined) throw new TypeError('Illegal invocation');
        const request = new Request(input, init);
        requests.push({ token: request.headers.get('authorization'), body: await request.clone().text() });
        return handler(request);
      },
    });
    opened.push(chat);
    await chat.tree.open();
    await chat.tree.sendMessage({ text: 'Dice?' }, { body: { seed: 1 } });
    vi.restoreAllMocks();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    expect(requests.length).toBeGreaterThan(2);
    expect(requests.map(({ token }) => token)).toEqual(requests.map(() => 'Bearer abc'));
    const sent = JSON.parse(requests.map(({ body }) => body).find((body) => body !== '') ?? '{}');
    expect(sent).toMatchObject({ id: 'c', model: 'large', seed: 1 });
    expect(sent.run).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('[AS12] stores an edited reply as a variant, removes messages, and undoes and redoes', async () => {
    const chat = await openChat(handlerFor(answers('Four.', 'Two.')));
    await chat.tree.sendMessage({ text: 'Dice?' });
    await chat.tree.edit(idOf(chat, 1), 'Six.');
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Six.']);
    expect(chat.tree.variants(idOf(chat, 1)).count).toBe(2);
    await chat.tree.undo();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    await chat.tree.redo();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Six.']);
    await chat.tree.sendMessage({ text: 'Again.' });
    await chat.tree.remove(idOf(chat, 1));
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'user: Again.', 'assistant: Two.']);
    await chat.tree.undo();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Six.', 'user: Again.', 'assistant: Two.']);
    await chat.tree.undo();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Six.']);
  });

  it('[AS13] lets a reply continue while another branch is shown, and shows it again as it arrives', async () => {
    const model = manualStream();
    const chat = await openChat(handlerFor(scriptedModel([...textParts('Four.'), finishPart()], () => model.stream)));
    await chat.tree.sendMessage({ text: 'Dice?' });
    const first = chat.tree.variants(idOf(chat, 1)).ids[0] ?? '';
    const asking = chat.tree.regenerate();
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fi' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fi');

    await chat.tree.select(first);
    await asking;
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    const [run] = chat.tree.runsElsewhere();
    expect(run?.text).toBe('Dice?');

    await chat.tree.select(run?.id ?? '');
    model.push({ type: 'text-delta', id: 't', delta: 've.' });
    await expect.poll(() => textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Five.']);
    await chat.tree.select(first);
    model.push({ type: 'text-end', id: 't' }, finishPart());
    model.end();
    const refreshed = async () => {
      await chat.tree.refresh();
      return { running: chat.tree.runsElsewhere(), variants: chat.tree.variants(idOf(chat, 1)) };
    };
    await expect.poll(refreshed).toMatchObject({ running: [], variants: { index: 0, count: 2 } });
    await chat.tree.next(idOf(chat, 1));
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Five.']);
  });

  it('[AS13] stops a reply on the server, before and after its first words', async () => {
    const model = manualStream();
    const never = manualStream();
    const handler = handlerFor(
      scriptedModel(
        () => model.stream,
        () => never.stream,
      ),
    );
    const chat = await openChat(handler);
    const asking = chat.tree.sendMessage({ text: 'Dice?' });
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fo');
    await chat.tree.stop();
    await asking;
    expect(chat.status).toBe('ready');
    expect(textsOf(await loadChat({ store, user }, 'c'))).toEqual(['user: Dice?', 'assistant: Fo']);

    const again = chat.tree.sendMessage({ text: 'Again.' });
    await expect.poll(() => chat.status).toBe('submitted');
    await chat.tree.stop();
    await again;
    await expect.poll(() => countRuns(chat)).toBe(0);
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Fo', 'user: Again.']);
  });

  it('[AS13] resumes a reply with tool steps after a reload, without storing a part twice', async () => {
    const roll = tool({
      inputSchema: jsonSchema<{ n: number }>({ type: 'object' }),
      execute: async ({ n }) => ({ eyes: n - 4 }),
    });
    const model = manualStream();
    const handler = handlerFor(
      scriptedModel(
        [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: '{"n":6}' }, finishPart('tool-calls')],
        () => model.stream,
      ),
      { tools: { roll } },
    );
    const first = await openChat(handler);
    const asking = first.tree.sendMessage({ text: 'Dice?' });
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Tw' });
    await expect.poll(() => textsOf(first.messages).at(-1)).toBe('assistant: Tw');

    const second = await openChat(handler);
    const stock = new StockChat(handler, { id: 'c', messages: await loadChat({ store, user }, 'c') });
    const resumed = stock.resumeStream();
    model.push({ type: 'text-delta', id: 't', delta: 'o.' }, { type: 'text-end', id: 't' }, finishPart());
    model.end();
    await Promise.all([asking, resumed]);
    await expect.poll(() => second.status).toBe('ready');
    await expect.poll(() => second.messages).toEqual(first.messages);
    expect(stock.messages).toEqual(first.messages);
    expect(JSON.parse(JSON.stringify(first.messages))).toEqual(await loadChat({ store, user }, 'c'));
  });

  it('[AS13] resumes a reply that continues after the page has run a tool', async () => {
    const roll = tool({
      inputSchema: jsonSchema<{ n: number }>({ type: 'object' }),
      outputSchema: jsonSchema<{ eyes: number }>({ type: 'object' }),
    });
    const model = manualStream();
    const handler = handlerFor(
      scriptedModel(
        [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: '{"n":6}' }, finishPart('tool-calls')],
        () => model.stream,
      ),
      { tools: { roll } },
    );
    const first = await openChat(handler);
    await first.tree.sendMessage({ text: 'Dice?' });
    await first.addToolOutput({ tool: 'roll', toolCallId: 'c1', output: { eyes: 2 } });
    const asking = first.tree.sendMessage();
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Two.' });
    await expect.poll(() => textsOf(first.messages).at(-1)).toBe('assistant: Two.');
    const second = await openChat(handler);
    await expect.poll(() => second.messages).toEqual(first.messages);
    model.push({ type: 'text-end', id: 't' }, finishPart());
    model.end();
    await asking;
    await expect.poll(() => second.status).toBe('ready');
    await expect.poll(() => second.messages).toEqual(first.messages);
    expect(JSON.parse(JSON.stringify(first.messages))).toEqual(await loadChat({ store, user }, 'c'));
  });

  it('[AS12] knows the versions of a reply that the chat went on with by itself after a tool of the page', async () => {
    const roll = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      outputSchema: jsonSchema<number>({ type: 'number' }),
    });
    const model = scriptedModel(
      [{ type: 'tool-call', toolCallId: 'c1', toolName: 'roll', input: '{}' }, finishPart('tool-calls')],
      [...textParts('Two.'), finishPart()],
      [...textParts('None.'), finishPart()],
    );
    const chat = new BranchingChat(handlerFor(model, { tools: { roll } }), 'c', {
      live: false,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
    opened.push(chat);
    await chat.tree.open();
    await chat.tree.sendMessage({ text: 'Dice?' });
    await chat.addToolOutput({ tool: 'roll', toolCallId: 'c1', output: 2 });
    await expect.poll(() => chat.tree.getSnapshot().state.branches.map(({ text }) => text)).toEqual(['Two.']);
    expect(chat.tree.runsElsewhere()).toEqual([]);
    await chat.tree.regenerate();
    expect(chat.tree.variants(idOf(chat, 1))).toMatchObject({ index: 1, count: 2 });
  });

  it('[AS14] follows another tab on the same branch, and stays in place when the other tab switches branches', async () => {
    const handler = handlerFor(answers('Four.', 'Two.', 'Heads.'));
    const one = await openChat(handler);
    await one.tree.sendMessage({ text: 'Dice?' });
    const two = await openChat(handler, 'c', true);
    await one.tree.sendMessage({ text: 'Again.' });
    await expect.poll(() => two.messages).toEqual(JSON.parse(JSON.stringify(one.messages)));
    await one.tree.edit(idOf(one, 0), 'Coin?');
    await expect.poll(() => two.tree.variants(idOf(two, 0))).toMatchObject({ index: 0, count: 2 });
    expect(textsOf(two.messages)).toEqual(['user: Dice?', 'assistant: Four.', 'user: Again.', 'assistant: Two.']);
    expect(textsOf(one.messages)).toEqual(['user: Coin?', 'assistant: Heads.']);
  });

  it('[AS14] is not moved back by a late response to an earlier request', async () => {
    const handler = handlerFor(answers('Four.', 'Five.'));
    const held: (() => void)[] = [];
    let isHolding = false;
    const chat = new BranchingChat(handler, 'c', {
      live: false,
      fetch: async (input, init) => {
        const response = await handler(new Request(input, init));
        if (isHolding && init?.method === undefined) await new Promise<void>((resolve) => held.push(resolve));
        return response;
      },
    });
    opened.push(chat);
    await chat.tree.open();
    await chat.tree.sendMessage({ text: 'Dice?' });
    await chat.tree.regenerate();
    isHolding = true;
    const late = chat.tree.refresh();
    await expect.poll(() => held.length).toBe(1);
    await chat.tree.previous(idOf(chat, 1));
    isHolding = false;
    for (const release of held) release();
    await late;
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
  });

  it('[AS14] keeps a message that could not be sent, and undoes a reply that is still being generated', async () => {
    const model = manualStream();
    const handler = handlerFor(scriptedModel(() => model.stream));
    let isAway = true;
    const chat = new BranchingChat(handler, 'c', {
      live: false,
      fetch: async (input, init) => {
        if (isAway) throw new TypeError('fetch failed');
        return handler(new Request(input, init));
      },
    });
    opened.push(chat);
    await chat.tree.open();
    expect(chat.tree.getSnapshot().error?.message).toBe('fetch failed');
    await chat.tree.sendMessage({ text: 'Dice?' });
    expect(chat.status).toBe('error');
    isAway = false;
    await chat.tree.refresh();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?']);
    const asking = chat.tree.regenerate();
    model.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
    await expect.poll(() => textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Fo']);
    await chat.tree.undo();
    await asking;
    expect(chat.messages).toEqual([]);
    await chat.tree.redo();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Fo']);
  });

  it('[AS14] undoes only the reply that is being generated again', async () => {
    const [first, second] = [manualStream(), manualStream()];
    const chat = await openChat(
      handlerFor(
        scriptedModel(
          [...textParts('Four.'), finishPart()],
          () => first.stream,
          () => second.stream,
        ),
      ),
    );
    await chat.tree.sendMessage({ text: 'Dice?' });
    const asking = chat.tree.regenerate();
    first.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fi' });
    await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fi');
    await chat.tree.undo();
    await asking;
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
    await chat.tree.redo();
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Fi']);
    const silent = chat.tree.regenerate();
    await expect.poll(() => chat.status).not.toBe('ready');
    await expect.poll(() => countRuns(chat)).toBe(1);
    await chat.tree.undo();
    await silent;
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Fi']);
  });

  it('[AS7, AS8] refuses invalid changes and changes of other users', async () => {
    const handler = handlerFor(answers('Four.'));
    const chat = await openChat(handler);
    await chat.tree.sendMessage({ text: 'Dice?' });
    const { nodeId } = chat.tree.getSnapshot().state.places[0] ?? { nodeId: '' };
    const patch = (to: ChatHandler, body: unknown, path = 'c/tree') =>
      to(
        new Request(`http://app.test/api/chat/${path}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    expect((await patch(handler, { action: 'explode' })).status).toBe(400);
    expect((await patch(handler, { action: 'select', nodeId: 'x' })).status).toBe(400);
    expect((await patch(handler, { action: 'edit', nodeId, text: ' ' })).status).toBe(400);
    expect((await patch(handler, { action: 'select', nodeId: crypto.randomUUID() })).status).toBe(404);
    expect((await patch(handler, { action: 'undo' }, 'other/tree')).status).toBe(404);
    const eve = handlerFor(answers('Four.'), { user: 'eve' });
    expect((await patch(eve, { action: 'remove', nodeId })).status).toBe(404);
    const tree = await eve(new Request('http://app.test/api/chat/c/tree'));
    expect(await tree.json()).toMatchObject({ version: 0, messages: [] });
    expect((await eve(new Request('http://app.test/api/chat/c/events'))).status).toBe(204);
    expect((await handler(new Request('http://app.test/api/chat/c/events?since=x'))).status).toBe(400);
    await expect(chat.tree.select(crypto.randomUUID())).rejects.toThrow(/There is no message/);
    expect(textsOf(chat.messages)).toEqual(['user: Dice?', 'assistant: Four.']);
  });
});
