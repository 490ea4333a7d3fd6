import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { wrapStreamAsFile } from '../input.ts';
import { typingmind } from './index.ts';

const message = (uuid: string, role: string, content: unknown, rest: object = {}) => ({
  uuid,
  role,
  content,
  createdAt: `2024-01-01T00:00:0${uuid}Z`,
  ...rest,
});
const messages = [
  message('1', 'user', [
    { type: 'text', text: 'Hello' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
  ]),
  message('2', 'assistant', '', {
    tool_calls: [{ id: 'k1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
  }),
  message('3', 'tool', 'ok', { tool_call_id: 'k1', name: 'f' }),
  message(
    '4',
    'assistant',
    [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Hi' },
    ],
    { model: 'claude-x', usage: { prompt_tokens: 3, completion_tokens: 2 } },
  ),
];
const exported = (list: readonly object[], rest: object = {}) =>
  JSON.stringify({
    data: {
      chats: [
        {
          id: 'x',
          chatID: 'x',
          title: 'TM chat',
          model: 'gpt-4',
          messages: list,
          createdAt: '2024-01-01T00:00:00Z',
          folderID: null,
          ...rest,
        },
      ],
      folders: [],
    },
    checksum: 'abc',
  });

runFormatConformance(typingmind, [
  {
    name: 'pictures, tools and reasoning',
    files: {
      'typingmind.json': exported(messages, { folderID: 'f1' }).replace(
        '"folders":[]',
        '"folders":[{"id":"f1","title":"Woods"}]',
      ),
    },
    trees: 1,
    nodes: 4,
    findings: [],
    newer: { 'typingmind.json': exported([...messages, message('5', 'user', 'Thanks')]) },
  },
  {
    name: 'a role and a time that are not known',
    files: {
      'odd.json': exported([{ ...message('1', 'oracle', 'Hm'), createdAt: 'soon' }], {
        chatParams: { systemMessage: 'Be brief.' },
        tags: ['a'],
      }),
    },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type', 'import/time-unreadable'],
  },
]);

it('[I222] keeps the model of each message, usage and reasoning', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': exported(messages) }));
  expect(trees[0]?.nodes.map((node) => node.meta?.source?.model_name)).toEqual([
    undefined,
    'gpt-4',
    undefined,
    'claude-x',
  ]);
  expect(trees[0]?.nodes[3]?.message.content[0]).toEqual({ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' });
});

it('[I248] puts a chat into its folder, wherever the file lists the folders', async () => {
  const chat = { ...JSON.parse(exported(messages)).data.chats[0], folderID: 'f1' };
  const folders = [
    { id: 'f1', title: 'Woods' },
    { id: 'f2', title: 'Empty' },
  ];
  for (const data of [
    { chats: [chat], folders },
    { folders, chats: [chat] },
  ]) {
    const { trees, findings } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify({ data }) }, 64));
    expect(trees[0]?.attributes).toEqual({ folder: 'Woods' });
    // No chat has the name of the empty folder.
    expect(findings).toMatchObject([{ code: 'import/skipped', data: { detail: 'the names of 1 folders' } }]);
  }
});

it('[I248] counts the folders of a pipe, which can be read only once', async () => {
  const chat = { ...JSON.parse(exported(messages)).data.chats[0], folderID: 'f1' };
  const document = JSON.stringify({ data: { chats: [chat], folders: [{ id: 'f1', title: 'Woods' }] } });
  async function* pipe() {
    yield new TextEncoder().encode(document);
  }
  const { trees, findings } = await importIntoStore({ files: [await wrapStreamAsFile('-', pipe())] });
  expect([trees.length, trees[0]?.attributes]).toEqual([1, undefined]);
  expect(findings).toMatchObject([{ code: 'import/skipped', data: { detail: 'the names of 1 folders' } }]);
});
