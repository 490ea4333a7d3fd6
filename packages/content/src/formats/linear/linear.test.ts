import { describe, expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { linear } from './index.ts';

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Which tea?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"q": "tea"}' } }],
  },
  { role: 'tool', tool_call_id: 'c1', content: '["green","black"]' },
  { role: 'assistant', content: [{ type: 'text', text: 'Green.' }], reasoning_content: 'It is late.' },
];

runFormatConformance(linear, [
  {
    name: 'an object with messages',
    files: { 'chat.json': JSON.stringify({ title: 'Tea', messages }) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['Which tea?', 'look({"q":"tea"})', '["green","black"]', 'Green.\nIt is late.'],
    roundTrip: true,
  },
  {
    name: 'a bare array',
    files: { 'chat.json': JSON.stringify(messages) },
    trees: 1,
    nodes: 4,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'two calls with one id',
    files: {
      'chat.json': JSON.stringify({
        title: 'Tea',
        messages: [
          { role: 'user', content: 'Which tea?' },
          {
            role: 'assistant',
            content: 'Both.',
            tool_calls: ['look', 'ask'].map((name) => ({
              id: 'c1',
              type: 'function',
              function: { name, arguments: '{"q": "tea"}' },
            })),
          },
          { role: 'tool', tool_call_id: 'c1', content: 'green' },
        ],
      }),
    },
    trees: 1,
    nodes: 3,
    findings: ['import/duplicate-id'],
    thread: ['Which tea?', 'Both.\nlook({"q":"tea"})\nask({"q":"tea"})', 'green'],
    roundTrip: true,
  },
  {
    name: 'many conversations in one array',
    files: {
      'chats.json': JSON.stringify([
        { id: 'a', messages },
        { id: 'b', title: 'Short', messages: messages.slice(1, 2) },
      ]),
    },
    trees: 2,
    nodes: 5,
    findings: [],
    newer: {
      'chats.json': JSON.stringify([{ id: 'a', messages: [...messages, { role: 'user', content: 'Thanks.' }] }]),
    },
  },
  {
    name: 'a file for each conversation, as an export of everything has them',
    files: {
      'one.json': JSON.stringify({ id: 'a', title: 'Tea', messages }),
      'two.json': JSON.stringify({ id: 'b', title: 'Short', messages: messages.slice(1, 2) }),
    },
    trees: 2,
    nodes: 5,
    findings: [],
  },
  {
    name: 'one conversation a line, with a bad line',
    files: {
      'chats.jsonl': `${JSON.stringify({ messages })}\nno json\n${JSON.stringify({ messages: [messages[1]] })}\n`,
    },
    trees: 2,
    nodes: 5,
    findings: ['import/bad-line'],
  },
  {
    name: 'a message that is none, and one that says nothing',
    files: { 'chat.json': JSON.stringify({ messages: [messages[1], 7, { role: 'assistant', content: '' }] }) },
    trees: 1,
    nodes: 2,
    findings: ['import/record-unreadable'],
  },
]);

describe('lists of messages', () => {
  it('[I12] use a leading system message as the system prompt of the tree', async () => {
    const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify({ messages }) }));
    expect(trees[0]?.systemPrompt).toBe('Be brief.');
    expect(trees[0]?.records).toBe(5);
  });

  it('[I148] with a title are conversations, and a model that they name is the model of their replies', async () => {
    const kept = {
      id: 'x',
      title: 'Tea',
      model: 'm-x',
      messages: [...messages, { role: 'assistant', model: 'm-y', content: 'So.' }],
    };
    const { trees, names } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(kept) }));
    expect(trees[0]).toMatchObject({ title: 'Tea', externalId: 'x' });
    expect(names[0]?.format).toBe('linear');
    expect(trees[0]?.nodes.flatMap(({ meta }) => meta?.source?.model_name ?? [])).toEqual(['m-x', 'm-x', 'm-y']);
    const lines = `${JSON.stringify(kept)}\n${JSON.stringify({ messages: messages.slice(1, 2) })}\n`;
    expect((await importIntoStore(toImportInput({ 'a.jsonl': lines }))).trees).toHaveLength(2);
  });
});
