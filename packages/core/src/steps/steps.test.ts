import { describe, expect, test } from 'vitest';
import { apply, applyOrThrow } from '../apply.ts';
import { nodeId, treeId } from '../ids.ts';
import { textMessage } from '../message.ts';
import type { Bookmark, ContentFields, Node } from '../node.ts';
import { buildNewNode, buildTree, emptyTestTree, testRootId } from '../testing/build-tree.ts';
import { expectSteps, undoableState } from '../testing/expect-steps.ts';
import { testKit } from '../testing/kit.ts';
import { childIds, emptyTree, findAnyNode, findNode, type Tree } from '../tree.ts';
import { invert, isStructural, stepTypes } from './index.ts';
import type { MoveStep, ReplaceStep, Step, TreePosition } from './types.ts';

const root = testRootId;
const drawing = `
a
  b
    c
      d*
  e
#m
  f
g=1
h=1`;

function at(tree: Tree, id: string): Node {
  const node = findNode(tree, id);
  if (node === undefined) throw new Error(`There is no message ${id}.`);
  return node;
}

function said(role: 'user' | 'assistant' | 'system', text: string): ContentFields {
  const message = textMessage(role, text);
  return { message, status: 'success', key: testKit.key(message), text, tokens: 1, aliases: [] };
}

function contentOf({ message, status, key, text, tokens, aliases }: Node): ContentFields {
  return { message: message ?? textMessage('user', ''), status, key, text, tokens, aliases };
}

function placeOf({ parentId, position, groupId, matchParent }: Node): TreePosition {
  return { parentId: parentId ?? root, position, groupId, matchParent: matchParent ?? root };
}

function moving(tree: Tree, id: string, to: Partial<TreePosition>): MoveStep {
  const from = placeOf(at(tree, id));
  return { type: 'move', nodeId: nodeId(id), to: { ...from, ...to }, from };
}

function replacing(tree: Tree, id: string, after: ContentFields): ReplaceStep {
  const node = at(tree, id);
  return { type: 'replace', nodeId: nodeId(id), after, before: contentOf(node), since: node.contentIn };
}

function mark(id: string, title = 'here'): Bookmark {
  return { nodeId: nodeId(id), title, createdAt: 1, updatedAt: 2 };
}

const cases: { readonly [name: string]: (tree: Tree) => readonly Step[] } = {
  insert: (tree) => [
    { type: 'insert', node: buildNewNode('x', at(tree, 'd'), { meta: { title: 'x', other: 1 } }) },
    { type: 'insert', node: buildNewNode('y', { ...at(tree, 'd'), id: nodeId('x') }, { role: 'assistant' }) },
    { type: 'insert', node: buildNewNode('z', at(tree, 'm'), { position: 'a5', groupId: 3 }) },
  ],
  remove: (tree) => [
    { type: 'remove', nodeId: nodeId('b') },
    { type: 'remove', nodeId: nodeId('m') },
    { type: 'select', after: nodeId('e'), before: tree.activeNodeId },
  ],
  move: (tree) => [moving(tree, 'c', { parentId: nodeId('e'), position: 'a0', groupId: 2, matchParent: nodeId('e') })],
  replace: (tree) => [replacing(tree, 'b', said('assistant', 'other words'))],
  annotate: () => [
    {
      type: 'annotate',
      nodeId: nodeId('b'),
      after: Object.fromEntries([
        ['title', 'B'],
        ['tags', ['x']],
        ['__proto__', { deep: 1 }],
      ]),
      before: Object.fromEntries([
        ['title', null],
        ['tags', null],
        ['__proto__', null],
      ]),
    },
  ],
  regroup: () => [
    { type: 'regroup', nodeId: nodeId('b'), after: 4, before: 0 },
    { type: 'regroup', nodeId: nodeId('g'), after: 0, before: 1 },
  ],
  select: (tree) => [{ type: 'select', after: nodeId('f'), before: tree.activeNodeId }],
  bookmark: () => [
    { type: 'bookmark', nodeId: nodeId('b'), after: mark('b'), before: null },
    { type: 'bookmark', nodeId: nodeId('b'), after: mark('b', 'there'), before: mark('b') },
    { type: 'bookmark', nodeId: nodeId('e'), after: mark('e'), before: null },
  ],
  attributes: () => [
    { type: 'attributes', after: { title: 'T', pinned: true }, before: { title: null, pinned: null } },
    { type: 'attributes', after: { title: null }, before: { title: 'T' } },
  ],
};

describe('every kind of step', () => {
  test.each(Object.keys(cases))(
    '[S1, S2, S3, S4] %s does not change its input, can be inverted, passes JSON, and its rows give the same tree',
    (type) => {
      const tree = buildTree(drawing);
      const { tree: next } = expectSteps(tree, cases[type]?.(tree) ?? []);
      expect(next.version).toBe(tree.version + 1);
      expect(undoableState(next)).not.toEqual(undoableState(tree));
    },
  );

  test('[S1, S2, S3, S4] restore does not change its input, can be inverted, passes JSON, and its rows give the same tree', () => {
    const tree = buildTree(drawing);
    const gone = applyOrThrow(tree, cases['remove']?.(tree) ?? []).tree;
    const { tree: back } = expectSteps(gone, [
      { type: 'restore', nodeId: nodeId('m'), version: 3 },
      { type: 'restore', nodeId: nodeId('b'), version: 3, position: 'a7' },
    ]);
    expect(childIds(back, 'a')).toEqual(['e', 'b']);
    expect(findNode(back, 'd')?.removedIn).toBeNull();
  });

  test('the ten kinds have these names', () => {
    expect([...stepTypes].sort()).toEqual([...Object.keys(cases), 'restore'].sort());
  });

  test('[S5] changes of structure and content make other writers stale, changes of metadata and of the active node do not', () => {
    const tree = buildTree(drawing);
    const structural = Object.keys(cases).filter((type) => isStructural(cases[type]?.(tree) ?? []));
    expect(structural.sort()).toEqual(['insert', 'move', 'remove', 'replace']);
    expect(isStructural([{ type: 'restore', nodeId: nodeId('b'), version: 3 }])).toBe(true);
    const selected = applyOrThrow(tree, cases['select']?.(tree) ?? []).tree;
    expect([selected.version, selected.structureVersion]).toEqual([3, 2]);
    const moved = applyOrThrow(selected, cases['move']?.(selected) ?? []).tree;
    expect([moved.version, moved.structureVersion]).toEqual([4, 4]);
  });
});

describe('insert', () => {
  test('[S6] gives the node the next creation numbers and the version', () => {
    const tree = buildTree(drawing);
    const { tree: next } = applyOrThrow(tree, cases['insert']?.(tree) ?? []);
    expect(['x', 'y', 'z'].map((id) => at(next, id).seq)).toEqual([10, 11, 12]);
    expect([at(next, 'x').addedIn, at(next, 'x').contentIn, next.nextSeq]).toEqual([3, 3, 13]);
  });

  test('[S6] makes the root of a tree that has none, under version 1', () => {
    expect(emptyTestTree()).toMatchObject({ version: 1, rootId: root, activeNodeId: null, size: 0, nextSeq: 1 });
  });

  test('[S7] accepts __proto__ and other unusual words as ids', () => {
    let tree = emptyTestTree();
    for (const id of ['__proto__', 'constructor', 'toString']) {
      const position = `a${tree.size}`;
      const steps: Step[] = [
        { type: 'insert', node: buildNewNode(id, at(tree, root), { position }) },
        { type: 'select', after: nodeId(id), before: tree.activeNodeId },
      ];
      tree = expectSteps(tree, steps).tree;
    }
    expect(childIds(tree, root)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(findNode(tree, '__proto__')?.text).toBe('__proto__');
    expect(findNode(tree, 'valueOf')).toBeUndefined();
  });
});

describe('remove and restore', () => {
  test('[S8] remove and restore exactly the nodes that were removed together', () => {
    const tree = buildTree(drawing);
    const active = { type: 'select', after: nodeId('e'), before: nodeId('d') } as const;
    const one = applyOrThrow(tree, [{ type: 'remove', nodeId: nodeId('d') }, active]).tree;
    const two = applyOrThrow(one, [{ type: 'remove', nodeId: nodeId('b') }]).tree;
    expect(['b', 'c', 'd'].map((id) => findAnyNode(two, id)?.removedIn)).toEqual([4, 4, 3]);
    expect(two.size).toBe(tree.size - 3);
    const back = applyOrThrow(two, [{ type: 'restore', nodeId: nodeId('b'), version: 4 }]).tree;
    expect(['b', 'c', 'd'].map((id) => findAnyNode(back, id)?.removedIn)).toEqual([null, null, 3]);
    expect(childIds(back, 'a')).toEqual(['b', 'e']);
    expect(childIds(back, 'c')).toEqual([]);
    const all = applyOrThrow(back, [{ type: 'restore', nodeId: nodeId('d'), version: 3 }]).tree;
    expect(childIds(all, 'c')).toEqual(['d']);
    expect(all.size).toBe(tree.size);
  });

  test('[S9] a removed id stays taken', () => {
    const tree = buildTree('a\nb*');
    const gone = applyOrThrow(tree, [{ type: 'remove', nodeId: nodeId('a') }]).tree;
    const result = apply(gone, [{ type: 'insert', node: buildNewNode('a', at(gone, root), { position: 'a9' }) }]);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'id/taken' } });
  });

  test('[S10] the inverse of a removal holds no content', () => {
    expect(invert([{ type: 'remove', nodeId: nodeId('a') }], 9)).toEqual([
      { type: 'restore', nodeId: 'a', version: 9 },
    ]);
  });
});

test('[S11] the inverse of a list is the list of inverses in reverse order', () => {
  const steps: Step[] = [
    { type: 'select', after: nodeId('a'), before: null },
    { type: 'regroup', nodeId: nodeId('a'), after: 2, before: 1 },
    { type: 'insert', node: buildNewNode('x', { id: root, kind: 'root', matchParent: null }) },
  ];
  expect(invert(steps, 4)).toEqual([
    { type: 'remove', nodeId: 'x' },
    { type: 'regroup', nodeId: 'a', after: 1, before: 2 },
    { type: 'select', after: null, before: 'a' },
  ]);
});

test('[S11] the inverse of an inserted chain removes only its first node, and its inverse restores all of it', () => {
  const tree = buildTree('a*');
  const x = buildNewNode('x', at(tree, 'a'));
  const steps: Step[] = [
    { type: 'insert', node: x },
    { type: 'insert', node: buildNewNode('y', x) },
    { type: 'insert', node: buildNewNode('z', { ...x, id: nodeId('y') }) },
  ];
  const { tree: grown } = expectSteps(tree, steps);
  expect(invert(steps, grown.version)).toEqual([{ type: 'remove', nodeId: 'x' }]);
});

test('[S12] replaced content is identified by the version that wrote it', () => {
  const tree = buildTree(drawing);
  const one = applyOrThrow(tree, [replacing(tree, 'b', said('assistant', 'one'))]).tree;
  const step = replacing(one, 'b', said('assistant', 'two'));
  expect([at(tree, 'b').contentIn, at(one, 'b').contentIn, step.since]).toEqual([2, 3, 3]);
  expect(invert([step], 4)).toMatchObject([
    { type: 'replace', after: { text: 'one' }, before: { text: 'two' }, since: 4 },
  ]);
});

const blank = said('assistant', ' \n');
const unkeyed = { ...said('assistant', 'x'), key: null };

const refusals: readonly (readonly [string, string, (tree: Tree) => Step])[] = [
  [
    'insert below an unknown node',
    'tree/unknown-node',
    (tree) => ({ type: 'insert', node: buildNewNode('x', { ...at(tree, 'a'), id: nodeId('no') }) }),
  ],
  [
    'insert below a removed node',
    'tree/unknown-node',
    (tree) => ({ type: 'insert', node: buildNewNode('x', { ...at(tree, 'a'), id: nodeId('gone') }) }),
  ],
  ['insert with a taken id', 'id/taken', (tree) => ({ type: 'insert', node: buildNewNode('a', at(tree, 'd')) })],
  ['insert with a removed id', 'id/taken', (tree) => ({ type: 'insert', node: buildNewNode('gone', at(tree, 'd')) })],
  [
    'insert at a taken place',
    'tree/position-taken',
    (tree) => ({ type: 'insert', node: buildNewNode('x', at(tree, 'a')) }),
  ],
  [
    'insert of a second root',
    'tree/exists',
    (tree) => ({
      type: 'insert',
      node: { ...buildNewNode('x', at(tree, 'a')), kind: 'root', parentId: null, message: null, key: null },
    }),
  ],
  [
    'insert of a root below a node',
    'step/invalid',
    (tree) => ({
      type: 'insert',
      node: { ...buildNewNode('x', at(tree, 'd')), kind: 'root', message: null, key: null },
    }),
  ],
  [
    'insert of a message without a parent',
    'step/invalid',
    (tree) => ({ type: 'insert', node: { ...buildNewNode('x', at(tree, 'd')), parentId: null } }),
  ],
  [
    'insert of a node without a message',
    'step/invalid',
    (tree) => ({ type: 'insert', node: { ...buildNewNode('x', at(tree, 'd')), message: null } }),
  ],
  [
    'insert of a message without a key',
    'step/invalid',
    (tree) => ({ type: 'insert', node: { ...buildNewNode('x', at(tree, 'd')), key: null } }),
  ],
  [
    'insert of a marker with a key',
    'step/invalid',
    (tree) => ({ type: 'insert', node: { ...buildNewNode('x', at(tree, 'd')), kind: 'state' } }),
  ],
  [
    'insert with a wrong match parent',
    'step/invalid',
    (tree) => ({
      type: 'insert',
      node: buildNewNode('x', at(tree, 'm'), { position: 'a5', matchParent: nodeId('m') }),
    }),
  ],
  [
    'insert of a blank message',
    'message/blank',
    (tree) => ({ type: 'insert', node: buildNewNode('x', at(tree, 'd'), { message: textMessage('user', ' ') }) }),
  ],
  ['remove of an unknown node', 'tree/unknown-node', () => ({ type: 'remove', nodeId: nodeId('no') })],
  ['remove of a removed node', 'tree/unknown-node', () => ({ type: 'remove', nodeId: nodeId('gone') })],
  ['remove of the root', 'tree/root-protected', () => ({ type: 'remove', nodeId: root })],
  ['restore of an unknown node', 'tree/unknown-node', () => ({ type: 'restore', nodeId: nodeId('no'), version: 3 })],
  ['restore of a live node', 'tree/unknown-node', () => ({ type: 'restore', nodeId: nodeId('a'), version: 3 })],
  [
    'restore under another version',
    'tree/unknown-node',
    () => ({ type: 'restore', nodeId: nodeId('gone'), version: 2 }),
  ],
  [
    'restore below a removed node',
    'tree/unknown-node',
    () => ({ type: 'restore', nodeId: nodeId('under'), version: 3 }),
  ],
  [
    'restore to a taken place',
    'tree/position-taken',
    (tree) => ({ type: 'restore', nodeId: nodeId('gone'), version: 4, position: at(tree, 'a').position }),
  ],
  ['move of an unknown node', 'tree/unknown-node', (tree) => ({ ...moving(tree, 'b', {}), nodeId: nodeId('no') })],
  ['move of the root', 'tree/root-protected', (tree) => ({ ...moving(tree, 'b', {}), nodeId: root })],
  ['move below an unknown node', 'tree/unknown-node', (tree) => moving(tree, 'b', { parentId: nodeId('no') })],
  ['move to a taken place', 'tree/position-taken', (tree) => moving(tree, 'b', { position: at(tree, 'e').position })],
  [
    'move below itself',
    'tree/cycle',
    (tree) => moving(tree, 'b', { parentId: nodeId('b'), matchParent: nodeId('b'), position: 'a5' }),
  ],
  [
    'move below its own descendant',
    'tree/cycle',
    (tree) => moving(tree, 'b', { parentId: nodeId('d'), matchParent: nodeId('d') }),
  ],
  [
    'move from where it is not',
    'step/invalid',
    (tree) => ({ ...moving(tree, 'b', { position: 'a5' }), from: placeOf(at(tree, 'd')) }),
  ],
  ['move with a wrong match parent', 'step/invalid', (tree) => moving(tree, 'b', { parentId: nodeId('g') })],
  [
    'replace of an unknown node',
    'tree/unknown-node',
    (tree) => ({ ...replacing(tree, 'b', said('assistant', 'x')), nodeId: nodeId('no') }),
  ],
  [
    'replace of the root',
    'tree/root-protected',
    (tree) => ({ ...replacing(tree, 'b', said('assistant', 'x')), nodeId: root }),
  ],
  ['replace by another role', 'step/invalid', (tree) => replacing(tree, 'b', said('user', 'x'))],
  ['replace without a key', 'step/invalid', (tree) => replacing(tree, 'b', unkeyed)],
  ['replace by a blank message', 'message/blank', (tree) => replacing(tree, 'b', blank)],
  [
    'annotate of an unknown node',
    'tree/unknown-node',
    () => ({ type: 'annotate', nodeId: nodeId('no'), after: {}, before: {} }),
  ],
  [
    'regroup of an unknown node',
    'tree/unknown-node',
    () => ({ type: 'regroup', nodeId: nodeId('gone'), after: 1, before: 0 }),
  ],
  ['regroup of the root', 'tree/root-protected', () => ({ type: 'regroup', nodeId: root, after: 1, before: 0 })],
  ['select of an unknown node', 'tree/unknown-node', () => ({ type: 'select', after: nodeId('no'), before: null })],
  ['select of a removed node', 'tree/unknown-node', () => ({ type: 'select', after: nodeId('gone'), before: null })],
  ['select of the root', 'tree/root-protected', () => ({ type: 'select', after: root, before: null })],
  ['select of nothing in a filled tree', 'step/invalid', () => ({ type: 'select', after: null, before: nodeId('d') })],
  [
    'bookmark on an unknown node',
    'tree/unknown-node',
    () => ({ type: 'bookmark', nodeId: nodeId('no'), after: mark('no'), before: null }),
  ],
  [
    'bookmark on the root',
    'tree/root-protected',
    () => ({ type: 'bookmark', nodeId: root, after: mark('root'), before: null }),
  ],
  [
    'bookmark that names another node',
    'step/invalid',
    () => ({ type: 'bookmark', nodeId: nodeId('a'), after: mark('b'), before: null }),
  ],
  [
    'attributes with another system prompt',
    'tree/root-protected',
    () => ({ type: 'attributes', after: { systemPrompt: 'x' }, before: { systemPrompt: null } }),
  ],
];

describe('a step that does not fit', () => {
  test.each(refusals)('[S13] %s is refused with %s, and nothing changes', (_what, code, make) => {
    const sample = buildTree(`${drawing}\ngone\n  under`);
    const { tree: one } = applyOrThrow(sample, [
      { type: 'remove', nodeId: nodeId('under') },
      { type: 'select', after: nodeId('d'), before: nodeId('under') },
    ]);
    const { tree } = applyOrThrow(one, [{ type: 'remove', nodeId: nodeId('gone') }]);
    const was = undoableState(tree);
    expect(apply(tree, [make(tree)])).toMatchObject({ ok: false, refusal: { code } });
    expect(undoableState(tree)).toEqual(was);
  });

  test('[S13] a system prompt can change while the tree is empty, and never in a forest tree', () => {
    const first: Step[] = [
      {
        type: 'insert',
        node: {
          ...buildNewNode('r', { id: root, kind: 'root', matchParent: null }),
          kind: 'root',
          parentId: null,
          message: null,
          key: null,
          matchParent: null,
        },
      },
      { type: 'attributes', after: { systemPrompt: '' }, before: { systemPrompt: null } },
    ];
    const { tree } = applyOrThrow(emptyTree(treeId('t')), first);
    expect(tree.attributes.systemPrompt).toBe('');
    const again = apply(tree, [{ type: 'attributes', after: { systemPrompt: null }, before: { systemPrompt: '' } }]);
    expect(again).toMatchObject({ ok: true });
    const forest = applyOrThrow(tree, [
      { type: 'attributes', after: { forestKey: 'k' }, before: { forestKey: null } },
    ]).tree;
    const said = buildTree(drawing);
    for (const fixed of [forest, said])
      expect(
        apply(fixed, [{ type: 'attributes', after: { systemPrompt: 'p' }, before: { systemPrompt: null } }]),
      ).toMatchObject({ ok: false, refusal: { code: 'tree/root-protected' } });
  });
});
