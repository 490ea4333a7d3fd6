import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { huggingchat } from './index.ts';

let clock = 0;
const message = (
  id: string,
  from: string,
  content: string,
  ancestors: readonly string[],
  children: readonly string[],
  rest: object = {},
) => ({
  id,
  from,
  content,
  ancestors,
  children,
  createdAt: `2025-01-01T00:00:${String(clock++).padStart(2, '0')}.000Z`,
  ...rest,
});
const chat = (messages: readonly object[], rest: object = {}) => ({
  _id: { $oid: 'x1' },
  title: 'HC',
  model: 'llama',
  rootMessageId: 'a',
  messages,
  ...rest,
});
const messages = [
  message('a', 'system', 'Be brief.', [], ['b']),
  message('b', 'user', 'Hello', ['a'], ['d', 'c'], {
    files: [
      { type: 'base64', name: 'a.png', value: 'iVBORw0KGgo=', mime: 'image/png' },
      { type: 'hash', name: 'b.pdf', value: 'ff', mime: 'application/pdf' },
    ],
  }),
  message('c', 'assistant', 'Hi 1', ['a', 'b'], [], { reasoning: 'Hm.' }),
  message('d', 'assistant', 'Hi 2', ['a', 'b'], [], { interrupted: true }),
];
const plain = [
  { from: 'user', content: 'Old?', id: '1' },
  { from: 'assistant', content: 'Yes', id: '2' },
];

runFormatConformance(huggingchat, [
  {
    name: 'branches, reasoning and files',
    files: { 'hc.json': JSON.stringify([chat(messages)]) },
    trees: 1,
    nodes: 3,
    findings: [],
    newer: {
      'hc.json': JSON.stringify([
        chat([
          ...messages.slice(0, 3),
          { ...messages[3], children: ['e'] },
          message('e', 'user', 'Thanks', ['a', 'b', 'd'], []),
        ]),
      ]),
    },
  },
  {
    name: 'a list without branches',
    files: { 'old.json': JSON.stringify(chat(plain, { _id: 'x2' })) },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['Old?', 'Yes'],
  },
  {
    name: 'a sender that is not known, a parent that is not there',
    files: { 'odd.json': JSON.stringify(chat([message('b', 'oracle', 'Hm', ['gone'], ['z'])])) },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type', 'import/orphan', 'import/children-mismatch'],
  },
]);

it('[I225] keeps the prompt, branches in their order, models and reasoning', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify([chat(messages)]) }));
  const [tree] = trees;
  expect([tree?.externalId, tree?.systemPrompt]).toEqual(['x1', 'Be brief.']);
  expect(tree?.nodes.map((node) => [node.externalId, node.parentExternalId, node.order])).toEqual([
    ['b', null, 0],
    ['c', 'b', 1],
    ['d', 'b', 0],
  ]);
  expect(tree?.nodes[1]?.meta?.source?.model_name).toBe('llama');
});
