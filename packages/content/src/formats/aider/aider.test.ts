import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { aider } from './index.ts';

const history = [
  '',
  '# aider chat started at 2024-05-01 10:00:00',
  '',
  '> Aider v0.34.0  ',
  '> Main model: gpt-4o with diff edit format  ',
  '',
  '#### make it faster  ',
  '#### and smaller  ',
  '',
  'Sure:',
  '',
  '> a quote of the model',
  '',
  '```python',
  '#### not the user',
  'x=1',
  '```',
  '',
  '> Applied edit to a.py  ',
  '',
  '#### thanks',
  '',
  '# aider chat started at 2024-05-01 10:00:00',
  '',
  '> Aider v0.34.0  ',
  '',
  '# aider chat started at 2024-05-02 11:00:00',
  '',
  '#### hello',
  '',
].join('\n');

runFormatConformance(aider, [
  {
    name: 'two runs, a quote, a fence, and a run in which nobody spoke',
    files: { '.aider.chat.history.md': history },
    trees: 2,
    nodes: 6,
    findings: [],
    thread: [
      'make it faster\nand smaller',
      'Sure:\n\n> a quote of the model\n\n```python\n#### not the user\nx=1\n```',
      'thanks',
    ],
  },
  {
    name: 'lines before the first run',
    files: { 'a.md': `Once\n${history.trimStart()}` },
    trees: 2,
    nodes: 6,
    findings: ['import/skipped'],
    detected: false,
  },
]);

it('[I226] keeps the model, the notices of the program as markers, and when each run began', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.md': history }));
  expect(trees[0]?.nodes.map((node) => node.kind)).toEqual(['state', 'message', 'message', 'state', 'message']);
  expect(trees[0]?.nodes[2]?.meta?.source?.model_name).toBe('gpt-4o');
  expect(new Date(trees[1]?.createdAt ?? 0).toISOString()).toBe('2024-05-02T11:00:00.000Z');
});
