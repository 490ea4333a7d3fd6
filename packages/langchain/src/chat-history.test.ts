import { messageKit } from '@coppice/content';
import { readPage, run, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { openTree } from '@coppice/stores/tree';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { RunnableLambda, RunnableWithMessageHistory } from '@langchain/core/runnables';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TreeChatMessageHistory } from './index.ts';

let store: Store;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store.close());

const open = (sessionId = 'bread', user = 'ada') => new TreeChatMessageHistory({ store, sessionId, user });
const textsOf = (messages: readonly BaseMessage[]) => messages.map((message) => message.text);

describe('a history', () => {
  test('[LC1] returns messages exactly as they were, with calls and results that other programs can read', async () => {
    const messages = [
      new SystemMessage('Be brief.'),
      new HumanMessage({
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      }),
      new AIMessage({ content: '', id: 'run-1', tool_calls: [{ id: 'c1', name: 'look', args: { a: 1 } }] }),
      new ToolMessage({ content: '{"found":true}', tool_call_id: 'c1', name: 'look', status: 'error' }),
      new AIMessage({ content: ' Found. ', response_metadata: { model: 'm' }, additional_kwargs: { kept: [1] } }),
      new HumanMessage('  '),
    ];
    await open().addMessages(messages);
    const history = open();
    const stored = await history.getMessages();
    expect(mapChatMessagesToStoredMessages(stored)).toEqual(
      JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages(messages))),
    );
    expect(stored[2]).toBeInstanceOf(AIMessage);
    const nodes = await openTree(store, history.treeId, { user: 'ada' }).messages();
    expect(nodes.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    expect(nodes[2]?.content).toEqual([{ type: 'tool-use', id: 'c1', name: 'look', parameters: { a: 1 } }]);
  });

  test('[LC1] returns any text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), async (texts) => {
        const history = open(crypto.randomUUID());
        await history.addMessages(
          texts.map((text, at) => (at % 2 === 0 ? new HumanMessage(text) : new AIMessage(text))),
        );
        expect((await history.getMessages()).map(({ content }) => content)).toEqual(texts);
      }),
      { numRuns: 30 },
    );
  });

  test('[LC1] returns the text that was edited in place, beside the parts that stay', async () => {
    const history = open();
    const picture = { type: 'image_url', image_url: { url: 'data:,' } };
    await history.addMessage(new HumanMessage({ content: [{ type: 'text', text: 'Old' }, picture] }));
    const id = treeId(history.treeId);
    const [question] = await openTree(store, id, { user: 'ada' }).messages();
    const command = {
      type: 'edit',
      treeId: id,
      nodeId: question?.id ?? expect.fail(),
      content: 'New',
      mode: 'in-place',
    } as const;
    const context = { actor: 'ada', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
    await run(store.forOwner('ada'), command, context);
    expect((await history.getMessages())[0]?.content).toEqual([{ type: 'text', text: 'New' }, picture]);
  });

  test('[LC6] keeps images and files in the blob store, in every form of LangChain, and returns them exactly', async () => {
    const data = Buffer.from('A picture').toString('base64');
    const parts = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}`, detail: 'low' } },
      { type: 'image_url', image_url: `data:image/png;base64,${data}` },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data, metadata: { name: 'a.pdf' } },
      { type: 'audio', mimeType: 'audio/wav', data },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,no base64' } },
      { type: 'image', mimeType: 'image/png', data: 'QQ==' },
      { type: 'image', mimeType: 'image/png', data: 'QR==' },
    ];
    const lists = [parts, [...parts].reverse(), [{ type: 'text', text: 'Look:' }, ...parts], parts.slice(2, 3)];
    const messages = lists.map((content) => new HumanMessage({ content: [...content] }));
    const history = open();
    await history.addMessages(messages);
    expect((await history.getMessages()).map(({ content }) => content)).toEqual(lists);
    const id = treeId(history.treeId);
    const { nodes } = await store.forOwner('ada').read(id, () => readPage(id, {}));
    expect(JSON.stringify(nodes)).not.toContain(data);
    const names = nodes[0]?.message?.content.flatMap((block) => ('name' in block ? [block.name] : []));
    expect(names).toEqual(['a.pdf', 'file.wav']);
    expect(nodes[3]?.message?.content).toMatchObject([{ type: 'image', source: { type: 'blob', size: 9 } }]);
  });

  test('[LC6] returns images that other programs stored', async () => {
    const history = open();
    await history.addMessage(new HumanMessage('Hello'));
    const data = Buffer.from('A picture').toString('base64');
    await openTree(store, history.treeId, { user: 'ada' }).append({
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', mediaType: 'image/png', source: { type: 'base64', data } },
      ],
    });
    expect((await history.getMessages())[1]?.content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    ]);
  });

  test.each([
    [{}, 'TreeChatMessageHistory needs a store'],
    [{ store: openStore('memory:'), sessionId: 'a' }, 'TreeChatMessageHistory needs a store'],
    [{ store: 'own' }, 'TreeChatMessageHistory needs a `sessionId`'],
    [{ store: 'own', sessionId: '' }, 'TreeChatMessageHistory needs a `sessionId`'],
    [{ store: 'own', sessionId: 'a', user: 5 }, 'The `user` of TreeChatMessageHistory must be a text'],
    [{ store: 'own', sessionId: 'a', usr: 'ada' }, 'TreeChatMessageHistory has no option "usr". Did you mean "user"?'],
  ])('[LC7] refuses %o', (given, message) => {
    const options = 'store' in given && given.store === 'own' ? { ...given, store } : given;
    expect(() => Reflect.construct(TreeChatMessageHistory, [options])).toThrow(message);
  });

  test('[LC2] branches after an earlier message is selected', async () => {
    const history = open();
    await history.addMessages([new HumanMessage('One'), new AIMessage('Two'), new HumanMessage('Three')]);
    const tree = openTree(store, history.treeId, { user: 'ada' });
    const [, second, third] = await tree.messages();
    await history.select(second?.id ?? '');
    await history.addMessages([new HumanMessage('Four'), new AIMessage('Five')]);
    expect(textsOf(await history.getMessages())).toEqual(['One', 'Two', 'Four', 'Five']);
    await tree.undo();
    expect(textsOf(await history.getMessages())).toEqual(['One', 'Two']);
    await history.select(third?.id ?? '');
    expect(textsOf(await history.getMessages())).toEqual(['One', 'Two', 'Three']);
  });

  test('[LC2] shows messages that other programs wrote', async () => {
    const history = open();
    await history.addMessage(new HumanMessage('From LangChain'));
    const tree = openTree(store, history.treeId, { user: 'ada' });
    await tree.append([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'From elsewhere' },
          { type: 'tool-use', id: 'c', name: 'look', parameters: {} },
        ],
      },
      { role: 'tool', content: 'Found.', tool_call_id: 'c' },
    ]);
    const [, reply, result] = await history.getMessages();
    expect(reply).toMatchObject({ content: 'From elsewhere', tool_calls: [{ id: 'c', name: 'look', args: {} }] });
    expect(result).toMatchObject({ content: 'Found.', tool_call_id: 'c' });
  });

  test('[LC3] works in a LangChain runnable, separately for each user', async () => {
    const model = RunnableLambda.from(async (messages: BaseMessage[]) => new AIMessage(`${messages.length} messages`));
    const chain = (user: string) =>
      new RunnableWithMessageHistory({
        runnable: model,
        getMessageHistory: (sessionId) => new TreeChatMessageHistory({ store, sessionId, user }),
      });
    const config = { configurable: { sessionId: 'bread' } };
    await chain('ada').invoke([new HumanMessage('Hello')], config);
    await chain('ada').invoke([new HumanMessage('Again')], config);
    await chain('eve').invoke([new HumanMessage('Mine')], config);
    expect(textsOf(await open().getMessages())).toEqual(['Hello', '1 messages', 'Again', '3 messages']);
    expect(textsOf(await open('bread', 'eve').getMessages())).toEqual(['Mine', '1 messages']);
    const id = crypto.randomUUID();
    await open(id).addMessage(new HumanMessage('Secret'));
    expect(await open(id, 'eve').getMessages()).toEqual([]);
    await expect(open(id, 'eve').addMessage(new HumanMessage('x'))).rejects.toMatchObject({ code: 'id/taken' });
  });

  test('[LC4] can be cleared and restored, and has no tree before its first message', async () => {
    const history = open();
    expect(await history.getMessages()).toEqual([]);
    await history.clear();
    await history.addMessages([]);
    expect((await store.forOwner('ada').trees()).items).toEqual([]);
    await Promise.all([open().addMessage(new HumanMessage('One')), open().addMessage(new HumanMessage('Two'))]);
    expect((await history.getMessages()).length).toBe(2);
    await history.clear();
    expect(await history.getMessages()).toEqual([]);
    await openTree(store, history.treeId, { user: 'ada' }).undo();
    expect((await history.getMessages()).length).toBe(2);
  });
});
