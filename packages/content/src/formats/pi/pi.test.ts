import { run, textMessage } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { readFirstTree } from '../conformance/storing.ts';
import { exportStoredTrees, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { pi } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const lines = (...values: readonly unknown[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('');
const at = (second: number) => new Date(1_767_323_045_000 + second * 1000).toISOString();

const header = { type: 'session', version: 3, id: '5e55', timestamp: at(0), cwd: '/w' };
const entry = (type: string, id: string, parentId: string | null, rest: Fields, second = 1): Fields => ({
  type,
  id,
  parentId,
  timestamp: at(second),
  ...rest,
});
const user = (id: string, parentId: string | null, content: unknown, second = 1) =>
  entry('message', id, parentId, { message: { role: 'user', content, timestamp: 1_767_323_046_000 } }, second);
const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const reply = (id: string, parentId: string, content: readonly unknown[], second = 2, rest: Fields = {}) =>
  entry(
    'message',
    id,
    parentId,
    {
      message: {
        role: 'assistant',
        content,
        api: 'openai-completions',
        provider: 'p',
        model: 'm-x',
        usage: { input: 3, output: 1, cacheRead: 2, cacheWrite: 0, totalTokens: 6, cost: zero },
        stopReason: 'stop',
        timestamp: 1_767_323_047_000,
        ...rest,
      },
    },
    second,
  );
const text = (said: string) => ({ type: 'text', text: said });

const call = (id: string, path: string) => ({ type: 'toolCall', id, name: 'read', arguments: { path } });
const callResult = (id: string, parentId: string, toolCallId: string, said: string, second: number) =>
  entry(
    'message',
    id,
    parentId,
    {
      message: {
        role: 'toolResult',
        toolCallId,
        toolName: 'read',
        content: [text(said)],
        isError: false,
        timestamp: 1,
      },
    },
    second,
  );

const plain = [
  header,
  user('aa000001', null, 'hi', 1),
  reply('aa000002', 'aa000001', [text('yo')], 2),
  entry('branch_summary', 'aa000003', 'aa000001', { fromId: 'aa000001', summary: 'tried A' }, 3),
  entry('label', 'aa000004', 'aa000003', { targetId: 'aa000002', label: 'good' }, 4),
];

const rich = [
  { ...header, parentSession: '/w/old.jsonl' },
  entry('model_change', 'b1', null, { provider: 'p', modelId: 'm-x' }, 1),
  entry('thinking_level_change', 'b2', 'b1', { thinkingLevel: 'high' }, 1),
  user('b3', 'b2', [text('see'), { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }], 2),
  reply(
    'b4',
    'b3',
    [
      { type: 'thinking', thinking: 'Let me look at it.', thinkingSignature: 'c2ln' },
      { type: 'thinking', thinking: '', thinkingSignature: 'b3BhcXVl', redacted: true },
      { type: 'toolCall', id: 'call_1', name: 'bash', arguments: { cmd: 'ls' }, thoughtSignature: 'dGg=' },
    ],
    3,
    { stopReason: 'toolUse' },
  ),
  entry(
    'message',
    'b5',
    'b4',
    {
      message: {
        role: 'toolResult',
        toolCallId: 'call_1',
        toolName: 'bash',
        content: [text('no such file')],
        details: { code: 2 },
        isError: true,
        timestamp: 1,
      },
    },
    4,
  ),
  entry('label', 'b6', 'b5', { targetId: 'b3', label: 'start' }, 5),
  entry('session_info', 'b7', 'b6', { name: 'Looking' }, 5),
  entry(
    'message',
    'b8',
    'b7',
    {
      message: { role: 'bashExecution', command: 'pwd', output: '/w', exitCode: 0, cancelled: false, truncated: false },
    },
    6,
  ),
  entry('custom_message', 'b9', 'b8', { customType: 'plan', content: 'Mind the plan.', display: true }, 7),
  entry('custom', 'b10', 'b9', { customType: 'memory', data: { n: 1 } }, 8),
  entry('compaction', 'b11', 'b10', { summary: 'They looked.', firstKeptEntryId: 'b5', tokensBefore: 900 }, 9),
  entry('usage', 'b12', 'b11', { kind: 'compaction', provider: 'p', model: 'm-x', usage: {} }, 9),
  reply('b13', 'b12', [text('cut')], 10, { stopReason: 'aborted', errorMessage: 'stopped' }),
];

// The first message was rewritten, a label was removed, and the session ends with a label.
const roots = [
  header,
  user('c1', null, 'First', 1),
  reply('c2', 'c1', [text('One')], 2),
  entry('label', 'c3', 'c2', { targetId: 'c1', label: 'x' }, 3),
  entry('label', 'c4', 'c3', { targetId: 'c1' }, 4),
  user('c5', null, 'Second', 5),
  reply('c6', 'c5', [text('Two')], 6),
  entry('session_info', 'c7', 'c6', { name: 'Roots' }, 7),
];

const second = [
  { ...header, version: 2 },
  user('d1', null, 'hi', 1),
  entry(
    'message',
    'd2',
    'd1',
    { message: { role: 'hookMessage', customType: 'h', content: 'From a hook', display: true, timestamp: 1 } },
    2,
  ),
];

const first = [
  { type: 'session', id: 'v1', timestamp: at(0), cwd: '/w', provider: 'p', modelId: 'm-x', thinkingLevel: 'off' },
  { type: 'message', timestamp: at(1), message: { role: 'user', content: 'One', timestamp: 1 } },
  { type: 'message', timestamp: at(2), message: { role: 'assistant', content: [text('Two')], model: 'm-x' } },
  { type: 'compaction', timestamp: at(3), summary: 'They counted.', firstKeptEntryIndex: 2, tokensBefore: 7 },
  { type: 'message', timestamp: at(4), message: { role: 'user', content: 'Three', timestamp: 1 } },
];

const odd = [
  header,
  reply('e2', 'e1', [text('early')], 2),
  user('e1', null, 'late', 1),
  user('e3', 'gone', 'lost', 3),
  user('e3', 'gone', 'lost', 3),
  user('e3', 'gone', 'other', 3),
  entry('label', 'e4', 'e3', { targetId: 'nobody', label: 'x' }, 4),
  entry('compaction', 'e5', 'e4', { summary: 's', firstKeptEntryId: 'nobody', tokensBefore: 1 }, 5),
  { note: 'no entry' },
  entry('hologram', 'e6', 'e5', { rays: 7 }, 6),
  user('e7', 'e8', 'circle', 7),
  user('e8', 'e7', 'circle too', 8),
];

const asThird = (files: ReadonlyMap<string, string>) =>
  [...files.values()].map((one) => one.replaceAll('"version":2', '"version":3').replaceAll('hookMessage', 'custom'));

const newer = [...plain, user('aa000005', 'aa000004', 'more', 5)];

runFormatConformance(pi, [
  {
    name: 'a branch, its summary and a label',
    files: { 's.jsonl': lines(...plain) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['hi', 'tried A'],
    roundTrip: true,
    newer: { 's.jsonl': lines(...newer) },
  },
  {
    name: 'settings in the chain, reasoning, a failed tool, a shell, extensions, a compaction',
    files: { 's.jsonl': lines(...rich) },
    trees: 1,
    nodes: 13,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'several roots and a label taken back',
    files: { 's.jsonl': lines(...roots) },
    trees: 1,
    nodes: 7,
    findings: [],
    thread: ['Second', 'Two'],
    roundTrip: true,
  },
  {
    name: 'version 2',
    files: { 's.jsonl': lines(...second) },
    trees: 1,
    nodes: 2,
    findings: [],
    thread: ['hi', 'From a hook'],
    roundTrip: asThird,
  },
  {
    name: 'two calls with one id, and their results',
    files: {
      's.jsonl': lines(
        header,
        user('ab000001', null, 'look', 1),
        reply('ab000002', 'ab000001', [text('Both.'), call('c', 'a'), call('c', 'b')], 2),
        callResult('ab000003', 'ab000002', 'c', 'one', 3),
        callResult('ab000004', 'ab000003', 'c', 'two', 4),
      ),
    },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['look', 'Both.\nread({"path":"a"})\nread({"path":"b"})', 'one', 'two'],
    roundTrip: true,
  },
  { name: 'version 1', files: { 's.jsonl': lines(...first) }, trees: 1, nodes: 4, findings: [] },
  {
    name: 'two sessions in one file',
    files: { 's.jsonl': lines(...plain, { ...header, id: '5e56' }, user('x', null, 'again')) },
    trees: 2,
    nodes: 5,
    findings: [],
  },
  {
    name: 'phantom, later and circular parents, ids twice, pointers at nothing, lines that are no entries',
    files: { 's.jsonl': `${lines(...odd)}{"type":"mess` },
    trees: 1,
    nodes: 9,
    findings: [
      'import/orphan',
      'import/cycle',
      'import/duplicate',
      'import/duplicate-id',
      'import/pointer-missing',
      'import/bad-line',
    ],
  },
]);

const act = () => ({ actor: 'me', kit: messageKit, ...createTestClock(9) });

async function written(stored: Parameters<typeof exportStoredTrees>[0]): Promise<Fields[]> {
  const { files } = await exportStoredTrees(stored, pi);
  return [...files.values()]
    .join('')
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one));
}

describe('pi sessions', () => {
  it('[I70] keep settings, labels and names as markers in the chain, and as labels and names of the tree', async () => {
    const { tree, of } = await readFirstTree({ 's.jsonl': lines(...rich) });
    expect(tree).toMatchObject({
      externalId: '5e55',
      scope: '',
      title: 'Looking',
      activeExternalId: 'b13',
      attributes: { metadata: { cwd: '/w', parentSession: '/w/old.jsonl' } },
    });
    for (const id of ['b1', 'b2', 'b6', 'b7', 'b10', 'b12']) expect(of(id)?.kind).toBe('state');
    expect(of('b3')).toMatchObject({ bookmark: 'start', parentExternalId: 'b2' });
    expect((await readFirstTree({ 's.jsonl': lines(...roots) })).of('c1')?.bookmark).toBe(undefined);
  });

  it('[I71] keep reasoning with its signatures, calls, failures, usage and how a reply ended', async () => {
    const { of } = await readFirstTree({ 's.jsonl': lines(...rich) });
    expect(of('b4')?.message.content).toMatchObject([
      { type: 'thinking', thinking: 'Let me look at it.', signature: 'c2ln' },
      { type: 'thinking', redacted: 'b3BhcXVl' },
      { type: 'tool-use', id: 'call_1', name: 'bash', parameters: { cmd: 'ls' }, thoughtSignature: 'dGg=' },
    ]);
    expect(of('b4')?.meta?.source).toMatchObject({
      type: 'model',
      provider: 'p',
      model_name: 'm-x',
      usage: { inputTokens: 5, outputTokens: 1, totalTokens: 6 },
    });
    expect(of('b5')?.meta).toEqual({ isError: true, source: { type: 'tool_result', tool_name: 'bash' } });
    expect(of('b13')?.status).toBe('aborted');
    expect(of('b9')?.kind).toBe('injected');
    expect(of('b11')).toMatchObject({ kind: 'compaction', marker: { firstKept: 'b5', tokensBefore: 900 } });
  });

  it('[I72] of version 1 get ids from their order, and references by index become references by id', async () => {
    const { stored, tree } = await readFirstTree({ 's.jsonl': lines(...first) });
    const [one, two, three, four] = tree.nodes;
    expect(tree.nodes.map((node) => node.parentExternalId)).toEqual([
      null,
      one?.externalId,
      two?.externalId,
      three?.externalId,
    ]);
    expect(three?.marker?.firstKept).toBe(two?.externalId);
    const out = await written(stored);
    expect(out[0]).toEqual({ ...first[0], version: 3 });
    expect(out[3]).toMatchObject({ id: three?.externalId, firstKeptEntryId: two?.externalId, tokensBefore: 7 });
    expect(out[3]).not.toHaveProperty('firstKeptEntryIndex');
    expect(four?.message.content).toEqual([text('Three')]);
  });

  it('[I73] of a later version are refused', async () => {
    await expect(
      importIntoStore(toImportInput({ 's.jsonl': lines({ ...header, version: 4 }) }), { format: 'pi' }),
    ).rejects.toMatchObject({
      code: 'import/newer',
    });
  });

  it('[I74] continue at their last line', async () => {
    const { stored, id } = await readFirstTree({ 's.jsonl': lines(...plain) });
    const back = stored.names.find((one) => one.id === 'aa000002')?.nodeId ?? undefined;
    if (back === undefined) throw new Error('There is no reply.');
    await run(stored.store, { type: 'select', treeId: id, nodeId: back }, act());
    const out = await written(stored);
    expect(out.slice(0, -1)).toEqual(plain);
    expect(out.at(-1)).toMatchObject({ type: 'custom', customType: 'coppice-leaf', parentId: 'aa000002' });
    const again = await importIntoStore(toImportInput({ 's.jsonl': lines(...out) }));
    expect(again.trees[0]?.activeExternalId).toBe('aa000002');
  });

  it('[I75] are written with the current bookmarks as labels and the current title as their name', async () => {
    const { stored, id } = await readFirstTree({ 's.jsonl': lines(...plain) });
    const named = (of: string) => stored.names.find((one) => one.id === of)?.nodeId ?? undefined;
    const [question, reply] = [named('aa000001'), named('aa000002')];
    if (question === undefined || reply === undefined) throw new Error('There is no reply.');
    await run(stored.store, { type: 'bookmark', treeId: id, nodeId: question, title: 'Begin' }, act());
    await run(stored.store, { type: 'bookmark', treeId: id, nodeId: reply, title: null }, act());
    await run(stored.store, { type: 'attributes', treeId: id, set: { title: 'Mine' } }, act());
    const again = await importIntoStore(toImportInput({ 's.jsonl': lines(...(await written(stored))) }));
    const [tree] = again.trees;
    expect(tree?.title).toBe('Mine');
    expect(
      tree?.nodes.filter((one) => one.bookmark !== undefined).map((one) => [one.externalId, one.bookmark]),
    ).toEqual([['aa000001', 'Begin']]);
  });

  it('[I76] keep author and time of an edited message, and add new messages below it', async () => {
    const { stored, id } = await readFirstTree({ 's.jsonl': lines(...plain) });
    const reply = stored.names.find((one) => one.id === 'aa000002')?.nodeId ?? undefined;
    if (reply === undefined) throw new Error('There is no reply.');
    await run(stored.store, { type: 'edit', treeId: id, nodeId: reply, content: 'Edited', mode: 'in-place' }, act());
    const messages = [{ message: textMessage('user', 'grown') }, { message: textMessage('system', 'a rule') }];
    await run(stored.store, { type: 'append', treeId: id, parentId: reply, messages }, act());
    const { files, report } = await exportStoredTrees(stored, pi);
    const out = await written(stored);
    expect([...files.values()].length).toBe(1);
    const { timestamp } = plain[2] ?? {};
    expect(out[2]).toMatchObject({
      id: 'aa000002',
      parentId: 'aa000001',
      timestamp,
      message: { role: 'assistant', model: 'm-x', provider: 'p', content: [text('Edited')] },
    });
    expect(out.find((one) => JSON.stringify(one).includes('grown'))).toMatchObject({ parentId: 'aa000002' });
    expect(report.counts).toEqual({ otherwise: 1 });
  });

  it('[I78] are detected by their lines and read completely if the header is damaged or missing', async () => {
    const said = (id: string, parentId: string | null) => ({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-01-02T03:04:05.000Z',
      message: { role: 'user', content: id, timestamp: 1 },
    });
    const rest = `${JSON.stringify(said('aa000001', null))}\n${JSON.stringify(said('aa000002', 'aa000001'))}\n`;
    for (const torn of ['', '{"type":"sess\n']) {
      const { trees, findings } = await importIntoStore(toImportInput({ 's.jsonl': `${torn}${rest}` }));
      expect(trees[0]?.nodes.map((one) => one.parentExternalId)).toEqual([null, 'aa000001']);
      expect(findings.map((one) => one.code)).toContain('import/inferred');
    }
  });
});
