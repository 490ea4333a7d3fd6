import { describe, expect, it } from 'vitest';
import { type FixtureFiles, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { cherryStudio } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const message = (id: string, role: string, blocks: readonly string[], more: Fields = {}): Fields => ({
  id,
  role,
  assistantId: 'as1',
  topicId: 't1',
  status: 'success',
  createdAt: '2026-01-02T03:04:05.000Z',
  blocks,
  ...more,
});
const block = (id: string, type: string, more: Fields): Fields => ({ id, type, status: 'success', ...more });
const said = (id: string, content: string) => block(id, 'main_text', { content });
const model = (id: string) => ({ model: { id, name: id, provider: 'p', group: 'g' } });

const settings = {
  'persist:cherry-studio': JSON.stringify({
    llm: JSON.stringify({ providers: [{ apiKey: 'sk-canary-3' }] }),
    assistants: JSON.stringify({
      defaultAssistant: { id: 'default', topics: [] },
      assistants: [
        {
          id: 'as1',
          prompt: 'Be brief.',
          topics: [{ id: 't1', name: 'Maps', pinned: true, createdAt: '2026-01-02T03:04:00.000Z' }],
        },
      ],
    }),
  }),
};
const backup = (topics: readonly unknown[], blocks: readonly unknown[]) =>
  JSON.stringify({
    time: 1767323045000,
    version: 5,
    localStorage: settings,
    indexedDB: { topics, message_blocks: blocks, files: [], settings: [] },
  });

const conversation = [
  message('m1', 'user', ['k1']),
  message('m2', 'assistant', ['k2', 'k3'], {
    askId: 'm1',
    foldSelected: true,
    ...model('x'),
    usage: { total_tokens: 9 },
    metrics: { time_completion_millsec: 120 },
  }),
  message('m3', 'assistant', ['k4'], { askId: 'm1', ...model('y') }),
  message('m4', 'user', ['k5']),
  message('m5', 'assistant', ['k6', 'k7', 'k8'], { askId: 'm4', status: 'paused' }),
];
const blocks = [
  said('k1', 'North?'),
  block('k2', 'thinking', { content: 'Think.', thinking_millsec: 5 }),
  said('k3', 'Up.'),
  said('k4', 'Down.'),
  said('k5', 'Sure?'),
  said('k6', 'Let me look.'),
  block('k7', 'tool', { toolId: 'c1', toolName: 'compass', arguments: { at: 1 }, content: { north: 'up' } }),
  said('k8', 'Yes.'),
];
const whole: FixtureFiles = { 'data.json': backup([{ id: 't1', messages: conversation }], blocks) };

const row = (id: string, parent: string | null, role: string, parts: readonly Fields[], more: Fields = {}): Fields => ({
  id,
  parent_id: parent,
  topic_id: 't1',
  role,
  data: JSON.stringify({ parts }),
  searchable_text: '',
  status: 'success',
  siblings_group_id: 0,
  model_id: null,
  created_at: 1767323045000,
  ...more,
});
const text = (said: string): Fields => ({ type: 'text', text: said });
const rows = [
  row('r', null, 'root', []),
  row('u1', 'r', 'user', [text('North?')]),
  row('a1', 'u1', 'assistant', [{ type: 'reasoning', text: 'Think.' }, text('Up.')], {
    siblings_group_id: 3,
    model_id: 'p::x',
    stats: JSON.stringify({ totalTokens: 9 }),
  }),
  row(
    'a2',
    'u1',
    'assistant',
    [
      { type: 'tool-compass', toolCallId: 'c1', state: 'output-available', input: { at: 1 }, output: 'up' },
      text('Down.'),
    ],
    { siblings_group_id: 3, status: 'paused', model_id: 'q::y::z' },
  ),
];
const topicRow = { id: 't1', name: 'Maps', assistant_id: 'as1', active_node_id: 'a1', created_at: 1767323044000 };
const jsonl = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

runFormatConformance(cherryStudio, [
  {
    name: 'answers of two models, a tool and reasoning',
    files: whole,
    trees: 1,
    nodes: 7,
    findings: [],
    thread: ['North?', 'Up.\nThink.', 'Sure?', 'Let me look.\ncompass({"at":1})', '{"north":"up"}', 'Yes.'],
    newer: {
      'cherry.bak': backup(
        [{ id: 't1', messages: [...conversation, message('m6', 'user', ['k9'])] }],
        [...blocks, said('k9', 'Thanks.')],
      ),
    },
  },
  {
    name: 'the first version, without blocks',
    files: {
      'data.json': JSON.stringify({
        time: 1,
        version: 1,
        localStorage: {},
        indexedDB: [
          { key: 'topic:t9', value: { id: 't9', messages: [{ id: 'a', role: 'user', content: 'Hello' }] } },
          { key: 'other', value: 1 },
        ],
      }),
    },
    trees: 1,
    nodes: 1,
    findings: [],
  },
  {
    name: 'questions that are gone or come later, ids in two topics, missing and unused blocks, a cleared context',
    files: {
      'data.json': backup(
        [
          {
            id: 't1',
            messages: [
              message('a1', 'assistant', ['k3'], { askId: 'gone' }),
              message('a2', 'assistant', ['k4'], { askId: 'gone' }),
              message('a3', 'assistant', ['k6'], { askId: 'm1' }),
              message('m1', 'user', ['k1', 'nowhere']),
              message('c', 'user', [], { type: 'clear' }),
              7,
            ],
          },
          { id: 't2', messages: [message('m1', 'user', ['k5'], { createdAt: 'then' })] },
          'no topic',
        ],
        [...blocks, said('k1', 'again'), { type: 'main_text' }],
      ),
    },
    trees: 2,
    nodes: 6,
    findings: ['import/pointer-missing', 'import/record-unreadable', 'import/time-unreadable', 'import/duplicate-id'],
  },
  {
    name: 'files in the archive, and blocks of every kind',
    files: {
      'data.json': backup(
        [
          {
            id: 't1',
            messages: [
              message('m1', 'user', ['f1', 'f2', 'f3']),
              message('m2', 'assistant', ['e1', 'e2', 'e3', 'e4'], { status: 'error' }),
            ],
          },
        ],
        [
          block('f1', 'image', { file: { id: 'pic', origin_name: 'tree.png', ext: '.png' } }),
          block('f2', 'file', { file: { id: 'lost', origin_name: 'lost.pdf' } }),
          block('f3', 'image', { url: 'data:image/png;base64,iVBORw0KGgo=' }),
          block('e1', 'error', { error: { message: 'broke' } }),
          block('e2', 'code', { content: 'a ``` b', language: 'md' }),
          block('e3', 'translation', { content: 'Oben.' }),
          block('e4', 'compact', { content: 'short', compactedContent: 'long' }),
        ],
      ),
      'Data/Files/pic.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1]),
      'Data/Files/other.txt': 'nobody asks for it',
    },
    trees: 1,
    nodes: 2,
    findings: [],
  },
  {
    name: 'rows of two tables, a file each',
    files: { 'topic.json': JSON.stringify([topicRow]), 'message.json': JSON.stringify(rows) },
    trees: 1,
    nodes: 5,
    findings: [],
    thread: ['North?', 'Up.\nThink.'],
    newer: {
      'topic.json': JSON.stringify([topicRow]),
      'message.json': JSON.stringify([...rows, row('u2', 'a1', 'user', [text('Sure?')])]),
    },
  },
  {
    name: 'rows in lines, children first, with a parent that is gone, data that is none, and a row of another table',
    files: {
      'message.jsonl': jsonl([
        ...rows.toReversed(),
        row('u9', 'gone', 'user', [text('Alone')]),
        row('u8', 'r', 'user', [], { data: '{', topic_id: 't2' }),
        { other: 1 },
      ]),
    },
    trees: 2,
    nodes: 7,
    findings: ['import/orphan', 'import/skipped', 'import/message-unreadable'],
  },
]);

async function nodesOf(files: FixtureFiles) {
  const { trees, findings } = await importIntoStore(toImportInput(files));
  return { trees, findings, byId: new Map(trees[0]?.nodes.map((one) => [one.externalId, one])) };
}

describe('backups of Cherry Studio', () => {
  it('[I105] group the answers to one question, and the next question follows the selected one', async () => {
    const { byId } = await nodesOf(whole);
    expect([byId.get('m2')?.parentExternalId, byId.get('m3')?.parentExternalId]).toEqual(['m1', 'm1']);
    expect(byId.get('m2')?.group).toBe(byId.get('m3')?.group);
    expect(byId.get('m2')?.group).not.toBe(undefined);
    expect(byId.get('m4')?.parentExternalId).toBe('m2');
  });

  it('[I105] keep an answer to an older question beside its other answers, and continue at the current one', async () => {
    const late = message('m9', 'assistant', ['k4'], { askId: 'm1' });
    const { byId, trees } = await nodesOf({
      'a.json': backup([{ id: 't1', messages: [...conversation, late] }], blocks),
    });
    expect(byId.get('m9')?.parentExternalId).toBe('m1');
    expect(trees[0]?.activeExternalId).toBe('m5');
  });

  it('[I106] are split into separate messages: calls, results and the following text', async () => {
    const { byId } = await nodesOf(whole);
    expect(byId.get('m5/0')?.message.content[1]).toEqual({
      type: 'tool-use',
      id: 'c1',
      name: 'compass',
      parameters: { at: 1 },
    });
    expect(byId.get('m5/1')?.message).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
    expect(byId.get('m5')).toMatchObject({ parentExternalId: 'm5/1', status: 'aborted' });
    expect(byId.get('m2')?.meta?.source).toEqual({
      type: 'model',
      provider: 'p',
      model_name: 'x',
      usage: { total_tokens: 9 },
      duration: 120,
    });
    expect(byId.get('m2')?.record).toEqual({ ...conversation[1], $blocks: blocks.slice(1, 3) });
  });

  it('[I107] take names, prompts and pins of topics from the settings, and nothing else', async () => {
    const { trees, findings } = await nodesOf(whole);
    expect(trees[0]).toMatchObject({ title: 'Maps', systemPrompt: 'Be brief.', attributes: { pinned: true } });
    expect(JSON.stringify([trees, findings])).not.toContain('canary');
  });

  it('[I108] keep topics without messages', async () => {
    const { trees } = await nodesOf({ 'topic.json': JSON.stringify([{ ...topicRow, active_node_id: null }]) });
    expect(trees.map((one) => [one.title, one.nodes.length])).toEqual([['Maps', 0]]);
  });

  it('[I108] of version 2 and later are database rows: a tree below one root, with groups, models and the active message', async () => {
    const { trees, byId } = await nodesOf({ 'all.json': JSON.stringify({ topic: [topicRow], message: rows }) });
    expect(trees[0]).toMatchObject({ externalId: 't1', title: 'Maps', activeExternalId: 'a1', records: 4 });
    expect(byId.get('u1')?.parentExternalId).toBe(null);
    expect(byId.get('a1')).toMatchObject({
      group: '3',
      meta: { source: { type: 'model', provider: 'p', model_name: 'x', usage: { totalTokens: 9 } } },
    });
    expect(byId.get('a2/0')?.group).toBe('3');
    expect(byId.get('a2')).toMatchObject({
      status: 'aborted',
      meta: { source: { type: 'model', provider: 'q', model_name: 'y::z' } },
    });
    expect(byId.has('r')).toBe(false);
  });
});
