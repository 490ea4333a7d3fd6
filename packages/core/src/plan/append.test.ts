import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAppError } from '../errors.ts';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
import {
  assistant,
  Bed,
  calls,
  carry,
  deepFreeze,
  planned,
  ReferenceStore,
  refusalOf,
  result,
  stepTypesOf,
  user,
  uuid,
} from '../testing/index.ts';
import { childCount, childIds } from '../tree.ts';
import type { AppendCommand, NewMessage } from './append.ts';

function appending(bed: Bed, messages: readonly Message[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: bed.treeId, messages: messages.map((message) => ({ message })), ...rest };
}

function named(bed: Bed, messages: readonly NewMessage[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: bed.treeId, messages, ...rest };
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
  test('[P1] what is there is walked through, and only the rest is added, as a chain', async () => {
    const bed = await Bed.make();
    const [hi, hello] = await bed.grow(['hi', 'hello']);
    const added = await carry(
      bed,
      appending(bed, [user('hi'), assistant('hello'), user('how?'), assistant('well')], { parentId: bed.rootId }),
    );
    expect(added.result.reused).toEqual([hi, hello]);
    expect(added.result.added).toHaveLength(2);
    expect(added.result.nodeId).toBe(last(added.result.added));
    expect(bed.drawing()).toEqual(['hi', '  hello', '    how?', '      well *']);
  });

  test('[P1] a history that differs in the middle branches off there', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi', 'hello', 'bye']);
    await carry(bed, appending(bed, [user('hi'), assistant('hey'), user('bye')], { parentId: bed.rootId }));
    expect(bed.drawing()).toEqual(['hi', '  hello', '    bye', '  hey', '    bye *']);
  });

  test('[P1] role, tool call and blocks count, white space at the ends does not', async () => {
    const bed = await Bed.make();
    const [call] = await bed.grow([calls('c1', 'date')]);
    const [done] = await bed.grow([result('c1', 'today')]);
    const again = await bed.run(
      appending(bed, [calls('c1', 'date'), result('c1', ' today\n')], { parentId: bed.rootId }),
    );
    expect(again.result.reused).toEqual([call, done]);
    const other = await bed.run(appending(bed, [result('c2', 'today')], { parentId: call ?? bed.rootId }));
    expect(other.result.added).toHaveLength(1);
    const spoken = await bed.run(appending(bed, [user('today')], { parentId: call ?? bed.rootId }));
    expect(spoken.result.added).toHaveLength(1);
  });

  test('[P2] if all of it is there, the pointer moves in a commit of its own', async () => {
    const bed = await Bed.make();
    const [hi, hello] = await bed.grow(['hi', 'hello']);
    await bed.grow(['other'], bed.rootId);
    const there = await carry(bed, appending(bed, [user('hi'), assistant('hello')], { parentId: bed.rootId }));
    expect(there.result).toEqual({ nodeId: hello, added: [], reused: [hi, hello] });
    expect(stepTypesOf(there)).toEqual(['select']);
    expect(bed.active).toBe(hello);
  });

  test('[P2] if all of it is there and active, nothing is committed', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi', 'hello']);
    const before = bed.tree;
    const there = await bed.run(appending(bed, [user('hi'), assistant('hello')], { parentId: bed.rootId }));
    expect(there.commit).toBeNull();
    expect(there.version).toBe(before.version);
    expect(bed.tree).toBe(before);
  });

  test('[P3] of equal children the first in order is reused', async () => {
    const bed = await Bed.make();
    const [hi] = await bed.grow(['hi']);
    const one = await bed.variant(assistant('same'), hi ?? bed.rootId);
    const two = await bed.variant(assistant('same'), hi ?? bed.rootId);
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: two, parentId: hi ?? bed.rootId, before: one });
    const { result: found } = await bed.run(appending(bed, [user('hi'), assistant('same')], { parentId: bed.rootId }));
    expect(found.reused).toEqual([hi, two]);
  });

  test('[P3] a reused node keeps its exact text and its notes', async () => {
    const bed = await Bed.make();
    const made = await bed.run(named(bed, [{ message: user(' hi\n'), meta: { tags: ['a'] }, createdAt: 5 }]));
    const before = bed.node(made.result.nodeId);
    await bed.run(named(bed, [{ message: user('hi'), meta: { tags: ['b'] }, createdAt: 9 }], { parentId: bed.rootId }));
    expect(bed.node(made.result.nodeId)).toBe(before);
  });

  test('[P3] a removed node is not reused', async () => {
    const bed = await Bed.make();
    const [hi] = await bed.grow(['hi']);
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [hi ?? bed.rootId], mode: 'cascade' });
    const { result: found } = await carry(bed, appending(bed, [user('hi')]));
    expect(found.reused).toEqual([]);
    expect(found.added).toHaveLength(1);
  });

  test('[P6] text is never matched across nodes', async () => {
    const bed = await Bed.make();
    await bed.grow([user('A'), user('B')]);
    const { result: found } = await bed.run(appending(bed, [user('A B')], { parentId: bed.rootId }));
    expect(found.reused).toEqual([]);
    const { result: back } = await bed.run(appending(bed, [user('A'), user('B')], { parentId: bed.rootId }));
    expect(back.added).toEqual([]);
  });

  test('[P12] without merging, equal messages become nodes of their own', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi', 'hello']);
    const { result: found } = await carry(
      bed,
      appending(bed, [user('hi'), assistant('hello')], { parentId: bed.rootId, merge: false }),
    );
    expect(found.reused).toEqual([]);
    expect(bed.drawing()).toEqual(['hi', '  hello', 'hi', '  hello *']);
  });

  test('[P1, P2] any two histories share exactly their common prefix', async () => {
    const history = fc.array(fc.constantFrom('a', 'b', ' a', 'c'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(history, { maxLength: 6 }), async (histories) => {
        const bed = await Bed.make();
        const known = new Set<string>();
        for (const words of histories) {
          const { result: found } = await bed.run(appending(bed, words.map(user), { parentId: bed.rootId }));
          const prefixes = words.map((_, at) => JSON.stringify(words.slice(0, at + 1).map((word) => word.trim())));
          expect(found.added).toHaveLength(prefixes.filter((prefix) => !known.has(prefix)).length);
          for (const prefix of prefixes) known.add(prefix);
          expect(bed.tree.size).toBe(known.size);
          if (words.length > 0)
            expect(bed.thread(found.nodeId).map((text) => text.trim())).toEqual(words.map((w) => w.trim()));
        }
      }),
    );
  });
});

describe('what an append is given', () => {
  test('[P4] blank messages are passed over', async () => {
    const bed = await Bed.make();
    const { result: found } = await carry(
      bed,
      appending(bed, [user(' \n'), user('hi'), { role: 'assistant', content: [] }, assistant('hello')]),
    );
    expect(found.added).toHaveLength(2);
    expect(bed.thread()).toEqual(['hi', 'hello']);
  });

  test('[P4] nothing but blank messages gives the parent and no commit', async () => {
    const bed = await Bed.make();
    const [hi] = await bed.grow(['hi', 'hello']);
    const before = bed.tree;
    for (const messages of [[], [user('')], [user('  '), { role: 'user', content: [] } as const]]) {
      const nothing = await bed.run(appending(bed, messages, { parentId: hi ?? bed.rootId }));
      expect(nothing.result).toEqual({ nodeId: hi, added: [], reused: [] });
      expect(nothing.commit).toBeNull();
    }
    expect(bed.tree).toBe(before);
  });

  test('[P4] a message of thinking or of an unknown block says something', async () => {
    const bed = await Bed.make();
    const thinking: Message = { role: 'assistant', content: [{ type: 'thinking' }] };
    const { result: found } = await carry(bed, appending(bed, [user('hi'), thinking]));
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
    const bed = await Bed.make();
    const before = bed.tree;
    const messages: unknown = [{ message: user('fine') }, { message: user(' ') }, { message: bad }];
    const command: unknown = { type: 'append', treeId: bed.treeId, messages };
    const error = await bed.run(command as AppendCommand).catch((thrown: unknown) => thrown);
    expect(isAppError(error) && error.code).toBe('message/invalid');
    expect(isAppError(error) && error.message).toContain('messages[2]');
    expect(bed.tree).toBe(before);
  });

  test('[P13] the last node becomes active, unless that is not wanted', async () => {
    const bed = await Bed.make();
    const [hi] = await bed.grow(['hi']);
    const quiet = await carry(bed, appending(bed, [assistant('hello')], { select: false }));
    expect(stepTypesOf(quiet)).toEqual(['insert']);
    expect(bed.active).toBe(hi);
    const loud = await carry(bed, appending(bed, [assistant('hey')]));
    expect(stepTypesOf(loud)).toEqual(['insert', 'select']);
    expect(bed.active).toBe(loud.result.nodeId);
  });

  test('[P13] the first node of a tree becomes active whatever was wanted', async () => {
    const bed = await Bed.make();
    const { result: found } = await carry(bed, appending(bed, [user('hi'), assistant('hello')], { select: false }));
    expect(bed.active).toBe(found.nodeId);
  });

  test('[P14] without a parent it goes on from the active node', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi', 'hello']);
    await carry(bed, appending(bed, [user('more')]));
    expect(bed.thread()).toEqual(['hi', 'hello', 'more']);
  });

  test('[P14] a new child goes last, also behind one that was removed', async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a'], bed.rootId);
    const [b] = await bed.grow(['b'], bed.rootId);
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [b ?? bed.rootId], mode: 'cascade' });
    await bed.grow(['c'], bed.rootId);
    await bed.run({ type: 'restore', treeId: bed.treeId, nodeId: b ?? bed.rootId });
    expect(bed.texts()).toEqual(['a', 'b', 'c']);
    expect(first(childIds(bed.tree, bed.rootId))).toBe(a);
  });

  test('[P15] a parent that is unknown, removed, of another tree or of another owner is refused', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    const [a] = await bed.grow(['a']);
    await bed.grow(['b'], bed.rootId);
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [a ?? bed.rootId], mode: 'cascade' });
    const beside = await Bed.make({ store, treeId: treeId(uuid(2)) });
    const [foreign] = await beside.run(appending(beside, [user('x')])).then(({ result: made }) => made.added);
    const hidden = await Bed.make({ store: store.forOwner('other'), treeId: treeId(uuid(3)) });
    const append = (parentId: NodeId | undefined) => appending(bed, [user('x')], parentId ? { parentId } : {});
    expect(await refusalOf(bed, append(nodeId(uuid(99))))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, append(a))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, append(foreign))).toBe('tree/foreign-parent');
    expect(await refusalOf(bed, append(hidden.rootId))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, { ...append(undefined), treeId: treeId(uuid(9)) })).toBe('tree/unknown-tree');
  });

  test('[P17] a time that was given is kept, and the clock never shows a child before its parent', async () => {
    const bed = await Bed.make();
    const made = await carry(
      bed,
      named(bed, [
        { message: user('old'), createdAt: 5 },
        { message: assistant('older'), createdAt: 3 },
      ]),
    );
    expect(made.result.added.map((id) => bed.node(id).createdAt)).toEqual([5, 3]);
    const future = await bed.run(named(bed, [{ message: user('future'), createdAt: 1e15 }]));
    const next = await bed.run(appending(bed, [assistant('now')], { parentId: future.result.nodeId }));
    expect(bed.node(next.result.nodeId).createdAt).toBe(1e15);
  });

  test('[P18] an append changes nothing that it is given', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi']);
    const command = deepFreeze(appending(bed, [user('hi'), user(' '), assistant('hello')], { parentId: bed.rootId }));
    const { result: found } = await carry(bed, command);
    expect(found.added).toHaveLength(1);
  });
});

describe('what it costs', () => {
  test('[P16] one new message after a history writes one node and asks as little after 2,000 as after 2', async () => {
    const counts: number[] = [];
    for (const length of [2, 200, 2000]) {
      const bed = await Bed.make();
      const history = Array.from({ length }, (_, at) => user(`m${at}`));
      await bed.run(appending(bed, history));
      const { plan, asked } = await planned(bed, appending(bed, [...history, user('new')], { parentId: bed.rootId }));
      expect(plan.steps.map((step) => step.type)).toEqual(['insert', 'select']);
      counts.push(asked.length);
    }
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeLessThanOrEqual(6);
  });

  test('[P16] 100,000 messages are appended, found again and gone on from', async () => {
    const bed = await Bed.make();
    const history = Array.from({ length: 100_000 }, (_, at) => user(`m${at}`));
    const made = await bed.run(appending(bed, history));
    const again = await bed.run(appending(bed, [...history, user('new')], { parentId: bed.rootId }));
    expect(again.result.reused).toEqual(made.result.added);
    expect(again.result.added).toHaveLength(1);
    expect(bed.tree.size).toBe(100_001);
  });

  test('[P16] a new message under a parent of 50,000 children goes last', async () => {
    const bed = await Bed.make();
    const replies = Array.from({ length: 50_000 }, (_, at) => ({ message: user(`m${at}`) }));
    await bed.run({ type: 'reply', treeId: bed.treeId, parentId: bed.rootId, replies });
    const { result: found } = await bed.run(appending(bed, [user('new')], { parentId: bed.rootId }));
    expect(childCount(bed.tree, bed.rootId)).toBe(50_001);
    expect(last(childIds(bed.tree, bed.rootId))).toBe(found.nodeId);
  });
});
