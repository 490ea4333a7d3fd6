import { run, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import { buildTree, type TMessage } from 'librechat-data-provider';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { readFirstTree } from '../conformance/storing.ts';
import { exportStoredTrees, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { librechat } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const nobody = '00000000-0000-0000-0000-000000000000';
const at = (second: number) => new Date(1_767_323_045_000 + second * 1000).toISOString();

const said = (messageId: string, parentMessageId: string | null, second: number, rest: Fields): Fields => ({
  messageId,
  parentMessageId,
  conversationId: 'L1',
  error: false,
  unfinished: false,
  createdAt: at(second),
  updatedAt: at(second),
  _id: `mongo-${messageId}`,
  __v: 0,
  ...rest,
});
const user = (id: string, parent: string | null, second: number, text: string, rest: Fields = {}) =>
  said(id, parent, second, { sender: 'User', isCreatedByUser: true, text, model: null, ...rest });
const reply = (id: string, parent: string, second: number, rest: Fields) =>
  said(id, parent, second, {
    sender: 'X',
    isCreatedByUser: false,
    text: '',
    model: 'm-x',
    endpoint: 'openAI',
    ...rest,
  });

const file = (messages: readonly unknown[], rest: Fields = {}): Fields => ({
  conversationId: 'L1',
  endpoint: 'openAI',
  title: 'Knots',
  exportAt: '10:00:00 GMT+0000',
  branches: true,
  recursive: false,
  options: { model: 'm-x', promptPrefix: 'Be brief.' },
  messages,
  ...rest,
});

const knots = [
  user('q', nobody, 0, 'Bowline?'),
  reply('r1', 'q', 1, {
    content: [
      { type: 'think', think: 'loop' },
      { type: 'text', text: 'Rabbit, hole.' },
    ],
  }),
  reply('r2', 'q', 2, { text: 'Loop, around.', tokenCount: 4, finish_reason: 'stop' }),
];

const call = (id: string, output?: string) => ({
  type: 'tool_call',
  tool_call: {
    id,
    name: 'look',
    args: '{"q": 1}',
    type: 'tool_call',
    progress: 1,
    ...(output === undefined ? {} : { output }),
  },
});
const tools = [
  user('q', null, 0, 'Look', { files: [{ file_id: 'f1', filename: 'rope.png', type: 'image/png' }] }),
  reply('r', 'q', 1, {
    content: [
      { type: 'text', text: { value: 'First.' }, tool_call_ids: ['c1', 'c2'] },
      call('c1', 'one'),
      call('c2', 'two'),
      call('c3', 'three'),
      { type: 'text', text: 'Done.' },
      { type: 'agent_update', agent_update: { index: 0, agentId: 'a' } },
    ],
  }),
  reply('s', 'r', 2, {
    content: [
      {
        type: 'summary',
        content: [{ type: 'text', text: 'They looked.' }],
        boundary: { messageId: 'r', contentIndex: 4 },
        tokenCount: 9,
      },
      { type: 'text', text: 'On we go.' },
    ],
  }),
  reply('t', 's', 3, { unfinished: true, content: [call('c4')] }),
  reply('e', 't', 4, { error: true, text: 'It broke.' }),
];

const voice = (agentId: string, part: Fields) => ({ ...part, agentId, groupId: 1 });
const parallel = [
  user('q', nobody, 0, 'Both of you?'),
  reply('p', 'q', 1, {
    content: [
      voice('a1', { type: 'text', text: 'One says yes.' }),
      voice('a2', { type: 'think', think: 'Hm.' }),
      voice('a2', { type: 'text', text: 'Two says no.' }),
    ],
  }),
  user('q2', 'p', 2, 'Go on'),
];

const nest = (message: Fields, ...children: Fields[]): Fields => ({ ...message, children });
const [q = {}, r1 = {}, r2 = {}] = knots;
const recursive = file([nest(q, nest(r1), nest(r2))], { recursive: true });

const odd = [
  user('q', nobody, 0, 'One'),
  reply('early', 'late', 2, { text: 'Child first' }),
  user('late', 'q', 1, 'Parent later'),
  user('lost', 'deleted', 3, 'Lost'),
  user('lost', 'deleted', 3, 'Lost'),
  user('lost', 'deleted', 3, 'Other'),
  user('x', 'y', 4, 'X'),
  user('y', 'x', 5, 'Y'),
  user('z', 'z', 6, 'Z'),
  user('blank', 'q', 7, ''),
  user('noon', 'q', 8, 'Noon', { createdAt: 'noon' }),
  7,
];

const newer = [...knots, user('q3', 'r2', 3, 'Thanks.')];

runFormatConformance(librechat, [
  {
    name: 'flat, with branches and reasoning',
    files: { 'knots.json': JSON.stringify(file(knots)) },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Bowline?', 'Loop, around.'],
    roundTrip: true,
    newer: { 'knots.json': JSON.stringify(file(newer)) },
  },
  {
    name: 'nested',
    files: { 'knots.json': JSON.stringify(recursive) },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Bowline?', 'Loop, around.'],
    roundTrip: true,
  },
  {
    name: 'nested under another key',
    files: {
      'knots.json': JSON.stringify({ conversationId: 'L1', title: 'Knots', messagesTree: [nest(q, nest(r1))] }),
    },
    trees: 1,
    nodes: 2,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'calls with their results, a summary, files, replies that failed or were cut short',
    files: { 'tools.json': JSON.stringify(file(tools)) },
    trees: 1,
    nodes: 11,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'answers of two agents in one message',
    files: { 'parallel.json': JSON.stringify(file(parallel)) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['Both of you?', 'One says yes.', 'Go on'],
    roundTrip: true,
  },
  {
    name: 'several conversations in one file',
    files: { 'all.json': JSON.stringify([file(knots), file(parallel, { conversationId: 'L2' })]) },
    trees: 2,
    nodes: 7,
    findings: [],
  },
  {
    name: 'orphans, later and circular parents, ids twice, a blank message, no message',
    files: { 'odd.json': JSON.stringify(file(odd)) },
    trees: 1,
    nodes: 10,
    findings: [
      'import/orphan',
      'import/cycle',
      'import/self-parent',
      'import/duplicate',
      'import/duplicate-id',
      'import/time-unreadable',
      'import/record-unreadable',
    ],
  },
]);

async function written(stored: Parameters<typeof exportStoredTrees>[0]) {
  const { files, report } = await exportStoredTrees(stored, librechat);
  const whole = JSON.parse([...files.values()].join(''));
  const messages: (TMessage & Fields)[] = whole.messages;
  return { whole, messages, report };
}

const act = () => ({ actor: 'me', kit: messageKit, ...createTestClock(9) });

/** Builds a tree with a call, its result, an answer and a variant of the answer. */
async function grown() {
  const store = new ReferenceStore();
  const id = treeId('00000000-0000-7000-8000-00000000beef');
  const on = { actor: 'me', kit: messageKit, ...createTestClock() };
  await run(store, { type: 'create', treeId: id, attributes: { title: 'Grown', systemPrompt: 'Be brief.' } }, on);
  const calls = ['c1', 'c2'].map((call) => ({ type: 'tool-use', id: call, name: 'look', parameters: { call } }));
  const result = (call: string) => ({
    message: { role: 'tool' as const, content: textMessage('user', `${call} seen`).content, tool_call_id: call },
  });
  const first = await run(
    store,
    { type: 'append', treeId: id, messages: [{ message: textMessage('user', 'Look') }] },
    on,
  );
  const { nodeId: parentId } = first.result;
  const messages = [
    { message: { role: 'assistant' as const, content: calls } },
    result('c1'),
    result('c2'),
    { message: textMessage('assistant', 'There.') },
  ];
  await run(store, { type: 'append', treeId: id, messages }, on);
  const other = [{ message: textMessage('assistant', 'Elsewhere.') }];
  await run(store, { type: 'append', treeId: id, parentId, messages: other }, on);
  return { store, ids: [id], names: [] };
}

describe('LibreChat exports', () => {
  it('[I95] are split at their calls; parallel calls stay together', async () => {
    const { tree, of } = await readFirstTree({ 'c.json': JSON.stringify(file(tools)) });
    const chain = tree.nodes.filter((one) => one.externalId.split('/')[0] === 'r');
    expect(chain.map((one) => [one.message.role, messageKit.text(one.message)])).toEqual([
      ['assistant', 'First.\nlook({"q":1})\nlook({"q":1})'],
      ['tool', 'one'],
      ['tool', 'two'],
      ['assistant', 'look({"q":1})'],
      ['tool', 'three'],
      ['assistant', 'Done.\n[librechat-agent_update]'],
    ]);
    expect([of('t')?.status, of('e')?.status]).toEqual(['interrupted', 'error']);
    expect(of('s/0')).toMatchObject({ kind: 'compaction', marker: { details: { boundary: { messageId: 'r' } } } });
    expect(tree.systemPrompt).toBe('Be brief.');
    expect(tree.records).toBe(5);
  });

  it('[I96] read answers of several agents in one message as one group, and write them as one again', async () => {
    const { stored, of } = await readFirstTree({ 'c.json': JSON.stringify(file(parallel)) });
    expect([of('p')?.group, of('p/agent-1')?.group]).toEqual(['parallel-p', 'parallel-p']);
    expect([of('p')?.parentExternalId, of('p/agent-1')?.parentExternalId, of('q2')?.parentExternalId]).toEqual([
      'q',
      'q',
      'p',
    ]);
    expect(of('p/agent-1')?.meta?.source).toMatchObject({ model_name: 'a2' });
    const { report, messages } = await written(stored);
    expect(report.nodes).toEqual({ read: 4, written: 3, merged: 1, left: 0 });
    expect(messages.find((one) => one.messageId === 'p')).toEqual(parallel[1]);
  });

  it('[I97] write the rest of a message separately once a part of it is removed', async () => {
    const { stored, id } = await readFirstTree({ 'c.json': JSON.stringify(file(parallel)) });
    const other = stored.names.find((one) => one.id === 'p/agent-1')?.nodeId ?? undefined;
    if (other === undefined) throw new Error('There is no answer.');
    await run(stored.store, { type: 'delete', treeId: id, nodeIds: [other] }, act());
    const { messages } = await written(stored);
    expect(messages.find((one) => one.messageId === 'p')).toMatchObject({
      sender: 'X',
      createdAt: at(1),
      content: [{ type: 'text', text: 'One says yes.' }],
    });
    expect(JSON.stringify(messages)).not.toContain('Two says no.');
  });

  it('[I98] are accepted by the tree builder of LibreChat itself, with every branch in the right position', async () => {
    const { messages, report } = await written(await grown());
    expect(report.nodes).toEqual({ read: 6, written: 3, merged: 3, left: 0 });
    const roots = buildTree({ messages }) ?? [];
    expect(roots.map((one) => one.text)).toEqual(['Look']);
    const children = roots[0]?.children ?? [];
    expect(children.map((one) => one.parentMessageId)).toEqual([roots[0]?.messageId, roots[0]?.messageId]);
    expect(children[1]?.text).toBe('Elsewhere.');
    for (const messagesOf of [knots, tools, parallel]) {
      const { stored } = await readFirstTree({ 'c.json': JSON.stringify(file(messagesOf)) });
      const out = await written(stored);
      expect(buildTree({ messages: out.messages })?.length).toBe(1);
    }
  });

  it('[I99] write calls and results that were added here as one message, and restore them', async () => {
    const { whole } = await written(await grown());
    expect(whole.options).toEqual({ promptPrefix: 'Be brief.' });
    const again = await importIntoStore(toImportInput({ 'c.json': JSON.stringify(whole) }));
    expect(again.trees[0]?.nodes.map((one) => one.message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
      'assistant',
    ]);
    const asked = again.trees[0]?.nodes[1]?.message.content ?? [];
    expect(asked.map((block) => block.type)).toEqual(['tool-use', 'tool-use']);
  });

  it('[I100] are read and written at any depth of nesting', async () => {
    const depth = 2000;
    let text = '';
    for (let index = 0; index < depth; index++)
      text += `${JSON.stringify(user(`m${index}`, index === 0 ? nobody : `m${index - 1}`, index, `${index}`)).slice(0, -1)},"children":[`;
    const head = JSON.stringify({ ...file([]), recursive: true }).replace('"messages":[]', '"messages":[');
    const whole = `${head.slice(0, -1)}${text}${']}'.repeat(depth)}]}`;
    const { stored, tree } = await readFirstTree({ 'deep.json': whole });
    expect(tree.nodes.length).toBe(depth);
    const { files } = await exportStoredTrees(stored, librechat);
    expect([...files.values()].join('').trim()).toBe(whole);
  });

  it('[I101] report that they cannot hold which message is current', async () => {
    const { stored, id } = await readFirstTree({ 'c.json': JSON.stringify(file(knots)) });
    const first = stored.names.find((one) => one.id === 'r1')?.nodeId ?? undefined;
    if (first === undefined) throw new Error('There is no answer.');
    expect((await written(stored)).report.counts).toEqual({});
    await run(stored.store, { type: 'select', treeId: id, nodeId: first }, act());
    expect((await written(stored)).report.counts).toEqual({ active: 1 });
  });
});
