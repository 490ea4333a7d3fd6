import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { deepseek } from './index.ts';

let clock = 0;
const node = (id: string, parent: string | null, children: readonly string[], ...fragments: readonly object[]) => ({
  id,
  parent,
  children,
  message: {
    files: [],
    model: 'deepseek-reasoner',
    inserted_at: `2025-01-01T00:00:${String(clock++).padStart(2, '0')}+08:00`,
    fragments,
  },
});
const fragment = (type: string, content: string, rest: object = {}) => ({ type, content, ...rest });
const chat = (nodes: readonly { readonly id: string; readonly message: object }[], rest: object = {}) => ({
  id: 'd1',
  title: 'Tea',
  inserted_at: '2025-01-01T00:00:00+08:00',
  updated_at: '2025-01-01T00:00:09+08:00',
  mapping: {
    root: { id: 'root', parent: null, children: ['1'], message: null },
    ...Object.fromEntries(nodes.map((one) => [one.id, one])),
  },
  ...rest,
});
const branched = [
  node('1', 'root', ['2', '3'], fragment('REQUEST', 'Which tea?')),
  node('2', '1', [], fragment('THINK', 'Mild.'), fragment('RESPONSE', 'Green.')),
  node(
    '3',
    '1',
    [],
    fragment('SEARCH', '', { results: [{ url: 'https://example.com' }] }),
    fragment('RESPONSE', 'Black.'),
  ),
];
const odd = chat([
  {
    ...node('1', 'gone', [], fragment('REQUEST', 'Read it.')),
    message: { ...node('x', null, [], fragment('REQUEST', 'Read it.')).message, files: [{ file_name: 'a.pdf' }] },
  },
  node('2', '1', ['9'], fragment('DRAW', 'a line'), fragment('RESPONSE', 'Done.')),
]);

runFormatConformance(deepseek, [
  {
    name: 'branches, reasoning and a search',
    files: { 'conversations.json': JSON.stringify([chat(branched)]) },
    trees: 1,
    nodes: 3,
    findings: [],
    thread: ['Which tea?', '[deepseek-search]\nBlack.'],
    newer: {
      'conversations.json': JSON.stringify([chat([...branched, node('4', '3', [], fragment('REQUEST', 'Why?'))])]),
    },
  },
  {
    name: 'a parent that is not there, a file, a fragment that is not known, wrong children',
    files: { 'a.json': JSON.stringify(odd) },
    trees: 1,
    nodes: 2,
    findings: ['import/orphan', 'import/children-mismatch'],
  },
]);

it('[I214] keeps models, times and reasoning', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify([chat(branched)]) }));
  const green = trees[0]?.nodes.find((one) => one.externalId === '2');
  expect(green?.message.content[0]).toEqual({ type: 'thinking', thinking: 'Mild.' });
  expect(green?.meta?.source?.model_name).toBe('deepseek-reasoner');
  expect(new Date(trees[0]?.createdAt ?? 0).toISOString()).toBe('2024-12-31T16:00:00.000Z');
});
