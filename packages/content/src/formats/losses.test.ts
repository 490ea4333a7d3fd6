/** Tests that every feature that a target format cannot store is reported. */
import { type Block, type ImportNode, type Message, nodeId, run, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../kit.ts';
import { exportStoredTrees, importIntoStore, readStoredTree, type StoredImport, toImportInput } from './conformance.ts';
import type { Format } from './contract.ts';
import { findFormat } from './formats.ts';

/** Builds a tree with all kinds of metadata. */
async function rich() {
  const store = new ReferenceStore();
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  const id = treeId('00000000-0000-7000-8000-00000000abce');
  await run(store, { type: 'create', treeId: id, attributes: { title: 'Rich', pinned: true } }, act);
  const source = { type: 'model', provider: 'p', model_name: 'm', usage: { inputTokens: 1, outputTokens: 2 } };
  const call = { type: 'tool-use', id: 'c1', name: 'f', parameters: {} };
  const asked = { message: textMessage('user', 'Ask'), meta: { excluded: true, customData: { a: 1 } } };
  const said = { message: { role: 'assistant' as const, content: [call, { type: 'odd', x: 1 }] }, meta: { source } };
  const failed = { ...textMessage('user', 'no'), role: 'tool' as const, tool_call_id: 'c1' };
  const { result } = await run(store, { type: 'append', treeId: id, messages: [asked] }, act);
  const first = result.nodeId;
  const messages = [said, { message: failed, meta: { isError: true } }];
  await run(store, { type: 'append', treeId: id, messages }, act);
  await run(store, { type: 'edit', treeId: id, nodeId: first, content: 'Ask else' }, act);
  return { store, ids: [id], names: [] };
}

const usage = { inputTokens: 1, outputTokens: 2 };
const model = (name: string, more: object = {}) => ({
  source: { type: 'model', provider: 'p', model_name: name, ...more },
});

/** Builds a tree with failed and interrupted replies, and a turn of two models whose calls have the same id. */
async function ended() {
  const store = new ReferenceStore();
  const id = treeId('00000000-0000-7000-8000-00000000abcf');
  const node = (at: number, parent: number | null, message: Message, more: Partial<ImportNode> = {}): ImportNode => ({
    id: nodeIdOf(at),
    parentId: parent === null ? null : nodeIdOf(parent),
    order: at,
    message,
    ...more,
  });
  const call = { role: 'assistant' as const, content: [{ type: 'tool-use', id: 'call_0', name: 'f', parameters: {} }] };
  const picture = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBORw0KGgo=' } };
  const result = (said: string, ...more: readonly Block[]): Message => ({
    ...textMessage('user', said),
    role: 'tool',
    tool_call_id: 'call_0',
    content: [...textMessage('user', said).content, ...more],
  });
  const nodes = [
    node(1, null, textMessage('user', 'Ask'), { meta: { title: 'The question' } }),
    node(2, 1, call, { meta: model('m-one', { usage, parameters: { temperature: 0 } }) }),
    node(3, 2, result('one')),
    node(4, 3, result('and more', picture)),
    node(5, 4, call, { meta: model('m-two', { usage: { prompt_tokens: 7, completion_tokens: 8 } }) }),
    node(6, 5, result('two')),
    node(7, 1, textMessage('assistant', 'failed'), { status: 'error', meta: model('m-one', { error: 'No quota.' }) }),
    node(8, 1, textMessage('assistant', 'cut'), { status: 'interrupted', meta: model('m-one') }),
  ];
  const attributes = { title: 'Ended', folder: 'Work', metadata: { own: 1 } };
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  await run(store, { type: 'import', treeId: id, attributes, nodes, activeId: nodeIdOf(6) }, act);
  return { store, ids: [id], names: [] };
}

const said = (text: string) => ({ type: 'text', text });
const note = { type: 'tool-use', id: 'call_0', name: 'f', parameters: {} };

/** Builds a branch with all kinds of markers and interrupted replies. The newest message is not the active one. */
async function marked(first: Message = textMessage('user', 'Ask')) {
  const store = new ReferenceStore();
  const id = treeId('00000000-0000-7000-8000-00000000abd0');
  const made = { meta: model('m-one', { usage }) };
  const node = (at: number, message: Message, more: Partial<ImportNode> = {}): ImportNode => ({
    id: nodeIdOf(at),
    parentId: at === 1 ? null : nodeIdOf(Math.min(at - 1, 4)),
    order: at,
    message,
    createdAt: at * 1000,
    ...more,
  });
  const nodes = [
    node(1, first),
    node(2, textMessage('system', 'So far.'), { kind: 'compaction', ...made }),
    node(3, { role: 'assistant', content: [said('By the way'), note] }, { kind: 'injected' }),
    node(4, textMessage('system', 'Words beside.'), { kind: 'state' }),
    node(5, textMessage('assistant', 'stopped'), { status: 'aborted' }),
    node(6, textMessage('assistant', 'cut'), { status: 'interrupted' }),
  ];
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  await run(store, { type: 'import', treeId: id, nodes, activeId: nodeIdOf(5) }, act);
  return { store, ids: [id], names: [] };
}

const nodeIdOf = (at: number) => `00000000-0000-7000-8000-00000000000${at}`;

function requireFormat(name: string): Format {
  const format = findFormat(name);
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  return format;
}

/** Edits the imported message `a` of a tree, and returns what the format writes then. */
async function writeAfterEdit(name: string, stored: StoredImport): Promise<string> {
  const [id] = stored.ids;
  const nodeId = stored.names.find((one) => one.id === 'a')?.nodeId;
  if (id === undefined || nodeId === undefined || nodeId === null) throw new Error('There is no message.');
  const act = { actor: 'me', kit: messageKit, ...createTestClock() };
  await run(stored.store, { type: 'edit', treeId: id, nodeId, content: 'Look', mode: 'in-place' }, act);
  const [text = ''] = (await exportStoredTrees(stored, requireFormat(name))).files.values();
  return text;
}

/** Writes a tree in a format and imports the files again. Returns the export report and the imported nodes. */
async function through(name: string, stored: Parameters<typeof exportStoredTrees>[0]) {
  const format = requireFormat(name);
  const { files, report } = await exportStoredTrees(stored, format);
  expect(Object.keys(format.writer?.loses ?? {})).toEqual(expect.arrayContaining(Object.keys(report.counts)));
  const again = await importIntoStore(toImportInput(Object.fromEntries(files)));
  return { report, again, nodes: again.trees.flatMap((tree) => tree.nodes) };
}

describe('an export of data that a format cannot hold', () => {
  it.each([
    ['chatgpt', ['attributes', 'failed', 'notes']],
    ['claude-code', ['attributes', 'cut-short', 'notes']],
    ['librechat', ['attributes', 'block', 'notes', 'results', 'steps', 'usage']],
    ['linear', ['attributes', 'notes']],
    ['open-webui', ['attributes', 'block', 'notes', 'steps']],
    ['pi', ['attributes', 'notes']],
  ])('[I37] reports data about the conversation, and how replies ended: %s', async (name, wanted) => {
    const { report } = await through(name, await ended());
    expect(Object.keys(report.counts)).toEqual(expect.arrayContaining(wanted));
  });

  it.each([
    ['chatgpt', ['call-ids', 'markers', 'usage']],
    ['claude-code', ['cut-short', 'markers', 'notes']],
    ['librechat', ['active', 'cut-short', 'markers', 'usage']],
    ['open-webui', ['cut-short', 'markers']],
    ['pi', ['notes', 'otherwise']],
  ])('[I37] reports data of markers besides their text, and how replies were interrupted: %s', async (name, wanted) => {
    const { report, again } = await through(name, await marked());
    expect(Object.keys(report.counts).sort()).toEqual(wanted);
    expect(again.findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
  });

  it('[I37] keeps a leading system message separate from the system prompt', async () => {
    const { nodes, again } = await through('linear', await marked({ role: 'system', content: [said('Be brief.')] }));
    expect(nodes[0]?.message).toEqual({ role: 'system', content: [said('Be brief.')] });
    expect(again.trees[0]?.systemPrompt).toBe(undefined);
  });

  it.each(['chatgpt', 'claude-code', 'librechat', 'linear', 'open-webui', 'pi'])(
    '[I38] loses no text that a tool returned, whatever the ids of its calls: %s',
    async (name) => {
      const { nodes } = await through(name, await ended());
      const results = nodes
        .filter(({ message }) => message.role === 'tool')
        .map(({ message }) => messageKit.text(message));
      expect(results.join('\n')).toMatch(/^one\nand more(?:\n?\[image[^\n]*)?\ntwo$/);
    },
  );

  it('[I39] keeps the figures of a reply however they are named, and why it failed', async () => {
    const { nodes } = await through('pi', await ended());
    const sources = nodes.map(({ meta }) => meta?.source ?? {});
    expect(sources).toContainEqual(
      expect.objectContaining({ usage: { inputTokens: 7, outputTokens: 8, totalTokens: 15 } }),
    );
    expect(sources).toContainEqual(expect.objectContaining({ error: 'No quota.' }));
    const code = await through('claude-code', await ended());
    expect(code.nodes.map(({ status }) => status)).toContain('error');
    const used = code.nodes.map(({ meta }) => meta?.source?.usage).filter((one) => one !== undefined);
    expect(used).toEqual([
      { input_tokens: 1, output_tokens: 2 },
      { input_tokens: 7, output_tokens: 8 },
    ]);
  });

  it('[I79] to pi includes messages hidden from the model, and they are read back as hidden', async () => {
    const { nodes } = await through('pi', await rich());
    const hidden = nodes.filter(({ meta }) => meta?.excluded === true);
    expect(hidden.map(({ kind, message }) => [kind, messageKit.text(message)])).toContainEqual(['message', 'Ask']);
  });

  it('[I37] reports an active step inside a reply if only the whole reply can be active', async () => {
    const stored = await ended();
    const act = { actor: 'me', kit: messageKit, ...createTestClock() };
    for (const treeId of stored.ids)
      await run(stored.store, { type: 'select', treeId, nodeId: nodeId(nodeIdOf(3)) }, act);
    const { report } = await through('open-webui', stored);
    expect(report.losses.filter(({ what }) => what === 'steps').map(({ message }) => message)).toContain(
      'It is current; the end of its reply will be.',
    );
  });

  it('[I90] keeps the files of an edited Open WebUI message unchanged', async () => {
    const files = [
      { type: 'image', url: 'https://a.test/f.png' },
      { type: 'collection', id: 'k', name: 'Notes' },
    ];
    const a = { role: 'user', content: 'See', files };
    const chat = [{ id: 'w', chat: { history: { currentId: 'a', messages: { a } } } }];
    const stored = await importIntoStore(toImportInput({ 'w.json': JSON.stringify(chat) }));
    const text = await writeAfterEdit('open-webui', stored);
    expect(JSON.parse(text)[0].chat.history.messages.a).toMatchObject({ content: 'Look', files });
  });

  it('[I97] keeps the files of an edited LibreChat message', async () => {
    const file = { file_id: 'f', filename: 'f.png', type: 'image/png' };
    const message = { messageId: 'a', isCreatedByUser: true, text: 'See', files: [file] };
    const stored = await importIntoStore(
      toImportInput({ 'l.json': JSON.stringify({ conversationId: 'l', endpoint: 'e', messages: [message] }) }),
    );
    const text = await writeAfterEdit('librechat', stored);
    expect(JSON.parse(text).messages).toMatchObject([{ text: 'Look', files: [file] }]);
    expect(JSON.parse(text).messages[0]).not.toHaveProperty('content');
  });

  it('[I37] reports the bytes of a picture even if the message is written back unchanged', async () => {
    const asset = { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_1' };
    const said = { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [asset, 'See'] } };
    const conversation = { id: 'c', current_node: 'a', mapping: { a: { id: 'a', parent: null, message: said } } };
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
    const files = { 'conversations.json': JSON.stringify([conversation]), 'file_1.png': png };
    const { report } = await through('chatgpt', await importIntoStore(toImportInput(files)));
    expect(report.counts).toEqual({ attachments: 1 });
  });

  it.each([
    [
      'chatgpt',
      {
        id: 'c',
        current_node: 'a',
        mapping: { a: { message: { author: { role: 'user' }, content: { parts: ['x'] } } } },
      },
    ],
    ['open-webui', { id: 'c', pinned: false, chat: { history: { messages: { a: { role: 'user', content: 'x' } } } } }],
  ])('[I37] reports no loss of a pin that was set here: %s', async (name, conversation) => {
    const stored = await importIntoStore(toImportInput({ 'a.json': JSON.stringify([conversation]) }));
    const [id] = stored.ids;
    if (id === undefined) throw new Error('There is no tree.');
    const act = { actor: 'me', kit: messageKit, ...createTestClock() };
    await run(stored.store, { type: 'attributes', treeId: id, set: { pinned: true } }, act);
    const { report, again } = await through(name, stored);
    expect(report.counts).toEqual({});
    expect(again.trees[0]?.attributes?.pinned).toBe(true);
  });

  it.each([
    ['chatgpt', ['block', 'excluded', 'failures', 'groups', 'notes', 'usage']],
    ['open-webui', ['block', 'excluded', 'failures', 'notes']],
    ['librechat', ['block', 'excluded', 'failures', 'groups', 'notes']],
  ])('[I37] reports data besides the texts: %s', async (name, wanted) => {
    const format = requireFormat(name);
    const { report } = await exportStoredTrees(await rich(), format);
    expect(Object.keys(report.counts)).toEqual(expect.arrayContaining(wanted));
    expect(Object.keys(format.writer?.loses ?? {})).toEqual(expect.arrayContaining(Object.keys(report.counts)));
  });

  it('[I37] is not reported if the format has a field for it: a pinned tree is starred in ChatGPT', async () => {
    const format = requireFormat('chatgpt');
    const { files } = await exportStoredTrees(await rich(), format);
    const again = await importIntoStore(toImportInput(Object.fromEntries(files)));
    const [id] = again.ids;
    if (id === undefined) throw new Error('There is no tree.');
    expect(readStoredTree(again, id).attributes.pinned).toBe(true);
  });
});

describe('a recorded session whose prompt changed', () => {
  it('[I235] is exported with the prompt at its active node, and archived with both', async () => {
    const store = new ReferenceStore();
    const act = { actor: 'me', kit: messageKit, ...createTestClock() };
    const id = treeId('00000000-0000-7000-8000-00000000abd1');
    await run(store, { type: 'create', treeId: id, attributes: { systemPrompt: 'Monday.' } }, act);
    const messages = [{ message: textMessage('user', 'One') }, { message: textMessage('user', 'Two') }];
    const { result } = await run(store, { type: 'append', treeId: id, messages }, act);
    const set = { recordedPrompt: 'Tuesday.' };
    await run(store, { type: 'annotate', treeId: id, nodeId: result.nodeId, set }, act);
    const textIn = async (name: string) => {
      return [...(await exportStoredTrees({ store, ids: [id], names: [] }, requireFormat(name))).files.values()].join(
        '',
      );
    };
    for (const name of ['linear', 'markdown', 'codex', 'chatgpt']) {
      expect(await textIn(name)).toContain('Tuesday.');
      expect(await textIn(name)).not.toContain('Monday.');
    }
    expect(await textIn('archive')).toContain('Monday.');
    const [first] = result.added;
    if (first === undefined) throw new Error('There is no message.');
    await run(store, { type: 'select', treeId: id, nodeId: first }, act);
    expect(await textIn('linear')).toContain('Monday.');
  });
});
