import { describe, expect, it } from 'vitest';
import {
  type FixtureFiles,
  importIntoStore,
  readStoredTree,
  runFormatConformance,
  toImportInput,
} from '../conformance.ts';
import { loomJson } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const rootId = '0b6a3f0e-0000-11f0-8000-000000000001';
const node = (id: string, text: string, children: readonly Fields[] = [], more: Fields = {}): Fields => ({
  id,
  text,
  open: true,
  visited: true,
  children,
  ...more,
});
const opened = (children: readonly Fields[] = []) =>
  node('n2', ' opened.', children, {
    parent_id: 'n1',
    meta: { creation_timestamp: '2026-01-02-03.04.05', source: 'AI', modified: false },
    generation: { id: 'g1', index: 1 },
    tags: ['bookmark', 'dark'],
    history: [{ timestamp: '2026-01-02-03.04.06', text: ' open' }],
  });
const gone = node('n3', ' was gone.', [], {
  meta: { creation_timestamp: '2026-01-02-03.05.05', source: 'prompt', modified: true },
  chapter_id: 'c1',
});
const response = {
  id: 'g1',
  model: 'm-x',
  timestamp: '2026-01-02-03.04.05',
  prompt: { text: 'The door', tokens: null },
  completions: [
    { text: '!', tokens: [], finishReason: 'stop' },
    { text: ' opened.', tokens: [], finishReason: 'length' },
  ],
};
const loom = (children: readonly Fields[], more: Fields = {}) =>
  JSON.stringify({
    root: node(rootId, '', [node('n1', 'The door', children)], { mutable: false }),
    chapters: { c1: { id: 'c1', root_id: 'n3', title: 'Empty frame' } },
    model_responses: { g1: response, g9: { id: 'g9', model: 'm-y' } },
    tags: { bookmark: { name: 'bookmark', scope: 'ancestry', hide: false } },
    selected_node_id: 'n2',
    ...more,
  });

/** Builds a deep chain as text, so that the test itself needs no recursion. */
function chain(depth: number): string {
  const parts: string[] = [];
  for (let at = 0; at < depth; at++) parts.push(`{"id":"d${at}","text":"word ${at} ","children":[`);
  return `{"root":${parts.join('')}${']}'.repeat(depth)}}`;
}

const folded = {
  id: 'fold',
  text: 'The door opened.',
  tail_id: 'n2',
  masked_head: node('n1', 'The door', [opened()]),
  children: [node('n4', ' It was dark.')],
};
const notes: FixtureFiles = {
  'data.json': JSON.stringify({
    settings: { openaiApiKey: 'sk-canary-2' },
    state: {
      'Tales/door.md': {
        current: 'b',
        hoisted: [],
        nodes: {
          b: { text: ' opened.', parentId: 'a', collapsed: false, unread: false, bookmarked: true },
          a: { text: 'The door', parentId: null, collapsed: false, unread: false, bookmarked: false },
        },
      },
    },
  }),
};

runFormatConformance(loomJson, [
  {
    name: 'a whole file',
    files: { 'door.json': loom([opened(), gone]) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['The door', ' opened.'],
    newer: { 'renamed.json': loom([opened([node('n5', ' Slowly.')]), gone]) },
  },
  {
    name: 'a fold that hides nodes, and is selected',
    files: {
      'door.json': JSON.stringify({ root: node(rootId, '', [folded]), selected_node_id: 'fold' }),
    },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['The door', ' opened.'],
  },
  {
    name: 'a fold whose end is not there, an id twice, no id, no node, and a bad time',
    files: {
      'door.json': JSON.stringify({
        root: node(rootId, '', [
          { ...folded, tail_id: 'nowhere' },
          node('n1', 'Another', [{ text: 'nameless', children: [] }]),
          node('n8', 'Odd', [], { meta: { creation_timestamp: 'noon' } }),
        ]),
      }).replace('"nameless","children":[]', '"nameless","children":[7]'),
    },
    trees: 1,
    nodes: 7,
    findings: ['import/inferred', 'import/duplicate-id', 'import/record-unreadable', 'import/time-unreadable'],
  },
  {
    name: 'a bare node',
    files: { 'a.json': JSON.stringify(node('x', 'One', [node('y', ' two')])) },
    trees: 1,
    nodes: 2,
    findings: [],
  },
  {
    name: 'a bare list',
    files: { 'a.json': JSON.stringify([node('x', 'One'), node('y', 'Two')]) },
    trees: 1,
    nodes: 2,
    findings: [],
  },
  {
    name: 'a file of Exoloom, with parents or with lists of children alone, and a node that is none',
    files: {
      'exo.json': JSON.stringify({
        loomType: 'Exoloom',
        schemaVersion: 1,
        tree: {
          rootNodeId: 'r',
          createdAt: '2026-01-02T03:04:05.000Z',
          nodes: {
            c: { text: ' was gone.', parentId: 'a' },
            r: { text: '', parentId: null, childIds: ['a'] },
            a: { text: 'The door', childIds: ['b', 'c'] },
            b: { text: ' opened.' },
            d: 7,
          },
        },
        lens: { bookmarks: ['b'], prunedNodes: ['c'] },
      }),
    },
    trees: 1,
    nodes: 4,
    findings: ['import/record-unreadable'],
  },
  { name: 'notes of Loomsidian', files: notes, trees: 1, nodes: 2, findings: [], thread: ['The door', ' opened.'] },
]);

describe('files of Loom', () => {
  it('[I130] keep who wrote each text, with model, tags, chapter, bookmark and order', async () => {
    const { trees } = await importIntoStore(toImportInput({ 'door.json': loom([opened(), gone]) }));
    const byId = new Map(trees[0]?.nodes.map((one) => [one.externalId, one]));
    expect(byId.get('n2')).toMatchObject({
      order: 0,
      createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      bookmark: 'opened.',
      message: { role: 'assistant', content: [{ type: 'text', text: ' opened.' }] },
      meta: { source: { type: 'model', model_name: 'm-x', finish_reason: 'length' }, tags: ['bookmark', 'dark'] },
    });
    expect(byId.get('n3')).toMatchObject({ order: 1, message: { role: 'user' }, meta: { title: 'Empty frame' } });
    expect(byId.get(rootId)?.kind).toBe('state');
  });

  it('[I131] keep a response once, beside the first text made from it, and keep unused responses', async () => {
    const twin = node('n6', '!', [], { generation: { id: 'g1', index: 0 } });
    const lost = node('n7', '?', [], { generation: { id: 'g7', index: 0 } });
    const { trees, findings } = await importIntoStore(toImportInput({ 'door.json': loom([opened(), twin, lost]) }));
    const records = trees[0]?.nodes.map((one) => one.record) ?? [];
    expect(records.filter((one) => JSON.stringify(one).includes('$response')).length).toBe(1);
    expect(trees[0]?.record?.model_responses).toEqual({ g9: { id: 'g9', model: 'm-y' } });
    expect(findings.map((one) => one.code)).toContain('import/pointer-missing');
  });

  it('[I132] are unfolded: hidden messages appear in place of the fold, and the following ones come after them', async () => {
    const { trees } = await importIntoStore(
      toImportInput({ 'a.json': JSON.stringify({ root: node(rootId, '', [folded]) }) }),
    );
    const parents = new Map(trees[0]?.nodes.map((one) => [one.externalId, one.parentExternalId]));
    expect([parents.get('n1'), parents.get('n2'), parents.get('n4')]).toEqual([rootId, 'n1', 'n2']);
    expect(parents.has('fold')).toBe(false);
    expect(trees[0]?.records).toBe(5);
  });

  it('[I133] may be nested at any depth', async () => {
    const stored = await importIntoStore(toImportInput({ 'deep.json': chain(20_000) }));
    const [id] = stored.ids;
    expect(id === undefined ? 0 : readStoredTree(stored, id).size).toBe(20_000);
  });

  it('[I134] of Loomsidian keep notes by their path, and none of its settings', async () => {
    const { trees, findings } = await importIntoStore(toImportInput(notes));
    expect(trees.map((one) => [one.externalId, one.title])).toEqual([['Tales/door.md', 'door']]);
    expect(trees[0]?.nodes.find((one) => one.externalId === 'b')?.bookmark).toBe('opened.');
    expect(JSON.stringify([trees, findings])).not.toContain('canary');
  });

  it('[I135] of Exoloom are read by parents or lists of children, with bookmarks and pruned messages', async () => {
    const nodes = { r: { text: 'The door', childIds: ['b', 'a'] }, a: { text: ' was gone.' }, b: { text: ' opened.' } };
    const file = {
      loomType: 'Exoloom',
      schemaVersion: 1,
      tree: { rootNodeId: 'r', nodes },
      lens: { bookmarks: { b: {} } },
    };
    const { trees } = await importIntoStore(toImportInput({ 'exo.json': JSON.stringify(file) }));
    expect(trees[0]?.nodes.map((one) => [one.externalId, one.parentExternalId, one.order, one.bookmark])).toEqual([
      ['r', null, 0, undefined],
      ['b', 'r', 0, 'opened.'],
      ['a', 'r', 1, undefined],
    ]);
    expect(trees[0]?.record).toEqual({ ...file, tree: { rootNodeId: 'r' } });
  });
});
