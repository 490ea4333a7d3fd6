/**
 * Imports one invalid record of each format: a strict import refuses the whole input, a normal one imports the rest and
 * reports the problem.
 */
import { formats, wrapBytesAsFile } from '@coppice/content/formats';
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

/** By format, the text of a file with one valid and one invalid conversation or record. */
const flawed: { readonly [format: string]: { readonly [file: string]: string } } = {
  'ai-sdk': {
    'a.json': JSON.stringify([{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }, 'not a message']),
  },
  aider: { 'h.md': 'Once\n# aider chat started at 2026-01-02 03:04:05\n\n#### Hello\n' },
  'ai-studio': {
    'p.json': JSON.stringify({
      chunkedPrompt: {
        chunks: [
          { role: 'user', text: 'Hello' },
          { role: 'oracle', text: 'Hm' },
        ],
      },
    }),
  },
  'better-chatgpt': {
    'b.json': JSON.stringify({
      chats: [
        {
          id: 'b',
          title: 'T',
          config: { model: 'm' },
          titleSet: true,
          messages: [{ role: 'user', content: 'Hello' }, 7],
        },
      ],
    }),
  },
  'big-agi': {
    'b.json': JSON.stringify({
      conversations: [
        {
          id: 'c',
          messages: [{ id: 'a', role: 'user', fragments: [{ ft: 'content', part: { pt: 'text', text: 'Hello' } }] }, 7],
        },
      ],
    }),
  },
  chatbox: {
    'c.json': JSON.stringify({
      'session:s': {
        id: 's',
        type: 'chat',
        name: 'T',
        messages: [{ id: 'a', role: 'user', contentParts: [{ type: 'text', text: 'Hello' }] }, 7],
      },
    }),
  },
  cline: {
    'api_conversation_history.json': JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: '<task>\nHello\n</task>' }] },
      7,
    ]),
  },
  codex: {
    'rollout.jsonl': lines(
      { timestamp: time, type: 'session_meta', payload: { id: 's', timestamp: time } },
      {
        timestamp: time,
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      },
      '{"timestamp":',
    ),
  },
  'copilot-chat': {
    'c.json': JSON.stringify({
      responderUsername: 'GitHub Copilot',
      requests: [{ requestId: 'r', message: { text: 'Hello' } }, 7],
    }),
  },
  cursor: {
    'c.json': JSON.stringify({
      cursor: [
        {
          composer: {
            composerId: 'c',
            conversation: [{ bubbleId: 'a', type: 1, text: 'Hello' }, 7],
          },
          bubbles: [],
        },
      ],
    }),
  },
  deepseek: {
    'd.json': JSON.stringify([
      {
        id: 'd',
        title: 'T',
        mapping: {
          '1': { id: '1', parent: null, children: [], message: { fragments: [{ type: 'REQUEST', content: 'Hello' }] } },
          '2': {
            id: '2',
            parent: 'gone',
            children: [],
            message: { fragments: [{ type: 'REQUEST', content: 'Lost' }] },
          },
        },
      },
    ]),
  },
  'gemini-cli': {
    's.jsonl': lines(
      { sessionId: 's', projectHash: 'p', startTime: time, lastUpdated: time },
      { id: 'a', timestamp: time, type: 'user', content: 'Hello' },
      { id: 'b', timestamp: time, type: 'oracle', content: 'Hm' },
    ),
  },
  'gemini-takeout': {
    'MyActivity.json': JSON.stringify([
      { header: 'Gemini Apps', title: 'Prompted Hello', time, products: ['Gemini Apps'] },
      { other: 1 },
    ]),
  },
  grok: {
    'g.json': JSON.stringify({
      conversations: [
        { conversation: { id: 'g' }, responses: [{ response: { _id: 'a', sender: 'human', message: 'Hello' } }, 7] },
      ],
    }),
  },
  huggingchat: {
    'h.json': JSON.stringify([
      {
        _id: 'x',
        messages: [
          { id: 'a', from: 'user', content: 'Hello', ancestors: [], children: [] },
          { id: 'b', from: 'user', content: 'Lost', ancestors: ['gone'], children: [] },
        ],
      },
    ]),
  },
  'llama-cpp': {
    'l.json': JSON.stringify({
      conv: { id: 'c', currNode: 'a' },
      messages: [
        { id: 'a', role: 'user', content: 'Hello', parent: null },
        { id: 'b', role: 'user', content: 'Lost', parent: 'gone' },
      ],
    }),
  },
  'lm-studio': {
    'l.json': JSON.stringify({
      name: 'T',
      createdAt: 1730000000000,
      messages: [
        {
          versions: [{ type: 'singleStep', role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
          currentlySelected: 0,
        },
        7,
      ],
    }),
  },
  lobechat: {
    'l.json': JSON.stringify({
      exportType: 'all',
      state: {
        messages: [
          { id: 'a', role: 'user', content: 'Hello', topicId: 't', createdAt: 1 },
          { id: 'b', role: 'user', content: 'Lost', parentId: 'gone', topicId: 't', createdAt: 2 },
        ],
      },
    }),
  },
  nextchat: {
    'n.json': JSON.stringify({
      'chat-next-web-store': {
        sessions: [{ id: 's', topic: 'T', lastUpdate: 1, messages: [{ id: 'a', role: 'user', content: 'Hello' }, 7] }],
      },
    }),
  },
  oasst: {
    'o.jsonl': lines({
      message_tree_id: 'p',
      prompt: { message_id: 'p', role: 'prompter', text: 'Hello', replies: [7] },
    }),
  },
  opencode: {
    'o.json': JSON.stringify({
      info: { id: 'ses_1' },
      messages: [{ info: { id: 'msg_1', role: 'user' }, parts: [{ type: 'text', text: 'Hello' }] }, 7],
    }),
  },
  sharegpt: { 's.json': JSON.stringify([{ id: 'c', conversations: [{ from: 'human', value: 'Hello' }, 7] }]) },
  typingmind: {
    't.json': JSON.stringify({
      data: { chats: [{ chatID: 'x', title: 'T', messages: [{ uuid: '1', role: 'user', content: 'Hello' }, 7] }] },
    }),
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
    wrapBytesAsFile(name, new TextEncoder().encode(text)),
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
  test.each(readable)('[IM4] makes a strict import refuse the whole file, with its position: %s', async (format) => {
    const { thrown, trees } = await outcome(format, true);
    const [file = ''] = Object.keys(flawed[format] ?? {}).slice(-1);
    expect(thrown).toMatchObject({ code: 'import/strict', message: expect.stringContaining(file) });
    expect(trees).toEqual([]);
  });

  test.each(readable)('[IM4] is reported by an import that is not strict, which takes the rest: %s', async (format) => {
    const { thrown, events } = await outcome(format, false);
    expect(thrown).toBe(undefined);
    const report = events.flatMap((event) => (event.type === 'report' ? [event.report] : []))[0];
    expect(report?.findings.filter((one) => one.severity !== 'note').length).toBeGreaterThan(0);
    const { read, stored, merged, rejected } = report?.records ?? { read: -1, stored: 0, merged: 0, rejected: 0 };
    expect(read).toBe(stored + merged + rejected);
  });
});

test('[IM10] a history that a client sent again with other texts is not a change at the source', async () => {
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
  const files = [wrapBytesAsFile('log.jsonl', new TextEncoder().encode(text))];
  for (const stored of [2, 0])
    for await (const event of importInto(store, { files }))
      if (event.type === 'report') expect(event.report).toMatchObject({ counts: {}, records: { stored } });
  await store.close();
});
