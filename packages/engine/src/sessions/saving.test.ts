import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import type { NewEntry } from './contract.ts';
import { SessionManager } from './manager.ts';
import { formatEntryTime } from './saving.ts';

let sessions: SessionFixture;
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(() => sessions.destroy());

/** An entry as an untyped hook may pass it. */
const given = (text: string): NewEntry => JSON.parse(text);
const circle: { self?: unknown } = {};
circle.self = circle;

test.each([
  ['a number that JSON lacks', { type: 'custom', data: { big: 10n } }, 'message/invalid', /entry\.data\.big .*bigint/],
  ['a circle', { type: 'custom', data: circle }, 'message/invalid', /nests deeper/],
  ['what JSON leaves out', { type: 'custom', data: [() => 1] }, 'message/invalid', /entry\.data\[0\] .*function/],
  ['what JSON makes null', { type: 'custom', at: Number.NaN }, 'message/invalid', /entry\.at is NaN/],
  ['what JSON makes {}', { type: 'custom', data: new Map() }, 'message/invalid', /not plain data/],
  ['no type', given('{"data":1}'), 'command/invalid', /type/],
  ['a type that is no text', given('{"type":5}'), 'command/invalid', /type/],
  ['a value that is not an object', given('null'), 'message/invalid', /not an object/],
  ['an empty id', { type: 'custom', uuid: '' }, 'id/invalid', /512 bytes/],
  ['an id that is no text', given('{"type":"custom","uuid":5}'), 'id/invalid', /512 bytes/],
  ['an id without end', { type: 'custom', uuid: 'ü'.repeat(257) }, 'id/invalid', /512 bytes/],
])('[Z7] an entry with %s is refused, and no part of it is saved', async (_what, entry, code, message) => {
  const manager = sessions.create();
  const before = readFileSync(manager.path);
  await expect(manager.saveEntry(entry)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  expect(readFileSync(manager.path).equals(before)).toBe(true);
});

test('[Z7] details of a summary that JSON cannot express are refused', async () => {
  const manager = sessions.create();
  const root = manager.getHeader().uuid;
  for (const details of [{ big: 10n }, { circle }])
    await expect(manager.branchWithSummary(root, 'left', details)).rejects.toMatchObject({ code: 'message/invalid' });
  expect(sessions.lines(manager.path).length).toBe(1);
});

test('[Z7] an id that another tool has used meanwhile is taken', async () => {
  const manager = sessions.create();
  const first = await manager.saveMessage({ role: 'user', content: 'one' });
  manager.getEntries();
  const theirs = { type: 'custom', uuid: 'theirs', parentUuid: first, data: 1 };
  appendFileSync(manager.path, `${JSON.stringify(theirs)}\n`);
  await expect(manager.saveEntry({ ...theirs, data: 2 })).rejects.toMatchObject({ code: 'id/taken' });
  expect(await manager.saveEntry(theirs)).toBe('theirs');
  expect(sessions.lines(manager.path).length).toBe(3);
});

test('[Z4] an entry is saved as given, whatever its fields are called, and later changes to the input have no effect', async () => {
  const manager = sessions.create();
  const data = { list: [1] };
  const uuid = await manager.saveEntry({ ...given('{"type":"custom","__proto__":{"x":1}}'), data, left: undefined });
  data.list.push(2);
  expect(JSON.stringify(manager.getEntry(uuid))).toContain('"__proto__":{"x":1},"data":{"list":[1]}');
});

test('[Z44] times in lines have the format of the platform, to the millisecond', () => {
  const time = fc.oneof(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.integer({ min: 1.7e12, max: 1.7e12 + 5000 }));
  fc.assert(
    fc.property(time, fc.integer({ min: 0, max: 1500 }), (at, later) => {
      fc.pre(at + later <= 8.64e15);
      for (const each of [at, at + later, at]) expect(formatEntryTime(each)).toBe(new Date(each).toISOString());
    }),
  );
  expect(formatEntryTime(1.5)).toBe(new Date(1.5).toISOString());
  expect(() => formatEntryTime(Number.NaN)).toThrow(RangeError);
});

const hello = { role: 'user', content: 'hello' } as const;

test('[Z48] a closed session saves nothing, reads no other file and releases the lease', async () => {
  const made = sessions.create();
  made.close();
  const manager = sessions.open(made.path);
  const first = await manager.saveMessage(hello);
  manager.close();
  // The operating system reuses the descriptor of the closed file for the next one.
  const other = openSync(import.meta.filename, 'r');
  expect(() => manager.getPath()).toThrow(/was closed here/);
  closeSync(other);
  for (const save of [
    () => manager.saveMessage(hello),
    () => manager.branchWithSummary(first, 'left'),
    () => manager.saveEntry({ type: 'custom' }),
    () => made.saveMessage(hello),
  ])
    await expect(save()).rejects.toMatchObject({ code: 'store/unavailable' });
  const again = sessions.open(made.path);
  expect([again.writable, again.file.holder]).toEqual([true, null]);
});

test('[Z48] closing a session twice does not release the lease of another', async () => {
  const manager = sessions.create();
  const other = sessions.open(manager.path);
  manager.close();
  manager.close();
  await expect(manager.saveMessage(hello)).rejects.toThrow(/was closed here/);
  const uuid = await other.saveMessage(hello);
  expect([manager.writable, other.writable, other.getLeafUuid()]).toEqual([false, true, uuid]);
  other.close();
  expect(sessions.open(manager.path).getLeafUuid()).toBe(uuid);
});

test('[Z48] a read-only session saves nothing while another one writes', async () => {
  const manager = sessions.create();
  const reader = SessionManager.open(manager.path, { ...sessions.options, readOnly: true });
  const uuid = await manager.saveMessage(hello);
  await expect(reader.saveMessage(hello)).rejects.toMatchObject({ code: 'tree/read-only' });
  await expect(reader.setLabel(uuid, 'x')).rejects.toMatchObject({ code: 'tree/read-only' });
  reader.refresh();
  expect([reader.writable, reader.getLeafUuid(), sessions.lines(manager.path).length]).toEqual([false, uuid, 2]);
  reader.close();
  await manager.saveMessage(hello);
});
