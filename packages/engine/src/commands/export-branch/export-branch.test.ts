import { join } from 'node:path';
import { sessionFiles } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentSession, createSessionCopier, createTreeCopier, SessionManager } from '../../sessions/index.ts';
import { type CommandFixture, commandFixtureStoreKinds, openCommandFixture } from '../../testing/command-fixture.ts';
import { describeContext, openSessionFixture, type SessionFixture } from '../../testing/session-fixture.ts';
import { createCommands } from '../registry.ts';

let sessions: SessionFixture;
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(() => sessions.destroy());

describe.each(commandFixtureStoreKinds)('on %s', (kind) => {
  let fixture: CommandFixture;
  beforeEach(async () => {
    fixture = await openCommandFixture(kind, {
      copies: createTreeCopier({ files: sessionFiles, folder: sessions.folder }),
    });
  });
  afterEach(() => fixture.close());

  test('[Z33] writes the path to a node and everything below it, or the path alone, with its ids', async () => {
    const [one, two, three] = await fixture.say(['one', 'two', 'three', 'four']);
    const [other] = await fixture.say(['aside'], one, 'assistant');
    const whole = await fixture.run(`/export-branch ${two}`);
    const [listed] = sessions.options.files.list(sessions.folder);
    expect(whole.data).toMatchObject({ file: listed?.path });
    const manager = sessions.open(listed?.path ?? '');
    expect(manager.getEntries().map(({ uuid }) => uuid)).toContain(three);
    expect(manager.getEntry(other ?? '')).toBeUndefined();
    expect(describeContext(manager.buildSessionContext())).toEqual(['user: one', 'assistant: two']);
    const to = join(sessions.folder, 'sub', 'path.jsonl');
    await fixture.run(`/export-branch ${two} --path --to ${to}`);
    expect(
      sessions
        .open(to)
        .getEntries()
        .map(({ uuid }) => uuid),
    ).toEqual([one, two]);
    expect(await fixture.refusal('/export-branch @start')).toBe('command/no-such-node');
  });
});

test('[Z33] reports where no file can be written', async () => {
  const fixture = await openCommandFixture('memory');
  const [one] = await fixture.say(['one']);
  expect(await fixture.refusal(`/export-branch ${one}`)).toBe('command/unavailable');
  await fixture.close();
});

test('[Z34] every command works on a session file as on a store, and the session sees the result', async () => {
  const session = new AgentSession(
    SessionManager.create({ ...sessions.options, folder: sessions.folder }),
    sessions.options,
  );
  const ids: string[] = [];
  for (const [role, content] of [
    ['user', 'one'],
    ['assistant', 'two'],
    ['user', 'three'],
    ['assistant', 'four'],
  ] as const)
    ids.push(await session.manager.saveMessage({ role, content }));
  const commands = createCommands({ copies: createSessionCopier(session, sessions.options) });
  const run = async (line: string) => {
    const result = await commands.run(line, { store: await session.store(), treeId: session.treeId });
    session.manager.refresh();
    return result;
  };
  expect((await run('/switch @here')).said).toContain('already');
  expect(await run(`/switch ${ids[2]}`)).toMatchObject({ selectedText: 'three' });
  expect(session.manager.getLeafUuid()).toBe(ids[1]);
  await run('/label here');
  await run('/name Named');
  expect([session.manager.getLabel(ids[1] ?? ''), session.manager.getName()]).toEqual(['here', 'Named']);
  await run(`/cherry-pick ${ids[3]}`);
  expect(describeContext(session.manager.buildSessionContext())).toEqual([
    'user: one',
    'assistant: two',
    'assistant: four',
  ]);
  await run('/undo');
  expect(session.manager.getLeafUuid()).toBe(ids[1]);
  expect((await run('/branches')).list?.length).toBe(1);
  await run(`/switch ${ids[3]}`);
  await run('/pop');
  expect(session.manager.getCurrentLeaf()).toMatchObject({ type: 'branch_summary', parentUuid: ids[1] });
  const before = session.manager.path;
  const forked = await run(`/fork ${ids[1]}`);
  expect(forked.data).toMatchObject({ file: session.manager.path });
  expect(session.manager.path).not.toBe(before);
  expect(
    session.manager
      .getPath()
      .slice(1)
      .map(({ uuid }) => uuid),
  ).toEqual(ids.slice(0, 2));
  await session.manager.saveMessage({ role: 'user', content: 'elsewhere' });
  expect((await run('/tree')).said).toContain('3 nodes');
  await session.close();
});

test('[Z34] entries of a session are named by their ids in the file', async () => {
  const path = sessions.write('short.jsonl', [
    { type: 'session', version: 2, uuid: 'ses1', parentUuid: null, id: 'abc' },
    { type: 'message', uuid: 'm1', parentUuid: 'ses1', message: { role: 'user', content: 'one' } },
    { type: 'message', uuid: 'm2', parentUuid: 'm1', message: { role: 'assistant', content: 'two' } },
    { type: 'message', uuid: 'm3', parentUuid: 'm1', message: { role: 'assistant', content: 'three' } },
  ]);
  const session = AgentSession.open(path, sessions.options);
  const commands = createCommands({ copies: createSessionCopier(session, sessions.options) });
  const run = async (line: string) => commands.run(line, { store: await session.store(), treeId: session.treeId });
  const at = () => {
    session.manager.refresh();
    return session.manager.getLeafUuid();
  };
  // Entries without a timestamp show no age.
  expect((await run('/branches')).text?.split('\n')).toEqual([
    '1. * assistant “three” · 2 messages, 1 of its own',
    '2.   assistant “two” · 2 messages, 1 of its own',
  ]);
  await run('/switch m2');
  expect(at()).toBe('m2');
  await run('/label good --on m3');
  await run('/cherry-pick m3');
  expect([at() === 'm3', session.manager.getLabel('m3')]).toEqual([false, 'good']);
  expect(describeContext(session.manager.buildSessionContext())).toEqual([
    'user: one',
    'assistant: two',
    'assistant: three',
  ]);
  const to = join(sessions.folder, 'sub', 'path.jsonl');
  await run(`/export-branch m2 --path --to ${to}`);
  expect(
    sessions
      .open(to)
      .getEntries()
      .map(({ uuid }) => uuid),
  ).toEqual(['m1', 'm2']);
  // An entry without a timestamp is exported without one.
  expect(JSON.stringify(sessions.lines(to))).not.toContain('"1970-');
  await expect(run('/switch m4')).rejects.toMatchObject({ code: 'command/no-such-node' });
  await expect(run('/switch ses1')).rejects.toMatchObject({ code: 'command/no-such-node' });
  await session.close();
});
