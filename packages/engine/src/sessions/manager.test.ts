import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { messageKit } from '@coppice/content';
import { deriveSessionTreeId } from '@coppice/content/sessions';
import { ask, nodeId, readPath, run } from '@coppice/core';
import { contextTexts } from '@coppice/core/context';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeContext, openSessionFixture, type SessionFixture } from '../testing/session-fixture.ts';
import { convertSession, exportForPi, SessionManager, syncSessionToStore, writeTreeAsSession } from './index.ts';

let sessions: SessionFixture;
beforeEach(() => {
  sessions = openSessionFixture();
});
afterEach(() => sessions.destroy());

/** The example file of the format's proposal, line by line. */
const example = [
  { type: 'session', version: 2, uuid: 'ses1', parentUuid: null, id: 'abc', cwd: '/project' },
  { type: 'message', uuid: 'm1', parentUuid: 'ses1', message: { role: 'user', content: 'Build a CLI' } },
  { type: 'message', uuid: 'm2', parentUuid: 'm1', message: { role: 'assistant', content: "I'll create..." } },
  { type: 'message', uuid: 'm3', parentUuid: 'm2', message: { role: 'user', content: 'Add --verbose flag' } },
  { type: 'message', uuid: 'm4', parentUuid: 'm3', message: { role: 'assistant', content: "Here's the flag..." } },
  { type: 'message', uuid: 'm5', parentUuid: 'm4', message: { role: 'user', content: 'Actually use Python' } },
  { type: 'message', uuid: 'm6', parentUuid: 'm5', message: { role: 'assistant', content: 'Converting to Python...' } },
  { type: 'branch_summary', uuid: 'bs1', parentUuid: 'm2', summary: 'Attempted Node.js CLI with --verbose flag' },
  { type: 'message', uuid: 'm7', parentUuid: 'bs1', message: { role: 'user', content: 'Use Rust instead' } },
  { type: 'message', uuid: 'm8', parentUuid: 'm7', message: { role: 'assistant', content: 'Creating Rust CLI...' } },
];

const words = (marks: { before: string; after: string }, text: string) => marks.before + text + marks.after;
const say = (uuid: string, parentUuid: string, text = uuid) => ({
  type: 'message',
  uuid,
  parentUuid,
  message: { role: 'user', content: text },
});
const say1 = (manager: SessionManager, content: string) => manager.saveMessage({ role: 'user', content });
const header = { type: 'session', version: 2, uuid: 'root', parentUuid: null, id: 'r', cwd: '/w' };

describe('the context of a session', () => {
  test('[Z1] the example of the proposal gives exactly the context that it lists', () => {
    const manager = sessions.open(sessions.write('example.jsonl', example));
    expect(describeContext(manager.buildSessionContext())).toEqual([
      'user: Build a CLI',
      "assistant: I'll create...",
      `branch-summary: ${words(contextTexts.branchSummary, 'Attempted Node.js CLI with --verbose flag')}`,
      'user: Use Rust instead',
      'assistant: Creating Rust CLI...',
    ]);
    expect(manager.getPath().map(({ uuid }) => uuid)).toEqual(['ses1', 'm1', 'm2', 'bs1', 'm7', 'm8']);
    expect(manager.getCurrentLeaf().uuid).toBe('m8');
    for (const uuid of ['m3', 'm4', 'm5', 'm6']) expect(manager.getEntry(uuid)?.uuid).toBe(uuid);
  });

  test('[Z2] a compaction whose first kept entry is the header or a label keeps the entries after it', async () => {
    const lines = [
      header,
      say('m1', 'root'),
      { type: 'label', uuid: 'l1', parentUuid: 'm1', targetUuid: 'm1', label: 'here' },
      say('m2', 'l1'),
    ];
    for (const [kept, stays] of [
      ['root', ['m1', 'm2']],
      ['l1', ['m2']],
    ] as const) {
      const compaction = {
        type: 'compaction',
        uuid: 'c1',
        parentUuid: 'm2',
        summary: 'so far',
        firstKeptEntryUuid: kept,
      };
      const path = sessions.write(`${kept}.jsonl`, [...lines, compaction, say('m3', 'c1')]);
      const wanted = [
        `summary: ${words(contextTexts.summary, 'so far')}`,
        ...stays.map((text) => `user: ${text}`),
        'user: m3',
      ];
      expect(describeContext(sessions.open(path).buildSessionContext()), kept).toEqual(wanted);
      // The context must be equal in a converted file, whose header and labels have other ids, and in a store.
      const copy = convertSession(path, { ...sessions.options, to: { folder: sessions.folder } });
      expect(describeContext(sessions.open(copy).buildSessionContext()), kept).toEqual(wanted);
      const store = await openStore('memory:');
      const { treeId } = await syncSessionToStore(path, store, sessions.options);
      const back = await writeTreeAsSession(store, treeId, { path: `${path}.back.jsonl` }, sessions.options);
      expect(describeContext(sessions.open(back).buildSessionContext()), kept).toEqual(wanted);
    }
  });

  test('[Z2] a compaction is a marker in the chain: summary, kept entries, following entries', () => {
    const chain = Array.from({ length: 10 }, (_, at) => say(`m${at + 1}`, at === 0 ? 'root' : `m${at}`));
    const manager = sessions.open(
      sessions.write('one.jsonl', [
        header,
        ...chain,
        {
          type: 'compaction',
          uuid: 'c1',
          parentUuid: 'm10',
          summary: 'so far',
          firstKeptEntryUuid: 'm6',
          tokensBefore: 50000,
        },
      ]),
    );
    expect(describeContext(manager.buildSessionContext())).toEqual([
      `summary: ${words(contextTexts.summary, 'so far')}`,
      ...['m6', 'm7', 'm8', 'm9', 'm10'].map((text) => `user: ${text}`),
    ]);
    expect(manager.getCurrentLeaf().uuid).toBe('c1');
  });

  test('[Z2] each branch has its own compactions, and only those of the current one count', () => {
    const lines = [
      header,
      say('m1', 'root'),
      say('m2', 'm1'),
      say('m3', 'm2'),
      say('m4', 'm3'),
      say('m5', 'm4'),
      { type: 'compaction', uuid: 'compaction1', parentUuid: 'm5', summary: 'one', firstKeptEntryUuid: 'm4' },
      say('m6', 'compaction1'),
      say('m7', 'm6'),
      say('m8', 'm7'),
      { type: 'stack_summary', uuid: 'stack', parentUuid: 'm3', summary: 'left' },
      say('m9', 'stack'),
      say('m10', 'm9'),
      { type: 'compaction', uuid: 'compaction2', parentUuid: 'm10', summary: 'two', firstKeptEntryUuid: 'm9' },
      say('m11', 'compaction2'),
    ];
    const manager = sessions.open(sessions.write('two.jsonl', lines));
    const two = words(contextTexts.summary, 'two');
    expect(describeContext(manager.buildSessionContext())).toEqual([
      `summary: ${two}`,
      'user: m9',
      'user: m10',
      'user: m11',
    ]);
    expect(describeContext(manager.buildSessionContext('m8'))).toEqual([
      `summary: ${words(contextTexts.summary, 'one')}`,
      ...['m4', 'm5', 'm6', 'm7', 'm8'].map((text) => `user: ${text}`),
    ]);
    expect(describeContext(manager.buildSessionContext('m10'))).toEqual([
      ...['m1', 'm2', 'm3'].map((text) => `user: ${text}`),
      `branch-summary: ${words(contextTexts.branchSummary, 'left')}`,
      'user: m9',
      'user: m10',
    ]);
  });

  test('[Z2] several pops in a row leave the path that was not popped', () => {
    const letters = [...'abcdefgh'].map((letter, at, all) => say(letter, at === 0 ? 'root' : (all[at - 1] ?? '')));
    const manager = sessions.open(
      sessions.write('pops.jsonl', [
        header,
        ...letters,
        { type: 'stack_summary', uuid: 'i', parentUuid: 'c', summary: 'first' },
        say('j', 'i'),
        say('k', 'j'),
        say('l', 'k'),
        { type: 'stack_summary', uuid: 'm', parentUuid: 'k', summary: 'second' },
        say('n', 'm'),
      ]),
    );
    expect(manager.getPath().map(({ uuid }) => uuid)).toEqual(['root', 'a', 'b', 'c', 'i', 'j', 'k', 'm', 'n']);
  });

  test('[Z97] a move has no effect if a lost line put the new parent below the moved message', async () => {
    const manager = sessions.create();
    const save = (content: string, parent?: string) => manager.saveMessage({ role: 'user', content }, parent);
    const first = await save('first');
    const moved = await save('moved', first);
    const lost = await save('lost', first);
    const orphan = await save('orphan', lost);
    const last = await save('last', orphan);
    const store = await sessions.store(`jsonl:${manager.path}`);
    const context = { actor: 'me', now: Date.now, newId: sessions.options.newId ?? (() => ''), kit: messageKit };
    const treeId = deriveSessionTreeId(manager.getSessionId());
    await run(store, { type: 'move', treeId, nodeId: nodeId(moved), parentId: nodeId(last) }, context);
    await sessions.closeStores();
    manager.close();
    const rest = sessions.lines(manager.path).filter((line) => line['uuid'] !== lost);
    const path = sessions.write('lost.jsonl', rest);
    const damaged = sessions.open(path);
    const toLast = [first, moved, orphan, last];
    expect(damaged.getPath(last).map(({ uuid }) => uuid)).toEqual([damaged.getHeader().uuid, ...toLast]);
    expect(damaged.getPath(moved).map(({ uuid }) => uuid)).toEqual([damaged.getHeader().uuid, first, moved]);
    damaged.close();
    const again = await sessions.store(`jsonl:${path}`);
    const nodes = await again.read(treeId, () => readPath({ to: last }));
    expect(nodes.map(({ id }) => id)).toEqual(toLast);
  });

  test('[Z3] model and thinking level are those of the branch', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'one' });
    await manager.setModel('acme', 'small');
    await manager.setThinkingLevel('high');
    await manager.saveMessage({ role: 'user', content: 'two' });
    expect(manager.buildSessionContext()).toMatchObject({
      model: { provider: 'acme', modelId: 'small' },
      thinkingLevel: 'high',
    });
    expect(describeContext(manager.buildSessionContext())).toEqual(['user: one', 'user: two']);
    await manager.branch(first);
    expect(manager.buildSessionContext()).toMatchObject({ model: null, thinkingLevel: 'off' });
    const again = SessionManager.open(manager.path, { ...sessions.options, readOnly: true });
    expect(again.buildSessionContext()).toMatchObject({ model: null, thinkingLevel: 'off' });
    again.close();
  });
});

describe('saving', () => {
  test('[Z4] a saved entry is a child of the leaf or of the given entry, and is in the file when the call returns', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'first prompt' });
    expect(sessions.lines(manager.path).map((line) => line['uuid'])).toContain(first);
    const second = await manager.saveMessage({ role: 'assistant', content: 'answer' });
    const third = await manager.saveMessage({ role: 'assistant', content: 'another' }, first);
    expect(manager.getEntry(second)?.parentUuid).toBe(first);
    expect(manager.getEntry(third)?.parentUuid).toBe(first);
    expect(manager.getLeafUuid()).toBe(third);
    expect(manager.getChildren(first).map(({ uuid }) => uuid)).toEqual([second, third]);
    const [head, ...lines] = sessions.lines(manager.path);
    expect(head).toMatchObject({ type: 'session', version: 2, parentUuid: null });
    expect(lines.map(({ version, commit }) => [version, commit])).toEqual([
      [2, true],
      [3, true],
      [4, true],
    ]);
  });

  test('[Z4] an entry keeps every field, even one with a name that the session uses itself', async () => {
    const manager = sessions.create();
    await manager.saveMessage({ role: 'user', content: 'first' });
    const said = {
      at: 5,
      actor: 'me',
      actId: 'x',
      kind: 'undo',
      sequence: 9,
      format: 'linear',
      content: 'c',
      more: [1],
    };
    const note = await manager.saveEntry({ type: 'note', ...said });
    await manager.saveMessage({ role: 'assistant', content: 'second' }, note);
    expect(manager.getEntry(note)).toMatchObject(said);
    // The result must be equal in a copy, in another tool's file and in a store, and the commit must keep its author.
    const copy = convertSession(manager.path, { ...sessions.options, to: { folder: sessions.folder } });
    expect(sessions.open(copy).getEntry(note)).toMatchObject(said);
    exportForPi(manager.path, `${sessions.folder}/pi`, sessions.options);
    expect(sessions.lines(`${sessions.folder}/pi`)[2]).toMatchObject({
      type: 'custom',
      customType: 'note',
      data: said,
    });
    const store = await openStore('memory:');
    const { treeId } = await syncSessionToStore(manager.path, store, sessions.options);
    const node = await store.read(treeId, () => ask('node', { id: nodeId(note) }));
    expect(node?.marker?.details).toEqual({ type: 'note', ...said });
    const own = await openStore(`jsonl:${manager.path}`);
    const commits = await own.read(treeId, () => ask('log', { since: 0 }));
    expect(commits.map(({ kind, actor }) => [kind, actor])).toEqual(commits.map(() => ['do', 'local']));
    expect((await own.trees()).items[0]?.format).toBe('tree');
    await own.close();
  });

  test('[Z4] without waiting in between, the second entry is a child of the first', async () => {
    const manager = sessions.create();
    const [first, second] = await Promise.all([
      manager.saveMessage({ role: 'user', content: 'a' }),
      manager.saveMessage({ role: 'assistant', content: 'b' }),
    ]);
    expect(manager.getEntry(second ?? '')?.parentUuid).toBe(first);
  });

  test('[Z5] switching is a line that survives a restart, and switching to the current leaf writes nothing', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'a' });
    await manager.saveMessage({ role: 'assistant', content: 'b' });
    const moved = await manager.branch(first);
    expect(manager.getEntry(moved)).toMatchObject({ type: 'leaf', parentUuid: first });
    const { size } = statSync(manager.path);
    expect(await manager.branch(first)).toBe(first);
    expect(statSync(manager.path).size).toBe(size);
    manager.close();
    const again = sessions.open(manager.path);
    expect(again.getLeafUuid()).toBe(first);
    await again.branch(again.getHeader().uuid);
    await again.saveMessage({ role: 'user', content: 'a new beginning' });
    expect(describeContext(again.buildSessionContext())).toEqual(['user: a new beginning']);
  });

  test('[Z5] switching to the current leaf writes a line if another tool has appended since, so that it survives a restart', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'a' });
    const theirs = { type: 'message', uuid: 't', parentUuid: first, message: { role: 'user', content: 'theirs' } };
    appendFileSync(manager.path, `${JSON.stringify(theirs)}\n`);
    const moved = await manager.branch(first);
    expect(manager.getEntry(moved)).toMatchObject({ type: 'leaf', parentUuid: first });
    expect(await manager.branch(first)).toBe(first);
    manager.close();
    expect(sessions.open(manager.path).getLeafUuid()).toBe(first);
  });

  test('[Z6] labels, names and settings never become the leaf', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'a' });
    await manager.setLabel(first, 'here');
    await manager.setName('  A name ');
    expect(manager.getLeafUuid()).toBe(first);
    manager.close();
    const again = sessions.open(manager.path);
    expect([again.getLeafUuid(), again.getLabel(first), again.getName()]).toEqual([first, 'here', 'A name']);
    await again.setLabel(first);
    expect(again.getLabel(first)).toBeUndefined();
  });

  test('[Z7] invalid requests are refused by name and leave the file unchanged', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'a' });
    const before = readFileSync(manager.path);
    const refused = async (work: Promise<unknown>) => work.then(() => 'through').catch((error) => error.code);
    expect(await refused(manager.saveMessage({ role: 'user', content: '  ' }))).toBe('message/blank');
    expect(await refused(manager.saveMessage({ role: 'user', content: 'x' }, 'nobody'))).toBe('tree/unknown-node');
    expect(await refused(manager.branch('nobody'))).toBe('tree/unknown-node');
    expect(await refused(manager.branchWithSummary(first, ' '))).toBe('message/blank');
    expect(await refused(manager.saveEntry({ type: 'session' }))).toBe('tree/root-protected');
    expect(await refused(manager.setLabel(manager.getHeader().uuid, 'x'))).toBe('tree/root-protected');
    for (const type of ['change', 'linear', 'log', 'state'])
      expect(await refused(manager.saveEntry({ type, steps: [] })), type).toBe('command/invalid');
    // Session lines use these fields themselves, so the caller's values would be lost.
    for (const own of [{ version: 7 }, { commit: 'abc' }])
      expect(await refused(manager.saveEntry({ type: 'custom', ...own }))).toBe('command/invalid');
    expect(
      await refused(manager.saveEntry({ type: 'message', uuid: first, message: { role: 'user', content: 'z' } })),
    ).toBe('id/taken');
    expect(await refused(manager.saveCompaction({ summary: 's', firstKeptEntryUuid: 'nobody' }))).toBe(
      'tree/unknown-node',
    );
    expect(readFileSync(manager.path).equals(before)).toBe(true);
  });

  test('[Z95] a compaction below a named entry keeps entries on the path to that entry', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'a' });
    const left = await manager.saveMessage({ role: 'assistant', content: 'left' }, first);
    const right = await manager.saveMessage({ role: 'assistant', content: 'right' }, first);
    const below = { summary: 's', parentUuid: left };
    const offPath = manager.saveCompaction({ ...below, firstKeptEntryUuid: right });
    await expect(offPath).rejects.toMatchObject({ code: 'tree/not-on-path' });
    const uuid = await manager.saveCompaction({ ...below, firstKeptEntryUuid: left });
    expect(manager.getEntry(uuid)).toMatchObject({ parentUuid: left, firstKeptEntryUuid: left });
    expect(describeContext(manager.buildSessionContext(uuid))).toEqual([
      expect.stringContaining('s'),
      'assistant: left',
    ]);
    const nowhere = manager.saveCompaction({ summary: 's', parentUuid: 'nobody' });
    await expect(nowhere).rejects.toMatchObject({ code: 'tree/unknown-node' });
  });

  test('[Z8] lines that another tool appends appear as a sibling, and this session stays where it is', async () => {
    const manager = sessions.create();
    const first = await manager.saveMessage({ role: 'user', content: 'a' });
    appendFileSync(manager.path, `${JSON.stringify(say('99', first, 'from elsewhere'))}\n`);
    const mine = await manager.saveMessage({ role: 'assistant', content: 'b' });
    expect(manager.getChildren(first).map(({ uuid }) => uuid)).toEqual(['99', mine]);
    expect(manager.getLeafUuid()).toBe(mine);
    expect(describeContext(manager.buildSessionContext('99'))).toEqual(['user: a', 'user: from elsewhere']);
  });

  test('[Z9] a second session on the same file in this process sees the entries of the first', async () => {
    const one = sessions.create();
    const other = sessions.open(one.path);
    const first = await one.saveMessage({ role: 'user', content: 'a' });
    other.refresh();
    expect(other.getLeafUuid()).toBe(first);
    const second = await other.saveMessage({ role: 'assistant', content: 'b' });
    one.refresh();
    expect(one.getLeafUuid()).toBe(second);
  });

  test('[Z43] entries saved in a row are found by every later read, beside those of another handle', async () => {
    const one = sessions.create();
    const other = sessions.open(one.path);
    const ids: string[] = [];
    // The manager updates its index only at the first read after these saves.
    for (let at = 0; at < 150; at++) ids.push(await one.saveMessage({ role: 'user', content: `said ${at}` }));
    expect(one.getLeafUuid()).toBe(ids.at(-1));
    const beside = await other.saveMessage({ role: 'user', content: 'beside' }, ids[3]);
    const summary = await one.branchWithSummary(ids[10] ?? '', 'left');
    await one.setLabel(summary, 'here');
    const last = await one.saveMessage({ role: 'user', content: 'last' });
    expect(one.getPath().map(({ uuid }) => uuid)).toEqual([one.getHeader().uuid, ...ids.slice(0, 11), summary, last]);
    expect(one.getChildren(ids[3] ?? '').map(({ uuid }) => uuid)).toEqual([ids[4], beside]);
    expect([one.getLabel(summary), one.getEntry(summary)?.['fromUuid']]).toEqual(['here', ids.at(-1)]);
    expect([one.getCurrentLeaf().uuid, other.getLeafUuid()]).toEqual([last, beside]);
    const again = sessions.open(one.path);
    expect(again.getEntries().map(({ uuid }) => uuid)).toEqual(one.getEntries().map(({ uuid }) => uuid));
    expect(again.getWarnings()).toEqual([]);
  });

  test('[Z46] an entry saved below one that a store removed becomes a child of the nearest remaining one', async () => {
    const manager = sessions.create();
    const [first, second, third] = [
      await say1(manager, 'one'),
      await say1(manager, 'two'),
      await say1(manager, 'three'),
    ];
    const store = await openStore(`jsonl:${manager.path}`);
    const treeId = deriveSessionTreeId(manager.getSessionId());
    const context = { actor: 'me', now: Date.now, newId: sessions.options.newId ?? (() => ''), kit: messageKit };
    await run(store, { type: 'delete', treeId, nodeIds: [nodeId(second)], mode: 'cascade' }, context);
    // This manager did not read the file meanwhile, so it continues at its own leaf.
    const [fourth, fifth] = [await say1(manager, 'four'), await say1(manager, 'five')];
    await manager.setLabel(fourth, 'here');
    expect(manager.getLabel(fourth)).toBe('here');
    const held = (one: SessionManager) => ({
      tree: one.getEntries().map(({ uuid, parentUuid }) => [uuid, parentUuid]),
      way: one.getPath().map(({ uuid }) => uuid),
    });
    const root = manager.getHeader().uuid;
    const tree = [
      [first, root],
      [fourth, first],
      [fifth, fourth],
    ];
    expect(held(manager)).toEqual({ tree, way: [root, first, fourth, fifth] });
    const live = (await store.read(treeId, () => ask('rows', {})))?.nodes.filter((node) => node.removedIn === null);
    expect(live?.slice(1).map((node) => [node.id, node.parentId])).toEqual(tree);
    // After the undo the removed entries have their old positions, and entries that were saved meanwhile keep theirs.
    await run(store, { type: 'undo', treeId }, context);
    manager.refresh();
    const whole = [
      [first, root],
      [second, first],
      [third, second],
      [fourth, first],
      [fifth, fourth],
    ];
    expect(held(manager).tree).toEqual(whole);
    await store.close();
    manager.close();
    expect(held(sessions.open(manager.path)).tree).toEqual(whole);
  });

  test('[Z46] a line that leads to a removed entry does not move the session', async () => {
    const manager = sessions.create();
    const [first, second] = [await say1(manager, 'one'), await say1(manager, 'two')];
    const other = sessions.open(manager.path);
    const store = await openStore(`jsonl:${manager.path}`);
    const treeId = deriveSessionTreeId(manager.getSessionId());
    const context = { actor: 'me', now: Date.now, newId: sessions.options.newId ?? (() => ''), kit: messageKit };
    await manager.branch(first);
    await run(store, { type: 'delete', treeId, nodeIds: [nodeId(second)], mode: 'cascade' }, context);
    await other.branch(second);
    manager.refresh();
    expect([manager.getLeafUuid(), other.getLeafUuid()]).toEqual([first, second]);
    expect((await store.read(treeId, () => ask('tree', {})))?.activeNodeId).toBe(first);
    await store.close();
    const again = sessions.open(manager.path);
    expect(again.index.leaf).toBe(again.file.indexOf(first));
  });
});
