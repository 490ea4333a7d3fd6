import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { sharegpt } from './index.ts';

const say = (from: string, value: string) => ({ from, value });
const chat = (...conversations: readonly object[]) => ({ id: 'c1', conversations });
const called = chat(
  say('system', 'Be kind'),
  say('human', 'Weather?'),
  say('function_call', '{"name":"weather","arguments":{"city":"Bonn"}}'),
  say('observation', 'rain'),
  say('gpt', 'It rains.'),
);

runFormatConformance(sharegpt, [
  {
    name: 'a call of a function',
    files: { 'a.json': JSON.stringify([called]) },
    trees: 1,
    nodes: 4,
    findings: [],
    newer: {
      'a.json': JSON.stringify([{ ...called, conversations: [...called.conversations, say('human', 'Thanks')] }]),
    },
  },
  {
    name: 'one per line, without ids',
    files: {
      'b.jsonl': [chat(say('human', 'One?'), say('gpt', 'Yes')), chat(say('user', 'Two?'), say('bard', 'No'))]
        .map((one) => `${JSON.stringify({ conversations: one.conversations })}\n`)
        .join(''),
    },
    trees: 2,
    nodes: 4,
    findings: [],
  },
  {
    name: 'a speaker that is not known',
    files: { 'c.json': JSON.stringify([chat(say('oracle', 'Hm'))]) },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type'],
  },
]);

it('[I228] keeps the prompt and calls with their results', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify([called]) }));
  expect(trees[0]?.systemPrompt).toBe('Be kind');
  expect(trees[0]?.nodes[1]?.message.content).toEqual([
    { type: 'tool-use', id: 'call-2', name: 'weather', parameters: { city: 'Bonn' } },
  ]);
  expect(trees[0]?.nodes[2]?.message.tool_call_id).toBe('call-2');
});
