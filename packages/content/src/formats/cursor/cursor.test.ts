import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { cursor } from './index.ts';

let clock = 1_766_691_308_000;
const bubble = (bubbleId: string, type: number, rest: object = {}) => ({
  _v: 3,
  bubbleId,
  type,
  text: '',
  createdAt: new Date(clock++).toISOString(),
  ...rest,
});
const bubbles = [
  bubble('u1', 1, { text: 'Which trees?', images: [{ path: 'a.png' }] }),
  bubble('a1', 2, { thinking: { text: 'Hm.', signature: 'c2ln' } }),
  bubble('a2', 2, {
    text: 'I look.',
    toolFormerData: {
      name: 'read_file',
      toolCallId: 'toolu_1',
      rawArgs: '{"path":"trees.md"}',
      result: '{"contents":"oak"}',
      status: 'completed',
    },
  }),
  bubble('a3', 2, { toolFormerData: { name: 'run_terminal_cmd', rawArgs: '{"command":"ls"', status: 'error' } }),
  bubble('a4', 2, { text: 'Oaks.', tokenCount: { inputTokens: 7, outputTokens: 3 } }),
];
const composer = (list: readonly { readonly bubbleId: string; readonly type: number }[], rest: object = {}) => ({
  _v: 10,
  composerId: 'c1',
  name: 'Trees',
  createdAt: 1_766_691_300_000,
  lastUpdatedAt: 1_766_691_400_000,
  createdOnBranch: 'main',
  modelConfig: { modelName: 'claude-4.5-opus', maxMode: false },
  fullConversationHeadersOnly: list.map(({ bubbleId, type }) => ({ bubbleId, type })),
  ...rest,
});
const database = (...conversations: readonly object[]) => JSON.stringify({ cursor: conversations });

runFormatConformance(cursor, [
  {
    name: 'reasoning, tools and a failed one',
    files: { 'state.vscdb': database({ composer: composer(bubbles), bubbles }) },
    trees: 1,
    nodes: 7,
    findings: [],
    newer: {
      'state.vscdb': database({
        composer: composer([...bubbles, bubble('u2', 1)]),
        bubbles: [...bubbles, bubble('u2', 1, { text: 'Thanks' })],
      }),
    },
  },
  {
    name: 'an early version with the messages inside, a model that is not named',
    files: {
      'old.json': database({
        composer: {
          composerId: 'c0',
          createdAt: 1,
          modelConfig: { modelName: 'default' },
          conversation: [bubble('x', 1, { text: 'Old?' }), bubble('y', 2, { text: 'Yes', thinking: 'so' })],
        },
        bubbles: [],
      }),
    },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['Old?', 'Yes\nso'],
  },
  {
    name: 'a message that is missing, one that no list names, a type that is not known',
    files: {
      'odd.json': database({
        composer: composer([...bubbles.slice(0, 1), { bubbleId: 'gone', type: 2 }, { bubbleId: 'odd', type: 9 }]),
        bubbles: [...bubbles.slice(0, 2), bubble('odd', 9, { text: 'Hm' })],
      }),
    },
    trees: 1,
    nodes: 2,
    findings: ['import/pointer-missing', 'import/unknown-type', 'import/orphan'],
  },
]);

it('[I236] keeps calls with their results, reasoning with its signature, the model, usage and branch', async () => {
  const { trees } = await importIntoStore(
    toImportInput({ 'state.vscdb': database({ composer: composer(bubbles), bubbles }) }),
  );
  const [tree] = trees;
  expect(tree?.title).toBe('Trees');
  expect(tree?.attributes?.metadata).toMatchObject({ gitBranch: 'main' });
  expect(tree?.nodes.map(({ externalId }) => externalId)).toEqual(['u1', 'a1', 'a2/0', 'a2', 'a3/0', 'a3', 'a4']);
  expect(tree?.nodes[1]?.message?.content).toEqual([{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }]);
  expect(tree?.nodes[2]?.message?.content).toMatchObject([
    { text: 'I look.' },
    { type: 'tool-use', id: 'toolu_1', name: 'read_file', parameters: { path: 'trees.md' } },
  ]);
  expect(tree?.nodes[5]?.meta).toMatchObject({ isError: true });
  expect(tree?.nodes[6]?.meta?.source).toEqual({
    type: 'model',
    model_name: 'claude-4.5-opus',
    usage: { input_tokens: 7, output_tokens: 3 },
  });
});
