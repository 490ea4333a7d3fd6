import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { nextchat } from './index.ts';

const message = (id: string, role: string, content: unknown, rest: object = {}) => ({
  id,
  role,
  content,
  date: '1/1/2024, 10:00:00 AM',
  ...rest,
});
const messages = [
  message('1', 'user', [
    { type: 'text', text: 'Hello' },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  ]),
  message('2', 'assistant', 'Hi', {
    model: 'gpt-4',
    tools: [
      { id: 'k1', type: 'function', function: { name: 'f', arguments: '{"a":1}' }, content: 'ok', isError: false },
    ],
  }),
];
const backup = (list: readonly object[], rest: object = {}) =>
  JSON.stringify({
    'chat-next-web-store': {
      sessions: [
        {
          id: 's',
          topic: 'Next',
          messages: list,
          memoryPrompt: '',
          lastUpdate: 1730000000000,
          mask: { context: [{ role: 'system', content: 'Be brief.' }], modelConfig: { model: 'gpt-4o' } },
          ...rest,
        },
      ],
      currentSessionIndex: 0,
    },
    'access-control': {},
    'app-config': {},
  });

runFormatConformance(nextchat, [
  {
    name: 'pictures and a plugin',
    files: { 'backup.json': backup(messages) },
    trees: 1,
    nodes: 4,
    findings: [],
    newer: { 'backup.json': backup([...messages, message('3', 'user', 'Thanks')]) },
  },
  {
    name: 'a role that is not known, replies that failed or broke off',
    files: {
      'odd.json': backup([
        message('1', 'oracle', 'Hm'),
        message('2', 'assistant', 'no', { isError: true }),
        message('3', 'assistant', '', { streaming: true }),
      ]),
    },
    trees: 1,
    nodes: 3,
    findings: ['import/unknown-type'],
  },
]);

it('[I224] keeps the prompt, models and the results of plugins', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': backup(messages) }));
  expect([trees[0]?.title, trees[0]?.systemPrompt]).toEqual(['Next', 'Be brief.']);
  expect(trees[0]?.nodes.map((node) => node.message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(trees[0]?.nodes[3]?.meta?.source?.model_name).toBe('gpt-4');
});

it('[I224] messages that a mask adds before a chat come first', async () => {
  const context = [
    { role: 'system', content: 'Be brief.' },
    { id: 'x', role: 'user', content: 'Like this?', date: '' },
    { role: 'assistant', content: 'Yes.' },
  ];
  const { trees } = await importIntoStore(
    toImportInput({ 'a.json': backup([message('1', 'user', 'Now?', { audio_url: 'blob:1' })], { mask: { context } }) }),
  );
  expect(trees[0]?.systemPrompt).toBe('Be brief.');
  expect(trees[0]?.nodes.map(({ externalId, parentExternalId }) => [externalId, parentExternalId])).toEqual([
    ['x', null],
    ['context-2', 'x'],
    ['1', 'context-2'],
  ]);
});
