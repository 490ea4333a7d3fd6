import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { encodeUtf8 } from '../decode.ts';
import { claudeAi } from './index.ts';

const rootless = '00000000-0000-4000-8000-000000000000';

function block(type: string, rest: object): object {
  return { type, start_timestamp: null, stop_timestamp: null, flags: null, alternative_display_type: null, ...rest };
}

function message(uuid: string, sender: string, content: unknown, rest: object = {}): object {
  const blocks = typeof content === 'string' ? [block('text', { text: content, citations: [] })] : content;
  return {
    uuid,
    text: typeof content === 'string' ? content : '',
    content: blocks,
    sender,
    created_at: '2026-01-02T03:04:05.000000Z',
    updated_at: '2026-01-02T03:04:05.000000Z',
    attachments: [],
    files: [],
    ...rest,
  };
}

function conversation(uuid: string, messages: readonly object[], rest: object = {}): object {
  return {
    uuid,
    name: 'Trip',
    summary: '',
    created_at: '2026-01-02T03:04:05.000000Z',
    updated_at: '2026-01-02T03:05:00.000000Z',
    account: { uuid: 'acc' },
    chat_messages: messages,
    ...rest,
  };
}

const thinking = [
  block('thinking', { thinking: 'cheap?', signature: 'c2ln', summaries: [{ summary: 'Costs' }], cut_off: false }),
  block('text', { text: 'By train.', citations: [] }),
];

// The messages of several branches are mixed in one array, as in exports.
const branched = [
  message('h1', 'human', 'Plan it', { parent_message_uuid: rootless }),
  message('b2', 'assistant', 'By boat.', { parent_message_uuid: 'h1', created_at: '2026-01-02T03:04:30.000000Z' }),
  message('b1', 'assistant', thinking, { parent_message_uuid: 'h1', created_at: '2026-01-02T03:04:09.000000Z' }),
];

const chain = [
  message('h1', 'human', 'Plan it', {
    attachments: [{ file_name: 'map.txt', file_size: 3, file_type: 'txt', extracted_content: 'abc' }],
    files: [{ file_name: 'photo.png' }],
  }),
  message('b1', 'assistant', [
    block('text', { text: 'Let me look.', citations: [] }),
    block('tool_use', {
      id: null,
      name: 'search',
      input: { q: 'trains' },
      message: 'Searching',
      integration_name: null,
    }),
    block('tool_use', { id: 'tu2', name: 'search', input: { q: 'boats' } }),
    block('tool_result', {
      tool_use_id: null,
      name: 'search',
      content: [{ type: 'text', text: 'ICE', uuid: 'x' }],
      is_error: false,
    }),
    block('tool_result', { tool_use_id: 'tu2', name: 'search', content: 'none', is_error: true }),
    block('text', { text: 'By train.', citations: [] }),
    block('token_budget', {}),
  ]),
];

const one = (messages: readonly object[], rest?: object) => ({
  'conversations.json': JSON.stringify([conversation('k1', messages, rest)]),
});

runFormatConformance(claudeAi, [
  {
    name: 'branches by parents, the root by its sentinel',
    files: one(branched),
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Plan it', 'By boat.'],
    newer: one([...branched, message('h2', 'human', 'Cheap?', { parent_message_uuid: 'b1' })]),
  },
  {
    name: 'an older export without parents, tools inside one message, attachments',
    files: one(chain),
    trees: 1,
    nodes: 5,
    findings: [],
    thread: [
      'Plan it\nmap.txt\nabc\n[claude-file]',
      'Let me look.\nsearch({"q":"trains"})\nsearch({"q":"boats"})',
      'ICE',
      'none',
      'By train.\n[token_budget]',
    ],
  },
  {
    name: 'one conversation a line',
    files: {
      'conversations.jsonl': `${JSON.stringify(conversation('c1', branched))}\n${JSON.stringify(conversation('c2', chain))}\n`,
    },
    trees: 2,
    nodes: 8,
    findings: [],
  },
  {
    name: 'one conversation as the API gives it, with its leaf',
    files: {
      'chat.json': JSON.stringify(
        conversation('k1', branched, { current_leaf_message_uuid: 'b1', model: 'm-x', is_starred: true }),
      ),
    },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Plan it', 'By train.\ncheap?'],
  },
  {
    name: 'an archive with projects and users',
    files: {
      'data.zip': zipSync({
        'conversations.json': encodeUtf8(one(branched)['conversations.json']),
        'projects.json': encodeUtf8('[]'),
        'users.json': encodeUtf8('[{"uuid":"acc"}]'),
      }),
    },
    trees: 1,
    nodes: 3,
    findings: [],
  },
  {
    name: 'a parent that is not there, a message without parent among others, doubled messages',
    files: one([
      branched[0] ?? {},
      message('x', 'human', 'Lost', { parent_message_uuid: 'gone' }),
      message('y', 'assistant', 'After'),
      message('y', 'assistant', 'Another', { parent_message_uuid: 'h1' }),
    ]),
    trees: 1,
    nodes: 4,
    findings: ['import/orphan', 'import/inferred', 'import/duplicate-id'],
  },
]);

describe('Claude.ai exports', () => {
  it('[I16] read calls and results of one message as separate messages, paired by id or by order', async () => {
    const { trees } = await importIntoStore(toImportInput(one(chain)));
    const nodes = trees[0]?.nodes ?? [];
    expect(nodes.map((node) => node.message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    expect(nodes.map((node) => node.message.tool_call_id)).toEqual([
      undefined,
      undefined,
      'b1-call-1',
      'tu2',
      undefined,
    ]);
    expect(nodes[1]?.message.content[1]).toMatchObject({ type: 'tool-use', id: 'b1-call-1', name: 'search' });
    expect(nodes[3]?.meta).toMatchObject({ isError: true });
    expect(nodes.map((node) => node.externalId)).toEqual(['h1', 'b1/0', 'b1/1', 'b1/2', 'b1']);
  });

  it('[I147] may have one conversation per line, and a bad line is reported by its number', async () => {
    const text = `${JSON.stringify(conversation('c1', branched))}\n{"uuid":\n${JSON.stringify(conversation('c2', chain))}\n`;
    const { trees, findings } = await importIntoStore(toImportInput({ 'conversations.jsonl': text }));
    expect(trees.map(({ externalId, place }) => [externalId, place])).toEqual([
      ['c1', 'conversations.jsonl:1'],
      ['c2', 'conversations.jsonl:3'],
    ]);
    expect(findings.map(({ code, place }) => [code, place])).toContainEqual([
      'import/bad-line',
      'conversations.jsonl:2',
    ]);
  });

  it('[I17] keep the model and why a reply ended', async () => {
    const reply = { uuid: 'a', sender: 'assistant', text: 'Cut', stop_reason: 'max_tokens' };
    const file = JSON.stringify({ uuid: 'k', model: 'm-x', chat_messages: [reply] });
    const { trees } = await importIntoStore(toImportInput({ 'a.json': file }));
    expect(trees[0]?.nodes[0]?.meta?.source).toMatchObject({ model_name: 'm-x', finish_reason: 'max_tokens' });
  });

  it('[I17] keep reasoning with its signature, and give no model if the export names none', async () => {
    const { trees } = await importIntoStore(toImportInput(one(branched)));
    const node = trees[0]?.nodes.find((one) => one.externalId === 'b1');
    expect(node?.message.content[0]).toMatchObject({ type: 'thinking', thinking: 'cheap?', signature: 'c2ln' });
    expect(node?.meta?.source).toBeUndefined();
    const api = await importIntoStore(
      toImportInput({ 'c.json': JSON.stringify(conversation('k', branched, { model: 'm-x' })) }),
    );
    expect(api.trees[0]?.nodes[1]?.meta?.source).toMatchObject({ model_name: 'm-x' });
  });
});
