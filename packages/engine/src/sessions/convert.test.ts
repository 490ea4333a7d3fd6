import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SessionBed, saidIn, sessionBed } from '../testing/session-bed.ts';
import { convertSession, exportForPi } from './index.ts';

let bed: SessionBed;
beforeEach(() => {
  bed = sessionBed();
});
afterEach(() => bed.destroy());

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
  '[Z19] a file of %s is converted into a new file with the same ids, labels and context, and stays as it is',
  async (_, lines) => {
    const path = bed.write('theirs.jsonl', lines);
    const before = readFileSync(path);
    const theirs = bed.open(path);
    expect(theirs.writable).toBe(false);
    const refused: unknown = await theirs.saveMessage({ role: 'user', content: 'x' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'tree/read-only' });
    const ours = bed.open(convertSession(path, { ...bed.options, to: { folder: bed.folder } }));
    expect(saidIn(ours.buildSessionContext())).toEqual(saidIn(theirs.buildSessionContext()));
    expect(ours.getEntries().map(({ uuid }) => uuid)).toEqual(theirs.getEntries().map(({ uuid }) => uuid));
    expect([ours.getLeafUuid(), ours.getLabel('aa000002')]).toEqual([
      theirs.getLeafUuid(),
      theirs.getLabel('aa000002'),
    ]);
    expect(ours.buildSessionContext().model).toEqual(theirs.buildSessionContext().model);
    await ours.saveMessage({ role: 'user', content: 'and on' });
    expect(saidIn(ours.buildSessionContext()).at(-1)).toBe('user: and on');
    expect(readFileSync(path).equals(before)).toBe(true);
    const out = join(bed.folder, 'out', 'back.jsonl');
    expect(exportForPi(ours.path, out, bed.options)).toEqual([]);
    expect(saidIn(bed.open(out).buildSessionContext())).toEqual(saidIn(ours.buildSessionContext()));
  },
);

test('[Z19] lines of the terminal agent that nothing here reads go back to it as they came', () => {
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
  const path = bed.write('pi.jsonl', lines);
  const converted = convertSession(path, { ...bed.options, to: { folder: bed.folder } });
  for (const [index, from] of [path, converted].entries()) {
    const to = join(bed.folder, `again-${index}`);
    expect(exportForPi(from, to, bed.options)).toEqual([]);
    expect(bed.lines(to).slice(1)).toEqual(lines.slice(1));
  }
});

test('[Z19] a session that went before its first message is there for the terminal agent, too', async () => {
  const manager = bed.create();
  await manager.saveMessage({ role: 'user', content: 'one' });
  await manager.branch(manager.getHeader().uuid);
  const to = join(bed.folder, 'before');
  exportForPi(manager.path, to, bed.options);
  expect(bed.lines(to).at(-1)).toMatchObject({ type: 'custom', parentId: null });
});

test('[Z19] a reply that does not say which model made it goes to the terminal agent with the one in force on its branch', async () => {
  const manager = bed.create();
  const first = await manager.saveMessage({ role: 'user', content: 'one' });
  await manager.saveMessage({ role: 'assistant', content: 'nobody knows' });
  await manager.branch(first);
  await manager.setModel('acme', 'small');
  await manager.saveMessage({ role: 'assistant', content: 'by small' });
  const to = join(bed.folder, 'models');
  exportForPi(manager.path, to, bed.options);
  const replies = bed.lines(to).flatMap(({ message }) => (message === undefined ? [] : [message]));
  expect(replies.slice(1)).toMatchObject([
    { provider: 'unknown', model: 'unknown' },
    { provider: 'acme', model: 'small' },
  ]);
  const there = bed.open(to);
  expect(there.buildSessionContext().model).toEqual(manager.buildSessionContext().model);
});
