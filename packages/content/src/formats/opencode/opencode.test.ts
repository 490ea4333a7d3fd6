import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { opencode } from './index.ts';

let clock = 1730000000000;
const part = (id: string, type: string, rest: object) => ({ id: `prt_${id}`, type, ...rest });
const text = (id: string, words: string, rest: object = {}) => part(id, 'text', { text: words, ...rest });
const user = (id: string, parts: readonly object[], rest: object = {}) => ({
  info: { id: `msg_${id}`, role: 'user', sessionID: 'ses_1', time: { created: clock++ }, agent: 'build', ...rest },
  parts,
});
const reply = (id: string, parts: readonly object[], rest: object = {}) => ({
  info: {
    id: `msg_${id}`,
    role: 'assistant',
    parentID: 'msg_1',
    sessionID: 'ses_1',
    providerID: 'anthropic',
    modelID: 'claude-x',
    time: { created: clock++ },
    tokens: { input: 3, output: 4, reasoning: 1, cache: { read: 5, write: 6 } },
    ...rest,
  },
  parts,
});
const info = {
  id: 'ses_1',
  projectID: 'p',
  directory: '/work',
  title: 'Trees',
  version: '1.0.0',
  time: { created: 1730000000000, updated: 1730000009000 },
};
const messages = [
  user('1', [
    text('a', 'List the files.'),
    part('b', 'file', { mime: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=', filename: 'a.png' }),
  ]),
  reply('2', [
    part('c', 'step-start', {}),
    part('d', 'reasoning', { text: 'Hm.', time: { start: 1 }, metadata: { anthropic: { signature: 'c2ln' } } }),
    text('e', 'Let me look.'),
    part('f', 'tool', {
      callID: 'k1',
      tool: 'bash',
      state: {
        status: 'completed',
        input: { command: 'ls' },
        output: 'a.ts',
        title: '',
        metadata: {},
        time: { start: 1, end: 2 },
      },
    }),
    part('g', 'tool', {
      callID: 'k2',
      tool: 'read',
      state: { status: 'error', input: { path: 'b' }, error: 'gone', time: { start: 1, end: 2 } },
    }),
    part('h', 'step-finish', { reason: 'tool-calls', cost: 0, tokens: {} }),
  ]),
  reply('3', [text('i', 'One file.')]),
  user('4', [part('j', 'compaction', { auto: true, tail_start_id: 'msg_3' })]),
  reply('5', [text('k', 'A file was listed.')], { summary: true }),
  user('6', [text('l', 'Continue.', { synthetic: true })]),
  reply('7', [text('m', 'On it')], { error: { name: 'MessageAbortedError', data: { message: 'stopped' } } }),
];
const exported = (more: readonly object[] = []) => JSON.stringify({ info, messages: [...messages, ...more] });

const folder = {
  'storage/session/p/ses_2.json': JSON.stringify({
    ...info,
    id: 'ses_2',
    parentID: 'ses_1',
    revert: { messageID: 'msg_93' },
  }),
  'storage/message/ses_2/msg_91.json': JSON.stringify({
    id: 'msg_91',
    sessionID: 'ses_2',
    role: 'user',
    time: { created: 1 },
  }),
  'storage/message/ses_2/msg_92.json': JSON.stringify({
    id: 'msg_92',
    sessionID: 'ses_2',
    role: 'assistant',
    time: { created: 2 },
  }),
  'storage/message/ses_2/msg_93.json': JSON.stringify({
    id: 'msg_93',
    sessionID: 'ses_2',
    role: 'user',
    time: { created: 3 },
  }),
  'storage/part/msg_91/prt_2.json': JSON.stringify({
    id: 'prt_2',
    sessionID: 'ses_2',
    messageID: 'msg_91',
    type: 'text',
    text: ' you?',
  }),
  'storage/part/msg_91/prt_1.json': JSON.stringify({
    id: 'prt_1',
    sessionID: 'ses_2',
    messageID: 'msg_91',
    type: 'text',
    text: 'Who are',
  }),
  'storage/part/msg_92/prt_3.json': JSON.stringify({
    id: 'prt_3',
    sessionID: 'ses_2',
    messageID: 'msg_92',
    type: 'text',
    text: 'A program.',
  }),
  'storage/part/msg_93/prt_4.json': JSON.stringify({
    id: 'prt_4',
    sessionID: 'ses_2',
    messageID: 'msg_93',
    type: 'text',
    text: 'Which?',
  }),
  'storage/part/msg_99/prt_9.json': JSON.stringify({
    id: 'prt_9',
    sessionID: 'ses_2',
    messageID: 'msg_99',
    type: 'text',
    text: 'lost',
  }),
};

runFormatConformance(opencode, [
  {
    name: 'tools, reasoning, a compaction, a reply that was stopped',
    files: { 'session.json': exported() },
    trees: 1,
    nodes: 9,
    findings: [],
    newer: { 'session.json': exported([user('8', [text('z', 'Thanks.')])]) },
  },
  {
    name: 'the folder, with a message that was taken back and a part without its message',
    files: folder,
    trees: 1,
    nodes: 3,
    findings: ['import/orphan'],
    thread: ['Who are you?', 'A program.'],
  },
  {
    name: 'the database',
    files: {
      'opencode.db': JSON.stringify({
        opencode: [
          { info, messages },
          { info: { ...info, id: 'ses_3', parentID: 'ses_1' }, messages: [user('8', [text('n', 'Look.')]), 'lost'] },
          'lost too',
        ],
      }),
    },
    trees: 2,
    nodes: 10,
    findings: ['import/other-format', 'import/skipped'],
  },
  {
    name: 'parts and roles that are not known',
    files: {
      'odd.json': JSON.stringify({
        info,
        messages: [
          user('1', [part('x', 'hologram', { prompt: 'Look' })], { role: 'ghost' }),
          reply('2', [text('y', 'Boo.')]),
        ],
      }),
    },
    trees: 1,
    nodes: 2,
    findings: ['import/unknown-type'],
  },
]);

it('[I217] keeps models, usage, results, reasoning signatures and what a compaction kept', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': exported() }));
  const [tree] = trees;
  expect([tree?.title, tree?.attributes?.metadata?.cwd]).toEqual(['Trees', '/work']);
  const said = tree?.nodes.find((node) => node.message.role === 'assistant');
  expect(said?.message.content).toMatchObject([
    { type: 'thinking', signature: 'c2ln' },
    { type: 'text' },
    { type: 'tool-use', id: 'k1' },
    { type: 'tool-use', id: 'k2' },
  ]);
  expect(said?.meta?.source).toMatchObject({
    model_name: 'claude-x',
    usage: { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 5 },
  });
  expect(tree?.nodes.filter((node) => node.message.role === 'tool').map((node) => node.meta?.isError)).toEqual([
    undefined,
    true,
  ]);
  expect(tree?.nodes.find((node) => node.kind === 'compaction')?.marker).toMatchObject({ firstKept: 'msg_3' });
  expect(tree?.nodes.at(-1)?.status).toBe('aborted');
});

it('[I247] the result of a call is kept, whatever state the call names', async () => {
  const state = { status: 'cached', input: { command: 'ls' }, output: 'a.txt' };
  const odd = reply('9', [part('9', 'tool', { tool: 'bash', callID: 'c9', state })]);
  const { trees } = await importIntoStore(toImportInput({ 'a.json': exported([odd]) }));
  const results = trees[0]?.nodes.filter(({ message }) => message.role === 'tool').map(({ message }) => message);
  expect(JSON.stringify(results)).toContain('a.txt');
});
