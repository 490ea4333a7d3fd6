import { describe, expect, it } from 'vitest';
import { exportStoredTrees, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { geminiCli } from './index.ts';

let clock = 0;
const time = () => `2026-01-02T03:04:${String(clock++ % 60).padStart(2, '0')}.000Z`;
const say = (id: string, type: string, content: unknown, rest: object = {}) => ({
  id,
  timestamp: time(),
  type,
  content,
  ...rest,
});
const lines = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
const header = (sessionId: string, rest: object = {}) => ({
  sessionId,
  projectHash: 'abc123',
  startTime: '2026-01-02T03:04:00.000Z',
  lastUpdated: '2026-01-02T03:05:00.000Z',
  ...rest,
});
const call = (id: string, rest: object) => ({
  id,
  name: 'read_file',
  args: { path: 'a.ts' },
  timestamp: time(),
  ...rest,
});
const ran = (id: string, output: string) => [{ functionResponse: { id, name: 'read_file', response: { output } } }];

const messages = [
  say('u1', 'user', [{ text: 'Read this file' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }]),
  say('a1', 'gemini', 'Let me read it.', {
    model: 'gemini-2.5-pro',
    thoughts: [{ subject: 'Planning', description: 'I need the file.', timestamp: time() }],
    tokens: { input: 10, output: 4, cached: 2, thoughts: 3, tool: 0, total: 17 },
    toolCalls: [
      call('c1', { status: 'success', result: ran('c1', 'let a = 1;') }),
      call('c2', { status: 'error', result: null, resultDisplay: 'Not found' }),
    ],
  }),
  say('i1', 'info', 'Switched to flash.'),
  say('a2', 'gemini', 'It sets a.', { model: 'gemini-2.5-flash' }),
];
const document = JSON.stringify({ ...header('s1', { summary: 'Reading a file' }), messages });
const newer = JSON.stringify({
  ...header('s1', { summary: 'Reading a file' }),
  messages: [...messages, say('u2', 'user', 'Thanks')],
});

const rewound = lines(
  header('s2'),
  say('u1', 'user', 'This is the Gemini CLI. We are setting up the context for our chat.'),
  say('u2', 'user', 'Name a tree.'),
  say('a2', 'gemini', ''),
  say('a2', 'gemini', 'An oak.', { model: 'gemini-2.5-pro' }),
  { $set: { lastUpdated: '2026-01-02T03:06:00.000Z' } },
  say('u3', 'user', 'Another.'),
  say('a3', 'gemini', 'An ash.'),
  { $rewindTo: 'u3' },
  say('u4', 'user', 'A bush then.'),
  say('a4', 'gemini', 'A hazel.'),
  { $set: { summary: 'Trees' } },
);

// What the program writes since 2026: results as messages of their own too, a list that replaces the history when a
// session is resumed, and one with a summary when it is compacted.
const looked = { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a.ts' } } };
const setup = say('u0', 'user', '<session_context>\nThis is the Gemini CLI.\n</session_context>');
const begun = [
  say('u1', 'user', [{ text: 'Read it.' }]),
  say('a1', 'gemini', 'I look.', { toolCalls: [call('c1', { status: 'success', result: ran('c1', 'let a;') })] }),
  say('r1', 'user', ran('c1', 'let a;')),
  say('a2', 'gemini', 'Done.'),
];
const snapshot = [
  setup,
  say('s1', 'user', [{ text: '<state_snapshot>It was read.</state_snapshot>' }]),
  say('s2', 'gemini', [{ text: 'Got it. Thanks for the additional context!' }]),
  say('k1', 'gemini', [{ text: 'Done.' }]),
];
const resumed = lines(
  header('s4'),
  { $set: { messages: [setup] } },
  ...begun,
  { $set: { messages: [setup, begun[0], say('a1', 'gemini', [{ text: 'I look.' }, looked]), begun[2], begun[3]] } },
  { $set: { messages: snapshot } },
  say('u2', 'user', 'And b?'),
  { $set: { messages: [...snapshot, say('u2', 'user', 'And b?')] } },
  say('a3', 'gemini', 'There is none.'),
);
const onlyCalls = lines(
  header('s5'),
  say('u1', 'user', 'Read it.'),
  { $set: { messages: [say('u1', 'user', 'Read it.'), say('a1', 'gemini', [{ text: 'I look.' }, looked])] } },
  say('r1', 'user', [{ functionResponse: { id: 'c1', name: 'read_file', response: { error: 'gone' } } }]),
);

const odd = lines(
  header('s3', { kind: 'subagent', directories: ['/work'] }),
  say('u1', 'user', { text: 'Look.' }),
  { id: 'x1', timestamp: 'some day', type: 'vision', content: 'What is this?' },
  say('a1', 'gemini', [
    { executableCode: { language: 'PYTHON', code: 'print(1)' } },
    { fileData: { fileUri: 'https://example.com/a.png', mimeType: 'image/png' } },
  ]),
  { note: 'nothing known' },
);

runFormatConformance(geminiCli, [
  {
    name: 'a document with tools, thoughts and a picture',
    files: { 'session-a.json': document },
    trees: 1,
    nodes: 6,
    findings: [],
    roundTrip: true,
    newer: { 'session-a.json': newer },
  },
  {
    name: 'lines with a rewind, and a message that is written twice',
    files: { 'session-b.jsonl': rewound },
    trees: 1,
    nodes: 7,
    findings: [],
    thread: [
      'This is the Gemini CLI. We are setting up the context for our chat.',
      'Name a tree.',
      'An oak.',
      'A bush then.',
      'A hazel.',
    ],
    roundTrip: true,
  },
  {
    name: 'results that are written twice, resumed sessions, a compaction',
    files: { 'session-d.jsonl': resumed },
    trees: 1,
    nodes: 8,
    findings: [],
    thread: [
      '<session_context>\nThis is the Gemini CLI.\n</session_context>',
      'Read it.',
      'I look.\nread_file({"path":"a.ts"})',
      'let a;',
      'Done.',
      'It was read.',
      'And b?',
      'There is none.',
    ],
    roundTrip: true,
  },
  {
    name: 'results without a list of calls',
    files: { 'session-e.jsonl': onlyCalls },
    trees: 1,
    nodes: 3,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'a file that a resumed session began and did not use, and a subagent',
    files: {
      'chats/session-f.jsonl': lines(header('s4'), { $set: { messages: [setup] } }),
      'chats/s4/agent.jsonl': lines(header('s6', { kind: 'subagent' }), say('u1', 'user', 'Find b.')),
    },
    trees: 1,
    nodes: 1,
    findings: ['import/skipped'],
  },
  {
    name: 'types, times and lines that are not known',
    files: { 'c.jsonl': odd },
    trees: 1,
    nodes: 3,
    findings: ['import/unknown-type', 'import/time-unreadable', 'import/other-format'],
  },
]);

describe('sessions of Gemini CLI', () => {
  it('[I212] keep models, usage, thoughts, results and failures', async () => {
    const { trees } = await importIntoStore(toImportInput({ 'a.json': document }));
    const [tree] = trees;
    expect(tree?.title).toBe('Reading a file');
    const said = tree?.nodes.find((node) => node.message.role === 'assistant');
    expect(said?.meta?.source).toMatchObject({
      model_name: 'gemini-2.5-pro',
      usage: { input_tokens: 10, output_tokens: 7, total_tokens: 17 },
    });
    expect(said?.message.content.map((block) => block.type)).toEqual(['thinking', 'text', 'tool-use', 'tool-use']);
    const results = tree?.nodes.filter((node) => node.message.role === 'tool') ?? [];
    expect(results.map(({ message, meta }) => [message.content[0], meta?.isError])).toEqual([
      [{ type: 'text', text: 'let a = 1;' }, undefined],
      [{ type: 'text', text: 'Not found' }, true],
    ]);
    expect(tree?.nodes.find((node) => node.kind === 'state')?.message.content).toEqual([
      { type: 'text', text: 'Switched to flash.' },
    ]);
  });

  it('[I212] have the results of calls once, a compaction with what it kept, and the session of a subagent', async () => {
    const [tree] = (await importIntoStore(toImportInput({ 'd.jsonl': resumed }))).trees;
    expect(tree?.nodes.map(({ kind, message }) => (kind === 'message' ? message.role : kind))).toEqual([
      'injected',
      'user',
      'assistant',
      'tool',
      'assistant',
      'compaction',
      'user',
      'assistant',
    ]);
    expect(tree?.nodes.find(({ kind }) => kind === 'compaction')?.marker).toMatchObject({ firstKept: 'a2' });
    const [called] = (await importIntoStore(toImportInput({ 'e.jsonl': onlyCalls }))).trees;
    expect(called?.nodes.map(({ message, meta }) => [message.role, meta?.isError])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['tool', true],
    ]);
    const agent = lines(header('s6', { kind: 'subagent' }), say('u1', 'user', 'Find b.'));
    const [spawned] = (await importIntoStore(toImportInput({ 'chats/s4/s6.jsonl': agent }))).trees;
    expect(spawned?.spawnedBy).toEqual({ session: 's4' });
  });

  it('[I212] have a hash of their project in an export, without which the program would ignore them', async () => {
    const chat = JSON.stringify({ title: 'Tea', messages: [{ role: 'user', content: 'Which?' }] });
    const { files } = await exportStoredTrees(await importIntoStore(toImportInput({ 'chat.json': chat })), geminiCli);
    const [first = ''] = [...files.values()][0]?.split('\n') ?? [];
    expect(JSON.parse(first).projectHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

it('[I35] an empty message is a marker and not left out, although it has as many results as parts', async () => {
  const empty = {
    sessionId: 's',
    projectHash: 'h',
    startTime: '2026-01-01T00:00:00Z',
    lastUpdated: '2026-01-01T00:00:00Z',
  };
  const messages = [
    { id: 'm1', timestamp: '2026-01-01T00:00:00Z', type: 'user', content: [] },
    { id: 'm2', timestamp: '2026-01-01T00:00:01Z', type: 'gemini', content: 'Hi', model: 'gemini-x' },
  ];
  const { trees, findings } = await importIntoStore(
    toImportInput({ 'session-1.json': JSON.stringify({ ...empty, messages }) }),
  );
  expect(trees[0]?.nodes.map(({ externalId }) => externalId)).toEqual(['m1', 'm2']);
  expect(findings).toMatchObject([{ code: 'import/blank-message' }]);
});
