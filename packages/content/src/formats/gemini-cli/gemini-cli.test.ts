import { describe, expect, it } from 'vitest';
import { runFormatConformance, storeInput, toInput } from '../conformance.ts';
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
    name: 'types, times and lines that are not known',
    files: { 'c.jsonl': odd },
    trees: 1,
    nodes: 3,
    findings: ['import/unknown-type', 'import/time-unreadable', 'import/other-format'],
  },
]);

describe('sessions of Gemini CLI', () => {
  it('[I212] keep models, usage, thoughts, results and failures', async () => {
    const { trees } = await storeInput(toInput({ 'a.json': document }));
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
});
