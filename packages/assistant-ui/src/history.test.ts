import type { MessageFormatAdapter, ThreadHistoryAdapter, ThreadMessage } from '@assistant-ui/react';
import { openNodeClient } from '@coppice/client/testing';
import { type TreeId, treeId } from '@coppice/core';
import { createTree, openTestServer, type TestServer } from '@coppice/server/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createThreadHistory, createThreadListAdapter } from './index.ts';
import { fromTreeMessage, toTreeMessage } from './stored-message.ts';

let server: TestServer;
beforeEach(async () => {
  server = await openTestServer();
});
afterEach(() => server.close());

function openHistory(tree: TreeId): ThreadHistoryAdapter {
  const client = openNodeClient(server);
  return createThreadHistory({ client, currentTree: () => tree, requireTree: async () => tree });
}

async function newTree(): Promise<TreeId> {
  return (await openNodeClient(server).api.create({})).treeId;
}

const createdAt = new Date('2026-11-18T07:00:00.000Z');

function asked(id: string, text: string): ThreadMessage {
  return { id, role: 'user', content: [{ type: 'text', text }], attachments: [], createdAt, metadata: { custom: {} } };
}

function replied(id: string, text: string): ThreadMessage {
  return {
    id,
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Look it up.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', args: { a: 1 }, argsText: '{"a":1}', result: [1, null] },
      { type: 'text', text },
    ],
    status: { type: 'complete', reason: 'stop' },
    createdAt,
    metadata: {
      unstable_state: null,
      unstable_annotations: [],
      unstable_data: [],
      steps: [],
      custom: { from: 'test' },
    },
  };
}

const shown = ({ messages, headId }: Awaited<ReturnType<ThreadHistoryAdapter['load']>>) => [
  headId,
  ...messages.map(({ parentId, message }) => `${parentId}>${message.id}`),
];

interface SdkMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly object[];
}

/** The storage format of assistant-ui for messages of the AI SDK. */
const sdkFormat: MessageFormatAdapter<SdkMessage, Omit<SdkMessage, 'id'> & Record<string, unknown>> = {
  format: 'ai-sdk/v6',
  encode: ({ message: { id: _id, ...rest } }) => rest,
  decode: ({ id, parent_id: parentId, content }) => ({ parentId, message: { id, ...content } }),
  getId: (message) => message.id,
};

describe('the history of a thread', () => {
  test('[AU1, AU2] has all branches after a reload, exactly as they were', async () => {
    const tree = await newTree();
    const history = openHistory(tree);
    const items = [
      { parentId: null, message: asked('u1', 'Dough?') },
      { parentId: 'u1', message: replied('a1', 'An hour.') },
      { parentId: 'u1', message: replied('a2', 'Two hours.') },
      { parentId: null, message: asked('u2', 'Rye dough?') },
    ];
    await Promise.all(items.map((item) => history.append(item)));
    const loaded = await openHistory(tree).load();
    expect(shown(loaded)).toEqual(['u2', 'null>u1', 'null>u2', 'u1>a1', 'u1>a2']);
    for (const item of items)
      expect(loaded.messages.find(({ message }) => message.id === item.message.id)).toEqual(item);
    const { items: hits } = await openNodeClient(server).api.search('two hours');
    expect(hits.length).toBe(1);
  });

  test('[AU1] keeps any message of a storage format', () => {
    const part = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string() }),
      fc.record({ type: fc.constant('text'), text: fc.string(), state: fc.constant('done') }),
      fc.record({ type: fc.constant('reasoning'), text: fc.string(), providerMetadata: fc.constant({ x: { y: 1 } }) }),
      fc.record({ type: fc.constantFrom('file', 'tool-look', 'step-start', 'data-x'), url: fc.string() }),
    );
    const message = fc.record({
      id: fc.string({ minLength: 1 }),
      format: fc.constantFrom('ai-sdk/v6', 'assistant-ui/v1'),
      content: fc.record({
        role: fc.constantFrom('user', 'assistant', 'system'),
        parts: fc.array(part),
        metadata: fc.constant({ a: [1] }),
      }),
    });
    fc.assert(
      fc.property(message, (stored) => {
        expect(fromTreeMessage(toTreeMessage(stored))).toEqual(stored);
      }),
    );
  });

  test('[AU1, AU3] works with the storage format of another library, stored twice and with a changed message', async () => {
    const tree = await newTree();
    const history = openHistory(tree).withFormat?.(sdkFormat);
    const ask = { parentId: null, message: { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Dough?' }] } };
    const call = { type: 'tool-look', toolCallId: 'c', state: 'approval-requested', input: {} };
    const paused = { parentId: 'u1', message: { id: 'a1', role: 'assistant', parts: [call] } };
    const done = {
      ...paused,
      message: { ...paused.message, parts: [{ ...call, state: 'output-available', output: 1 }] },
    };
    const next = { parentId: 'a1', message: { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Again.' }] } };
    await history?.append(ask);
    await history?.append(ask);
    await history?.append(paused);
    await history?.append(next);
    await history?.update?.(done, 'a1');
    const reloaded = openHistory(tree).withFormat?.(sdkFormat);
    expect(await reloaded?.load()).toEqual({ headId: 'u2', messages: [ask, done, next] });
    await reloaded?.delete?.([done]);
    expect((await openHistory(tree).withFormat?.(sdkFormat)?.load())?.messages).toEqual([
      ask,
      { ...next, parentId: 'u1' },
    ]);
  });

  test('[AU4] shows messages that other programs wrote, even in another format', async () => {
    const { id, nodeIds } = await createTree(server, ['From the page']);
    const tree = treeId(id);
    const history = openHistory(tree);
    await history.load();
    await history.append({ parentId: nodeIds[0] ?? null, message: asked('u1', 'From here') });
    const loaded = await openHistory(tree).withFormat?.(sdkFormat)?.load();
    expect(loaded?.messages.map(({ message }) => message.parts)).toEqual([
      [{ type: 'text', text: 'From the page' }],
      [{ type: 'text', text: 'From here' }],
    ]);
    const own = await openHistory(tree).load();
    expect(own.messages.map(({ message }) => message.role)).toEqual(['user', 'user']);
    expect(own.messages[0]?.message.createdAt).toBeInstanceOf(Date);
  });
});

describe('images and files', () => {
  const data = Buffer.from('A picture').toString('base64');
  const url = `data:image/png;base64,${data}`;

  test('[AU9] are attachments of the server, and are restored exactly', async () => {
    const tree = await newTree();
    const attached: ThreadMessage = {
      ...asked('u1', 'Look'),
      content: [
        { type: 'image', image: url },
        { type: 'text', text: 'Look' },
        { type: 'image', image: 'https://x.test/a.png' },
        { type: 'file', data: 'data:text/plain;base64,aGk=', mimeType: 'text/plain', filename: 'a.txt' },
        { type: 'image', image: 'data:image/png;base64,QR==' },
      ],
      attachments: [
        {
          id: 'a1',
          type: 'image',
          name: 'a.png',
          contentType: 'image/png',
          status: { type: 'complete' },
          content: [{ type: 'image', image: url }],
        },
      ],
    } as ThreadMessage;
    await openHistory(tree).append({ parentId: null, message: attached });
    await openHistory(tree).append({ parentId: null, message: attached });
    const { messages } = await openHistory(tree).load();
    expect(messages.map(({ message }) => message)).toEqual([attached]);
    const client = openNodeClient(server);
    const page = await client.api.page(tree, {});
    expect(JSON.stringify(page)).not.toContain(data);
    expect(page.nodes[0]?.message?.content[1]).toMatchObject({ type: 'image', source: { type: 'blob', size: 9 } });
  });

  test('[AU9] of other programs are shown', async () => {
    const tree = await newTree();
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data } };
    const { version } = await openNodeClient(server).api.tree(tree);
    const message = { role: 'user' as const, content: [{ type: 'text', text: 'Look' }, image] };
    await openNodeClient(server).api.append(tree, { messages: [message] }, version);
    const { messages } = await openHistory(tree).load();
    expect(messages[0]?.message.content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image', image: url },
    ]);
  });
});

describe('the list of threads', () => {
  test('[AU5] creates a thread once, names, archives and deletes it', async () => {
    const client = openNodeClient(server);
    const adapter = createThreadListAdapter({ client });
    const { remoteId } = await adapter.initialize('__LOCALID_x1');
    expect((await adapter.initialize('__LOCALID_x1')).remoteId).toBe(remoteId);
    const titleOf = async (messages: readonly ThreadMessage[]) => {
      let title = '';
      const reader = (await adapter.generateTitle(remoteId, messages)).getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read())
        if (next.value.type === 'text-delta') title += next.value.textDelta;
      return title;
    };
    expect(await titleOf([asked('u1', 'How long does dough rise?')])).toBe('How long does dough rise?');
    await adapter.rename(remoteId, 'Bread');
    expect(await titleOf([asked('u1', 'Another question')])).toBe('Bread');
    await adapter.archive(remoteId);
    expect(await adapter.fetch(remoteId)).toMatchObject({ remoteId, title: 'Bread', status: 'archived' });
    await adapter.unarchive(remoteId);
    expect((await adapter.list()).threads).toMatchObject([{ remoteId, title: 'Bread', status: 'regular' }]);
    await adapter.delete(remoteId);
    expect((await adapter.list()).threads).toEqual([]);
    await expect(adapter.fetch(remoteId)).rejects.toThrow(/There is no chat/);
  });
});

test('[AU8] adapters without a client are refused with what to pass, and misspelt options', () => {
  const help = 'pass createClient({ baseUrl, token }) of @coppice/client.';
  expect(() => Reflect.apply(createThreadListAdapter, undefined, [{}])).toThrow(help);
  expect(() => Reflect.apply(createThreadHistory, undefined, [{}])).toThrow(help);
  const misspelt = [{ client: {}, projcet: 'bread' }];
  expect(() => Reflect.apply(createThreadListAdapter, undefined, misspelt)).toThrow('Did you mean "project"?');
  expect(() => Reflect.apply(createThreadHistory, undefined, misspelt)).toThrow('has no option "projcet"');
});
