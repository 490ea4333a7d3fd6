/** One bad record in each format: a strict import refuses all of it, another takes the rest and says so. */
import { fileOfBytes, formats } from '@coppice/content/formats';
import { createMemoryStore } from '@coppice/stores';
import { describe, expect, test } from 'vitest';
import { type ImportIntoEvent, importInto } from './import-into.ts';

const time = '2026-01-02T03:04:05.000Z';
const lines = (...records: readonly unknown[]) =>
  records.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('');
const gptNode = (id: string, parent: string | null, children: readonly string[]) => ({
  id,
  parent,
  children,
  message: { id, author: { role: 'user' }, content: { content_type: 'text', parts: [`I am ${id}`] } },
});
const codeLine = (uuid: string, parentUuid: string | null) => ({
  type: 'user',
  uuid,
  parentUuid,
  isSidechain: false,
  sessionId: 's',
  timestamp: time,
  message: { role: 'user', content: `I am ${uuid}` },
});
const chatMessage = (id: string, parentId: string | null) => ({
  id,
  parentId,
  childrenIds: [],
  role: 'user',
  content: `I am ${id}`,
});

/** By format: a file with one good conversation or record, and one bad. */
const flawed: { readonly [format: string]: { readonly [file: string]: string } } = {
  'ai-sdk': {
    'a.json': JSON.stringify([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }, 'not a message']),
  },
  archive: {
    'a.jsonl': lines({ type: 'archive', format: 'coppice', version: 1, exportedAt: time }, '{"type":"tree", broken'),
  },
  chatgpt: {
    'conversations.json': JSON.stringify([
      { id: 'c', title: 'T', current_node: 'a', mapping: { a: gptNode('a', null, []), b: gptNode('b', 'gone', []) } },
    ]),
  },
  'cherry-studio': {
    'rows.jsonl': lines(
      { id: 't', name: 'T', active_node_id: 'u' },
      { id: 'u', parent_id: null, topic_id: 't', role: 'user', data: '{"parts":[{"type":"text","text":"Hello"}]}' },
      { id: 'v', parent_id: 'u', topic_id: 't', role: 'user', data: '{"parts":' },
    ),
  },
  'claude-ai': {
    'conversations.json': JSON.stringify([
      {
        uuid: 'k',
        name: 'T',
        chat_messages: [
          { uuid: 'a', sender: 'human', text: 'Hello', parent_message_uuid: '00000000-0000-4000-8000-000000000000' },
          { uuid: 'b', sender: 'human', text: 'Hello', parent_message_uuid: 'gone' },
        ],
      },
    ]),
  },
  'claude-code': { 's.jsonl': lines(codeLine('a', null), codeLine('b', 'a'), '{"type":"user","uuid":') },
  'forest-folder': {
    'roots.json': JSON.stringify([{ id: 'root-1', createdAt: time, child_ids: ['root-1/node-1'], config: {} }]),
    'root-1/nodes/node-1.json': JSON.stringify({
      id: 'root-1/node-1',
      root_id: 'root-1',
      parent_id: 'root-1',
      child_ids: [],
      message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      metadata: { timestamp: time, original_root_id: 'root-1', source_info: { type: 'user' } },
    }),
    'root-1/nodes/node-2.json': '{"id":"root-1/node-2","root_',
  },
  librechat: {
    'l.json': JSON.stringify({
      conversationId: 'L',
      title: 'T',
      messages: [
        {
          messageId: 'a',
          parentMessageId: null,
          conversationId: 'L',
          sender: 'U',
          isCreatedByUser: true,
          text: 'Hello',
        },
        { messageId: 'b', parentMessageId: 'b', conversationId: 'L', sender: 'U', isCreatedByUser: true, text: 'Loop' },
      ],
    }),
  },
  linear: {
    'l.json': JSON.stringify({
      messages: [{ role: 'user', content: 'Hello' }, 7, { role: 'assistant', content: 'Yes' }],
    }),
  },
  'loom-json': {
    'l.json': JSON.stringify({
      root: {
        id: 'r',
        text: 'Once',
        children: [
          { id: 'x', text: ' upon', children: [] },
          { id: 'x', text: ' more', children: [] },
        ],
      },
      selected_node_id: 'x',
    }),
  },
  'open-webui': {
    'c.json': JSON.stringify([
      {
        id: 'w',
        title: 'T',
        chat: {
          title: 'T',
          history: { currentId: 'a', messages: { a: chatMessage('a', null), b: chatMessage('b', 'gone') } },
        },
      },
    ]),
  },
  pi: {
    's.jsonl': lines(
      { type: 'session', version: 3, id: 's', timestamp: time, cwd: '/w' },
      { type: 'message', id: 'a', parentId: null, timestamp: time, message: { role: 'user', content: 'Hello' } },
      { type: 'message', id: 'b', parentId: 'gone', timestamp: time, message: { role: 'user', content: 'Lost' } },
    ),
  },
  'request-log': {
    'l.jsonl': lines(
      { request: { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }, response: { choices: [] } },
      { something: 'else' },
    ),
  },
  'session-v2': {
    's.jsonl': lines(
      { type: 'session', version: 2, uuid: 'h', parentUuid: null, id: 's', timestamp: time, cwd: '/w' },
      {
        type: 'message',
        uuid: 'a',
        parentUuid: 'h',
        timestamp: time,
        message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      },
      'not JSON',
      { type: 'leaf', uuid: 'l', parentUuid: 'a', timestamp: time },
    ),
  },
  sillytavern: {
    'c.jsonl': lines(
      { user_name: 'Ana', character_name: 'Bo', create_date: time, chat_metadata: {} },
      { name: 'Ana', is_user: true, is_system: false, send_date: time, mes: 'Hello', extra: {} },
      '{"name":"Bo","is_user":',
    ),
  },
};

const readable = formats.filter((format) => format.reader !== undefined).map((format) => format.name);

async function outcome(format: string, strict: boolean) {
  const store = createMemoryStore();
  const files = Object.entries(flawed[format] ?? {}).map(([name, text]) =>
    fileOfBytes(name, new TextEncoder().encode(text)),
  );
  const events: ImportIntoEvent[] = [];
  const thrown = await (async () => {
    for await (const event of importInto(store, { files }, { strict, format })) events.push(event);
    return undefined;
  })().catch((error: unknown) => error);
  const { items: trees } = await store.trees();
  await store.close();
  return { thrown, events, trees };
}

describe('one bad record', () => {
  test.each(readable)('[IM4] makes a strict import refuse the whole file, with its place: %s', async (format) => {
    const { thrown, trees } = await outcome(format, true);
    const [file = ''] = Object.keys(flawed[format] ?? {}).slice(-1);
    expect(thrown).toMatchObject({ code: 'import/strict', message: expect.stringContaining(file) });
    expect(trees).toEqual([]);
  });

  test.each(readable)('[IM4] is told by an import that is not strict, which takes the rest: %s', async (format) => {
    const { thrown, events } = await outcome(format, false);
    expect(thrown).toBe(undefined);
    const report = events.flatMap((event) => (event.type === 'report' ? [event.report] : []))[0];
    expect(report?.findings.filter((one) => one.severity !== 'note').length).toBeGreaterThan(0);
    const { read, stored, merged, rejected } = report?.records ?? { read: -1, stored: 0, merged: 0, rejected: 0 };
    expect(read).toBe(stored + merged + rejected);
  });
});

test('[IM10] a history that a client sent again in other words is no change at the source', async () => {
  const ask = { role: 'user', content: 'Which tea?' };
  const answer = { role: 'assistant', content: 'Green.', reasoning_content: 'It is late.' };
  const reply = (message: object) => ({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const text = lines(
    { request: { model: 'm', messages: [ask] }, response: reply(answer) },
    {
      request: {
        model: 'm',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Which tea? ' }] },
          { role: 'assistant', content: 'Green.' },
          ask,
        ],
      },
      response: reply({ role: 'assistant', content: 'Green!' }),
    },
  );
  const store = createMemoryStore();
  const files = [fileOfBytes('log.jsonl', new TextEncoder().encode(text))];
  for (const stored of [2, 0])
    for await (const event of importInto(store, { files }))
      if (event.type === 'report') expect(event.report).toMatchObject({ counts: {}, records: { stored } });
  await store.close();
});
