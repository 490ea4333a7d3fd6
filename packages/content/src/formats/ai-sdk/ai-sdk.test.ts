import { describe, expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { aiSdk } from './index.ts';

const text = (value: string) => ({ type: 'text', text: value, state: 'done' });

const tools = {
  id: 'a2',
  role: 'assistant',
  metadata: { model: 'm-x', createdAt: '2026-01-02T03:04:06.000Z' },
  parts: [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Roll.', state: 'done', providerMetadata: { anthropic: { signature: 'c2ln' } } },
    { type: 'tool-roll', toolCallId: 't1', state: 'output-available', input: { n: 6 }, output: 2 },
    {
      type: 'dynamic-tool',
      toolName: 'toss',
      toolCallId: 't2',
      state: 'output-error',
      input: {},
      errorText: 'lost the coin',
    },
    { type: 'step-start' },
    text('Two.'),
    { type: 'source-url', sourceId: 's', url: 'https://example.org', title: 'Dice' },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
    { type: 'data-note', id: 'n', data: { a: 1 } },
  ],
};

const list = [{ id: 'u1', role: 'user', parts: [text('Dice?')] }, tools];

const repository = {
  headId: 'a2',
  messages: [
    { parentId: null, message: { id: 'u1', role: 'user', parts: [text('Dice?')] } },
    { parentId: 'u1', message: { id: 'a1', role: 'assistant', parts: [text('Four.')] } },
    { parentId: 'u1', message: tools },
  ],
};

runFormatConformance(aiSdk, [
  {
    name: 'a list with tools, reasoning and other parts',
    files: { 'chat.json': JSON.stringify(list) },
    trees: 1,
    nodes: 5,
    findings: [],
    thread: [
      'Dice?',
      'roll({"n":6})\ntoss({})\nRoll.',
      '2',
      'lost the coin',
      'Two.\n[source-url]\n[image: image/png]\n[data-note]',
    ],
    newer: { 'chat.json': JSON.stringify([...list, { id: 'u2', role: 'user', parts: [text('Again.')] }]) },
  },
  {
    name: 'a repository with branches and a head',
    files: { 'repository.json': JSON.stringify(repository) },
    trees: 1,
    nodes: 6,
    findings: [],
    thread: [
      'Dice?',
      'roll({"n":6})\ntoss({})\nRoll.',
      '2',
      'lost the coin',
      'Two.\n[source-url]\n[image: image/png]\n[data-note]',
    ],
  },
  {
    name: 'many chats, one with a part that is none',
    files: {
      'chats.json': JSON.stringify([
        { id: 'c1', title: 'Dice', messages: list },
        { id: 'c2', messages: [{ id: 'x', role: 'user', parts: [7, 'plain', { type: 'text' }] }, 9] },
      ]),
    },
    trees: 2,
    nodes: 6,
    findings: ['import/record-unreadable'],
  },
  {
    name: 'messages one per line',
    files: { 'chat.jsonl': list.map((one) => `${JSON.stringify(one)}\n`).join('') },
    trees: 1,
    nodes: 5,
    findings: [],
  },
]);

describe('messages of the AI SDK', () => {
  it('[I23] are split at their steps, with calls and results as separate messages', async () => {
    const { trees } = await importIntoStore(toImportInput({ 'c.json': JSON.stringify(list) }));
    const nodes = trees[0]?.nodes ?? [];
    expect(nodes.map((node) => [node.externalId, node.message.role])).toEqual([
      ['u1', 'user'],
      ['a2/0', 'assistant'],
      ['a2/1', 'tool'],
      ['a2/2', 'tool'],
      ['a2', 'assistant'],
    ]);
    expect(nodes[1]?.message.content[0]).toMatchObject({ type: 'thinking', signature: 'c2ln' });
    expect(nodes[3]).toMatchObject({ message: { tool_call_id: 't2' }, meta: { isError: true } });
    expect(nodes[4]?.meta?.source).toEqual({ type: 'model', model_name: 'm-x' });
  });
});
