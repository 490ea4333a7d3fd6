import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { grok } from './index.ts';

let clock = 1730000000000;
const response = (_id: string, sender: string, message: string, rest: object = {}) => ({
  response: {
    _id,
    conversation_id: 'g',
    message,
    sender,
    create_time: { $date: { $numberLong: String(clock++) } },
    ...rest,
  },
});
const entry = (responses: readonly object[], rest: object = {}) => ({
  conversation: { id: 'g', title: 'Grok', create_time: '2025-01-01T00:00:00Z', starred: true, ...rest },
  responses,
});
const responses = [
  response('r1', 'human', 'Hello'),
  response('r2', 'ASSISTANT', 'Hi', { parent_response_id: 'r1', model: 'grok-3', thinking_trace: 'Hm.' }),
  response('r3', 'ASSISTANT', 'Hey', { parent_response_id: 'r1', model: 'grok-4' }),
];
const plain = {
  conversation: { title: 'Plain', create_time: '2026-08-01T10:00:00Z' },
  responses: [
    { sender: 'human', message: 'Prove it.', create_time: '2026-08-01T10:00:01Z' },
    { sender: 'assistant', message: 'Done.', create_time: '2026-08-01T10:00:02Z' },
  ],
};

runFormatConformance(grok, [
  {
    name: 'branches and reasoning',
    files: {
      'prod-grok-backend.json': JSON.stringify({
        conversations: [entry(responses, { leaf_response_id: 'r2' })],
        projects: [],
      }),
    },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Hello', 'Hi\nHm.'],
    newer: {
      'a.json': JSON.stringify({
        conversations: [
          entry([...responses, response('r4', 'human', 'More', { parent_response_id: 'r2' })], {
            leaf_response_id: 'r4',
          }),
        ],
      }),
    },
  },
  {
    name: 'responses without ids',
    files: { 'b.json': JSON.stringify({ conversations: [plain] }) },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['Prove it.', 'Done.'],
  },
  {
    name: 'a sender and a time that are not known, a parent that is not there',
    files: {
      'c.json': JSON.stringify({
        conversations: [
          entry([
            response('r1', 'oracle', 'Hm', { create_time: 'soon', file_attachments: ['f'] }),
            response('r2', 'assistant', 'Ho', { parent_response_id: 'gone', error: 'late' }),
          ]),
        ],
      }),
    },
    trees: 1,
    nodes: 2,
    findings: ['import/unknown-type', 'import/time-unreadable', 'import/orphan'],
  },
]);

it('[I220] keeps models, reasoning, times and failures', async () => {
  const { trees } = await importIntoStore(
    toImportInput({ 'a.json': JSON.stringify({ conversations: [entry(responses)] }) }),
  );
  expect(trees[0]?.nodes.map((node) => node.meta?.source?.model_name)).toEqual([undefined, 'grok-3', 'grok-4']);
  expect(trees[0]?.nodes[1]?.message.content[0]).toEqual({ type: 'thinking', thinking: 'Hm.' });
  expect(trees[0]?.nodes[0]?.createdAt).toBe(1730000000000);
});
