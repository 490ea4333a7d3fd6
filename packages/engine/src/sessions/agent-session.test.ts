import { existsSync, readFileSync } from 'node:fs';
import { isAppError } from '@coppice/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEventBus } from '../events.ts';
import { describeContext, openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import { AgentSession, SessionManager } from './index.ts';

let sessions: SessionFixture;
const open: AgentSession[] = [];
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(async () => {
  for (const session of open.splice(0)) await session.close().catch(() => undefined);
  await sessions.destroy();
});

function over(
  manager: SessionManager,
  more: Partial<ConstructorParameters<typeof AgentSession>[1]> = {},
): AgentSession {
  const session = new AgentSession(manager, { ...sessions.options, ...more });
  open.push(session);
  return session;
}

/** Saves two questions with their replies; returns the ids. */
async function conversation(manager: SessionManager): Promise<string[]> {
  const ids: string[] = [];
  for (const [role, content] of [
    ['user', 'question one'],
    ['assistant', 'answer one'],
    ['user', 'question two'],
    ['assistant', 'answer two'],
  ] as const)
    ids.push(await manager.saveMessage({ role, content }));
  return ids;
}

describe('branching', () => {
  test('[Z10] branching into a new file copies the path to the entry and nothing else, with its ids', async () => {
    const manager = sessions.create();
    const [one, two, three] = await conversation(manager);
    await manager.setLabel(one ?? '', 'start');
    await manager.setName('Talk');
    const from = manager.path;
    const before = readFileSync(from);
    const session = over(manager);
    const result = await session.branch(three ?? '');
    expect(result).toMatchObject({ selectedText: 'question two', cancelled: false, inPlace: false });
    expect(result.newSessionFile).toBe(session.manager.path);
    expect(readFileSync(from).equals(before)).toBe(true);
    expect(session.manager.getPath().map(({ uuid }) => uuid)).toEqual([session.manager.getHeader().uuid, one, two]);
    expect(session.manager.getHeader()).toMatchObject({ parentSession: from });
    expect([session.manager.getLabel(one ?? ''), session.manager.getName()]).toEqual(['start', 'Talk']);
    expect(session.manager.getLeafUuid()).toBe(two);
    await session.manager.saveMessage({ role: 'user', content: 'question two, otherwise' });
    expect(describeContext(session.manager.buildSessionContext()).at(-1)).toBe('user: question two, otherwise');
  });

  test('[Z11] switching to a user message moves above it and returns its text; any other entry becomes the leaf', async () => {
    const manager = sessions.create();
    const [one, two, three, four] = await conversation(manager);
    const session = over(manager);
    expect(await session.branchInPlace(three ?? '')).toEqual({
      selectedText: 'question two',
      cancelled: false,
      inPlace: true,
    });
    expect(manager.getLeafUuid()).toBe(two);
    expect(await session.branchInPlace(four ?? '')).toEqual({ selectedText: '', cancelled: false, inPlace: true });
    expect(manager.getLeafUuid()).toBe(four);
    const size = sessions.lines(manager.path).length;
    await session.branchInPlace(four ?? '');
    expect(sessions.lines(manager.path).length).toBe(size);
    expect((await session.branchInPlace(one ?? '')).selectedText).toBe('question one');
    expect(manager.getLeafUuid()).toBe(manager.getHeader().uuid);
  });

  test('[Z12] a summary covers the messages after the common ancestor, is a child of the new position and the leaf', async () => {
    const manager = sessions.create();
    const [, two, three] = await conversation(manager);
    const asked: string[] = [];
    const session = over(manager, {
      summarizer: {
        branch: async ({ messages }) => {
          asked.push(
            ...messages.map((message) =>
              'text' in (message.content[0] ?? {}) ? JSON.stringify(message.content[0]) : '',
            ),
          );
          return { text: 'what was tried', source: { type: 'test' } };
        },
        compaction: async () => ({ text: 'summary', source: { type: 'test' } }),
        title: async () => null,
      },
    });
    await session.branchInPlace(three ?? '', { summarize: true });
    expect(asked.map((text) => JSON.parse(text).text)).toEqual(['question two', 'answer two']);
    expect(manager.getCurrentLeaf()).toMatchObject({
      type: 'branch_summary',
      parentUuid: two,
      summary: 'what was tried',
    });
    const without = over(sessions.create());
    await conversation(without.manager);
    const first = without.manager.getPath()[2]?.uuid ?? '';
    await without.branchInPlace(first, { summarize: true });
    expect(without.manager.getCurrentLeaf().type).toBe('branch_summary');
  });

  test('[Z13] a fork continues from the leaf in a new file, a clone copies every branch', async () => {
    const manager = sessions.create();
    const [one, two, three, four] = await conversation(manager);
    await manager.saveMessage({ role: 'assistant', content: 'another answer' }, three);
    const forked = over(manager);
    await forked.fork(four);
    expect(forked.manager.getEntries().map(({ uuid }) => uuid)).toEqual([one, two, three, four]);
    // The path may end with the user's message. Copied from the current position it includes that message; copied from
    // elsewhere, the text is returned for editing instead.
    const asked = sessions.create();
    const [first, , , last] = await conversation(asked);
    const question = await asked.saveMessage({ role: 'user', content: 'and then?' });
    const own = over(asked);
    expect((await own.fork()).selectedText).toBe('');
    expect(own.manager.getLeafUuid()).toBe(question);
    await own.branchInPlace(last ?? '');
    expect((await own.fork(first)).selectedText).toBe('question one');
    expect(own.manager.getEntries()).toEqual([]);
    const cloned = over(sessions.open(manager.path));
    const leaf = cloned.manager.getLeafUuid();
    const tree = cloned.getSessionTree();
    await cloned.clone();
    expect(cloned.manager.path).not.toBe(manager.path);
    expect(cloned.manager.getLeafUuid()).toBe(leaf);
    const shape = ({ nodes }: typeof tree) => nodes.map(({ uuid, children, preview }) => [uuid, children, preview]);
    expect(shape(cloned.getSessionTree())).toEqual(shape(tree));
  });

  test('[Z14] an exported branch has the path to its entry and everything below it, or the path alone, and importing it changes nothing', async () => {
    const manager = sessions.create();
    const [one, two, three, four] = await conversation(manager);
    const other = await manager.saveMessage({ role: 'assistant', content: 'another answer' }, three);
    const aside = await manager.saveMessage({ role: 'user', content: 'aside' }, one);
    const session = over(manager);
    const whole = sessions.open(session.exportBranch(two ?? ''));
    expect(whole.getEntries().map(({ uuid }) => uuid)).toEqual([one, two, three, four, other]);
    const path = sessions.open(session.exportBranch(two ?? '', { pathOnly: true }));
    expect(path.getEntries().map(({ uuid }) => uuid)).toEqual([one, two]);
    expect(whole.getEntry(aside)).toBeUndefined();
    const again = over(whole);
    const twice = sessions.open(again.exportBranch(two ?? ''));
    expect(twice.getEntries().map(({ uuid, parentUuid }) => [uuid, parentUuid === twice.getHeader().uuid])).toEqual(
      whole.getEntries().map(({ uuid, parentUuid }) => [uuid, parentUuid === whole.getHeader().uuid]),
    );
  });
});

describe('other functions of a session', () => {
  test('[Z15] the tree is flat, parents first, with labels, and the path to the leaf marked', async () => {
    const manager = sessions.create();
    const [one, two, three, four] = await conversation(manager);
    const other = await manager.saveMessage({ role: 'assistant', content: 'another\nanswer' }, three);
    await manager.setLabel(four ?? '', 'good');
    const tree = over(manager).getSessionTree();
    expect(tree.nodes.map(({ uuid }) => uuid)).toEqual([one, two, three, four, other]);
    expect(tree.nodes.find(({ uuid }) => uuid === three)?.children).toEqual([four, other]);
    expect(tree.nodes.filter(({ onPath }) => onPath).map(({ uuid }) => uuid)).toEqual([one, two, three, other]);
    expect(tree.nodes.find(({ uuid }) => uuid === four)).toMatchObject({ label: 'good', role: 'assistant' });
    expect(tree.nodes.find(({ uuid }) => uuid === other)?.preview).toBe('another answer');
    expect(tree.leaf).toBe(other);
  });

  test('[Z15] a preview is one line, at most 120 long, and never ends inside a character', async () => {
    for (const one of ['🌲', '👩‍👩‍👧', 'e\u0301']) {
      const manager = sessions.create();
      await manager.saveMessage({ role: 'user', content: `${'x'.repeat(119)}${one}${one}` });
      await manager.saveMessage({ role: 'user', content: `${'x'.repeat(120 - one.length)}${one}${one}` });
      const [cut, whole] = over(manager).getSessionTree().nodes;
      expect([cut?.preview, whole?.preview]).toEqual(['x'.repeat(119), `${'x'.repeat(120 - one.length)}${one}`]);
    }
  });

  test('[Z16] compaction is done by the engine: the summary is in the file, and two of them lose nothing', async () => {
    const manager = sessions.create();
    const covered: string[] = [];
    for (let turn = 1; turn <= 6; turn++) {
      await manager.saveMessage({ role: 'user', content: `question ${turn} ${'word '.repeat(60)}` });
      await manager.saveMessage({ role: 'assistant', content: `answer ${turn} ${'word '.repeat(60)}` });
    }
    let count = 0;
    const session = over(manager, {
      summarizer: {
        compaction: async ({ messages, turnPrefix = [], previous }) => {
          count++;
          for (const message of [...messages, ...turnPrefix])
            for (const block of message.content) if ('text' in block) covered.push(String(block.text).slice(0, 10));
          return { text: `summary ${count}${previous === null ? '' : ` after ${previous}`}`, source: { type: 'test' } };
        },
        branch: async () => ({ text: 'unused', source: {} }),
        title: async () => null,
      },
    });
    const first = await session.compact({ keep: 400 });
    expect(first.tokensAfter).toBeLessThan(first.tokensBefore);
    expect(manager.getCurrentLeaf()).toMatchObject({ type: 'compaction', uuid: first.uuid, summary: 'summary 1' });
    expect(manager.getEntry(first.uuid)?.['firstKeptEntryUuid']).toBe(first.firstKeptEntryUuid);
    await manager.saveMessage({ role: 'user', content: `question 7 ${'word '.repeat(60)}` });
    await manager.saveMessage({ role: 'assistant', content: `answer 7 ${'word '.repeat(60)}` });
    await session.compact({ keep: 200 });
    const context = describeContext(manager.buildSessionContext());
    expect(context[0]).toContain('summary 2 after summary 1');
    const kept = context.slice(1).map((text) => text.replace(/^\w+: /, '').slice(0, 10));
    const all = Array.from({ length: 7 }, (_, at) => [`question ${at + 1}`, `answer ${at + 1} w`]).flat();
    expect([...covered, ...kept]).toEqual(all.map((text) => text.slice(0, 10)));
    const reopened = sessions.open(manager.path);
    expect(describeContext(reopened.buildSessionContext())).toEqual(context);
    const nothing = over(sessions.create());
    const refused: unknown = await nothing.compact().catch((error: unknown) => error);
    expect(isAppError(refused) ? refused.code : '').toBe('context/nothing-to-compact');
  });

  test('[Z17] continues the newest session of a folder, even one of the first version', () => {
    const resumed = () => {
      const manager = SessionManager.resume({ ...sessions.options, folder: sessions.folder });
      const found = [manager.path, manager.getEntries().length, manager.writable];
      manager.close();
      return found;
    };
    const path = sessions.write('old.jsonl', [
      { type: 'session', id: 'old', cwd: '/w' },
      { type: 'message', message: { role: 'user', content: 'long ago' } },
    ]);
    expect(resumed()).toEqual([path, 1, true]);
    expect(resumed()).toEqual([path, 1, true]);
  });

  test('[Z14] no existing file is overwritten', async () => {
    const session = over(sessions.create());
    const [one = ''] = await conversation(session.manager);
    const to = sessions.write('mine.jsonl', [{ precious: true }]);
    expect(() => session.exportBranch(one, { to })).toThrow(/already/);
    expect(sessions.lines(to)).toEqual([{ precious: true }]);
  });

  test('[Z17] figures, names, lists and the trash are available', async () => {
    const manager = sessions.create();
    await conversation(manager);
    await manager.setName('Kept');
    const session = over(manager);
    expect(session.getStats()).toMatchObject({ entries: 4, user: 2, assistant: 2, branches: 1, labels: 0 });
    const [listed] = sessions.options.files.list(sessions.folder);
    expect(listed).toMatchObject({ name: 'Kept', messages: 4, firstMessage: 'question one', dialect: 'v2' });
    const { path } = manager;
    const gone = await session.delete();
    expect([existsSync(path), existsSync(gone)]).toEqual([false, true]);
    expect(sessions.options.files.list(sessions.folder)).toEqual([]);
    expect(sessions.options.files.restore(gone)).toBe(path);
    expect(sessions.open(path).getEntries().length).toBe(4);
  });

  test('[Z18] hooks are called before a branch and after: they can cancel or redirect it, and a failing one is skipped', async () => {
    const manager = sessions.create();
    const [one, two, , four] = await conversation(manager);
    const failures: string[] = [];
    const events = createEventBus(({ event }) => failures.push(event));
    const session = over(manager, { events });
    const stop = events.before('branch', () => ({ cancel: 'Not now.' }));
    expect(await session.branchInPlace(two ?? '')).toEqual({
      selectedText: '',
      cancelled: true,
      inPlace: true,
      reason: 'Not now.',
    });
    expect((await session.branch(two ?? '')).cancelled).toBe(true);
    expect(manager.getLeafUuid()).toBe(four);
    stop();
    events.before('branch', () => {
      throw new Error('broken');
    });
    const reported: string[] = [];
    events.after('branch', ({ nodeId }) => {
      reported.push(nodeId);
    });
    await session.branchInPlace(two ?? '');
    expect(manager.getLeafUuid()).toBe(two);
    expect([failures, reported]).toEqual([['before branch'], [two]]);
    expect(one).toBeDefined();
  });
});
