import { run, textMessage } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { spawnedByFormat } from '../../sub-agent-links.ts';
import { readFirstTree } from '../conformance/storing.ts';
import {
  exportStoredTrees,
  type FixtureFiles,
  importIntoStore,
  readStoredTree,
  runFormatConformance,
  toImportInput,
} from '../conformance.ts';
import { claudeCode } from './index.ts';

type Fields = { readonly [key: string]: unknown };

const lines = (...values: readonly unknown[]) => values.map((one) => `${JSON.stringify(one)}\n`).join('');
const uuid = (id: string) => `00000000-0000-4000-8000-${id.padStart(12, '0')}`;

let clock = 0;
const line = (type: string, id: string, parent: string | null, rest: Fields): Fields => ({
  parentUuid: parent === null ? null : uuid(parent),
  isSidechain: false,
  userType: 'external',
  cwd: '/w',
  sessionId: 's1',
  version: '2.1.0',
  gitBranch: 'main',
  type,
  ...rest,
  uuid: uuid(id),
  timestamp: new Date(1_767_323_045_000 + clock++ * 1000).toISOString(),
});
const user = (id: string, parent: string | null, content: unknown, rest: Fields = {}) =>
  line('user', id, parent, { message: { role: 'user', content }, ...rest });
const reply = (id: string, parent: string, message: string, block: Fields, rest: Fields = {}) =>
  line('assistant', id, parent, {
    requestId: `req_${message}`,
    message: {
      id: message,
      type: 'message',
      role: 'assistant',
      model: 'm-x',
      content: [block],
      stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 7 },
    },
    ...rest,
  });
const text = (said: string) => ({ type: 'text', text: said });
const call = (id: string, name = 'Grep') => ({ type: 'tool_use', id, name, input: { pattern: 'foo' } });
const result = (id: string, content: unknown, rest: Fields = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...rest,
});

const plain = [
  { type: 'summary', summary: 'Rename helper', leafUuid: uuid('a4') },
  { type: 'summary', summary: 'Something of another file', leafUuid: uuid('ff') },
  user('a1', null, 'rename foo'),
  {
    type: 'file-history-snapshot',
    messageId: uuid('a1'),
    snapshot: { trackedFileBackups: {} },
    isSnapshotUpdate: false,
  },
  reply('a2', 'a1', 'msg_1', call('toolu_1')),
  user('a3', 'a2', [result('toolu_1', 'a.ts:1')], { toolUseResult: { mode: 'content', numFiles: 1 } }),
  reply('a4', 'a3', 'msg_2', text('Renamed in one place.')),
];

// One reply in four lines with two parallel calls. The first result is below the line of its call, not below the last
// line.
const parallel = [
  user('b1', null, 'look twice'),
  reply('b2', 'b1', 'msg_1', { type: 'thinking', thinking: 'Two places.', signature: 'c2lnbmF0dXJl' }),
  reply('b3', 'b2', 'msg_1', text('Looking.')),
  reply('b4', 'b3', 'msg_1', call('toolu_1')),
  user('b6', 'b4', [result('toolu_1', [{ type: 'text', text: 'one' }])]),
  reply('b5', 'b4', 'msg_1', call('toolu_2', 'Read')),
  user('b7', 'b5', [result('toolu_2', 'no such file', { is_error: true })]),
  reply('b8', 'b7', 'msg_2', text('One of them is there.')),
];

// The user went back and edited a message, so two lines have the same parent. The session records the active one.
const branched = [
  user('c1', null, 'Hello'),
  reply('c2', 'c1', 'msg_1', text('Good day.')),
  user('c3', 'c2', 'First try'),
  reply('c4', 'c3', 'msg_2', text('First answer')),
  user('c5', 'c2', 'Second try'),
  reply('c6', 'c5', 'msg_3', text('Second answer')),
  { type: 'queue-operation', operation: 'enqueue', content: 'x', sessionId: 's1' },
  { type: 'custom-title', customTitle: 'Tries', sessionId: 's1' },
  { type: 'ai-title', aiTitle: 'Greetings', sessionId: 's1' },
  { type: 'last-prompt', leafUuid: uuid('c4'), sessionId: 's1' },
];

const compacted = [
  user('d1', null, 'Long ago'),
  reply('d2', 'd1', 'msg_1', text('Indeed.')),
  line('system', 'd3', null, {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    level: 'info',
    logicalParentUuid: uuid('d2'),
    compactMetadata: {
      trigger: 'auto',
      preTokens: 4200,
      preserved_messages: { anchor_uuid: uuid('d4'), uuids: [uuid('d2')] },
    },
  }),
  user('d4', 'd3', 'They spoke of long ago.', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
  user('d5', 'd4', [text('<command-name>/model</command-name>')], { isMeta: true }),
  line('attachment', 'd6', 'd5', { attachment: { type: 'todo', items: [] } }),
  line('progress', 'd7', 'd6', { data: { type: 'hook' } }),
  user('d8', 'd7', 'Go on'),
  reply('d9', 'd8', 'msg_2', text('API Error: overloaded'), { isApiErrorMessage: true }),
];

// A compaction as versions since 2.1.190 write it: what follows names the last kept message as its parent.
const kept = { anchorUuid: uuid('b4'), uuids: [uuid('b1'), uuid('b2')], allUuids: [uuid('b1'), uuid('b2')] };
const boundary = line('system', 'b3', null, {
  subtype: 'compact_boundary',
  content: 'Conversation compacted',
  logicalParentUuid: uuid('b2'),
  compactMetadata: { trigger: 'manual', preTokens: 13, preservedMessages: kept },
});
const summary = user('b4', 'b3', 'They spoke.', { isCompactSummary: true });
const keptAbove = [
  user('b0', null, 'Hello'),
  reply('b9', 'b0', 'msg_0', text('Hi.')),
  user('b1', 'b9', 'Long ago?'),
  reply('b2', 'b1', 'msg_1', text('Indeed.')),
  boundary,
  summary,
  user('b5', 'b2', 'Go on'),
  reply('b6', 'b5', 'msg_2', text('So it was.')),
];
// A fork of this session begins with the boundary, and has the kept messages below the summary.
const keptBelow = [
  boundary,
  summary,
  user('b1', 'b4', 'Long ago?'),
  reply('b2', 'b1', 'msg_1', text('Indeed.')),
  user('b5', 'b2', 'And now?'),
];

const agent = [
  user('e1', null, 'Find the file.', { isSidechain: true, agentId: 'a17' }),
  reply('e2', 'e1', 'msg_9', text('It is b.ts.'), { isSidechain: true, agentId: 'a17' }),
];

// Missing and later parents, a boundary into a missing file, a duplicate line, a duplicate id, several results in one
// line, an unknown type, a bad line, an image.
const lost = user('f3', '99', 'Lost');
const odd = [
  reply('f2', 'f1', 'msg_1', call('toolu_1')),
  user('f1', null, 'Forward'),
  lost,
  lost,
  user('f4', 'f2', [result('toolu_1', 'a'), result('toolu_9', 'b'), text('and a word')]),
  line('system', 'f5', null, { subtype: 'compact_boundary', logicalParentUuid: uuid('98'), compactMetadata: {} }),
  line('hologram', 'f6', 'f4', { rays: 7 }),
  user('f7', 'f6', [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'All of it.' }, title: 'notes' },
  ]),
  { type: 'last-prompt', leafUuid: uuid('97') },
];

const newer = [...plain, user('a5', 'a4', 'Thanks.')];

runFormatConformance(claudeCode, [
  {
    name: 'a call and its result, a summary of another file',
    files: { 's1.jsonl': lines(...plain) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['rename foo', 'Grep({"pattern":"foo"})', 'a.ts:1', 'Renamed in one place.'],
    roundTrip: true,
    newer: { 's1.jsonl': lines(...newer) },
  },
  {
    name: 'two calls with one id in one line',
    files: {
      's1.jsonl': lines(
        user('a1', null, 'look twice'),
        line('assistant', 'a2', 'a1', {
          requestId: 'req_1',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm-x',
            content: [text('Both.'), call('t1'), call('t1', 'Read')],
          },
        }),
        user('a3', 'a2', [result('t1', 'one')]),
        { type: 'last-prompt', leafUuid: uuid('a3'), sessionId: 's1' },
      ),
    },
    trees: 1,
    nodes: 3,
    findings: ['import/duplicate-id'],
    thread: ['look twice', 'Both.\nGrep({"pattern":"foo"})\nRead({"pattern":"foo"})', 'one'],
    roundTrip: true,
  },
  {
    name: 'parallel calls that fan out under one reply',
    files: { 's1.jsonl': lines(...parallel) },
    trees: 1,
    nodes: 5,
    findings: [],
    thread: [
      'look twice',
      'Looking.\nGrep({"pattern":"foo"})\nRead({"pattern":"foo"})\nTwo places.',
      'one',
      'no such file',
      'One of them is there.',
    ],
    roundTrip: true,
  },
  {
    name: 'branches, titles and where it was left',
    files: { 's1.jsonl': lines(...branched) },
    trees: 1,
    nodes: 6,
    findings: [],
    thread: ['Hello', 'Good day.', 'First try', 'First answer'],
    roundTrip: true,
  },
  {
    name: 'a compaction, notes, attachments, an error',
    files: { 's1.jsonl': lines(...compacted) },
    trees: 1,
    nodes: 9,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'a compaction that kept messages, and what follows',
    files: { 's1.jsonl': lines(...keptAbove) },
    trees: 1,
    nodes: 8,
    findings: [],
    thread: ['Hello', 'Hi.', 'Long ago?', 'Indeed.', 'They spoke.', 'Go on', 'So it was.'],
    roundTrip: true,
  },
  {
    name: 'a fork that begins with a compaction',
    files: { 's1.jsonl': lines(...keptBelow) },
    trees: 1,
    nodes: 5,
    findings: [],
    thread: ['They spoke.', 'Long ago?', 'Indeed.', 'And now?'],
    roundTrip: true,
  },
  {
    name: 'a session and a subagent',
    files: { 's1.jsonl': lines(...plain), 's1/subagents/agent-a17.jsonl': lines(...agent) },
    trees: 2,
    nodes: 6,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'phantom and later parents, lines twice, several results in one line, an unknown type, a picture',
    files: {
      's1.jsonl': `${lines(...odd.slice(0, 5))}{"type":"user",\n${lines(...odd.slice(5), { ...lost, message: { role: 'user', content: 'Other' } })}`,
    },
    trees: 1,
    nodes: 10,
    findings: ['import/orphan', 'import/duplicate', 'import/duplicate-id', 'import/bad-line', 'import/active-missing'],
  },
]);

async function read(files: FixtureFiles) {
  const { stored, tree, of } = await readFirstTree(files);
  return { stored, tree, of: (id: string) => of(uuid(id)) };
}

function linesIn(files: ReadonlyMap<string, string>): { readonly [key: string]: unknown }[] {
  return [...files.values()]
    .join('')
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one));
}

describe('Claude Code sessions', () => {
  it('[I69] store no usage with lines that the program wrote itself', async () => {
    const failed = reply('b2', 'b1', 'msg_e', text('API Error: 529'), { isApiErrorMessage: true });
    const usage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 };
    const own = { ...failed, message: { ...Object(failed.message), model: '<synthetic>', usage } };
    const { trees } = await importIntoStore(toImportInput({ 's.jsonl': lines(user('b1', null, 'go'), own) }));
    expect(trees[0]?.nodes.at(-1)).toMatchObject({ status: 'error', meta: { source: { model_name: '<synthetic>' } } });
    expect(trees[0]?.nodes.at(-1)?.meta?.source).not.toHaveProperty('usage');
  });

  it('[I60] join the lines of one reply, count its usage once, and keep every result below its call', async () => {
    const { tree, of } = await read({ 's.jsonl': lines(...parallel) });
    const asked = of('b2');
    expect(asked?.records).toBe(4);
    expect(asked?.message.content.map((block) => block.type)).toEqual(['thinking', 'text', 'tool-use', 'tool-use']);
    expect(asked?.message.content[0]).toMatchObject({ signature: 'c2lnbmF0dXJl' });
    expect(asked?.meta?.source).toMatchObject({
      type: 'model',
      model_name: 'm-x',
      usage: { input_tokens: 5, output_tokens: 7 },
    });
    expect([of('b6')?.parentExternalId, of('b7')?.parentExternalId, of('b8')?.parentExternalId]).toEqual([
      uuid('b2'),
      uuid('b6'),
      uuid('b7'),
    ]);
    expect(of('b7')?.meta).toMatchObject({ source: { type: 'tool_result', tool_name: 'Read' }, isError: true });
    expect(tree.records).toBe(8);
  });

  it('[I61] have the title given by the user, a generated one, or one from a summary of their own messages', async () => {
    expect((await read({ 's.jsonl': lines(...branched) })).tree.title).toBe('Tries');
    expect((await read({ 's.jsonl': lines(...plain) })).tree.title).toBe('Rename helper');
    expect((await read({ 's.jsonl': lines(...branched.slice(0, 7), branched[8]) })).tree.title).toBe('Greetings');
    expect((await read({ 's.jsonl': lines(...plain.slice(1)) })).tree.title).toBe(undefined);
  });

  it('[I62] read a compaction with its kept part, notes as injected messages, other lines as markers', async () => {
    const { of } = await read({ 's.jsonl': lines(...compacted) });
    expect(of('d4')).toMatchObject({ kind: 'compaction', marker: { tokensBefore: 4200, firstKept: uuid('d2') } });
    expect(of('d3')).toMatchObject({ kind: 'state', parentExternalId: uuid('d2') });
    const newer = await read({ 's.jsonl': lines(...keptAbove) });
    expect(newer.of('b4')?.marker).toMatchObject({ tokensBefore: 13, firstKept: uuid('b1') });
    expect((await read({ 's.jsonl': lines(...keptBelow) })).of('b4')?.marker).not.toHaveProperty('firstKept');
    expect([of('d5')?.kind, of('d6')?.kind, of('d7')?.kind, of('d9')?.status]).toEqual([
      'injected',
      'state',
      'state',
      'error',
    ]);
  });

  it('[I63] have a stable id: that of the session of the last lines, and that of the agent', async () => {
    const old = plain.slice(2, 6).map((one) => ('sessionId' in one ? { ...one, sessionId: 's0' } : one));
    expect((await read({ 'x.jsonl': lines(...old, plain[6]) })).tree).toMatchObject({ externalId: 's1', scope: '' });
    expect((await read({ 'y.jsonl': lines(...agent) })).tree).toMatchObject({
      externalId: 's1/agent-a17',
      attributes: { metadata: { agentId: 'a17', cwd: '/w' } },
    });
  });

  it('[I68] are detected by a first line of any length, and after hundreds of other lines, even in a mix of formats', async () => {
    const long = [user('a1', null, 'x'.repeat(100_000)), ...plain.slice(1)];
    const many = [
      ...Array.from({ length: 300 }, (_, index) => ({
        type: 'summary',
        summary: `Part ${index}`,
        leafUuid: uuid('99'),
      })),
      ...branched,
    ];
    for (const made of [long, many]) {
      const alone = await importIntoStore(toImportInput({ 's.jsonl': lines(...made) }));
      expect(alone.trees.map((tree) => tree.nodes.length > 2)).toEqual([true]);
      const beside = await importIntoStore(toImportInput({ 'a.jsonl': lines(...made), 'b.jsonl': lines(...parallel) }));
      expect(beside.trees.length).toBe(2);
    }
  });

  it('[I64] continue at the recorded leaf, else at the newest line outside a side chain', async () => {
    const side = user('g1', null, 'aside', { isSidechain: true });
    const { tree } = await read({ 's.jsonl': lines(...plain, side) });
    expect(tree.activeExternalId).toBe(uuid('a4'));
    expect(tree.findings.map((one) => one.code)).toContain('import/active-inferred');
    expect((await read({ 's.jsonl': lines(...branched) })).tree.activeExternalId).toBe(uuid('c4'));
  });

  it('[I64] continue at a message, not at a metadata line beside the reply', async () => {
    const [said, answered] = [user('k1', null, 'Go'), reply('k2', 'k1', 'msg_k', text('Gone'))];
    const about = line('system', 'k3', 'k1', { subtype: 'turn_duration', durationMs: 5 });
    const { tree } = await read({ 's.jsonl': lines(said, answered, about) });
    expect(tree.activeExternalId).toBe(uuid('k2'));
  });

  it('[I64] continue at the last message in the file, even if an earlier one lost its parent', async () => {
    const conversation = [
      user('l1', null, 'Go'),
      user('l2', 'ff', 'An orphan'),
      user('l3', 'l4', 'Part of a circle'),
      user('l4', 'l3', 'Its other part'),
      reply('l5', 'l1', 'msg_l', text('Gone')),
    ];
    const { tree } = await read({ 's.jsonl': lines(...conversation) });
    expect(tree.activeExternalId).toBe(uuid('l5'));
  });

  it('[I64] are written with the current leaf, even if another branch grew', async () => {
    const { stored } = await read({
      's.jsonl': lines(user('m1', null, 'Go'), reply('m2', 'm1', 'msg_m', text('Gone'))),
    });
    const [id] = stored.ids;
    const first = stored.names.find((one) => one.id === uuid('m1'))?.nodeId ?? undefined;
    if (id === undefined || first === undefined) throw new Error('There is no tree.');
    const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
    const messages = [{ message: textMessage('assistant', 'Elsewhere') }];
    await run(stored.store, { type: 'append', treeId: id, parentId: first, messages, select: false }, act);
    const { files } = await exportStoredTrees(stored, claudeCode);
    expect((await read(Object.fromEntries(files))).tree.activeExternalId).toBe(uuid('m2'));
  });

  it('[I65] write unchanged lines back after an edit and new messages, with valid links', async () => {
    const conversation = [
      user('i1', null, 'Say'),
      reply('i2', 'i1', 'msg_1', { type: 'thinking', thinking: 'What?', signature: 'c2ln' }),
      reply('i3', 'i2', 'msg_1', text('Said')),
      user('i4', 'i2', 'A question that hangs on the first line of the reply'),
      user('i5', 'i3', 'Another'),
    ];
    const { stored } = await read({ 's.jsonl': lines(...conversation) });
    const [id] = stored.ids;
    const named = (of: string) => stored.names.find((one) => one.id === uuid(of))?.nodeId ?? undefined;
    const [asked, other] = [named('i2'), named('i5')];
    if (id === undefined || asked === undefined || other === undefined) throw new Error('There is no tree.');
    const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
    await run(stored.store, { type: 'edit', treeId: id, nodeId: asked, content: 'Edited', mode: 'in-place' }, act);
    const more = [{ message: textMessage('user', 'More') }];
    await run(stored.store, { type: 'append', treeId: id, parentId: other, messages: more }, act);
    const out = linesIn((await exportStoredTrees(stored, claudeCode)).files);
    const known = new Set(out.map((one) => one.uuid));
    for (const one of out) if (typeof one.parentUuid === 'string') expect(known.has(one.parentUuid)).toBe(true);
    expect(out.find((one) => one.uuid === uuid('i3'))).toMatchObject({
      parentUuid: uuid('i1'),
      requestId: 'req_msg_1',
      message: { id: 'msg_1', model: 'm-x', content: [{ type: 'thinking' }, text('Edited')] },
    });
    expect(out.find((one) => one.uuid === uuid('i4'))?.parentUuid).toBe(uuid('i3'));
    expect(out.find((one) => one.uuid === uuid('i5'))).toEqual(conversation[4]);
    expect(out.find((one) => JSON.stringify(one).includes('"More"'))?.parentUuid).toBe(uuid('i5'));
    expect(out.at(-1)).toMatchObject({ type: 'last-prompt' });
  });

  it('[I66] write results that shared a line as one line again, and apart once one of them is gone', async () => {
    const shared = [
      ...plain.slice(2, 3),
      reply('h2', 'a1', 'm', call('t1')),
      user('h3', 'h2', [result('t1', 'a'), result('t2', 'b')]),
    ];
    const { stored } = await read({ 's.jsonl': lines(...shared) });
    expect(stored.trees[0]?.nodes.length).toBe(4);
    const whole = await exportStoredTrees(stored, claudeCode);
    expect(linesIn(whole.files)).toEqual(shared);
    expect(whole.report.nodes).toEqual({ read: 4, written: 3, merged: 1, left: 0 });
    const [id] = stored.ids;
    const last = stored.names.find((one) => one.id === uuid('h3'))?.nodeId ?? undefined;
    if (id === undefined || last === undefined) throw new Error('There is no result.');
    const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
    await run(stored.store, { type: 'delete', treeId: id, nodeIds: [last] }, act);
    const apart = linesIn((await exportStoredTrees(stored, claudeCode)).files);
    expect(apart.map((one) => JSON.stringify(one)).filter((one) => one.includes('tool_result')).length).toBe(1);
    expect(apart.at(-2)).toMatchObject({ parentUuid: uuid('h2'), message: { content: [{ content: 'a' }] } });
  });

  it('[I67] write a compaction made here as a boundary and a summary', async () => {
    const { stored } = await read({ 's.jsonl': lines(...plain) });
    const [id] = stored.ids;
    const kept = stored.names.find((one) => one.id === uuid('a3'))?.nodeId;
    if (id === undefined || kept === undefined || kept === null) throw new Error('There is no tree.');
    await run(
      stored.store,
      { type: 'compact', treeId: id, summary: 'They renamed foo.', firstKept: kept, tokensBefore: 9 },
      { actor: 'me', kit: messageKit, ...createTestClock(9) },
    );
    const { files } = await exportStoredTrees(stored, claudeCode);
    const again = await importIntoStore(toImportInput(Object.fromEntries(files)));
    const back = again.trees[0]?.nodes.find((one) => one.kind === 'compaction');
    expect(back).toMatchObject({ marker: { firstKept: uuid('a3'), tokensBefore: 9 } });
    expect(messageKit.text(back?.message ?? textMessage('user', ''))).toBe('They renamed foo.');
  });
});

describe('subagents of Claude Code', () => {
  it('[I233] name the session and the call that started them, and have their task as title', async () => {
    const said = (id: string, text: string, rest: Fields = {}) =>
      line('user', id, null, { message: { role: 'user', content: text }, ...rest });
    const files = {
      's1.jsonl': lines(said('a1', 'Do it')),
      's1/subagents/agent-x.jsonl': lines(said('b1', 'Look around', { isSidechain: true, agentId: 'x' })),
      's1/subagents/agent-x.meta.json': JSON.stringify({
        agentType: 'Explore',
        description: 'Find the login',
        toolUseId: 'toolu_1',
      }),
      's1/subagents/agent-y.jsonl': lines(said('c1', 'Look', { isSidechain: true, agentId: 'y' })),
      'lost.meta.json': '{}',
    };
    const stored = await importIntoStore(toImportInput(files), { format: claudeCode });
    const trees = new Map(stored.trees.map((tree, index) => [tree.externalId, stored.ids[index]]));
    const attributesOf = (id: string) => {
      const found = trees.get(id);
      if (found === undefined) throw new Error(`${id} is not there.`);
      return readStoredTree(stored, found).attributes;
    };
    const treeId = trees.get('s1');
    expect(attributesOf('s1/agent-x').title).toBe('Find the login');
    expect(attributesOf('s1/agent-x').metadata?.spawnedBy).toEqual({
      session: 's1',
      treeId,
      call: 'toolu_1',
      agentType: 'Explore',
    });
    const links = stored.names.filter(({ format }) => format === spawnedByFormat);
    expect(links.map(({ treeId: child, id }) => [child, id])).toEqual(
      ['s1/agent-x', 's1/agent-y'].map((name) => [trees.get(name), treeId]),
    );
    expect(attributesOf('s1/agent-y').metadata?.spawnedBy).toEqual({ session: 's1', treeId });
    expect(attributesOf('s1').metadata?.spawnedBy).toBe(undefined);
    const left = stored.findings.filter((one) => one.code === 'import/skipped').map((one) => one.place);
    expect(left).toEqual(['lost.meta.json']);
  });
});
