import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { oasst } from './index.ts';

const reply = (
  message_id: string,
  parent_id: string | null,
  role: string,
  text: string,
  replies: readonly object[] = [],
  rest: object = {},
) => ({
  message_id,
  parent_id,
  role,
  text,
  lang: 'en',
  created_date: '2023-02-05T14:23:50.983374+00:00',
  ...rest,
  replies,
});
const tree = {
  message_tree_id: 'p',
  tree_state: 'ready_for_export',
  prompt: reply('p', null, 'prompter', 'Why?', [
    reply('r1', 'p', 'assistant', 'Because', [reply('q', 'r1', 'prompter', 'And?')]),
    reply('r2', 'p', 'assistant', 'So', [], { rank: 1 }),
  ]),
};
const flat = (message_tree_id: string, message_id: string, parent_id: string | null, role: string, text: string) => ({
  message_id,
  parent_id,
  role,
  text,
  message_tree_id,
  created_date: '2023-02-05T14:23:50Z',
});
const lines = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

runFormatConformance(oasst, [
  {
    name: 'replies inside',
    files: {
      'trees.jsonl': lines(tree, { ...tree, message_tree_id: 'p2', prompt: reply('p2', null, 'prompter', 'Who?') }),
    },
    trees: 2,
    nodes: 5,
    findings: [],
  },
  {
    name: 'one message a line',
    files: {
      'messages.jsonl': lines(
        flat('a', 'a', null, 'prompter', 'One?'),
        flat('a', 'b', 'a', 'assistant', 'Yes'),
        flat('a', 'c', 'a', 'assistant', 'No'),
        flat('x', 'x', null, 'prompter', 'Two?'),
      ),
    },
    trees: 2,
    nodes: 4,
    findings: [],
  },
  {
    name: 'a role that is not known, a reply that is none',
    files: { 'odd.jsonl': lines({ ...tree, prompt: { ...tree.prompt, role: 'oracle', replies: [7] } }) },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type', 'import/record-unreadable'],
  },
]);

it('[I229] keeps replies in their order', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.jsonl': lines(tree) }));
  expect(trees[0]?.nodes.map((node) => [node.externalId, node.parentExternalId])).toEqual([
    ['p', null],
    ['r1', 'p'],
    ['q', 'r1'],
    ['r2', 'p'],
  ]);
});
