import { formats, type ImportInput, wrapBytesAsFile } from '@coppice/content/formats';
import { ask, type Message, type NodeId, run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runContextOf } from '../service.ts';
import { exportFrom } from './export-from.ts';
import { importInto } from './import-into.ts';

const at = (id: string, parent: string | null, children: string[], role: string, text: string) => ({
  id,
  parent,
  children,
  message: {
    id,
    author: { role },
    create_time: 1_700_000_000,
    content: { content_type: 'text', parts: [text] },
    metadata: {},
  },
});

const conversation = {
  title: 'Tea',
  conversation_id: 'c1',
  current_node: 'n2',
  mapping: {
    r: { id: 'r', message: null, parent: null, children: ['n1'] },
    n1: at('n1', 'r', ['n2'], 'user', 'Which tea?'),
    n2: at('n2', 'n1', [], 'assistant', 'Green.'),
  },
};

const thinking = { type: 'thinking', thinking: 'Where does it grow?', signature: 'c2ln' };
const callOf = (id: string, q: string) => ({ type: 'tool-use', id, name: 'search', parameters: { q } });
const textOf = (text: string) => ({ type: 'text', text });

const calls: Message = {
  role: 'assistant',
  content: [thinking, textOf('Let me look.'), callOf('call_1', 'tea'), callOf('call_2', 'hills')],
};
const resultOf = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: [textOf(`found by ${id}`)] });

const ours = treeId('00000000-0000-7000-8000-00000000abcd');

let store: Store;

async function importInput(into: Store, input: ImportInput, format: string) {
  const reported: { readonly treeId: TreeId; readonly created: boolean; readonly added: number }[] = [];
  const codes: string[] = [];
  const differing: string[] = [];
  for await (const event of importInto(into, input, { format })) {
    if (event.type === 'conversation') reported.push(event);
    if (event.type !== 'report') continue;
    const { records, findings } = event.report;
    expect(records.read).toBe(records.stored + records.merged + records.rejected);
    for (const { code, severity, message } of findings) {
      if (severity !== 'note') codes.push(code);
      if (code === 'import/differs') differing.push(message);
    }
  }
  return {
    reported: reported.map(({ created, added }) => [created, added]),
    treeId: reported[0]?.treeId,
    codes,
    differing,
  };
}

async function written(from: Store, format: string): Promise<ImportInput> {
  const files: { readonly name: string; readonly parts: Uint8Array[] }[] = [];
  for await (const event of exportFrom(from, { format, now: () => 0 })) {
    if (event.type === 'file') files.push({ name: event.name, parts: [] });
    if (event.type === 'text') files.at(-1)?.parts.push(Buffer.from(event.text));
    if (event.type === 'bytes') files.at(-1)?.parts.push(event.bytes);
  }
  return { files: files.map(({ name, parts }) => wrapBytesAsFile(name, Buffer.concat(parts))) };
}

/** Creates a tree that was imported and then continued here: a turn with tool calls and a second reply. */
async function createImportedTree(format: string): Promise<TreeId> {
  const elsewhere = await openStore('memory:');
  await importInput(
    elsewhere,
    { files: [wrapBytesAsFile('c.json', Buffer.from(JSON.stringify([conversation])))] },
    'chatgpt',
  );
  const { treeId } = await importInput(store, await written(elsewhere, format), format);
  await elsewhere.close();
  if (treeId === undefined) throw new Error('Nothing came in.');
  const asked = (await nodesOf(treeId)).find((node) => node.role === 'user');
  await continueTree(treeId);
  await say(treeId, textMessage('assistant', 'Black.'), asked?.id);
  return treeId;
}

/** Creates a tree that was not imported. */
async function sample(): Promise<TreeId> {
  const { result } = await run(store, { type: 'create', treeId: ours }, runContextOf(store, {}));
  await continueTree(result.treeId);
  await addSeparateRecords(result.treeId);
  return result.treeId;
}

async function continueTree(treeId: TreeId): Promise<void> {
  await say(treeId, textMessage('user', 'Where does it grow?'));
  for (const message of [calls, resultOf('call_1'), resultOf('call_2'), textMessage('assistant', 'On hills.')])
    await say(treeId, message);
}

async function say(treeId: TreeId, message: Message, parentId?: NodeId): Promise<void> {
  const messages = [{ message }];
  const command = { type: 'append', treeId, messages, ...(parentId === undefined ? {} : { parentId }) } as const;
  await run(store, command, runContextOf(store, {}));
}

/** Adds the data that formats store as separate records: a title, a bookmark, a summary, the active node. */
async function addSeparateRecords(treeId: TreeId): Promise<void> {
  const context = runContextOf(store, {});
  const [first, second] = (await nodesOf(treeId)).filter((node) => node.kind === 'message');
  if (first === undefined || second === undefined) throw new Error('Nothing was said.');
  await run(store, { type: 'compact', treeId, summary: 'Of tea.', firstKept: first.id }, context);
  await say(treeId, textMessage('user', 'And coffee?'));
  await run(store, { type: 'attributes', treeId, set: { title: 'Drinks' } }, context);
  await run(store, { type: 'bookmark', treeId, nodeId: first.id, title: 'here' }, context);
  await run(store, { type: 'select', treeId, nodeId: second.id }, context);
}

async function nodesOf(treeId: TreeId) {
  return (await store.read(treeId, () => ask('rows', {})))?.nodes ?? [];
}

const holdIds = formats
  .filter(({ name, reader, writer }) => reader !== undefined && writer !== undefined && name !== 'linear')
  .map(({ name }) => name);

describe.each(holdIds)('messages created here and exported as %s', (format) => {
  beforeEach(async () => {
    store = await openStore('memory:');
  });
  afterEach(() => store.close());

  test('[IM16] is recognised when it is imported again: nothing is added, however often', async () => {
    const treeId = await createImportedTree(format);
    const before = await nodesOf(treeId);
    const input = await written(store, format);
    for (let time = 0; time < 2; time++) {
      const { reported, codes } = await importInput(store, input, format);
      expect(reported).toEqual([[false, 0]]);
      expect(codes.filter((code) => code === 'import/differs')).toEqual([]);
    }
    expect(await nodesOf(treeId)).toEqual(before);
  });

  test('[IM16] brings no metadata lines back: names, bookmarks, boundaries, positions', async () => {
    const treeId = await createImportedTree(format);
    await addSeparateRecords(treeId);
    const before = await nodesOf(treeId);
    const { reported, differing } = await importInput(store, await written(store, format), format);
    expect(reported).toEqual([[false, 0]]);
    expect(differing).toEqual([]);
    expect(await nodesOf(treeId)).toEqual(before);
  });

  test('[IM10] is not reported as changed if it was moved or removed here', async () => {
    const treeId = await createImportedTree(format);
    const said = (await nodesOf(treeId)).filter((node) => node.kind === 'message');
    const [asked, , , calls] = said;
    const black = said.find((node) => JSON.stringify(node.message).includes('Black.'));
    if (asked === undefined || calls === undefined || black === undefined) throw new Error('It is not there.');
    await run(store, { type: 'move', treeId, nodeId: calls.id, parentId: black.id }, runContextOf(store, {}));
    await run(store, { type: 'delete', treeId, nodeIds: [asked.id], mode: 'splice' }, runContextOf(store, {}));
    const { reported, differing } = await importInput(store, await written(store, format), format);
    expect(reported).toEqual([[false, 0]]);
    expect(differing).toEqual([]);
  });

  test('[IM17] in a tree of ours is recognised when imported by its owner, and new for another owner', async () => {
    const treeId = await sample();
    const before = await nodesOf(treeId);
    const input = await written(store, format);
    const { reported, differing } = await importInput(store, input, format);
    expect(reported).toEqual([[false, 0]]);
    expect(differing).toEqual([]);
    expect(await nodesOf(treeId)).toEqual(before);
    expect(
      (await importInput(store.forOwner('somebody-else'), input, format)).reported.map(([created]) => created),
    ).toEqual([true]);
  });

  test('[IM16] stays deleted when it is imported again', async () => {
    const treeId = await createImportedTree(format);
    const input = await written(store, format);
    const last = (await nodesOf(treeId)).find((node) => JSON.stringify(node.message).includes('On hills.'));
    if (last === undefined) throw new Error('It is not there.');
    await run(store, { type: 'delete', treeId, nodeIds: [last.id], mode: 'cascade' }, runContextOf(store, {}));
    const before = await nodesOf(treeId);
    expect((await importInput(store, input, format)).reported).toEqual([[false, 0]]);
    expect(await nodesOf(treeId)).toEqual(before);
  });
});

describe('messages created here', () => {
  beforeEach(async () => {
    store = await openStore('memory:');
  });
  afterEach(() => store.close());

  test('[IM16] get the messages that were added below them elsewhere', async () => {
    const treeId = await createImportedTree('chatgpt');
    const [file] = (await written(store, 'chatgpt')).files;
    let text = '';
    for await (const bytes of file?.stream() ?? []) text += Buffer.from(bytes).toString();
    const leaf = (await nodesOf(treeId)).find((node) => JSON.stringify(node.message).includes('On hills.'));
    if (leaf === undefined) throw new Error('It is not there.');
    const [exported] = [JSON.parse(text)].flat();
    exported.mapping[leaf.id].children.push('later');
    exported.mapping.later = at('later', leaf.id, [], 'user', 'How high?');
    const input = { files: [wrapBytesAsFile('c.json', Buffer.from(JSON.stringify([exported])))] };
    expect((await importInput(store, input, 'chatgpt')).reported).toEqual([[false, 1]]);
    const added = (await nodesOf(treeId)).find((node) => JSON.stringify(node.message).includes('How high?'));
    expect(added?.parentId).toBe(leaf.id);
  });

  test('[IM16] are not matched by an id of another tree', async () => {
    const treeId = await createImportedTree('chatgpt');
    const stranger = (await nodesOf(treeId)).find((node) => JSON.stringify(node.message).includes('On hills.'));
    const other = {
      ...conversation,
      conversation_id: 'c2',
      mapping: { ...conversation.mapping, [stranger?.id ?? '']: at(stranger?.id ?? '', 'n2', [], 'user', 'Other') },
    };
    const input = { files: [wrapBytesAsFile('c.json', Buffer.from(JSON.stringify([other])))] };
    expect((await importInput(store, input, 'chatgpt')).reported).toEqual([[true, 3]]);
    expect((await importInput(store, input, 'chatgpt')).reported).toEqual([[false, 0]]);
  });
});
