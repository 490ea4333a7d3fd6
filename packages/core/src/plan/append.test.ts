import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAppError } from '../errors.ts';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
import {
  assistant,
  deepFreeze,
  planWithoutCommit,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testUuid,
  toolCallMessage,
  toolResultMessage,
  user,
} from '../testing/index.ts';
import { childCount, childIds } from '../tree.ts';
import type { AppendCommand, NewMessage } from './append.ts';

function appending(fixture: TestTree, messages: readonly Message[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: fixture.treeId, messages: messages.map((message) => ({ message })), ...rest };
}

function named(fixture: TestTree, messages: readonly NewMessage[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: fixture.treeId, messages, ...rest };
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

function last<T>(list: readonly T[]): T {
  const one = list[list.length - 1];
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

describe('prefix matching', () => {
  test('[P1] existing messages are matched, and only the rest is added, as a chain', async () => {
    const fixture = await TestTree.make();
    const [hi, hello] = await fixture.addMessages(['hi', 'hello']);
    const added = await runAndCheck(
      fixture,
      appending(fixture, [user('hi'), assistant('hello'), user('how?'), assistant('well')], {
        parentId: fixture.rootId,
      }),
    );
    expect(added.result.reused).toEqual([hi, hello]);
    expect(added.result.added).toHaveLength(2);
    expect(added.result.nodeId).toBe(last(added.result.added));
    expect(fixture.drawing()).toEqual(['hi', '  hello', '    how?', '      well *']);
  });

  test('[P1] a history that differs in the middle branches off there', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi', 'hello', 'bye']);
    await runAndCheck(
      fixture,
      appending(fixture, [user('hi'), assistant('hey'), user('bye')], { parentId: fixture.rootId }),
    );
    expect(fixture.drawing()).toEqual(['hi', '  hello', '    bye', '  hey', '    bye *']);
  });

  test('[P1] role, tool call and blocks count, white space at the ends does not', async () => {
    const fixture = await TestTree.make();
    const [call] = await fixture.addMessages([toolCallMessage('c1', 'date')]);
    const [done] = await fixture.addMessages([toolResultMessage('c1', 'today')]);
    const again = await fixture.run(
      appending(fixture, [toolCallMessage('c1', 'date'), toolResultMessage('c1', ' today\n')], {
        parentId: fixture.rootId,
      }),
    );
    expect(again.result.reused).toEqual([call, done]);
    const other = await fixture.run(
      appending(fixture, [toolResultMessage('c2', 'today')], { parentId: call ?? fixture.rootId }),
    );
    expect(other.result.added).toHaveLength(1);
    const spoken = await fixture.run(appending(fixture, [user('today')], { parentId: call ?? fixture.rootId }));
    expect(spoken.result.added).toHaveLength(1);
  });

  test('[P2] if all messages exist, a commit only changes the active node', async () => {
    const fixture = await TestTree.make();
    const [hi, hello] = await fixture.addMessages(['hi', 'hello']);
    await fixture.addMessages(['other'], fixture.rootId);
    const there = await runAndCheck(
      fixture,
      appending(fixture, [user('hi'), assistant('hello')], { parentId: fixture.rootId }),
    );
    expect(there.result).toEqual({ nodeId: hello, added: [], reused: [hi, hello] });
    expect(stepTypesOf(there)).toEqual(['select']);
    expect(fixture.active).toBe(hello);
  });

  test('[P2] if all messages exist and the last one is active, nothing is committed', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi', 'hello']);
    const before = fixture.tree;
    const there = await fixture.run(appending(fixture, [user('hi'), assistant('hello')], { parentId: fixture.rootId }));
    expect(there.commit).toBeNull();
    expect(there.version).toBe(before.version);
    expect(fixture.tree).toBe(before);
  });

  test('[P3] of equal children the first in order is reused', async () => {
    const fixture = await TestTree.make();
    const [hi] = await fixture.addMessages(['hi']);
    const one = await fixture.variant(assistant('same'), hi ?? fixture.rootId);
    const two = await fixture.variant(assistant('same'), hi ?? fixture.rootId);
    await fixture.run({
      type: 'move',
      treeId: fixture.treeId,
      nodeId: two,
      parentId: hi ?? fixture.rootId,
      before: one,
    });
    const { result: found } = await fixture.run(
      appending(fixture, [user('hi'), assistant('same')], { parentId: fixture.rootId }),
    );
    expect(found.reused).toEqual([hi, two]);
  });

  test('[P3] a reused node keeps its exact text and its metadata', async () => {
    const fixture = await TestTree.make();
    const made = await fixture.run(named(fixture, [{ message: user(' hi\n'), meta: { tags: ['a'] }, createdAt: 5 }]));
    const before = fixture.node(made.result.nodeId);
    await fixture.run(
      named(fixture, [{ message: user('hi'), meta: { tags: ['b'] }, createdAt: 9 }], { parentId: fixture.rootId }),
    );
    expect(fixture.node(made.result.nodeId)).toBe(before);
  });

  test('[P3] a removed node is not reused', async () => {
    const fixture = await TestTree.make();
    const [hi] = await fixture.addMessages(['hi']);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [hi ?? fixture.rootId], mode: 'cascade' });
    const { result: found } = await runAndCheck(fixture, appending(fixture, [user('hi')]));
    expect(found.reused).toEqual([]);
    expect(found.added).toHaveLength(1);
  });

  test('[P6] text is never matched across nodes', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages([user('A'), user('B')]);
    const { result: found } = await fixture.run(appending(fixture, [user('A B')], { parentId: fixture.rootId }));
    expect(found.reused).toEqual([]);
    const { result: back } = await fixture.run(
      appending(fixture, [user('A'), user('B')], { parentId: fixture.rootId }),
    );
    expect(back.added).toEqual([]);
  });

  test('[P12] without merging, equal messages become separate nodes', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi', 'hello']);
    const { result: found } = await runAndCheck(
      fixture,
      appending(fixture, [user('hi'), assistant('hello')], { parentId: fixture.rootId, merge: false }),
    );
    expect(found.reused).toEqual([]);
    expect(fixture.drawing()).toEqual(['hi', '  hello', 'hi', '  hello *']);
  });

  test('[P1, P2] any two histories share exactly their common prefix', async () => {
    const history = fc.array(fc.constantFrom('a', 'b', ' a', 'c'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(history, { maxLength: 6 }), async (histories) => {
        const fixture = await TestTree.make();
        const known = new Set<string>();
        for (const words of histories) {
          const { result: found } = await fixture.run(
            appending(fixture, words.map(user), { parentId: fixture.rootId }),
          );
          const prefixes = words.map((_, at) => JSON.stringify(words.slice(0, at + 1).map((word) => word.trim())));
          expect(found.added).toHaveLength(prefixes.filter((prefix) => !known.has(prefix)).length);
          for (const prefix of prefixes) known.add(prefix);
          expect(fixture.tree.size).toBe(known.size);
          if (words.length > 0)
            expect(fixture.thread(found.nodeId).map((text) => text.trim())).toEqual(words.map((w) => w.trim()));
        }
      }),
    );
  });
});

describe('the input of an append', () => {
  test('[P4] blank messages are skipped', async () => {
    const fixture = await TestTree.make();
    const { result: found } = await runAndCheck(
      fixture,
      appending(fixture, [user(' \n'), user('hi'), { role: 'assistant', content: [] }, assistant('hello')]),
    );
    expect(found.added).toHaveLength(2);
    expect(fixture.thread()).toEqual(['hi', 'hello']);
  });

  test('[P4] an append of only blank messages returns the parent and makes no commit', async () => {
    const fixture = await TestTree.make();
    const [hi] = await fixture.addMessages(['hi', 'hello']);
    const before = fixture.tree;
    for (const messages of [[], [user('')], [user('  '), { role: 'user', content: [] } as const]]) {
      const nothing = await fixture.run(appending(fixture, messages, { parentId: hi ?? fixture.rootId }));
      expect(nothing.result).toEqual({ nodeId: hi, added: [], reused: [] });
      expect(nothing.commit).toBeNull();
    }
    expect(fixture.tree).toBe(before);
  });

  test('[P4] a message with only thinking or an unknown block is not blank', async () => {
    const fixture = await TestTree.make();
    const thinking: Message = { role: 'assistant', content: [{ type: 'thinking' }] };
    const { result: found } = await runAndCheck(fixture, appending(fixture, [user('hi'), thinking]));
    expect(found.added).toHaveLength(2);
  });

  test.each([
    ['no object', null],
    ['a foreign role', { role: 'critic', content: [{ type: 'text', text: 'hi' }] }],
    ['a foreign role and nothing to say', { role: 'critic', content: [{ type: 'text', text: ' ' }] }],
    ['a number as content', { role: 'user', content: 5 }],
    ['a block that is nothing', { role: 'user', content: [null] }],
    ['a block without a type', { role: 'user', content: [{ text: 'hi' }] }],
    ['a tool message without its call', { role: 'tool', content: [{ type: 'text', text: 'hi' }] }],
    ['a call by the user', { role: 'user', content: [{ type: 'tool-use', id: 'a', name: 'b', parameters: {} }] }],
  ])('[P5] a message with %s is refused by its index, and nothing is stored', async (_what, bad) => {
    const fixture = await TestTree.make();
    const before = fixture.tree;
    const messages: unknown = [{ message: user('fine') }, { message: user(' ') }, { message: bad }];
    const command: unknown = { type: 'append', treeId: fixture.treeId, messages };
    const error = await fixture.run(command as AppendCommand).catch((thrown: unknown) => thrown);
    expect(isAppError(error) && error.code).toBe('message/invalid');
    expect(isAppError(error) && error.message).toContain('messages[2]');
    expect(fixture.tree).toBe(before);
  });

  test('[P13] the last node becomes active, unless the caller declines', async () => {
    const fixture = await TestTree.make();
    const [hi] = await fixture.addMessages(['hi']);
    const quiet = await runAndCheck(fixture, appending(fixture, [assistant('hello')], { select: false }));
    expect(stepTypesOf(quiet)).toEqual(['insert']);
    expect(fixture.active).toBe(hi);
    const loud = await runAndCheck(fixture, appending(fixture, [assistant('hey')]));
    expect(stepTypesOf(loud)).toEqual(['insert', 'select']);
    expect(fixture.active).toBe(loud.result.nodeId);
  });

  test('[P13] the first node of a tree always becomes active', async () => {
    const fixture = await TestTree.make();
    const { result: found } = await runAndCheck(
      fixture,
      appending(fixture, [user('hi'), assistant('hello')], { select: false }),
    );
    expect(fixture.active).toBe(found.nodeId);
  });

  test('[P14] an append without a parent continues at the active node', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi', 'hello']);
    await runAndCheck(fixture, appending(fixture, [user('more')]));
    expect(fixture.thread()).toEqual(['hi', 'hello', 'more']);
  });

  test('[P14] a new child comes last, even after a removed one', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['a'], fixture.rootId);
    const [b] = await fixture.addMessages(['b'], fixture.rootId);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b ?? fixture.rootId], mode: 'cascade' });
    await fixture.addMessages(['c'], fixture.rootId);
    await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: b ?? fixture.rootId });
    expect(fixture.texts()).toEqual(['a', 'b', 'c']);
    expect(first(childIds(fixture.tree, fixture.rootId))).toBe(a);
  });

  test('[P15] a parent that is unknown, removed, of another tree or of another owner is refused', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const [a] = await fixture.addMessages(['a']);
    await fixture.addMessages(['b'], fixture.rootId);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [a ?? fixture.rootId], mode: 'cascade' });
    const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    const [foreign] = await beside.run(appending(beside, [user('x')])).then(({ result: made }) => made.added);
    const hidden = await TestTree.make({ store: store.forOwner('other'), treeId: treeId(testUuid(3)) });
    const append = (parentId: NodeId | undefined) => appending(fixture, [user('x')], parentId ? { parentId } : {});
    expect(await refusalOf(fixture, append(nodeId(testUuid(99))))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, append(a))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, append(foreign))).toBe('tree/foreign-parent');
    expect(await refusalOf(fixture, append(hidden.rootId))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, { ...append(undefined), treeId: treeId(testUuid(9)) })).toBe('tree/unknown-tree');
  });

  test('[P17] a given time is kept, and the clock never gives a child an earlier time than its parent', async () => {
    const fixture = await TestTree.make();
    const made = await runAndCheck(
      fixture,
      named(fixture, [
        { message: user('old'), createdAt: 5 },
        { message: assistant('older'), createdAt: 3 },
      ]),
    );
    expect(made.result.added.map((id) => fixture.node(id).createdAt)).toEqual([5, 3]);
    const future = await fixture.run(named(fixture, [{ message: user('future'), createdAt: 1e15 }]));
    const next = await fixture.run(appending(fixture, [assistant('now')], { parentId: future.result.nodeId }));
    expect(fixture.node(next.result.nodeId).createdAt).toBe(1e15);
  });

  test('[P18] an append does not change its input', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi']);
    const command = deepFreeze(
      appending(fixture, [user('hi'), user(' '), assistant('hello')], { parentId: fixture.rootId }),
    );
    const { result: found } = await runAndCheck(fixture, command);
    expect(found.added).toHaveLength(1);
  });
});

describe('the cost of an append', () => {
  test('[P16] appending one message writes one node, and reads as little after 2,000 messages as after 2', async () => {
    const counts: number[] = [];
    for (const length of [2, 200, 2000]) {
      const fixture = await TestTree.make();
      const history = Array.from({ length }, (_, at) => user(`m${at}`));
      await fixture.run(appending(fixture, history));
      const { plan, asked } = await planWithoutCommit(
        fixture,
        appending(fixture, [...history, user('new')], { parentId: fixture.rootId }),
      );
      expect(plan.steps.map((step) => step.type)).toEqual(['insert', 'select']);
      counts.push(asked.length);
    }
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeLessThanOrEqual(6);
  });

  test('[P16] 100,000 messages are appended, found again and continued', async () => {
    const fixture = await TestTree.make();
    const history = Array.from({ length: 100_000 }, (_, at) => user(`m${at}`));
    const made = await fixture.run(appending(fixture, history));
    const again = await fixture.run(appending(fixture, [...history, user('new')], { parentId: fixture.rootId }));
    expect(again.result.reused).toEqual(made.result.added);
    expect(again.result.added).toHaveLength(1);
    expect(fixture.tree.size).toBe(100_001);
  });

  test('[P16] a new message under a parent of 50,000 children comes last', async () => {
    const fixture = await TestTree.make();
    const replies = Array.from({ length: 50_000 }, (_, at) => ({ message: user(`m${at}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: fixture.rootId, replies });
    const { result: found } = await fixture.run(appending(fixture, [user('new')], { parentId: fixture.rootId }));
    expect(childCount(fixture.tree, fixture.rootId)).toBe(50_001);
    expect(last(childIds(fixture.tree, fixture.rootId))).toBe(found.nodeId);
  });
});
