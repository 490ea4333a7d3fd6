import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { chatbox } from './index.ts';

let clock = 1730000000000;
const message = (id: string, role: string, text: string, rest: object = {}) => ({
  id,
  role,
  contentParts: [{ type: 'text', text }],
  timestamp: clock++,
  ...rest,
});
const session = (messages: readonly object[], rest: object = {}) => ({
  id: 's1',
  type: 'chat',
  name: 'Talk',
  messages,
  threads: [],
  ...rest,
});
const messages = [
  message('a', 'system', 'You are helpful'),
  message('b', 'user', 'Hello'),
  message('c', 'assistant', 'Hi!', {
    model: 'gpt-4o',
    aiProvider: 'openai',
    usage: { inputTokens: 4, outputTokens: 2 },
    contentParts: [
      { type: 'reasoning', text: 'Hm.' },
      {
        type: 'tool-call',
        state: 'result',
        toolCallId: 'k1',
        toolName: 'search',
        args: { q: 'x' },
        result: { hits: 1 },
      },
      { type: 'text', text: 'Hi!' },
    ],
  }),
];
const forks = {
  b: {
    position: 1,
    createdAt: 1730000000000,
    lists: [
      { id: 'f', messages: [message('c0', 'assistant', 'Hi (other)'), message('d0', 'user', 'Oh')] },
      { id: 'g', messages: [] },
    ],
  },
  d0: { position: 1, createdAt: 1, lists: [{ id: 'h', messages: [message('e0', 'assistant', 'Deep')] }] },
};
const exported = (list: readonly object[]) => ({
  'chat-sessions-list': [{ id: 's1', name: 'Talk', type: 'chat' }],
  'session:s1': session(list, {
    messageForksHash: forks,
    threads: [{ id: 't1', name: 'Before', createdAt: 1730000000000, messages: [message('z', 'user', 'Earlier')] }],
  }),
  __exported_items: ['conversations'],
  __exported_at: '2025-01-01T00:00:00Z',
});
const old = {
  'chat-sessions': [
    {
      id: 'o1',
      type: 'chat',
      name: 'Old',
      messages: [
        { id: 'm1', role: 'user', content: 'Old?', pictures: [{ storageKey: 'p' }] },
        { id: 'm2', role: 'assistant', content: 'Yes', reasoningContent: 'so', error: 'late' },
        { id: 'm3', role: 'oracle', content: 'Hm' },
      ],
    },
  ],
};

const compacted = session(
  [
    message('a', 'user', 'Hello', { files: [{ id: 'f', name: 'plan.pdf', fileType: 'pdf', storageKey: 'k' }] }),
    message('b', 'assistant', 'Hi', { links: [{ id: 'l', url: 'https://example.com', title: 'Example' }] }),
    message('s', 'assistant', 'They greeted.', { isSummary: true }),
    message('c', 'user', 'And?', { contentParts: [{ type: 'image', storageKey: 'p', ocrResult: 'A sign' }] }),
    message('d', 'assistant', 'So', { generating: true }),
  ],
  { compactionPoints: [{ summaryMessageId: 's', boundaryMessageId: 'b', createdAt: 5 }] },
);

runFormatConformance(chatbox, [
  {
    name: 'a compaction, files and links, a reply that was being written',
    files: { 'compacted.json': JSON.stringify({ 'session:s1': compacted }) },
    trees: 1,
    nodes: 5,
    findings: [],
  },
  {
    name: 'forks below forks, an earlier thread, a tool',
    files: { 'chatbox.json': JSON.stringify(exported(messages)) },
    trees: 2,
    nodes: 9,
    findings: [],
    newer: { 'chatbox.json': JSON.stringify(exported([...messages, message('d', 'user', 'Thanks')])) },
  },
  {
    name: 'an old export, a role that is not known',
    files: { 'old.json': JSON.stringify(old) },
    trees: 1,
    nodes: 3,
    findings: ['import/unknown-type'],
  },
]);

it('[I221] keeps alternative replies as branches, and the shown one as current', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(exported(messages)) }));
  const [tree, before] = trees;
  expect([tree?.title, before?.title, tree?.activeExternalId]).toEqual(['Talk', 'Before', 'c']);
  expect(tree?.nodes.map((node) => [node.externalId, node.parentExternalId]).sort()).toEqual([
    ['a', null],
    ['b', 'a'],
    ['c', 'c/1'],
    ['c/0', 'b'],
    ['c/1', 'c/0'],
    ['c0', 'b'],
    ['d0', 'c0'],
    ['e0', 'd0'],
  ]);
});

it('[I245] keeps alternative replies in the order in which Chatbox shows them', async () => {
  const other = message('e', 'assistant', 'Hi (third)');
  const third = { ...forks, b: { ...forks.b, lists: [...forks.b.lists, { id: 'i', messages: [other] }] } };
  const files = { 'a.json': JSON.stringify({ 'session:s1': session(messages, { messageForksHash: third }) }) };
  const { trees } = await importIntoStore(toImportInput(files));
  const below = trees[0]?.nodes.filter(({ parentExternalId }) => parentExternalId === 'b') ?? [];
  const inOrder = [...below].sort((a, b) => a.order - b.order);
  expect(inOrder.map(({ externalId }) => externalId)).toEqual(['c0', 'c/0', 'e']);
  expect(trees[0]?.findings).toEqual([]);
});

it('[I221] a summary of Chatbox becomes a compaction, and the recognised text of a picture becomes its text', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify({ 'session:s1': compacted }) }));
  expect(trees[0]?.nodes.map(({ externalId, kind, status }) => [externalId, kind, status])).toEqual([
    ['a', 'message', undefined],
    ['b', 'message', undefined],
    ['s', 'compaction', undefined],
    ['c', 'message', undefined],
    ['d', 'message', 'interrupted'],
  ]);
  expect(trees[0]?.nodes[3]?.message?.content).toMatchObject([{ type: 'chatbox-image', text: 'A sign' }]);
  expect(trees[0]?.nodes[1]?.message?.content).toMatchObject([{ text: 'Hi' }, { text: '[Example]' }]);
});

it('[I35] alternatives below a missing message become orphans, and the loss of their place is reported', async () => {
  const alone = { gone: { position: 1, lists: [{ id: 'f', messages: [message('q', 'assistant', 'Elsewhere')] }] } };
  const file = { 'session:s1': session(messages, { messageForksHash: { ...forks, ...alone } }) };
  const { trees, findings } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(file) }));
  const { trees: without } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(exported(messages)) }));
  expect(JSON.stringify(trees[0]?.nodes)).toContain('Elsewhere');
  expect(trees[0]?.nodes.length).toBe((without[0]?.nodes.length ?? 0) + 1);
  expect(findings).toMatchObject([{ code: 'import/orphan' }]);
});
