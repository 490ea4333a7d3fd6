import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { aiStudio } from './index.ts';

const prompt = (chunks: readonly object[], rest: object = {}) =>
  JSON.stringify({
    runSettings: { model: 'models/gemini-2.5-pro', temperature: 1 },
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    chunkedPrompt: { chunks, pendingInputs: [] },
    ...rest,
  });
const chunks = [
  {
    role: 'user',
    text: 'Summarize.',
    createTime: '2025-02-03T10:00:00Z',
    driveDocument: { id: 'doc', name: 'report.pdf' },
    inlineImage: { mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  },
  { role: 'model', isThought: true, text: 'Reading…', createTime: '2025-02-03T10:00:30Z' },
  {
    role: 'model',
    text: 'It covers Q1.',
    parts: [{ text: 'It covers Q1.' }],
    createTime: '2025-02-03T10:01:00Z',
    tokenCount: 12,
    finishReason: 'STOP',
  },
  { role: 'user', text: 'Risks?', createTime: '2025-02-03T10:01:30Z' },
  { role: 'model', parts: [{ text: 'Supply.' }], createTime: '2025-02-03T10:02:00Z', errorMessage: 'cut off' },
];
const branched = [
  { id: 'u1', role: 'user', text: 'Which?', createTime: '2025-02-01T13:00:02Z' },
  { id: 'a1', role: 'model', text: 'This.', createTime: '2025-02-01T13:00:08Z', branchParent: { id: 'u1' } },
  { id: 'a2', role: 'model', text: 'That.', createTime: '2025-02-01T13:00:12Z', branchParent: { id: 'u1' } },
  { id: 'a3', role: 'model', text: '', createTime: '2025-02-01T13:00:15Z' },
];

runFormatConformance(aiStudio, [
  {
    name: 'thoughts, a picture, a file in Drive, an answer that broke off',
    files: { 'Summary.json': prompt(chunks) },
    trees: 1,
    nodes: 4,
    findings: [],
    newer: {
      'Summary.json': prompt([...chunks, { role: 'user', text: 'Thanks', createTime: '2025-02-03T10:05:00Z' }]),
    },
  },
  {
    name: 'branches',
    files: { 'b.json': prompt(branched, { id: 'p', displayName: 'Two', createTime: '2025-02-01T13:00:00Z' }) },
    trees: 1,
    nodes: 4,
    findings: [],
  },
  {
    name: 'a role that is not known, a parent that is not there, no time',
    files: {
      'c.json': prompt([
        { role: 'oracle', text: 'Hm?', createTime: 'never' },
        { id: 'x', role: 'model', text: 'Well.', branchParent: { id: 'gone' } },
      ]),
    },
    trees: 1,
    nodes: 2,
    findings: ['import/unknown-type', 'import/time-unreadable', 'import/pointer-missing'],
  },
]);

it('[I219] keeps the model, the system prompt, thoughts with their answer, and the branches', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': prompt(chunks) }));
  expect(trees[0]?.systemPrompt).toBe('Be brief.');
  expect(trees[0]?.nodes[1]?.message.content).toEqual([
    { type: 'thinking', thinking: 'Reading…' },
    { type: 'text', text: 'It covers Q1.' },
  ]);
  expect(trees[0]?.nodes[1]?.meta?.source?.model_name).toBe('gemini-2.5-pro');
  expect(trees[0]?.nodes.at(-1)?.status).toBe('error');
  const two = await importIntoStore(toImportInput({ 'b.json': prompt(branched) }));
  expect(two.trees[0]?.nodes.filter((node) => node.parentExternalId === 'u1').map((node) => node.externalId)).toEqual([
    'a1',
    'a2',
  ]);
});
