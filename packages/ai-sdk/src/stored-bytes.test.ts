import { readPage, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { openTree } from '@coppice/stores/tree';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chatTreeId, createChatHandler, loadChat } from './index.ts';
import { finishPart, StockChat, scriptedModel, textParts } from './testing/stock-chat.ts';

const user = 'ada';
const png = 'iVBORw0KGgo=';
let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store.close());

const replies = (count: number) =>
  scriptedModel(...Array.from({ length: count }, (_, at) => [...textParts(`Reply ${at}.`), finishPart()]));

/** Reads the nodes of the active branch as they are stored. */
async function storedContents(chatId: string): Promise<readonly unknown[]> {
  const id = treeId(chatTreeId(user, chatId));
  const page = await store.forOwner(user).read(id, () => readPage(id, {}));
  return page.nodes.map(({ message }) => message?.content);
}

describe('images and files of a chat', () => {
  it('[AS23] are in the blob store once, and in the messages of the page and the model', async () => {
    const model = replies(3);
    const chat = new StockChat(createChatHandler({ store, model, user }), { id: 'c' });
    const file = {
      type: 'file' as const,
      mediaType: 'image/png',
      filename: 'a.png',
      url: `data:image/png;base64,${png}`,
    };
    await chat.sendMessage({ text: 'Look', files: [file] });
    await chat.sendMessage({ text: 'Again' });
    expect(chat.error).toBeUndefined();
    expect(await loadChat({ store, user }, 'c')).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    expect(chat.messages[0]?.parts[0]).toEqual(file);
    const stored = await storedContents('c');
    expect(stored).toHaveLength(4);
    expect(JSON.stringify(stored)).not.toContain(png);
    expect(stored[0]).toMatchObject([{ type: 'image', source: { type: 'blob', size: 8 } }, { type: 'text' }]);
    for (const { prompt } of model.doStreamCalls) expect(JSON.stringify(prompt)).toContain('image/png');

    const edited = chat.messages[0]?.id ?? '';
    await chat.sendMessage({ text: 'Look there', files: [file], messageId: edited });
    const first = (await openTree(store, chatTreeId(user, 'c'), { user }).messages())[0];
    expect(first).toMatchObject({ index: 1, count: 2, text: expect.stringContaining('Look there') });
  });

  it('[AS23] that another program stored reach the page and the model, and are not stored again', async () => {
    const tree = openTree(store, undefined, { user });
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: png } };
    await tree.append({ role: 'user', content: [image, { type: 'text', text: 'What is it?' }] });
    const messages = await loadChat({ store, user }, tree.id);
    expect(messages[0]?.parts[0]).toMatchObject({ type: 'file', url: `data:image/png;base64,${png}` });
    const model = replies(1);
    const chat = new StockChat(createChatHandler({ store, model, user }), { id: tree.id, messages });
    await chat.sendMessage({ text: 'Well?' });
    expect(JSON.stringify(model.doStreamCalls[0]?.prompt)).toContain('image/png');
    expect((await tree.messages()).map(({ role, count }) => `${role} ${count}`)).toEqual([
      'user 1',
      'user 1',
      'assistant 1',
    ]);
  });

  it('[AS23] are restored exactly, whatever their data is', async () => {
    const data = fc.stringMatching(/^[A-Za-z0-9+/ ]{0,9}={0,3}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 4 }), fc.uuid(), async (texts, id) => {
        const files = texts.map((text) => ({
          type: 'file' as const,
          mediaType: 'image/png',
          url: `data:image/png;base64,${text}`,
        }));
        const message = { id: 'm', role: 'user', parts: [...files, { type: 'text', text: 'Look' }] };
        const post = async () => {
          const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
          const body = JSON.stringify({ id, messages: [message] });
          const handler = createChatHandler({ store, model: replies(2), user, onError: () => 'No.' });
          await (await handler(new Request('http://app.test/api/chat', { ...init, body }))).text();
        };
        await post();
        await post();
        expect((await loadChat({ store, user }, id))[0]).toEqual(message);
        expect((await openTree(store, id, { user }).messages())[0]?.count).toBe(1);
      }),
      { numRuns: 30 },
    );
  });
});
