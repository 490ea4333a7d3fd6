import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import {
  assistant,
  planWithoutCommit,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testUuid,
  user,
} from '../testing/index.ts';
import { childIds } from '../tree.ts';
import type { MoveCommand } from './move.ts';

function moving(fixture: TestTree, id: NodeId, parentId: NodeId, before?: NodeId): MoveCommand {
  const command: MoveCommand = { type: 'move', treeId: fixture.treeId, nodeId: id, parentId };
  return before === undefined ? command : { ...command, before };
}

async function three(): Promise<{ fixture: TestTree; a: NodeId; b: NodeId; c: NodeId }> {
  const fixture = await TestTree.make();
  const [a, b, c] = [
    await fixture.variant(user('a'), fixture.rootId),
    await fixture.variant(user('b'), fixture.rootId),
    await fixture.variant(user('c'), fixture.rootId),
  ];
  return { fixture, a, b, c };
}

describe('a move', () => {
  test('[V13] moves a branch with its descendants below another parent, last, and keeps all ids', async () => {
    const { fixture, a, c } = await three();
    await fixture.addMessages(['reply', 'and'], a);
    const below = childIds(fixture.tree, a);
    await fixture.variant(assistant('first'), c);
    const { result } = await runAndCheck(fixture, moving(fixture, a, c));
    expect(result).toEqual({ nodeId: a, from: fixture.rootId });
    expect(fixture.drawing()).toEqual(['b', 'c', '  first *', '  a', '    reply', '      and']);
    expect(childIds(fixture.tree, a)).toEqual(below);
  });

  test('[V13] inserts it before a named sibling', async () => {
    const { fixture, a, b, c } = await three();
    await runAndCheck(fixture, moving(fixture, c, fixture.rootId, a));
    expect(fixture.texts()).toEqual(['c', 'a', 'b']);
    const d = await fixture.variant(user('d'), a);
    await runAndCheck(fixture, moving(fixture, d, fixture.rootId, b));
    expect(fixture.texts()).toEqual(['c', 'a', 'd', 'b']);
  });

  test('[V13] leaves the active node unchanged', async () => {
    const { fixture, a, b, c } = await three();
    expect(fixture.active).toBe(c);
    const { commit } = await runAndCheck(fixture, moving(fixture, c, a));
    expect(stepTypesOf({ commit })).toEqual(['move']);
    expect(fixture.active).toBe(c);
    await runAndCheck(fixture, moving(fixture, a, b));
    expect(fixture.thread()).toEqual(['b', 'a', 'c']);
  });

  test('[V13] lets a moved message match below its new parent', async () => {
    const { fixture, a, b } = await three();
    await runAndCheck(fixture, moving(fixture, b, a));
    const { result } = await fixture.run({
      type: 'append',
      treeId: fixture.treeId,
      parentId: fixture.rootId,
      messages: [{ message: user('a') }, { message: user('b') }],
    });
    expect(result).toMatchObject({ reused: [a, b], added: [] });
  });

  test('[V13] updates the match parent of messages below a moved marker', async () => {
    const { fixture, a, b } = await three();
    const { result } = await fixture.run({
      type: 'mark',
      treeId: fixture.treeId,
      parentId: a,
      kind: 'injected',
      message: user('marker'),
    });
    const below = await fixture.variant(assistant('below'), result.nodeId);
    await runAndCheck(fixture, moving(fixture, result.nodeId, b));
    expect(fixture.node(below).matchParent).toBe(b);
  });

  test('[V14] gives a group a new number at another parent, and keeps it under the same one', async () => {
    const fixture = await TestTree.make();
    const [q, r] = [await fixture.variant(user('q'), fixture.rootId), await fixture.variant(user('r'), fixture.rootId)];
    const grouped = async (parentId: NodeId) => {
      const replies = [{ message: assistant('one') }, { message: assistant('two') }];
      return (await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId, replies })).result.added;
    };
    const [one = q, two = q] = await grouped(q);
    const there = await grouped(r);
    await runAndCheck(fixture, moving(fixture, one, r));
    expect(fixture.node(one).groupId).toBe(2);
    expect(there.map((id) => fixture.node(id).groupId)).toEqual([1, 1]);
    await runAndCheck(fixture, moving(fixture, one, r, there[0]));
    expect(fixture.node(one).groupId).toBe(2);
    expect(fixture.node(two).groupId).toBe(1);
  });

  test('[V15] refuses cycles, the root, unknown nodes, nodes of other trees and an invalid sibling', async () => {
    const { fixture, a, b, c } = await three();
    const below = await fixture.variant(user('below'), a);
    const deep = await fixture.variant(user('deep'), below);
    const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
    const foreign = await other.variant(user('x'), other.rootId);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [c] });
    const commands: readonly (readonly [MoveCommand, string])[] = [
      [moving(fixture, a, a), 'tree/cycle'],
      [moving(fixture, a, below), 'tree/cycle'],
      [moving(fixture, a, deep), 'tree/cycle'],
      [moving(fixture, fixture.rootId, a), 'tree/root-protected'],
      [moving(fixture, nodeId(testUuid(77)), a), 'tree/unknown-node'],
      [moving(fixture, a, nodeId(testUuid(77))), 'tree/unknown-node'],
      [moving(fixture, a, c), 'tree/unknown-node'],
      [moving(fixture, c, a), 'tree/unknown-node'],
      [moving(fixture, a, foreign), 'tree/foreign-parent'],
      [moving(fixture, foreign, a), 'tree/foreign-parent'],
      [moving(fixture, a, b, below), 'command/invalid'],
      [moving(fixture, a, b, foreign), 'tree/foreign-parent'],
      [moving(fixture, a, b, a), 'command/invalid'],
    ];
    for (const [command, code] of commands) expect(await refusalOf(fixture, command)).toBe(code);
  });

  test('[V16] to the current position commits nothing, even next to positions of removed nodes', async () => {
    const { fixture, a, b, c } = await three();
    const same = [
      moving(fixture, c, fixture.rootId),
      moving(fixture, a, fixture.rootId, b),
      moving(fixture, b, fixture.rootId, b),
    ];
    for (const command of same) expect((await runAndCheck(fixture, command)).commit).toBeNull();
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b] });
    expect((await runAndCheck(fixture, moving(fixture, a, fixture.rootId, c))).commit).toBeNull();
    const { commit } = await runAndCheck(fixture, moving(fixture, c, fixture.rootId, a));
    expect(commit).not.toBeNull();
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.texts()).toEqual(['a', 'b', 'c']);
  });

  test('[V17] of a branch in which a reply is being written succeeds, and the reply can be finished there', async () => {
    const { fixture, a, b } = await three();
    const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: a, replies: [{}] });
    const [reply = a] = result.added;
    await runAndCheck(fixture, moving(fixture, a, b));
    await runAndCheck(fixture, moving(fixture, reply, b));
    const message = assistant('done');
    await runAndCheck(fixture, { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'success', message });
    expect(fixture.thread(reply)).toEqual(['b', 'done']);
  });

  test('[V18] to a new parent reads no list of children', async () => {
    const { fixture, a, b } = await three();
    const { asked } = await planWithoutCommit(fixture, moving(fixture, a, b));
    expect(asked).not.toContain('children');
    expect(asked.length).toBeLessThan(6);
  });
});
