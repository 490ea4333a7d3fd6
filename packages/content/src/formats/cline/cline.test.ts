import { expect, it } from 'vitest';
import { importIntoStore, readStoredTree, runFormatConformance, toImportInput } from '../conformance.ts';
import { cline } from './index.ts';

let clock = 1730000000000;
const message = (role: string, ...content: readonly object[]) => ({ role, content, ts: clock++ });
const text = (words: string) => ({ type: 'text', text: words });
const environment = text('<environment_details>\n# Time\n</environment_details>');
const task = [
  message('user', text('<task>\nMake it faster\n</task>'), environment),
  {
    ...message('assistant', { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }, text('Ok'), {
      type: 'tool_use',
      id: 't1',
      name: 'read_file',
      input: { path: 'a' },
    }),
    modelInfo: { providerId: 'anthropic', modelId: 'claude-x' },
  },
  message('user', { type: 'tool_result', tool_use_id: 't1', content: 'x', is_error: true }, environment),
  message('assistant', text('Done.')),
  message('user', environment),
];

runFormatConformance(cline, [
  {
    name: 'tools, reasoning, and what the program says of its surroundings',
    files: { 'tasks/1730000000000/api_conversation_history.json': JSON.stringify(task) },
    trees: 1,
    nodes: 6,
    findings: [],
    newer: {
      'tasks/1730000000000/api_conversation_history.json': JSON.stringify([
        ...task,
        message('assistant', text('Anything else?')),
      ]),
    },
  },
]);

it('[I227] keeps models, failures and reasoning signatures, and has the task as title', async () => {
  const stored = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(task) }));
  const [tree] = stored.trees;
  expect(tree?.nodes.map((node) => node.kind)).toEqual([
    'message',
    'message',
    'message',
    'message',
    'message',
    'injected',
  ]);
  expect(tree?.nodes[1]?.meta?.source).toMatchObject({ model_name: 'claude-x', provider: 'anthropic' });
  expect(tree?.nodes[2]?.meta).toMatchObject({ isError: true, source: { tool_name: 'read_file' } });
  const [id] = stored.ids;
  expect(id === undefined ? undefined : readStoredTree(stored, id).attributes.autoTitle).toBe('Make it faster');
});
