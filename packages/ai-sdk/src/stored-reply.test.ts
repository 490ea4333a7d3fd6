import { openStore } from '@coppice/stores';
import { readUIMessageStream, safeValidateUIMessages, type UIMessage } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChatHandler, loadChat } from './index.ts';
import { storeMessages } from './store-messages.ts';
import { streamStoredReply } from './stored-reply.ts';
import { arbitraryReplyParts } from './testing/arbitrary-messages.ts';
import { createEmptyChatTree } from './testing/chat-tree.ts';
import { finishPart, StockChat, scriptedModel, textParts, textsOf } from './testing/stock-chat.ts';
import type { UiMessageJson } from './ui-nodes.ts';

/** Reads a streamed reply as the SDK reads it on a page. */
async function readReply(reply: UiMessageJson): Promise<UiMessageJson> {
  let read: UIMessage | undefined;
  const faults: unknown[] = [];
  const messages = readUIMessageStream({ stream: streamStoredReply(reply), onError: (error) => faults.push(error) });
  for await (const message of messages) read = message;
  expect(faults).toEqual([]);
  return JSON.parse(JSON.stringify(read));
}

test('[AS20] a stored reply that is streamed again is the same message for the page, and posting it back adds nothing', async () => {
  const store = await openStore('memory:');
  await fc.assert(
    fc.asyncProperty(arbitraryReplyParts, async (parts) => {
      const all = [...parts, { type: 'text', text: 'Done.' }];
      const reply: UiMessageJson = JSON.parse(JSON.stringify({ id: 'a', role: 'assistant', parts: all }));
      fc.pre((await safeValidateUIMessages({ messages: [reply] })).success);
      const read = await readReply(reply);
      expect(read.parts.map(({ type }) => type)).toEqual(reply.parts.map(({ type }) => type));
      expect(await safeValidateUIMessages({ messages: [read] })).toMatchObject({ success: true });
      const tree = await createEmptyChatTree(store);
      const first = await storeMessages(tree, [reply], { below: null, actId: tree.newId(), select: 'always' });
      const again = await storeMessages(tree, [read], { below: null, actId: tree.newId(), select: 'always' });
      expect(again).toEqual({ end: first.end, changed: false });
    }),
    { numRuns: 150, seed: 22 },
  );
  await store.close();
});

test('[AS20] sources, results and the provider of a call survive the stream, and a page runs no tool again', async () => {
  const call = { toolCallId: 'c1', input: { a: 1 }, callProviderMetadata: { openai: { itemId: 'i' } } };
  const parts = [
    { type: 'source-document', sourceId: 's', mediaType: 'application/pdf', title: 'Bread', filename: 'bread.pdf' },
    { type: 'tool-look', ...call, state: 'output-available', providerExecuted: true, output: 'It rises.' },
    { type: 'text', text: 'It rises.', state: 'done' },
  ];
  const reply: UiMessageJson = { id: 'a', role: 'assistant', parts };
  expect((await readReply(reply)).parts).toEqual(parts);

  const calls: string[] = [];
  const body = streamStoredReply(reply)
    .pipeThrough(new TransformStream({ transform: (chunk, to) => to.enqueue(`data: ${JSON.stringify(chunk)}\n\n`) }))
    .pipeThrough(new TextEncoderStream());
  const chat = new StockChat(async () => new Response(body), {
    onToolCall: ({ toolCall }) => void calls.push(toolCall.toolCallId),
  });
  await chat.sendMessage({ text: 'Bread?' });
  expect(textsOf(chat.messages).at(-1)).toBe('assistant: It rises.');
  expect(calls).toEqual([]);
});

test('[AS20] a request that is sent again gets the stored reply, and a reload shows it too', async () => {
  const store = await openStore('memory:');
  const model = scriptedModel([...textParts('About two hours.'), finishPart()]);
  const handler = createChatHandler({ store, model, user: 'ada' });
  const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Bread?' }] };
  const body = JSON.stringify({ id: 'bread', messages: [message] });
  const post = async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await handler(new Request('http://app.test/api/chat', { method: 'POST', headers, body }));
    return response.text();
  };
  for (let round = 0; round < 2; round++) {
    expect(await post()).toContain('About two hours.');
    expect(textsOf(await loadChat({ store, user: 'ada' }, 'bread'))).toEqual([
      'user: Bread?',
      'assistant: About two hours.',
    ]);
  }
  await store.close();
});
