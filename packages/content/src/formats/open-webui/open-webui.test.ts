import { run, textMessage, treeId as treeIdOf } from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { readFirstTree } from '../conformance/storing.ts';
import { exportStoredTrees, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { readExportedTree } from '../exporting.ts';
import { openWebui } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const message = (id: string, parentId: string | null, childrenIds: string[], role: string, rest: Fields): Fields => ({
  id,
  parentId,
  childrenIds,
  role,
  timestamp: 1_767_323_045,
  ...rest,
});
const answer = (id: string, parentId: string, childrenIds: string[], content: string, rest: Fields = {}) =>
  message(id, parentId, childrenIds, 'assistant', {
    content,
    model: 'm-x',
    modelName: 'X',
    modelIdx: 0,
    done: true,
    ...rest,
  });

const chat = (currentId: string | null, messages: readonly Fields[], rest: Fields = {}): Fields => ({
  title: 'Soup',
  models: ['m-x', 'm-y'],
  params: {},
  files: [],
  tags: [],
  timestamp: 1_767_323_045_000,
  history: { currentId, messages: Object.fromEntries(messages.map((one) => [one.id, one])) },
  messages: [],
  ...rest,
});
const row = (id: string, inner: Fields, rest: Fields = {}): Fields => ({
  id,
  user_id: 'me',
  title: 'Soup',
  created_at: 1_767_323_045,
  updated_at: 1_767_323_050,
  archived: false,
  pinned: true,
  meta: { tags: ['food'] },
  folder_id: 'f1',
  share_id: null,
  chat: inner,
  ...rest,
});

const several = [
  // The order of the map differs from the order of the children, and the answers come before the question.
  answer('A2', 'U1', ['U2'], 'Miso', {
    model: 'm-y',
    modelName: 'Y',
    modelIdx: 1,
    merged: { status: true, content: 'Both' },
  }),
  answer('A1', 'U1', [], 'Leek', {
    usage: { prompt_tokens: 3, completion_tokens: 1 },
    annotation: { rating: 1, tags: [] },
  }),
  message('U1', null, ['A1', 'A2'], 'user', { content: 'Which?', models: ['m-x', 'm-y'] }),
  message('U2', 'A2', [], 'user', { content: 'Why?', models: ['m-x'] }),
  message('R2', null, [], 'user', { content: 'Another beginning' }),
];

const output = [
  {
    type: 'reasoning',
    summary: [],
    content: [{ type: 'output_text', text: 'Look first.' }],
    encrypted_content: 'b3BhcXVl',
  },
  { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"q": "soup"}', status: 'completed' },
  { type: 'function_call', call_id: 'c2', name: 'taste', arguments: '{}', status: 'completed' },
  { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'leek' }] },
  { type: 'function_call_output', call_id: 'c2', output: 'salty', status: 'failed' },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Leek it is.', annotations: [] }] },
];
const tools = [
  message('S', null, ['U'], 'system', { content: 'Be kind.' }),
  message('U', 'S', ['A'], 'user', {
    content: [{ type: 'text', text: 'See' }],
    files: [
      { type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'file', id: 'f9', name: 'menu.pdf', url: '/api/files/f9' },
    ],
  }),
  answer('A', 'U', ['B'], '<details>…</details>Leek it is.', {
    output,
    sources: [{ n: 1 }],
    contextSummary: 'They ate.',
  }),
  answer('B', 'A', [], '', { done: false, error: { content: 'no connection' } }),
];

const odd = [
  message('U', null, ['ghost', 'A'], 'user', { content: 'One' }),
  answer('A', 'U', [], 'Two', { output: [7, { type: 'hologram', rays: 7 }], timestamp: 'noon' }),
  message('L', 'nobody', [], 'user', { content: 'Lost' }),
  message('X', 'Y', ['Y'], 'user', { content: 'X' }),
  answer('Y', 'X', ['X'], 'Y'),
  message('Z', 'Z', ['Z'], 'user', { content: 'Z' }),
  message('E', 'U', [], 'user', { content: '' }),
];

/** Returns chats without the list named `messages`, which is a copy of the active branch and is rebuilt. */
const withoutCopies = (files: ReadonlyMap<string, string>) =>
  [...files.values()].map((one): unknown =>
    JSON.parse(one, (key, value) => (key === 'messages' && Array.isArray(value) ? undefined : value)),
  );

const json = (...rows: readonly Fields[]) => JSON.stringify(rows);
const more = [
  ...several.filter((one) => one.id !== 'U2'),
  message('U2', 'A2', ['A3'], 'user', { content: 'Why?', models: ['m-x'] }),
  answer('A3', 'U2', [], 'It is warm.'),
];

runFormatConformance(openWebui, [
  {
    name: 'answers of two models, several roots, a map out of order',
    files: { 'chats.json': json(row('w1', chat('U2', several))) },
    trees: 1,
    nodes: 5,
    findings: [],
    thread: ['Which?', 'Miso', 'Why?'],
    roundTrip: withoutCopies,
    newer: { 'chats.json': json(row('w1', chat('A3', more))) },
  },
  {
    name: 'structured replies with calls, pictures, files, a failed reply',
    files: { 'chats.json': json(row('w2', chat('B', tools, { system: 'Brief.' }))) },
    trees: 1,
    nodes: 7,
    findings: [],
    roundTrip: withoutCopies,
  },
  {
    name: 'one row a line',
    files: {
      'chats.jsonl': `${JSON.stringify(row('w1', chat('U2', several)))}\n${JSON.stringify(row('w2', chat('B', tools)))}\n`,
    },
    trees: 2,
    nodes: 12,
    findings: [],
  },
  {
    name: 'bare chats, as older files have them',
    files: { 'chats.json': json(chat('U2', several)) },
    trees: 1,
    nodes: 5,
    findings: [],
    roundTrip: withoutCopies,
  },
  {
    name: 'one chat by itself, and no current message',
    files: { 'chat.json': JSON.stringify(row('w1', chat(null, several))) },
    trees: 1,
    nodes: 5,
    findings: [],
  },
  {
    name: 'orphans, circles, wrong children, unknown items, a row without a chat',
    files: { 'chats.json': json(row('w3', chat('gone', odd)), { id: 'w4', title: 'No chat' }) },
    trees: 1,
    nodes: 7,
    findings: [
      'import/orphan',
      'import/cycle',
      'import/self-parent',
      'import/children-mismatch',
      'import/active-missing',
      'import/time-unreadable',
    ],
  },
]);

interface Written {
  readonly [id: string]: Fields & { readonly childrenIds: readonly string[] };
}
async function written(stored: Parameters<typeof exportStoredTrees>[0]) {
  const { files, report } = await exportStoredTrees(stored, openWebui);
  const [first] = JSON.parse([...files.values()].join(''));
  const messages: Written = first.chat.history.messages;
  return { row: first, messages, report };
}

const act = () => ({ actor: 'me', kit: messageKit, ...createTestClock(9) });

describe('Open WebUI exports', () => {
  it('[I85] keep answers of several models as one group, in the order of the children', async () => {
    const { tree, of, stored } = await readFirstTree({ 'c.json': json(row('w1', chat('U2', several))) });
    expect([of('A1')?.order, of('A2')?.order]).toEqual([0, 1]);
    expect([of('A1')?.group, of('A2')?.group, of('R2')?.group]).toEqual(['models', 'models', undefined]);
    expect(of('A2')?.meta?.source).toEqual({ type: 'model', model_name: 'm-y' });
    expect(tree).toMatchObject({ externalId: 'w1', scope: '', attributes: { pinned: true, tags: ['food'] } });
    const { messages } = await written(stored);
    expect(messages.U1?.childrenIds).toEqual(['A1', 'A2']);
    // The server rebuilds the child lists in the order of the map.
    expect(Object.keys(messages).filter((id) => id.startsWith('A'))).toEqual(['A1', 'A2']);
  });

  it('[I86] are split into reasoning and calls, each result, and the following text', async () => {
    const { of, tree } = await readFirstTree({ 'c.json': json(row('w2', chat('B', tools))) });
    expect(of('A/0')?.message.content).toMatchObject([
      { type: 'thinking', thinking: 'Look first.', redacted: 'b3BhcXVl' },
      { type: 'tool-use', id: 'c1', name: 'look', parameters: { q: 'soup' }, arguments: '{"q": "soup"}' },
      { type: 'tool-use', id: 'c2', name: 'taste' },
    ]);
    expect(of('A/1')).toMatchObject({ message: { role: 'tool', tool_call_id: 'c1' }, parentExternalId: 'A/0' });
    expect(of('A/2')?.meta).toEqual({ source: { type: 'tool_result', tool_name: 'taste' }, isError: true });
    expect(messageKit.text(of('A')?.message ?? textMessage('user', ''))).toBe('Leek it is.');
    expect(of('B')).toMatchObject({ status: 'error', parentExternalId: 'A' });
    expect(tree.records).toBe(4);
  });

  it('[I244] of older versions are split at their reasoning, calls and code', async () => {
    const said = [
      '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n&gt; Hot &amp; salty?\n&gt; &gt; Yes.\n</details>',
      'Let me look.',
      '<details type="tool_calls" done="true" id="c1" name="look" arguments="&quot;{\\&quot;q\\&quot;: 1}&quot;" result="&quot;a &lt;b&gt;&quot;" files="">\n<summary>Tool Executed</summary>\n</details>',
      '<details type="tool_calls" done="true" id="" name="taste" arguments=\'{}\'>\n<summary>Tool Executed</summary>\n&quot;salty&quot;\n</details>',
      '<details type="tool_calls" done="false" id="c3" name="wait" arguments="{}">\n<summary>Executing...</summary>\n</details>',
      'Now I count.',
      '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;2&quot;}">\n<summary>Analyzed</summary>\n```python\nprint(1 + 1)\n```\n</details>',
      'It is two.\n<details>\n<summary>More</summary>\nMine.\n</details>',
    ].join('\n');
    const old = [message('U', null, ['A'], 'user', { content: said }), answer('A', 'U', [], said)];
    const { tree, of, stored } = await readFirstTree({ 'c.json': json(row('w1', chat('A', old))) });
    expect(of('U')?.message.content).toEqual([{ type: 'text', text: said }]);
    expect(tree.nodes.slice(1).map((one) => one.message.role)).toEqual([
      'assistant',
      'tool',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(of('A/0')?.message.content).toMatchObject([
      { type: 'thinking', thinking: 'Hot & salty?\n> Yes.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool-use', id: 'c1', name: 'look', parameters: { q: 1 } },
      { type: 'tool-use', id: 'A-call-2', name: 'taste', parameters: {} },
      { type: 'tool-use', id: 'c3', name: 'wait', parameters: {} },
    ]);
    expect(of('A/1')?.message).toMatchObject({ tool_call_id: 'c1', content: [{ text: 'a <b>' }] });
    expect(of('A/2')?.message).toMatchObject({ tool_call_id: 'A-call-2', content: [{ text: 'salty' }] });
    expect(of('A/3')?.message.content).toMatchObject([
      { type: 'text', text: 'Now I count.' },
      { type: 'tool-use', name: 'code_interpreter', parameters: { language: 'python', code: 'print(1 + 1)' } },
    ]);
    expect(of('A/4')?.message.content).toEqual([{ type: 'text', text: '{"stdout":"2"}' }]);
    expect(messageKit.text(of('A')?.message ?? textMessage('user', ''))).toBe(
      'It is two.\n<details>\n<summary>More</summary>\nMine.\n</details>',
    );
    expect(tree.findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
    // The reply is unchanged, so it is written as it was.
    expect((await written(stored)).messages.A?.content).toBe(said);
  });

  it('[I244] keep a section that does not end, and one inside a text, as text', async () => {
    const texts = ['<details type="reasoning" done="false">\n> Hm', 'See `<details type="reasoning">a</details>` here'];
    for (const said of texts) {
      const old = [message('U', null, ['A'], 'user', { content: 'Why?' }), answer('A', 'U', [], said)];
      const { of } = await readFirstTree({ 'c.json': json(row('w1', chat('A', old))) });
      expect(of('A')?.message.content).toEqual([{ type: 'text', text: said }]);
    }
  });

  it('[I87] keep images as images and other files by their description', async () => {
    const { of } = await readFirstTree({ 'c.json': json(row('w2', chat('B', tools))) });
    expect(of('U')?.message.content).toMatchObject([
      { type: 'text', text: 'See' },
      { type: 'image', mediaType: 'image/png' },
      { type: 'open-webui-file', id: 'f9' },
    ]);
  });

  it('[I85] keep their groups after export: beside others, of one model, of questions, and several groups', async () => {
    const store = new ReferenceStore();
    const treeId = treeIdOf('00000000-0000-7000-8000-00000000beef');
    const idAt = (at: number) => `00000000-0000-7000-8000-0000000000${at}`;
    const model = (name: string) => ({ meta: { source: { type: 'model', model_name: name } } });
    const said = (at: number, parent: number | null, role: 'user' | 'assistant', more: object = {}) => ({
      id: idAt(at),
      parentId: parent === null ? null : idAt(parent),
      order: at,
      message: textMessage(role, `said ${at}`),
      ...more,
    });
    const nodes = [
      said(10, null, 'user'),
      said(11, 10, 'assistant', { group: 1, ...model('m-x') }),
      said(12, 10, 'assistant', { group: 1, ...model('m-x') }),
      said(13, 10, 'assistant', model('m-y')),
      said(20, null, 'user', { group: 1 }),
      said(21, 20, 'assistant', model('m-x')),
      said(22, 20, 'assistant', model('m-y')),
      said(30, null, 'user', { group: 1 }),
      said(31, 30, 'assistant', { group: 1, ...model('m-x') }),
      said(32, 30, 'assistant', { group: 1, ...model('m-y') }),
      said(33, 32, 'user', { group: 2 }),
      said(34, 32, 'user', { group: 1 }),
      said(35, 32, 'user', { group: 2 }),
      said(36, 32, 'user', { group: 1 }),
    ];
    await run(store, { type: 'import', treeId, nodes }, act());
    const { row: out, report } = await written({ store, ids: [treeId], names: [] });
    expect(report.counts).toEqual({});
    // If all answers to a question belong to one group, no group field is needed.
    const noted = Object.values<Fields>(out.chat.history.messages).filter((one) => 'coppice' in one);
    expect(noted.map((one) => one.id)).not.toContain(idAt(31));
    const again = await importIntoStore(toImportInput({ 'c.json': JSON.stringify([out]) }));
    const groups = again.trees[0]?.nodes.map(({ externalId, group }) => [Number(externalId.slice(-2)), group ?? '']);
    const groupOf = Object.fromEntries(groups ?? []);
    expect([groupOf[11] === groupOf[12], groupOf[11] !== '', groupOf[13]]).toEqual([true, true, '']);
    expect([groupOf[20] === groupOf[30], groupOf[20] !== '', groupOf[10]]).toEqual([true, true, '']);
    expect([groupOf[21], groupOf[22], groupOf[31], groupOf[32]]).toEqual(['', '', 'models', 'models']);
    expect([groupOf[33] === groupOf[35], groupOf[34] === groupOf[36], groupOf[33] !== groupOf[34]]).toEqual([
      true,
      true,
      true,
    ]);
    // A second round trip changes nothing.
    const third = await written(again);
    expect(third.row.chat.history.messages).toEqual(out.chat.history.messages);
  });

  it('[I88] are written with the copy of the thread that search reads, and a changed title', async () => {
    const { stored, id } = await readFirstTree({ 'c.json': json(row('w1', chat('U2', several))) });
    await run(stored.store, { type: 'attributes', treeId: id, set: { title: 'Broth' } }, act());
    const { row: out } = await written(stored);
    expect(out.chat.messages.map((one: Fields) => one.id)).toEqual(['U1', 'A2', 'U2']);
    expect([out.title, out.chat.title, out.folder_id]).toEqual(['Broth', 'Broth', 'f1']);
  });

  it('[I89] write calls and results added here as one reply, and keep the branches below them', async () => {
    const store = new ReferenceStore();
    const treeId = treeIdOf('00000000-0000-7000-8000-00000000beef');
    await run(store, { type: 'create', treeId, attributes: { systemPrompt: 'Be brief.' } }, act());
    const call = { type: 'tool-use', id: 'c1', name: 'look', parameters: { q: 1 } };
    const result = { type: 'text', text: 'seen' };
    const first = await run(
      store,
      {
        type: 'append',
        treeId,
        messages: [
          { message: textMessage('user', 'Look') },
          { message: { role: 'assistant', content: [call] } },
          { message: { role: 'tool', content: [result], tool_call_id: 'c1' } },
          { message: textMessage('assistant', 'There.') },
        ],
      },
      { ...act(), ...createTestClock(1) },
    );
    const one = await written({ store, ids: [treeId], names: [] });
    expect(one.report.nodes).toEqual({ read: 4, written: 2, merged: 2, left: 0 });
    expect(one.messages[first.result.nodeId]).toMatchObject({
      role: 'assistant',
      content: 'There.',
      output: [{ type: 'function_call' }, { type: 'function_call_output' }, { type: 'message' }],
    });
    expect(one.row.chat.system).toBe('Be brief.');
    const again = await importIntoStore(toImportInput({ 'c.json': JSON.stringify([one.row]) }));
    expect(again.trees[0]?.nodes.map((node) => node.message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const seen = (await store.read(treeId, () => readExportedTree(treeId))).nodes.find((node) => node.role === 'tool');
    if (seen === undefined) throw new Error('There is no result.');
    const other = [{ message: textMessage('assistant', 'Or there.') }];
    await run(
      store,
      { type: 'append', treeId, parentId: seen.id, messages: other },
      { ...act(), ...createTestClock(99) },
    );
    const two = await written({ store, ids: [treeId], names: [] });
    expect(two.report.nodes).toEqual({ read: 5, written: 4, merged: 1, left: 0 });
    expect(two.messages[seen.id]?.childrenIds.length).toBe(2);
  });

  it('[I90] keep author and time of an edited message', async () => {
    const { stored, id } = await readFirstTree({ 'c.json': json(row('w1', chat('U2', several))) });
    const node = stored.names.find((one) => one.id === 'A1')?.nodeId ?? undefined;
    if (node === undefined) throw new Error('There is no answer.');
    await run(stored.store, { type: 'edit', treeId: id, nodeId: node, content: 'Onion', mode: 'in-place' }, act());
    const { messages } = await written(stored);
    expect(messages.A1).toEqual({ ...several[1], content: 'Onion' });
    expect(messages.A2).toEqual(several[0]);
  });
});
