import { describe, expect, test } from 'vitest';
import { checkTree } from './check.ts';
import { isAppError } from './errors.ts';
import { treeId } from './ids.ts';
import { attachRoots, buildLinearSteps, treeFromLinear } from './linear.ts';
import { activePath } from './path.ts';
import { testKit } from './testing/kit.ts';
import { assistant, createTestClock, user } from './testing/test-tree.ts';

const context = () => ({ now: 7, newId: createTestClock().newId, kit: testKit });
const linear = (...messages: readonly ReturnType<typeof user>[]) => ({
  treeId: treeId('t'),
  attributes: { systemPrompt: 'Be brief.' },
  messages: messages.map((message) => ({ message })),
});

describe('a linear conversation', () => {
  test('[T42] is a chain whose last message is active, made in one commit', () => {
    const tree = treeFromLinear(linear(user('a'), assistant('b'), user('a')), context());
    expect(activePath(tree).map((node) => node.text)).toEqual(['a', 'b', 'a']);
    expect(tree).toMatchObject({ version: 1, size: 3, attributes: { systemPrompt: 'Be brief.' } });
    expect(checkTree(tree)).toEqual([]);
  });

  test('[T42] without messages is an empty tree', () => {
    const tree = treeFromLinear(linear(), context());
    expect(tree).toMatchObject({ size: 0, activeNodeId: null, version: 1 });
    expect(checkTree(tree)).toEqual([]);
  });

  test('[T42] keeps ids, metadata and times where they are given', () => {
    const messages = [{ id: '__proto__', message: user('a'), meta: { title: 'A' }, createdAt: 5 }];
    const tree = treeFromLinear({ treeId: treeId('t'), owner: 'ann', rootId: 'r', messages }, context());
    expect([tree.owner, tree.rootId, tree.activeNodeId]).toEqual(['ann', 'r', '__proto__']);
    expect(activePath(tree)).toMatchObject([{ id: '__proto__', meta: { title: 'A' }, createdAt: 5 }]);
  });

  test('[T43] blank messages are reported by their index', () => {
    const { steps, blank } = buildLinearSteps(linear(user(' '), user('a'), assistant('\n'), user('b')), context());
    expect(blank).toEqual([0, 2]);
    expect(steps.filter((step) => step.type === 'insert')).toHaveLength(3);
  });

  test.each([
    ['no message', undefined, 'messages[1] is not an object'],
    ['a role of no one', { role: 'bot', content: [{ type: 'text', text: 'x' }] }, 'messages[1] has the role'],
    ['a text as content', { role: 'user', content: 'x' }, 'messages[1] has no content array'],
  ])('[T43] with %s is refused by name, and no tree is made', (_what, message, words) => {
    const damaged = { ...linear(), messages: JSON.parse(JSON.stringify([{ message: user('a') }, { message }])) };
    try {
      buildLinearSteps(damaged, context());
      expect.unreachable();
    } catch (error) {
      expect(isAppError(error)).toBe(true);
      expect(error).toMatchObject({ code: 'message/invalid', message: expect.stringContaining(words) });
    }
  });
});

describe('former data with several physical roots', () => {
  const rows = [
    { id: 'r', parentId: null, isRoot: true },
    { id: 'a', parentId: null, isRoot: false },
    { id: 'b', parentId: 'a', isRoot: false },
    { id: 'c', parentId: null, isRoot: false },
  ];

  test('[T44] become children of the one root, in order, and repeating it changes nothing', () => {
    const once = attachRoots(rows, 'r');
    expect(once.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['r', null],
      ['a', 'r'],
      ['b', 'a'],
      ['c', 'r'],
    ]);
    expect(attachRoots(once, 'r')).toEqual(once);
    expect(rows[1]?.parentId).toBeNull();
  });
});
