/** The handler behind Express over a socket, as the README says. */
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { openStore } from '@coppice/stores';
import { getRequestListener } from '@hono/node-server';
import { DefaultChatTransport } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { createChatHandler, loadChat } from './index.ts';
import { finishPart, manualStream, StockChat, scriptedModel, textParts, textsOf } from './testing/stock-chat.ts';

type Middleware = (request: never, response: never, next: () => void) => void;
interface ExpressApp extends RequestListener {
  use(middleware: Middleware): void;
  use(path: string, listener: RequestListener): void;
}
/** Express, which has no types of its own. */
const express: { (): ExpressApp; json(): Middleware } = createRequire(import.meta.url)('express');

async function serve(app: ExpressApp): Promise<string> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}/api/chat`;
}

test('[AS19] Express takes the handler under any path: a chat is sent, stopped, continued and resumed', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const [slow, slower] = [manualStream(), manualStream()];
  const model = scriptedModel(
    () => slow.stream,
    [...textParts('Two.'), finishPart()],
    () => slower.stream,
  );
  const app = express();
  app.use('/api/chat', getRequestListener(createChatHandler({ store, model, user: 'ada' })));
  const api = await serve(app);
  const chat = new StockChat((request) => fetch(request), { api });
  const sent = chat.sendMessage({ text: 'Dice?' });
  slow.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Fo' });
  await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Fo');
  await chat.stop();
  await sent;
  await chat.sendMessage({ text: 'Again.' });
  const kept = ['user: Dice?', 'assistant: Fo', 'user: Again.', 'assistant: Two.'];
  expect(textsOf(await loadChat({ store, user: 'ada' }, chat.id))).toEqual(kept);
  const { places } = await (await fetch(`${api}/${chat.id}/tree`)).json();
  expect(places.map(({ ids }: { readonly ids: readonly string[] }) => ids.length)).toEqual([1, 1, 1, 1]);
  const left = chat.sendMessage({ text: 'More.' });
  slower.push({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Mo' });
  await expect.poll(() => textsOf(chat.messages).at(-1)).toBe('assistant: Mo');
  await chat.stop();
  await left;
  const other = new StockChat((request) => fetch(request), {
    api,
    id: chat.id,
    messages: await loadChat({ store, user: 'ada' }, chat.id),
  });
  const resumed = other.resumeStream();
  await expect.poll(() => textsOf(other.messages).at(-1)).toBe('assistant: Mo');
  slower.push({ type: 'text-delta', id: 't', delta: 're.' }, { type: 'text-end', id: 't' }, finishPart());
  slower.end();
  await resumed;
  expect(textsOf(other.messages)).toEqual([...kept, 'user: More.', 'assistant: More.']);
});

test('[AS19] a body that was read before the handler is refused with the reason', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const app = express();
  app.use(express.json());
  app.use('/api/chat', getRequestListener(createChatHandler({ store, model: scriptedModel([]), user: 'ada' })));
  const api = await serve(app);
  const transport = new DefaultChatTransport({ api });
  const messages = [{ id: 'u', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Dice?' }] }];
  const options = { chatId: 'c', messages, trigger: 'submit-message' as const, messageId: undefined };
  await expect(transport.sendMessages({ ...options, abortSignal: undefined })).rejects.toThrow('express.json()');
});
