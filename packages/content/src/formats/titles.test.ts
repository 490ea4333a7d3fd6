// Tests titles of conversations whose source has no titles.
import { expect, it } from 'vitest';
import { claudeCode } from './claude-code/index.ts';
import { exportStoredTrees, importIntoStore, readStoredTree, toImportInput } from './conformance.ts';

const said = (uuid: string, parentUuid: string | null, role: 'user' | 'assistant', text: string) => ({
  type: role,
  uuid,
  parentUuid,
  sessionId: 's1',
  isSidechain: false,
  userType: 'external',
  timestamp: '2026-01-02T03:04:05.000Z',
  message: { role, content: [{ type: 'text', text }] },
});
const lines = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
const session = lines(
  said('a', null, 'user', '<system-reminder>Today is Monday.</system-reminder>'),
  said('b', 'a', 'user', '<command-name>/model</command-name>'),
  said('c', 'b', 'user', 'Why does the login fail?'),
  said('d', 'c', 'assistant', 'A cookie is missing.'),
);

async function titleIn(files: Readonly<Record<string, string>>) {
  const stored = await importIntoStore(toImportInput(files));
  return stored.ids.map((id) => {
    const { title, autoTitle } = readStoredTree(stored, id).attributes;
    return [title, autoTitle];
  });
}

it('[I205] a session without a title is named by the first words of its user', async () => {
  expect(await titleIn({ 's1.jsonl': session })).toEqual([[undefined, 'Why does the login fail?']]);
});

it('[I205] a title of the source takes precedence, and a blank one is ignored', async () => {
  const message = { role: 'user', content: 'Which tea?' };
  const list = (title: string) => JSON.stringify({ title, messages: [message] });
  expect(await titleIn({ 'a.json': list('Tea') })).toEqual([['Tea', undefined]]);
  expect(await titleIn({ 'a.json': list(' ') })).toEqual([[undefined, 'Which tea?']]);
});

it('[I205] a title made from the first words is not written back into the file', async () => {
  const stored = await importIntoStore(toImportInput({ 's1.jsonl': session }));
  const out = await exportStoredTrees(stored, claudeCode);
  expect([...out.files.values()]).toEqual([session]);
});

it('[I205] a conversation without a user message has no title', async () => {
  const only = lines(said('a', null, 'user', '<environment_context><cwd>/a</cwd></environment_context>'));
  expect(await titleIn({ 's1.jsonl': only })).toEqual([[undefined, undefined]]);
});
