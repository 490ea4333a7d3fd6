import { describe, expect, it } from 'vitest';
import { type FixtureFiles, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { readForestConfig } from './config.ts';
import { forestFolder } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const root = (id: string, children: readonly string[], more: Fields = {}): Fields => ({
  id,
  createdAt: `2026-01-02T03:04:0${id.at(-1)}.000Z`,
  child_ids: children,
  config: { systemPrompt: `Prompt of ${id}` },
  ...more,
});
const node = (
  id: string,
  parent: string,
  children: readonly string[],
  message: unknown,
  metadata: Fields = {},
): string => {
  const [rootId = ''] = id.split('/');
  return JSON.stringify({
    id,
    root_id: rootId,
    parent_id: parent,
    child_ids: children,
    message,
    metadata: {
      timestamp: `2026-01-02T03:05:0${id.at(-1)}.000Z`,
      original_root_id: rootId,
      source_info: { type: 'user' },
      ...metadata,
    },
  });
};
const text = (role: string, said: string) => ({ role, content: [{ type: 'text', text: said }] });
const model = { type: 'model', provider: 'openai', model_name: 'm-x', parameters: { temperature: 1 } };

const fog = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'Fog.' },
    { type: 'tool-use', id: 't1', name: 'current_date', parameters: {} },
  ],
};
const config = [
  'currentNodeId = "root-1/node-5" # where it was',
  '[providers.openai]',
  'apiKey = "sk-canary-1"',
  'currentNodeId = "root-1/node-1"',
  '[[bookmarks]]',
  'title = "Fog \\"thick\\""',
  'rootId = "root-1"',
  "nodeId = 'root-1/node-2'",
  'createdAt = "2026-01-02T03:04:05Z"',
  '[[bookmarks]]',
  'title = "Start"',
  'rootId = "root-1"',
  'nodeId = "root-1"',
  '',
].join('\n');

const whole: FixtureFiles = {
  'data/config.toml': config,
  'data/loom.log': 'started\n',
  'data/roots.json': JSON.stringify([root('root-1', ['root-1/node-1']), root('root-2', [], { deleted: true })]),
  'data/root-1/nodes/node-1.json': node(
    'root-1/node-1',
    'root-1',
    ['root-1/node-4', 'root-1/node-2'],
    text('user', 'Weather?'),
  ),
  'data/root-1/nodes/node-2.json': node('root-1/node-2', 'root-1/node-1', ['root-1/node-3'], fog, {
    source_info: model,
    tags: ['keep'],
    title: 'On fog',
    custom_data: { seen: 2 },
  }),
  'data/root-1/nodes/node-3.json': node(
    'root-1/node-3',
    'root-1/node-2',
    [],
    { role: 'tool', tool_call_id: 't1', content: [{ type: 'text', text: '2026-01-02' }] },
    { source_info: { type: 'tool_result', tool_name: 'current_date' } },
  ),
  'data/root-1/nodes/node-4.json': node('root-1/node-4', 'root-1/node-1', ['root-1/node-5'], text('assistant', 'Su'), {
    split_source: 'root-1/node-5',
  }),
  'data/root-1/nodes/node-5.json': node('root-1/node-5', 'root-1/node-4', [], text('assistant', 'n.')),
};

runFormatConformance(forestFolder, [
  {
    name: 'a data folder with branches, a split message, a deleted root and bookmarks',
    files: whole,
    trees: 2,
    nodes: 5,
    findings: ['import/pointer-missing'],
    thread: ['Weather?', 'Su', 'n.'],
    newer: {
      ...whole,
      'data/root-1/nodes/node-5.json': node(
        'root-1/node-5',
        'root-1/node-4',
        ['root-1/node-6'],
        text('assistant', 'n.'),
      ),
      'data/root-1/nodes/node-6.json': node('root-1/node-6', 'root-1/node-5', [], text('user', 'Good.')),
    },
  },
  {
    name: 'messages of the old form',
    files: {
      'roots.json': JSON.stringify([root('root-1', ['root-1/node-1'])]),
      'root-1/nodes/node-1.json': node('root-1/node-1', 'root-1', ['root-1/node-2'], {
        role: 'user',
        content: 'Date?',
      }),
      'root-1/nodes/node-2.json': node('root-1/node-2', 'root-1/node-1', ['root-1/node-3'], {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'current_date', arguments: '{"z":1}' } }],
      }),
      'root-1/nodes/node-3.json': node('root-1/node-3', 'root-1/node-2', [], {
        role: 'tool',
        content: 'today',
        tool_call_id: 't1',
      }),
    },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Date?', 'current_date({"z":1})', 'today'],
  },
  {
    name: 'a torn node, a list of children that lags, a parent that is gone, and a root that was not saved',
    files: {
      'roots.json': JSON.stringify([root('root-1', [])]),
      'root-1/nodes/node-1.json': node('root-1/node-1', 'root-1', [], text('user', 'One')),
      'root-1/nodes/node-2.json': node('root-1/node-2', 'root-1/node-1', [], text('assistant', 'Two')),
      'root-1/nodes/node-3.json': node('root-1/node-3', 'root-1/node-2', [], text('user', 'Three')).slice(0, 40),
      'root-1/nodes/node-4.json': node('root-1/node-4', 'root-1/node-3', [], text('assistant', 'Four')),
      'root-9/nodes/node-1.json': node('root-9/node-1', 'root-9', [], text('user', 'Nine')),
    },
    trees: 2,
    nodes: 4,
    findings: ['import/record-unreadable', 'import/children-mismatch', 'import/orphan', 'import/inferred'],
  },
  {
    name: 'roots.json torn, a stranger among the nodes, and a bad time',
    files: {
      'roots.json': '[{"id":"root-1"',
      'root-1/nodes/node-1.json': node('root-1/node-1', 'root-1', [], text('user', 'One'), { timestamp: 'then' }),
      'root-1/nodes/other.json': '{"a":1}',
    },
    trees: 1,
    nodes: 1,
    findings: ['import/record-unreadable', 'import/inferred', 'import/time-unreadable', 'import/skipped'],
  },
]);

describe('the folder of a Forest', () => {
  it('[I115] keeps prompts, times, tags, titles, sources and bookmarks, and the order of children', async () => {
    const { trees } = await importIntoStore(toImportInput(whole));
    const tree = trees.find((one) => one.externalId === 'root-1');
    const byId = new Map(tree?.nodes.map((one) => [one.externalId, one]));
    expect(tree?.systemPrompt).toBe('Prompt of root-1');
    expect(tree?.createdAt).toBe(Date.parse('2026-01-02T03:04:01.000Z'));
    expect(byId.get('root-1/node-4')?.order).toBe(0);
    expect(byId.get('root-1/node-2')).toMatchObject({
      order: 1,
      bookmark: 'Fog "thick"',
      createdAt: Date.parse('2026-01-02T03:05:02.000Z'),
      meta: { source: model, tags: ['keep'], title: 'On fog', customData: { seen: 2 } },
    });
    expect(tree?.activeExternalId).toBe('root-1/node-5');
  });

  it('[I116] distinguishes equal ids of two stores by when their roots were created', async () => {
    const other = JSON.stringify([root('root-1', ['root-1/node-1'], { createdAt: '2027-01-01T00:00:00.000Z' })]);
    const { ids } = await importIntoStore(
      toImportInput({
        'a/roots.json': JSON.stringify([root('root-1', ['root-1/node-1'])]),
        'a/root-1/nodes/node-1.json': node('root-1/node-1', 'root-1', [], text('user', 'A')),
        'b/roots.json': other,
        'b/root-1/nodes/node-1.json': node('root-1/node-1', 'root-1', [], text('user', 'B')),
      }),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('[I117] moves deleted roots to the trash, and names bookmarks without a message', async () => {
    const { trees, findings } = await importIntoStore(toImportInput(whole));
    expect(trees.map((one) => [one.externalId, one.trashed])).toEqual([
      ['root-1', undefined],
      ['root-2', true],
    ]);
    expect(findings.filter((one) => one.code === 'import/pointer-missing').length).toBe(1);
  });

  it('[I118] takes bookmarks and the current node from the settings, and nothing else', async () => {
    expect(readForestConfig(config)).toEqual({
      currentNodeId: 'root-1/node-5',
      bookmarks: [
        { title: 'Fog "thick"', nodeId: 'root-1/node-2' },
        { title: 'Start', nodeId: 'root-1' },
      ],
    });
    const { trees, findings } = await importIntoStore(toImportInput(whole));
    expect(JSON.stringify([trees, findings])).not.toContain('canary');
  });
});
