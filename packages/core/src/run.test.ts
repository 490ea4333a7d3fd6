import { describe, expect, test } from 'vitest';
import { isStale, isUndoable, makeVersionConflictError, prepareCommit } from './commit.ts';
import { actId, type NodeId, nodeId, treeId } from './ids.ts';
import { prefetchForAppend } from './plan/append.ts';
import type { Command } from './plan/index.ts';
import type { RunContext } from './run.ts';
import { isSameJson } from './same-json.ts';
import type { Step } from './steps/types.ts';
import type { RemoteCommands, TreeStore } from './store.ts';
import { assistant, ReferenceStore, refusalOf, runAndCheck, TestTree, testUuid, user } from './testing/index.ts';
import { childIds } from './tree.ts';

const you = { actor: 'you' };
const nowhere = nodeId(testUuid(77));

async function fixtureOf(...texts: string[]): Promise<{ fixture: TestTree; ids: NodeId[] }> {
  const fixture = await TestTree.make();
  return { fixture, ids: await fixture.addMessages(texts) };
}

function append(fixture: TestTree, text: string, parentId: NodeId, id?: string): Command {
  const message = { message: user(text), ...(id === undefined ? {} : { id }) };
  return { type: 'append', treeId: fixture.treeId, parentId, messages: [message] };
}

function edit(
  fixture: TestTree,
  id: NodeId,
  content: string,
  mode: 'branch' | 'in-place' | 'prefix' = 'branch',
): Command {
  return { type: 'edit', treeId: fixture.treeId, nodeId: id, content, mode };
}

function logOf(fixture: TestTree) {
  return fixture.reference?.commits.get(fixture.treeId) ?? [];
}

describe('a commit', () => {
  test('[N1] increases the version by exactly one, whatever it contains', async () => {
    const { fixture, ids } = await fixtureOf('a', 'b');
    const [a = nowhere, b = nowhere] = ids;
    const commands: readonly Command[] = [
      append(fixture, 'c', b),
      edit(fixture, a, 'other'),
      { type: 'select', treeId: fixture.treeId, nodeId: b },
      { type: 'tag', treeId: fixture.treeId, nodeId: a, tags: ['x'] },
      { type: 'delete', treeId: fixture.treeId, nodeIds: [b] },
      { type: 'undo', treeId: fixture.treeId },
      { type: 'redo', treeId: fixture.treeId },
      { type: 'clear', treeId: fixture.treeId },
      { type: 'restore-version', treeId: fixture.treeId, version: 2 },
    ];
    for (const command of commands) {
      const { version } = fixture.tree;
      const outcome = await fixture.run(command);
      expect([outcome.version, outcome.commit?.version, fixture.tree.version]).toEqual([
        version + 1,
        version + 1,
        version + 1,
      ]);
    }
    expect(logOf(fixture).map((commit) => commit.version)).toEqual(logOf(fixture).map((_, index) => index + 1));
  });

  test('[N1] gives each node a creation number that is never used again', async () => {
    const { fixture, ids } = await fixtureOf('a', 'b');
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [ids[1] ?? nowhere] });
    const later = await fixture.variant(user('c'), fixture.rootId);
    expect(fixture.node(later).seq).toBe(3);
    expect(logOf(fixture).map((commit) => commit.seq)).toEqual([0, 1, 3, 3]);
  });

  test('[N2] is not made if nothing changes: the write succeeds with the current version', async () => {
    const { fixture, ids } = await fixtureOf('a', 'b');
    const [a = nowhere, b = nowhere] = ids;
    const commands: readonly Command[] = [
      {
        type: 'append',
        treeId: fixture.treeId,
        parentId: fixture.rootId,
        messages: [{ message: user('a') }, { message: assistant('b') }],
      },
      { type: 'append', treeId: fixture.treeId, messages: [] },
      edit(fixture, a, 'a'),
      { type: 'select', treeId: fixture.treeId, nodeId: b },
      { type: 'finish', treeId: fixture.treeId, nodeId: b, status: 'success' },
      { type: 'move', treeId: fixture.treeId, nodeId: b, parentId: a },
      { type: 'create', treeId: fixture.treeId },
    ];
    const { tree } = fixture;
    for (const command of commands) {
      const outcome = await fixture.run(command);
      expect([outcome.commit, outcome.version]).toEqual([null, tree.version]);
      expect(fixture.tree).toBe(tree);
    }
  });

  test('[N3] is not made if a command is refused: the tree is the same object, and the log has no new line', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const before = logOf(fixture).length;
    const commands: readonly Command[] = [
      append(fixture, 'x', nowhere),
      edit(fixture, fixture.rootId, 'x'),
      edit(fixture, a, ' '),
      { type: 'select', treeId: fixture.treeId, nodeId: fixture.rootId },
      { type: 'move', treeId: fixture.treeId, nodeId: a, parentId: a },
      { type: 'redo', treeId: fixture.treeId },
    ];
    for (const command of commands) await refusalOf(fixture, command);
    for (const type of ['fell', 'toString', '__proto__'])
      expect(await fixture.refusal(JSON.parse(JSON.stringify({ treeId: fixture.treeId, type })))).toBe(
        'command/invalid',
      );
    expect(logOf(fixture)).toHaveLength(before);
  });

  test('[N10] belongs to the given act, or to a new one, and an undo to the act that it undoes', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const first = await fixture.run(append(fixture, 'b', a));
    const second = await fixture.run(append(fixture, 'c', a));
    expect(first.actId).not.toBe(second.actId);
    expect(first.commit?.actId).toBe(first.actId);
    const third = await fixture.run(append(fixture, 'd', a), { actId: testUuid(500) });
    expect(third.actId).toBe(testUuid(500));
    const undone = await fixture.run({ type: 'undo', treeId: fixture.treeId }, { actId: testUuid(501) });
    expect(undone.actId).toBe(testUuid(500));
    expect(undone.commit).toMatchObject({ kind: 'undo', actId: testUuid(500) });
    expect((await fixture.run({ type: 'redo', treeId: fixture.treeId })).commit).toMatchObject({
      kind: 'redo',
      actId: testUuid(500),
    });
  });
});

describe('an expected version', () => {
  test('[N4] is refused once a later commit changed structure or content, with the version and what happened since', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const changes: readonly Command[] = [
      append(fixture, 'b', a),
      edit(fixture, a, 'a2', 'in-place'),
      { type: 'undo', treeId: fixture.treeId },
    ];
    for (const change of changes) {
      const { version } = fixture.tree;
      await fixture.run(change, you);
      const { tree } = fixture;
      const late = fixture.run(append(fixture, 'late', a), { expectedVersion: version });
      await expect(late).rejects.toMatchObject({
        code: 'tree/version-conflict',
        kind: 'conflict',
        data: { version: version + 1, expectedVersion: version, since: [{ version: version + 1, actor: 'you' }] },
      });
      expect(fixture.tree).toBe(tree);
    }
    await fixture.run(append(fixture, 'in time', a), { expectedVersion: fixture.tree.version });
  });

  test('[N5] still holds after others selected, annotated, tagged, titled, bookmarked, grouped or renamed the tree', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const b = await fixture.variant(user('b'), fixture.rootId);
    const { version } = fixture.tree;
    const notes: readonly Command[] = [
      { type: 'select', treeId: fixture.treeId, nodeId: a },
      { type: 'annotate', treeId: fixture.treeId, nodeId: a, set: { note: 1 } },
      { type: 'tag', treeId: fixture.treeId, nodeId: a, tags: ['x'] },
      { type: 'title', treeId: fixture.treeId, nodeId: a, title: 'x' },
      { type: 'bookmark', treeId: fixture.treeId, nodeId: a, title: 'x' },
      { type: 'group', treeId: fixture.treeId, nodeIds: [a, b] },
      { type: 'attributes', treeId: fixture.treeId, set: { title: 'x' } },
    ];
    for (const note of notes) await fixture.run(note, you);
    await runAndCheck(fixture, append(fixture, 'c', a), { expectedVersion: version });
    // Commands that only annotate need no current version; the last write wins.
    for (const note of notes.slice(0, 5)) {
      const stale = note.type === 'select' ? { ...note, nodeId: b } : note;
      await fixture.run(stale, { expectedVersion: version });
    }
    expect(fixture.active).toBe(b);
  });

  test('[N6] that is not a whole number is refused as such', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const before = fixture.tree;
    for (const expectedVersion of [Number.NaN, 1.5, JSON.parse('null'), JSON.parse('"2"')])
      expect(await fixture.refusal(append(fixture, 'b', ids[0] ?? nowhere), { expectedVersion })).toBe(
        'command/invalid',
      );
    expect(fixture.tree).toBe(before);
  });

  test('[N6] higher than the version of the tree is refused', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const late = { expectedVersion: fixture.tree.version + 1 };
    expect(await refusalOf(fixture, append(fixture, 'b', ids[0] ?? nowhere), late)).toBe('tree/version-conflict');
    expect(isStale({ version: 5, structureVersion: 3 }, 3)).toBe(false);
    expect(isStale({ version: 5, structureVersion: 3 }, 2)).toBe(true);
    expect(isStale({ version: 5, structureVersion: 3 }, 6)).toBe(true);
    expect(isStale({ version: 5, structureVersion: 3 }, Number.NaN)).toBe(true);
    expect(isStale({ version: 5, structureVersion: 3 }, undefined)).toBe(false);
    expect(isStale(null, 4)).toBe(false);
  });

  test('[N7] that is stale is accepted for an additive write on request, which is added as a sibling', async () => {
    const branch: Partial<RunContext> = { expectedVersion: 2, onConflict: 'branch' };
    for (const mode of ['branch', 'in-place', 'prefix'] as const) {
      const { fixture, ids } = await fixtureOf('hello there');
      const [a = nowhere] = ids;
      await fixture.run(edit(fixture, a, 'their words', 'in-place'), you);
      await runAndCheck(fixture, edit(fixture, a, 'hello world', mode), branch);
      expect(fixture.texts()).toEqual(['their words', 'hello world']);
      const [left, right] = childIds(fixture.tree, fixture.rootId).map((id) => fixture.node(id).groupId);
      expect(left).toBe(right);
    }
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    await fixture.run(append(fixture, 'theirs', a), you);
    await runAndCheck(fixture, append(fixture, 'mine', a), branch);
    await runAndCheck(
      fixture,
      { type: 'regenerate', treeId: fixture.treeId, nodeId: a, replies: [{ message: assistant('r') }] },
      branch,
    );
    expect(fixture.texts(a)).toEqual(['theirs', 'mine', 'r']);
  });

  test('[N7] that is stale is refused for any other structural write, even on request', async () => {
    const { fixture, ids } = await fixtureOf('hello', 'b');
    const [a = nowhere, b = nowhere] = ids;
    await fixture.run(append(fixture, 'theirs', fixture.rootId), you);
    const branch: Partial<RunContext> = { expectedVersion: 2, onConflict: 'branch' };
    const commands: readonly Command[] = [
      { type: 'delete', treeId: fixture.treeId, nodeIds: [a] },
      { type: 'move', treeId: fixture.treeId, nodeId: b, parentId: fixture.rootId },
      { type: 'split', treeId: fixture.treeId, nodeId: a, position: 1 },
      { type: 'clear', treeId: fixture.treeId },
      { type: 'undo', treeId: fixture.treeId },
    ];
    for (const command of commands) expect(await refusalOf(fixture, command, branch)).toBe('tree/version-conflict');
  });

  test('[N8] that is stale is a conflict even if the named node is gone, and lists the changes since', async () => {
    const { fixture, ids } = await fixtureOf('a', 'b');
    const [, b = nowhere] = ids;
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b] }, you);
    for (const context of [{ expectedVersion: 2 }, { expectedVersion: 2, onConflict: 'branch' as const }]) {
      await expect(fixture.run(edit(fixture, b, 'mine'), context)).rejects.toMatchObject({
        code: 'tree/version-conflict',
        data: { version: 3, since: [{ actor: 'you' }] },
      });
    }
    expect(await refusalOf(fixture, edit(fixture, b, 'mine'))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, edit(fixture, b, 'mine'), { expectedVersion: 3 })).toBe('tree/unknown-node');
    const unread: Command = {
      type: 'append',
      treeId: fixture.treeId,
      messages: [{ message: { role: 'user', content: [{ type: '' }, { type: 'text' }] } }],
    };
    expect(await refusalOf(fixture, unread, { expectedVersion: 2 })).toBe('message/invalid');
  });

  test('[N9] does not prevent a retry of a completed write', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const tries: readonly Command[] = [
      append(fixture, 'b', a, testUuid(600)),
      { type: 'edit', treeId: fixture.treeId, nodeId: a, content: 'variant', id: testUuid(601) },
      { type: 'reply', treeId: fixture.treeId, parentId: a, replies: [{ id: testUuid(602), message: assistant('r') }] },
      edit(fixture, a, 'saved', 'in-place'),
    ];
    for (const command of tries) {
      const expectedVersion = fixture.tree.version;
      await fixture.run(command, { expectedVersion });
      const { tree } = fixture;
      const again = await fixture.run(command, { expectedVersion });
      expect(again.commit).toBeNull();
      expect(fixture.tree).toBe(tree);
    }
  });

  test('[N11] lets one of two simultaneous writers through, and keeps both texts on request', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const expectedVersion = fixture.tree.version;
    const race = (context: Partial<RunContext>) =>
      Promise.allSettled(
        ['mine', 'yours'].map((text) =>
          fixture.run(edit(fixture, a, text, 'in-place'), { expectedVersion, ...context }),
        ),
      );
    const [won, lost] = await race({});
    expect([won?.status, lost?.status]).toEqual(['fulfilled', 'rejected']);
    expect(fixture.texts()).toEqual(['mine']);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    const both = await race({ expectedVersion: fixture.tree.version, onConflict: 'branch' });
    expect(both.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled']);
    expect(fixture.texts()).toEqual(['mine', 'yours']);
  });
});

describe('the store contract', () => {
  test('[N12] a feed gives every commit after a version once, in order, including future ones', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const [a = nowhere] = ids;
    const abort = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const commit of fixture.store.feed(fixture.treeId, 1, abort.signal)) {
        seen.push(commit.version);
        if (seen.length === 4) abort.abort();
      }
    })();
    for (const text of ['b', 'c', 'd']) await fixture.run(append(fixture, text, a));
    await reading;
    expect(seen).toEqual([2, 3, 4, 5]);
  });

  test('[N13] trees of another owner are unknown, to reads and to writes', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const theirs = new TestTree(fixture.reference?.forOwner('stranger'), fixture.treeId);
    expect(await theirs.refusal(append(fixture, 'x', ids[0] ?? nowhere))).toBe('tree/unknown-tree');
    expect(await theirs.refusal({ type: 'undo', treeId: fixture.treeId })).toBe('tree/unknown-tree');
    expect(await theirs.store.content(fixture.treeId, ids)).toEqual(new Map());
    expect(fixture.texts()).toEqual(['a']);
  });

  test('[N14] contents are the stored JSON texts of live messages', async () => {
    const { fixture, ids } = await fixtureOf('a', 'b');
    const [a = nowhere, b = nowhere] = ids;
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b] });
    const texts = await fixture.store.content(fixture.treeId, [a, b, fixture.rootId, nowhere]);
    expect([...texts]).toEqual([[a, JSON.stringify(user('a'))]]);
  });

  test('[N15] a plan becomes a commit and the new numbers of the tree row', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const select: Step = { type: 'select', after: ids[0] ?? null, before: ids[0] ?? null };
    const options = { actor: 'me', actId: logOf(fixture)[0]?.actId ?? ('' as never), at: 5000, additive: false };
    expect(prepareCommit(fixture.treeId, fixture.tree, { steps: [], result: null }, options)).toBeNull();
    expect(prepareCommit(fixture.treeId, fixture.tree, { steps: [select], result: null }, options)).toMatchObject({
      commit: { version: 3, structural: false, kind: 'do', seq: 2, steps: [select] },
      row: { version: 3, structureVersion: 2, nextSeq: 2, updatedAt: fixture.tree.updatedAt },
    });
    expect(makeVersionConflictError(fixture.treeId, 3, 2)).toMatchObject({
      code: 'tree/version-conflict',
      data: { since: [] },
    });
  });

  test('[N21] a clock that was set back does not lower the time of the last change, in tree or row', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const before = fixture.tree.updatedAt;
    const { commit } = await fixture.run(append(fixture, 'b', ids[0] ?? nowhere), { now: () => 1 });
    expect(commit?.at).toBe(1);
    expect(fixture.tree.updatedAt).toBe(before);
    const options = { actor: 'me', actId: commit?.actId ?? ('' as never), at: 1, additive: false };
    const select: Step = { type: 'select', after: ids[0] ?? null, before: fixture.active };
    expect(prepareCommit(fixture.treeId, fixture.tree, { steps: [select], result: null }, options)?.row.updatedAt).toBe(
      before,
    );
  });

  test('[N21] title, tags, bookmarks, labels and the active node leave the time of the last change as it is', async () => {
    const { fixture, ids } = await fixtureOf('a');
    const id = ids[0] ?? nowhere;
    const { treeId } = fixture;
    const before = fixture.tree.updatedAt;
    const later = { now: () => before + 60_000 };
    await fixture.run({ type: 'attributes', treeId, set: { title: 'New', tags: ['x'], pinned: true } }, later);
    await fixture.run({ type: 'bookmark', treeId, nodeId: id, title: 'here' }, later);
    await fixture.run({ type: 'annotate', treeId, nodeId: id, set: { title: 'label' } }, later);
    await fixture.run({ type: 'undo', treeId }, later);
    expect([fixture.tree.version, fixture.tree.updatedAt]).toEqual([6, before]);
    await fixture.run(append(fixture, 'b', id), later);
    expect(fixture.tree.updatedAt).toBe(before + 60_000);
  });

  test('[N16] changing only the active node is not an act', () => {
    const select: Step = { type: 'select', after: nowhere, before: null };
    expect(isUndoable([select])).toBe(false);
    expect(isUndoable([])).toBe(false);
    expect(isUndoable([select, { type: 'remove', nodeId: nowhere }])).toBe(true);
  });

  test('[N13] a tree that does not exist is unknown to every command except those that create one', async () => {
    const fixture = await TestTree.make();
    const missing = treeId(testUuid(99));
    const commands: readonly Command[] = [
      { type: 'append', treeId: missing, messages: [{ message: user('a') }] },
      { type: 'clear', treeId: missing },
      { type: 'restore-version', treeId: missing, version: 1 },
      { type: 'attributes', treeId: missing, set: {} },
      { type: 'undo', treeId: missing },
      { type: 'redo', treeId: missing },
    ];
    for (const command of commands) expect(await fixture.refusal(command)).toBe('tree/unknown-tree');
  });
});

test('[N19] the first reads of an append are announced before the tree is read', () => {
  const tree = treeId(testUuid(1));
  const said = { message: user('a') };
  expect(prefetchForAppend({ type: 'append', treeId: tree, messages: [said] })).toEqual({ below: null, ids: [] });
  const messages = [{ ...said, id: testUuid(5) }, said, { ...said, id: 'no id' }];
  expect(prefetchForAppend({ type: 'append', treeId: tree, parentId: nowhere, messages })).toEqual({
    below: nowhere,
    ids: [testUuid(5)],
  });
});

test('[N17] two plain values are equal in any order of keys, and an undefined field counts as absent', () => {
  expect(isSameJson({ a: 1, b: [{ c: null }] }, { b: [{}], a: 1 })).toBe(true);
  expect(isSameJson({ a: undefined }, {})).toBe(true);
  expect(isSameJson(undefined, null)).toBe(true);
  expect(isSameJson([1, 2], [2, 1])).toBe(false);
  expect(isSameJson([], {})).toBe(false);
  expect(isSameJson({ a: 1 }, { a: 1, b: 0 })).toBe(false);
  expect(isSameJson({ a: 1, b: 0 }, { a: 1 })).toBe(false);
  expect(isSameJson(Object.fromEntries([['__proto__', 1]]), {})).toBe(false);
  expect(isSameJson('1', 1)).toBe(false);
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(isSameJson(deep, [deep])).toBe(false);
});

test('[X41] a remote store is given validated commands only', async () => {
  const { fixture } = await fixtureOf('a');
  const given: unknown[] = [];
  const outcome = {
    treeId: fixture.treeId,
    actId: actId(testUuid(5)),
    version: 9,
    commit: null,
    result: { nodeId: nowhere },
  };
  const elsewhere: RemoteCommands = {
    async run(command, options) {
      given.push(command, options);
      return outcome;
    },
    async reverse(type, force) {
      given.push(type, force);
      return outcome;
    },
  };
  const store: TreeStore = Object.assign(new ReferenceStore(), { elsewhere });
  const there = new TestTree(store, fixture.treeId);
  const select = { type: 'select', treeId: fixture.treeId, nodeId: nowhere } as const;
  expect(await there.run(select, { expectedVersion: 3 })).toEqual(outcome);
  expect(given).toMatchObject([select, { expectedVersion: 3 }]);
  expect(await there.refusal(select, { expectedVersion: Number.NaN })).toBe('command/invalid');
  expect(given).toHaveLength(2);
});
