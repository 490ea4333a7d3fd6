import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { betterChatgpt } from './index.ts';

const chat = (messages: readonly unknown[], rest: object = {}) => ({
  id: 'b',
  title: 'BCG',
  messages,
  config: { model: 'gpt-4', temperature: 1 },
  titleSet: true,
  ...rest,
});
const messages = [
  { role: 'system', content: 'S' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Hello' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'auto' } },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
];

runFormatConformance(betterChatgpt, [
  {
    name: 'a prompt and a picture',
    files: {
      'a.json': JSON.stringify({
        chats: [chat(messages, { folder: 'f1' })],
        folders: { f1: { id: 'f1', name: 'Woods', expanded: true, order: 0 } },
        version: 1,
      }),
    },
    trees: 1,
    nodes: 2,
    findings: [],
    newer: {
      'a.json': JSON.stringify({
        chats: [chat([...messages, { role: 'user', content: 'Thanks' }])],
        folders: {},
        version: 1,
      }),
    },
  },
  {
    name: 'a role that is not known, a message that is none',
    files: { 'b.json': JSON.stringify({ chats: [chat([{ role: 'oracle', content: 'Hm' }, 7])], version: 1 }) },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type', 'import/record-unreadable'],
  },
]);

it('[I230] keeps the prompt, the model and pictures', async () => {
  const { trees } = await importIntoStore(
    toImportInput({ 'a.json': JSON.stringify({ chats: [chat(messages)], version: 1 }) }),
  );
  expect([trees[0]?.title, trees[0]?.systemPrompt, trees[0]?.nodes[1]?.meta?.source?.model_name]).toEqual([
    'BCG',
    'S',
    'gpt-4',
  ]);
  expect(trees[0]?.nodes[0]?.message.content.map((block) => block.type)).toEqual(['text', 'image']);
});

it('[I248] puts a chat into its folder', async () => {
  const document = { chats: [chat(messages, { folder: 'f1' })], folders: { f1: { id: 'f1', name: 'Woods' } } };
  const { trees, findings } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify(document) }));
  expect([trees[0]?.attributes, findings]).toEqual([{ folder: 'Woods' }, []]);
});
