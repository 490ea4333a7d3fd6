import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeContext, openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import { convertSession, exportForPi } from './index.ts';

let sessions: SessionFixture;
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(() => sessions.destroy());

const pi = [
  { type: 'session', version: 3, id: '5e55', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/w' },
  {
    type: 'message',
    id: 'aa000001',
    parentId: null,
    timestamp: '2026-01-02T03:04:06.000Z',
    message: { role: 'user', content: 'hi', timestamp: 1 },
  },
  {
    type: 'message',
    id: 'aa000002',
    parentId: 'aa000001',
    timestamp: '2026-01-02T03:04:07.000Z',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: 'yo' }],
      provider: 'p',
      model: 'm-x',
      stopReason: 'stop',
      timestamp: 2,
    },
  },
  {
    type: 'branch_summary',
    id: 'aa000003',
    parentId: 'aa000001',
    timestamp: '2026-01-02T03:05:00.000Z',
    fromId: 'aa000001',
    summary: 'tried A',
  },
  {
    type: 'label',
    id: 'aa000004',
    parentId: 'aa000003',
    timestamp: '2026-01-02T03:05:01.000Z',
    targetId: 'aa000002',
    label: 'good',
  },
];
const base = { isSidechain: false, sessionId: 's1', timestamp: '2026-01-02T03:04:05.000Z', cwd: '/w' };
const code = [
  { type: 'user', uuid: 'u1', parentUuid: null, ...base, message: { role: 'user', content: 'rename foo' } },
  {
    type: 'assistant',
    uuid: 'a1',
    parentUuid: 'u1',
    ...base,
    message: { id: 'm', role: 'assistant', model: 'm-x', content: [{ type: 'text', text: 'Done.' }] },
  },
];

test.each([
  ['pi', pi],
  ['Claude Code', code],
] as const)(
  '[Z19] a file of %s is converted into a new file with the same ids, labels and context, and stays unchanged',
  async (_, lines) => {
    const path = sessions.write('theirs.jsonl', lines);
    const before = readFileSync(path);
    const theirs = sessions.open(path);
    expect(theirs.writable).toBe(false);
    const refused: unknown = await theirs.saveMessage({ role: 'user', content: 'x' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'tree/read-only' });
    const ours = sessions.open(convertSession(path, { ...sessions.options, to: { folder: sessions.folder } }));
    expect(describeContext(ours.buildSessionContext())).toEqual(describeContext(theirs.buildSessionContext()));
    expect(ours.getEntries().map(({ uuid }) => uuid)).toEqual(theirs.getEntries().map(({ uuid }) => uuid));
    expect([ours.getLeafUuid(), ours.getLabel('aa000002')]).toEqual([
      theirs.getLeafUuid(),
      theirs.getLabel('aa000002'),
    ]);
    expect(ours.buildSessionContext().model).toEqual(theirs.buildSessionContext().model);
    await ours.saveMessage({ role: 'user', content: 'and on' });
    expect(describeContext(ours.buildSessionContext()).at(-1)).toBe('user: and on');
    expect(readFileSync(path).equals(before)).toBe(true);
    const out = join(sessions.folder, 'out', 'back.jsonl');
    expect(exportForPi(ours.path, out, sessions.options)).toEqual([]);
    expect(describeContext(sessions.open(out).buildSessionContext())).toEqual(
      describeContext(ours.buildSessionContext()),
    );
  },
);

test('[Z19] lines of the terminal agent that are not understood here are written back unchanged', () => {
  const at = { timestamp: '2026-01-02T03:04:06.000Z' };
  const lines = [
    { type: 'session', version: 3, id: '5e55', ...at, cwd: '/w' },
    { type: 'message', id: 'a', parentId: null, ...at, message: { role: 'user', content: 'hi', timestamp: 1 } },
    {
      type: 'usage',
      id: 'b',
      parentId: 'a',
      ...at,
      kind: 'compaction',
      provider: 'p',
      model: 'm',
      usage: { input: 1 },
    },
    { type: 'context_edit', id: 'c', parentId: 'b', ...at, content: 'x', at: 5 },
    {
      type: 'message',
      id: 'd',
      parentId: 'c',
      ...at,
      message: {
        role: 'custom',
        customType: 'mine',
        content: 'put in',
        display: false,
        details: { z: 1 },
        timestamp: 4,
      },
    },
    { type: 'branch_summary', id: 'e', parentId: 'd', ...at, fromId: 'd', summary: 's', details: ['a list'] },
    {
      type: 'compaction',
      id: 'f',
      parentId: 'e',
      ...at,
      summary: 's',
      firstKeptEntryId: 'd',
      tokensBefore: 7,
      retainedTail: [1],
      usage: { input: 2 },
    },
  ];
  const path = sessions.write('pi.jsonl', lines);
  const converted = convertSession(path, { ...sessions.options, to: { folder: sessions.folder } });
  for (const [index, from] of [path, converted].entries()) {
    const to = join(sessions.folder, `again-${index}`);
    expect(exportForPi(from, to, sessions.options)).toEqual([]);
    expect(sessions.lines(to).slice(1)).toEqual(lines.slice(1));
  }
});

test('[Z19] a session that moved before its first message is written for the terminal agent too', async () => {
  const manager = sessions.create();
  await manager.saveMessage({ role: 'user', content: 'one' });
  await manager.branch(manager.getHeader().uuid);
  const to = join(sessions.folder, 'before');
  exportForPi(manager.path, to, sessions.options);
  expect(sessions.lines(to).at(-1)).toMatchObject({ type: 'custom', parentId: null });
});

test('[Z19] a reply without a model is written for the terminal agent with the current model of its branch', async () => {
  const manager = sessions.create();
  const first = await manager.saveMessage({ role: 'user', content: 'one' });
  await manager.saveMessage({ role: 'assistant', content: 'nobody knows' });
  await manager.branch(first);
  await manager.setModel('acme', 'small');
  await manager.saveMessage({ role: 'assistant', content: 'by small' });
  const to = join(sessions.folder, 'models');
  exportForPi(manager.path, to, sessions.options);
  const replies = sessions.lines(to).flatMap(({ message }) => (message === undefined ? [] : [message]));
  expect(replies.slice(1)).toMatchObject([
    { provider: 'unknown', model: 'unknown' },
    { provider: 'acme', model: 'small' },
  ]);
  const there = sessions.open(to);
  expect(there.buildSessionContext().model).toEqual(manager.buildSessionContext().model);
});
