import { describe, expect, test } from 'vitest';
import { isAct, isStale, settle, staleError } from './commit.ts';
import { type NodeId, nodeId, treeId } from './ids.ts';
import { foreseen } from './plan/append.ts';
import type { Command } from './plan/index.ts';
import type { RunContext } from './run.ts';
import { sameJson } from './same-json.ts';
import type { Step } from './steps/types.ts';
import { assistant, Bed, carry, refusalOf, user, uuid } from './testing/index.ts';
import { childIds } from './tree.ts';

const you = { actor: 'you' };
const nowhere = nodeId(uuid(77));

async function bedOf(...texts: string[]): Promise<{ bed: Bed; ids: NodeId[] }> {
  const bed = await Bed.make();
  return { bed, ids: await bed.grow(texts) };
}

function append(bed: Bed, text: string, parentId: NodeId, id?: string): Command {
  const message = { message: user(text), ...(id === undefined ? {} : { id }) };
  return { type: 'append', treeId: bed.treeId, parentId, messages: [message] };
}

function edit(bed: Bed, id: NodeId, content: string, mode: 'branch' | 'in-place' | 'prefix' = 'branch'): Command {
  return { type: 'edit', treeId: bed.treeId, nodeId: id, content, mode };
}

function logOf(bed: Bed) {
  return bed.reference?.commits.get(bed.treeId) ?? [];
}

describe('a commit', () => {
  test('[N1] raises the version by exactly one, whatever it holds', async () => {
    const { bed, ids } = await bedOf('a', 'b');
    const [a = nowhere, b = nowhere] = ids;
    const commands: readonly Command[] = [
      append(bed, 'c', b),
      edit(bed, a, 'other'),
      { type: 'select', treeId: bed.treeId, nodeId: b },
      { type: 'tag', treeId: bed.treeId, nodeId: a, tags: ['x'] },
      { type: 'delete', treeId: bed.treeId, nodeIds: [b] },
      { type: 'undo', treeId: bed.treeId },
      { type: 'redo', treeId: bed.treeId },
      { type: 'clear', treeId: bed.treeId },
      { type: 'restore-version', treeId: bed.treeId, version: 2 },
    ];
    for (const command of commands) {
      const { version } = bed.tree;
      const outcome = await bed.run(command);
      expect([outcome.version, outcome.commit?.version, bed.tree.version]).toEqual([
        version + 1,
        version + 1,
        version + 1,
      ]);
    }
    expect(logOf(bed).map((commit) => commit.version)).toEqual(logOf(bed).map((_, index) => index + 1));
  });

  test('[N1] gives nodes creation numbers that are never given again', async () => {
    const { bed, ids } = await bedOf('a', 'b');
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [ids[1] ?? nowhere] });
    const later = await bed.variant(user('c'), bed.rootId);
    expect(bed.node(later).seq).toBe(3);
    expect(logOf(bed).map((commit) => commit.seq)).toEqual([0, 1, 3, 3]);
  });

  test('[N2] is not made where nothing changes: the write is acknowledged with the present version', async () => {
    const { bed, ids } = await bedOf('a', 'b');
    const [a = nowhere, b = nowhere] = ids;
    const commands: readonly Command[] = [
      {
        type: 'append',
        treeId: bed.treeId,
        parentId: bed.rootId,
        messages: [{ message: user('a') }, { message: assistant('b') }],
      },
      { type: 'append', treeId: bed.treeId, messages: [] },
      edit(bed, a, 'a'),
      { type: 'select', treeId: bed.treeId, nodeId: b },
      { type: 'finish', treeId: bed.treeId, nodeId: b, status: 'success' },
      { type: 'move', treeId: bed.treeId, nodeId: b, parentId: a },
      { type: 'create', treeId: bed.treeId },
    ];
    const { tree } = bed;
    for (const command of commands) {
      const outcome = await bed.run(command);
      expect([outcome.commit, outcome.version]).toEqual([null, tree.version]);
      expect(bed.tree).toBe(tree);
    }
  });

  test('[N3] is not made where a command is refused: the tree is the very value it was, and the log has no line more', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const before = logOf(bed).length;
    const commands: readonly Command[] = [
      append(bed, 'x', nowhere),
      edit(bed, bed.rootId, 'x'),
      edit(bed, a, ' '),
      { type: 'select', treeId: bed.treeId, nodeId: bed.rootId },
      { type: 'move', treeId: bed.treeId, nodeId: a, parentId: a },
      { type: 'redo', treeId: bed.treeId },
    ];
    for (const command of commands) await refusalOf(bed, command);
    for (const type of ['fell', 'toString', '__proto__'])
      expect(await bed.refusal(JSON.parse(JSON.stringify({ treeId: bed.treeId, type })))).toBe('command/invalid');
    expect(logOf(bed)).toHaveLength(before);
  });

  test('[N10] belongs to the act that was given, or to a fresh one, and an undo to the act that it takes back', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const first = await bed.run(append(bed, 'b', a));
    const second = await bed.run(append(bed, 'c', a));
    expect(first.actId).not.toBe(second.actId);
    expect(first.commit?.actId).toBe(first.actId);
    const third = await bed.run(append(bed, 'd', a), { actId: uuid(500) });
    expect(third.actId).toBe(uuid(500));
    const undone = await bed.run({ type: 'undo', treeId: bed.treeId }, { actId: uuid(501) });
    expect(undone.actId).toBe(uuid(500));
    expect(undone.commit).toMatchObject({ kind: 'undo', actId: uuid(500) });
    expect((await bed.run({ type: 'redo', treeId: bed.treeId })).commit).toMatchObject({
      kind: 'redo',
      actId: uuid(500),
    });
  });
});

describe('an expected version', () => {
  test('[N4] is refused once a later commit changed structure or content, with the version and what happened since', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const changes: readonly Command[] = [
      append(bed, 'b', a),
      edit(bed, a, 'a2', 'in-place'),
      { type: 'undo', treeId: bed.treeId },
    ];
    for (const change of changes) {
      const { version } = bed.tree;
      await bed.run(change, you);
      const { tree } = bed;
      const late = bed.run(append(bed, 'late', a), { expectedVersion: version });
      await expect(late).rejects.toMatchObject({
        code: 'tree/version-conflict',
        kind: 'conflict',
        data: { version: version + 1, expectedVersion: version, since: [{ version: version + 1, actor: 'you' }] },
      });
      expect(bed.tree).toBe(tree);
    }
    await bed.run(append(bed, 'in time', a), { expectedVersion: bed.tree.version });
  });

  test('[N5] holds although others selected, noted, tagged, titled, bookmarked, grouped or named the tree since', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const b = await bed.variant(user('b'), bed.rootId);
    const { version } = bed.tree;
    const notes: readonly Command[] = [
      { type: 'select', treeId: bed.treeId, nodeId: a },
      { type: 'annotate', treeId: bed.treeId, nodeId: a, set: { note: 1 } },
      { type: 'tag', treeId: bed.treeId, nodeId: a, tags: ['x'] },
      { type: 'title', treeId: bed.treeId, nodeId: a, title: 'x' },
      { type: 'bookmark', treeId: bed.treeId, nodeId: a, title: 'x' },
      { type: 'group', treeId: bed.treeId, nodeIds: [a, b] },
      { type: 'attributes', treeId: bed.treeId, set: { title: 'x' } },
    ];
    for (const note of notes) await bed.run(note, you);
    await carry(bed, append(bed, 'c', a), { expectedVersion: version });
    // And they themselves need none: the last of them wins.
    for (const note of notes.slice(0, 5)) {
      const stale = note.type === 'select' ? { ...note, nodeId: b } : note;
      await bed.run(stale, { expectedVersion: version });
    }
    expect(bed.active).toBe(b);
  });

  test('[N6] that is no whole number is refused as such', async () => {
    const { bed, ids } = await bedOf('a');
    const before = bed.tree;
    for (const expectedVersion of [Number.NaN, 1.5, JSON.parse('null'), JSON.parse('"2"')])
      expect(await bed.refusal(append(bed, 'b', ids[0] ?? nowhere), { expectedVersion })).toBe('command/invalid');
    expect(bed.tree).toBe(before);
  });

  test('[N6] that the tree has not reached is refused: it is of another past', async () => {
    const { bed, ids } = await bedOf('a');
    const late = { expectedVersion: bed.tree.version + 1 };
    expect(await refusalOf(bed, append(bed, 'b', ids[0] ?? nowhere), late)).toBe('tree/version-conflict');
    expect(isStale({ version: 5, structureVersion: 3 }, 3)).toBe(false);
    expect(isStale({ version: 5, structureVersion: 3 }, 2)).toBe(true);
    expect(isStale({ version: 5, structureVersion: 3 }, 6)).toBe(true);
    expect(isStale({ version: 5, structureVersion: 3 }, Number.NaN)).toBe(true);
    expect(isStale({ version: 5, structureVersion: 3 }, undefined)).toBe(false);
    expect(isStale(null, 4)).toBe(false);
  });

  test('[N7] of an additive write that asks for it is let pass: it is kept as a sibling', async () => {
    const branch: Partial<RunContext> = { expectedVersion: 2, onConflict: 'branch' };
    for (const mode of ['branch', 'in-place', 'prefix'] as const) {
      const { bed, ids } = await bedOf('hello there');
      const [a = nowhere] = ids;
      await bed.run(edit(bed, a, 'their words', 'in-place'), you);
      await carry(bed, edit(bed, a, 'hello world', mode), branch);
      expect(bed.texts()).toEqual(['their words', 'hello world']);
      const [left, right] = childIds(bed.tree, bed.rootId).map((id) => bed.node(id).groupId);
      expect(left).toBe(right);
    }
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    await bed.run(append(bed, 'theirs', a), you);
    await carry(bed, append(bed, 'mine', a), branch);
    await carry(
      bed,
      { type: 'regenerate', treeId: bed.treeId, nodeId: a, replies: [{ message: assistant('r') }] },
      branch,
    );
    expect(bed.texts(a)).toEqual(['theirs', 'mine', 'r']);
  });

  test('[N7] of any other structural write is refused, also if that is asked for', async () => {
    const { bed, ids } = await bedOf('hello', 'b');
    const [a = nowhere, b = nowhere] = ids;
    await bed.run(append(bed, 'theirs', bed.rootId), you);
    const branch: Partial<RunContext> = { expectedVersion: 2, onConflict: 'branch' };
    const commands: readonly Command[] = [
      { type: 'delete', treeId: bed.treeId, nodeIds: [a] },
      { type: 'move', treeId: bed.treeId, nodeId: b, parentId: bed.rootId },
      { type: 'split', treeId: bed.treeId, nodeId: a, position: 1 },
      { type: 'clear', treeId: bed.treeId },
      { type: 'undo', treeId: bed.treeId },
    ];
    for (const command of commands) expect(await refusalOf(bed, command, branch)).toBe('tree/version-conflict');
  });

  test('[N8] that is stale is a conflict also where what the write names is gone, with what happened since', async () => {
    const { bed, ids } = await bedOf('a', 'b');
    const [, b = nowhere] = ids;
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [b] }, you);
    for (const context of [{ expectedVersion: 2 }, { expectedVersion: 2, onConflict: 'branch' as const }]) {
      await expect(bed.run(edit(bed, b, 'mine'), context)).rejects.toMatchObject({
        code: 'tree/version-conflict',
        data: { version: 3, since: [{ actor: 'you' }] },
      });
    }
    expect(await refusalOf(bed, edit(bed, b, 'mine'))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, edit(bed, b, 'mine'), { expectedVersion: 3 })).toBe('tree/unknown-node');
    const unread: Command = {
      type: 'append',
      treeId: bed.treeId,
      messages: [{ message: { role: 'user', content: [{ type: '' }, { type: 'text' }] } }],
    };
    expect(await refusalOf(bed, unread, { expectedVersion: 2 })).toBe('message/invalid');
  });

  test('[N9] does not stand in the way of a retry that was carried out the first time', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const tries: readonly Command[] = [
      append(bed, 'b', a, uuid(600)),
      { type: 'edit', treeId: bed.treeId, nodeId: a, content: 'variant', id: uuid(601) },
      { type: 'reply', treeId: bed.treeId, parentId: a, replies: [{ id: uuid(602), message: assistant('r') }] },
      edit(bed, a, 'saved', 'in-place'),
    ];
    for (const command of tries) {
      const expectedVersion = bed.tree.version;
      await bed.run(command, { expectedVersion });
      const { tree } = bed;
      const again = await bed.run(command, { expectedVersion });
      expect(again.commit).toBeNull();
      expect(bed.tree).toBe(tree);
    }
  });

  test('[N11] lets one of two writers at once through, and keeps both texts where that was asked for', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const expectedVersion = bed.tree.version;
    const race = (context: Partial<RunContext>) =>
      Promise.allSettled(
        ['mine', 'yours'].map((text) => bed.run(edit(bed, a, text, 'in-place'), { expectedVersion, ...context })),
      );
    const [won, lost] = await race({});
    expect([won?.status, lost?.status]).toEqual(['fulfilled', 'rejected']);
    expect(bed.texts()).toEqual(['mine']);
    await bed.run({ type: 'undo', treeId: bed.treeId });
    const both = await race({ expectedVersion: bed.tree.version, onConflict: 'branch' });
    expect(both.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled']);
    expect(bed.texts()).toEqual(['mine', 'yours']);
  });
});

describe('the store contract', () => {
  test('[N12] a feed gives every commit after a version once, in order, those to come included', async () => {
    const { bed, ids } = await bedOf('a');
    const [a = nowhere] = ids;
    const abort = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const commit of bed.store.feed(bed.treeId, 1, abort.signal)) {
        seen.push(commit.version);
        if (seen.length === 4) abort.abort();
      }
    })();
    for (const text of ['b', 'c', 'd']) await bed.run(append(bed, text, a));
    await reading;
    expect(seen).toEqual([2, 3, 4, 5]);
  });

  test('[N13] trees of another owner are unknown, to reads and to writes', async () => {
    const { bed, ids } = await bedOf('a');
    const theirs = new Bed(bed.reference?.forOwner('stranger'), bed.treeId);
    expect(await theirs.refusal(append(bed, 'x', ids[0] ?? nowhere))).toBe('tree/unknown-tree');
    expect(await theirs.refusal({ type: 'undo', treeId: bed.treeId })).toBe('tree/unknown-tree');
    expect(await theirs.store.content(bed.treeId, ids)).toEqual(new Map());
    expect(bed.texts()).toEqual(['a']);
  });

  test('[N14] contents are the stored JSON texts of live messages', async () => {
    const { bed, ids } = await bedOf('a', 'b');
    const [a = nowhere, b = nowhere] = ids;
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [b] });
    const texts = await bed.store.content(bed.treeId, [a, b, bed.rootId, nowhere]);
    expect([...texts]).toEqual([[a, JSON.stringify(user('a'))]]);
  });

  test('[N15] a plan settles into a commit, its row changes and the numbers of the tree row', async () => {
    const { bed, ids } = await bedOf('a');
    const select: Step = { type: 'select', after: ids[0] ?? null, before: ids[0] ?? null };
    const options = { actor: 'me', actId: logOf(bed)[0]?.actId ?? ('' as never), at: 5000, additive: false };
    expect(settle(bed.treeId, bed.tree, { steps: [], result: null }, options)).toBeNull();
    expect(settle(bed.treeId, bed.tree, { steps: [select], result: null }, options)).toMatchObject({
      commit: { version: 3, structural: false, kind: 'do', seq: 2, steps: [select] },
      changes: [{ op: 'pointed', nodeId: ids[0] }],
      row: { version: 3, structureVersion: 2, nextSeq: 2, updatedAt: 5000 },
    });
    expect(staleError(bed.treeId, 3, 2)).toMatchObject({ code: 'tree/version-conflict', data: { since: [] } });
  });

  test('[N21] a clock that was set back leaves the time of the last change, in value and row', async () => {
    const { bed, ids } = await bedOf('a');
    const before = bed.tree.updatedAt;
    const { commit } = await bed.run(append(bed, 'b', ids[0] ?? nowhere), { now: () => 1 });
    expect(commit?.at).toBe(1);
    expect(bed.tree.updatedAt).toBe(before);
    const options = { actor: 'me', actId: commit?.actId ?? ('' as never), at: 1, additive: false };
    const select: Step = { type: 'select', after: ids[0] ?? null, before: bed.active };
    expect(settle(bed.treeId, bed.tree, { steps: [select], result: null }, options)?.row.updatedAt).toBe(before);
  });

  test('[N16] what moves the pointer alone is no act', () => {
    const select: Step = { type: 'select', after: nowhere, before: null };
    expect(isAct([select])).toBe(false);
    expect(isAct([])).toBe(false);
    expect(isAct([select, { type: 'remove', nodeId: nowhere }])).toBe(true);
  });

  test('[N13] a tree that was never made is unknown to every command but those that make one', async () => {
    const bed = await Bed.make();
    const missing = treeId(uuid(99));
    const commands: readonly Command[] = [
      { type: 'append', treeId: missing, messages: [{ message: user('a') }] },
      { type: 'clear', treeId: missing },
      { type: 'restore-version', treeId: missing, version: 1 },
      { type: 'attributes', treeId: missing, set: {} },
      { type: 'undo', treeId: missing },
      { type: 'redo', treeId: missing },
    ];
    for (const command of commands) expect(await bed.refusal(command)).toBe('tree/unknown-tree');
  });
});

test('[N19] what an append asks first is known before the tree is looked at', () => {
  const tree = treeId(uuid(1));
  const said = { message: user('a') };
  expect(foreseen({ type: 'append', treeId: tree, messages: [said] })).toEqual({ below: null, ids: [] });
  const messages = [{ ...said, id: uuid(5) }, said, { ...said, id: 'no id' }];
  expect(foreseen({ type: 'append', treeId: tree, parentId: nowhere, messages })).toEqual({
    below: nowhere,
    ids: [uuid(5)],
  });
});

test('[N17] two plain values are the same whatever the order of their keys, and a key without a value is none', () => {
  expect(sameJson({ a: 1, b: [{ c: null }] }, { b: [{}], a: 1 })).toBe(true);
  expect(sameJson({ a: undefined }, {})).toBe(true);
  expect(sameJson(undefined, null)).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
  expect(sameJson([], {})).toBe(false);
  expect(sameJson({ a: 1 }, { a: 1, b: 0 })).toBe(false);
  expect(sameJson({ a: 1, b: 0 }, { a: 1 })).toBe(false);
  expect(sameJson(Object.fromEntries([['__proto__', 1]]), {})).toBe(false);
  expect(sameJson('1', 1)).toBe(false);
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(sameJson(deep, [deep])).toBe(false);
});
