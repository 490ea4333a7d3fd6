import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { lastCharacterBoundary, truncateToLine } from './graphemes.ts';
import { nodeId } from './ids.ts';
import type { Node } from './node.ts';
import {
  activePath,
  branchPage,
  commonAncestor,
  isAncestorOrSelf,
  lastVisitedLeaf,
  leaves,
  maxPreviewLength,
  path,
  pathThrough,
  previewOf,
  previewOfBeginning,
  recentLeaves,
  siblingIndex,
  siblings,
  subtree,
  topology,
} from './path.ts';
import { treeFromRows } from './rewind.ts';
import type { Step } from './steps/types.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';
import { buildNewNode, buildTree, emptyTestTree, testRootId } from './testing/build-tree.ts';
import { allNodes, findNode, type Tree } from './tree.ts';

const runs = propertyParameters(200, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });
const root = testRootId;

const wood = () =>
  buildTree(`
a
  b
    c
      d*
    e
  f
    #m
      g
h=1
  i
j=1
k`);

const ids = (nodes: readonly { readonly id: string }[]) => nodes.map((node) => node.id);

function value<T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false }): T {
  if (!result.ok) throw new Error('It was refused.');
  return result.value;
}

/** Returns the tree with some rows changed or missing, as after disk damage. */
function damaged(tree: Tree, damage: (node: Node) => Node | null): Tree {
  return treeFromRows(
    tree,
    allNodes(tree).flatMap((node) => damage(node) ?? []),
    [],
  );
}

/** A random tree: each number is the parent of the next node. */
const anyTree = fc.array(fc.nat(999), { minLength: 1, maxLength: 40 }).map((parents) => {
  const steps: Step[] = [];
  const made: { id: string; children: number }[] = [{ id: root, children: 0 }];
  for (const [index, number] of parents.entries()) {
    const parent = made[number % made.length] ?? { id: root, children: 0 };
    const position = `a${'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop'.charAt(parent.children++)}`;
    const parentInfo = {
      id: nodeId(parent.id),
      kind: parent.id === root ? 'root' : 'message',
      matchParent: null,
    } as const;
    steps.push({ type: 'insert', node: buildNewNode(`n${index}`, parentInfo, { position }) });
    made.push({ id: `n${index}`, children: 0 });
  }
  steps.push({ type: 'select', after: nodeId('n0'), before: null });
  return applyOrThrow(emptyTestTree(), steps).tree;
});

describe('a path', () => {
  test('[T14] runs from the first turn to a node, both included, the root left out', () => {
    expect(ids(value(path(wood(), { to: 'd' })))).toEqual(['a', 'b', 'c', 'd']);
    expect(ids(value(path(wood(), { to: 'g' })))).toEqual(['a', 'f', 'm', 'g']);
    expect(value(path(wood(), { to: root }))).toEqual([]);
  });

  test('[T14] begins at a given node, also at the root and at its own end', () => {
    expect(ids(value(path(wood(), { from: 'b', to: 'd' })))).toEqual(['b', 'c', 'd']);
    expect(ids(value(path(wood(), { from: 'd', to: 'd' })))).toEqual(['d']);
    expect(ids(value(path(wood(), { from: root, to: 'b' })))).toEqual(['a', 'b']);
  });

  test.each([
    [{ to: 'x' }, 'tree/unknown-node', 'x'],
    [{ from: 'x', to: 'd' }, 'tree/unknown-node', 'x'],
    [{ from: 'f', to: 'd' }, 'tree/not-on-path', 'f'],
    [{ from: 'd', to: 'b' }, 'tree/not-on-path', 'd'],
  ])('[T15] for %j is refused with %s, naming the node', (ends, code, id) => {
    expect(path(wood(), ends)).toMatchObject({ ok: false, refusal: { code, data: { nodeId: id } } });
  });

  test('[T15] to a removed node is refused', () => {
    const { tree } = applyOrThrow(wood(), [{ type: 'remove', nodeId: nodeId('e') }]);
    expect(path(tree, { to: 'e' })).toMatchObject({ ok: false, refusal: { code: 'tree/unknown-node' } });
  });

  test('[T16] with a missing node is refused with the missing id', () => {
    const lost = damaged(wood(), (node) => (node.id === 'b' ? null : node));
    const removed = damaged(wood(), (node) => (node.id === 'b' ? { ...node, removedIn: 2 } : node));
    for (const tree of [lost, removed])
      expect(path(tree, { to: 'd' })).toMatchObject({
        ok: false,
        refusal: { code: 'tree/broken-path', data: { nodeId: 'b' } },
      });
  });

  test('[T16] with a missing node is refused by pages too, instead of ending early', () => {
    const tree = damaged(wood(), (node) => (node.id === 'b' ? null : node));
    expect(branchPage(tree)).toMatchObject({ ok: false, refusal: { code: 'tree/broken-path', data: { nodeId: 'b' } } });
  });

  test('[T17] with a cycle is refused, and every walk ends', () => {
    const tree = damaged(wood(), (node) => (node.id === 'b' ? { ...node, parentId: nodeId('d') } : node));
    expect(path(tree, { to: 'd' })).toMatchObject({ ok: false, refusal: { code: 'tree/cycle' } });
    expect(activePath(tree)).toEqual([]);
    expect(isAncestorOrSelf(tree, 'k', 'd')).toBe(false);
    expect(commonAncestor(tree, 'd', 'k')).toBeUndefined();
    expect(lastVisitedLeaf(tree, 'b')).toBeUndefined();
    expect(subtree(tree, 'b').length).toBeGreaterThan(4);
    expect(branchPage(tree, { before: 'k' })).toMatchObject({ ok: false });
    expect(value(branchPage(tree, { limit: 5 })).nodes).toHaveLength(5);
    const round = damaged(wood(), (node) =>
      node.id === 'c' ? { ...node, parentId: nodeId('d'), lastChildId: nodeId('d') } : node,
    );
    expect(lastVisitedLeaf(round, 'c')).toBeUndefined();
    expect(
      commonAncestor(
        damaged(round, (node) => (node.id === 'h' ? { ...node, parentId: nodeId('i') } : node)),
        'd',
        'i',
      ),
    ).toBeUndefined();
  });

  test('[T14] of the active node is the active path, and empty in an empty tree', () => {
    expect(ids(activePath(wood()))).toEqual(['a', 'b', 'c', 'd']);
    expect(activePath(emptyTestTree())).toEqual([]);
  });

  test('[T14] is the walk from the node to the root in reverse, for every node of any tree', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        for (const node of allNodes(tree)) {
          const up: string[] = [];
          for (let at: Node | undefined = node; at?.parentId != null; at = findNode(tree, at.parentId)) up.push(at.id);
          expect(ids(value(path(tree, { to: node.id })))).toEqual(up.reverse());
        }
      }),
      runs,
    );
  });
});

describe('the common ancestor', () => {
  test('[T18] is the deepest node above or equal to both', () => {
    const tree = wood();
    expect(commonAncestor(tree, 'd', 'e')).toBe('b');
    expect(commonAncestor(tree, 'e', 'g')).toBe('a');
    expect(commonAncestor(tree, 'b', 'd')).toBe('b');
    expect(commonAncestor(tree, 'd', 'd')).toBe('d');
    expect(commonAncestor(tree, 'd', 'k')).toBe(root);
    expect(commonAncestor(tree, 'd', root)).toBe(root);
    expect(commonAncestor(tree, 'd', 'x')).toBeUndefined();
  });

  test('[T18, T19] is where two paths fork, for any two nodes, and is above both', () => {
    fc.assert(
      fc.property(anyTree, fc.nat(), fc.nat(), (tree, m, n) => {
        const nodes = allNodes(tree);
        const [one, two] = [nodes[m % nodes.length], nodes[n % nodes.length]];
        if (one === undefined || two === undefined) return;
        const a = [root, ...ids(value(path(tree, { to: one.id })))];
        const b = [root, ...ids(value(path(tree, { to: two.id })))];
        const shared = a.filter((id, index) => b[index] === id);
        expect(commonAncestor(tree, one.id, two.id)).toBe(shared[shared.length - 1]);
        expect(isAncestorOrSelf(tree, one.id, two.id)).toBe(b.includes(one.id));
      }),
      runs,
    );
  });

  test('[T19] a node is above itself, and no node is above or below an unknown one', () => {
    expect([
      isAncestorOrSelf(wood(), 'b', 'b'),
      isAncestorOrSelf(wood(), 'b', 'x'),
      isAncestorOrSelf(wood(), 'x', 'b'),
    ]).toEqual([true, false, false]);
  });
});

describe('variants', () => {
  test('[T20] are all children of one parent in stored order, the node itself among them', () => {
    expect(siblings(wood(), 'j')).toEqual(['a', 'h', 'j', 'k']);
    expect(siblings(wood(), 'c')).toEqual(['c', 'e']);
    expect([siblings(wood(), root), siblings(wood(), 'x')]).toEqual([[root], []]);
  });

  test('[T21] are counted as index and total, [0, 1] for the root, an only child and an unknown node', () => {
    const tree = wood();
    expect(['a', 'h', 'j', 'k'].map((id) => siblingIndex(tree, id))).toEqual([
      [0, 4],
      [1, 4],
      [2, 4],
      [3, 4],
    ]);
    expect(['i', root, 'x'].map((id) => siblingIndex(tree, id))).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });
});

describe('the subtree', () => {
  test('[T22] comes breadth first, the node itself first, down to a depth', () => {
    const tree = wood();
    expect(ids(subtree(tree, 'a', 0))).toEqual(['a']);
    expect(ids(subtree(tree, 'a', 1))).toEqual(['a', 'b', 'f']);
    expect(ids(subtree(tree, 'a', 2))).toEqual(['a', 'b', 'f', 'c', 'e', 'm']);
    expect(ids(subtree(tree, 'a'))).toEqual(['a', 'b', 'f', 'c', 'e', 'm', 'd', 'g']);
    expect(subtree(tree, 'x')).toEqual([]);
  });
});

describe('leaves', () => {
  test('[T23] are the nodes without children, oldest first, without the root', () => {
    expect(ids(leaves(wood()))).toEqual(['d', 'e', 'g', 'i', 'j', 'k']);
    expect(ids(leaves(wood(), 'f'))).toEqual(['g']);
    expect(ids(leaves(wood(), 'k'))).toEqual(['k']);
    expect([leaves(emptyTestTree()), leaves(wood(), 'x')]).toEqual([[], []]);
  });

  test('[T24] that are recent come newest first, twenty by default', () => {
    expect(ids(recentLeaves(wood(), 3))).toEqual(['k', 'j', 'i']);
    const many = buildTree(Array.from({ length: 30 }, (_, index) => `n${index}`).join('\n'));
    expect(ids(recentLeaves(many))).toEqual(Array.from({ length: 20 }, (_, index) => `n${29 - index}`));
    const { tree } = applyOrThrow(wood(), [{ type: 'remove', nodeId: nodeId('k') }]);
    expect(ids(recentLeaves(tree, 1))).toEqual(['j']);
  });

  test('[T25] below a node are reached by visit marks, else by the last child', () => {
    const tree = wood();
    expect(lastVisitedLeaf(tree, root)).toBe('d');
    expect(lastVisitedLeaf(tree, 'f')).toBe('g');
    expect(lastVisitedLeaf(tree, 'k')).toBe('k');
    expect(lastVisitedLeaf(tree, 'x')).toBeUndefined();
    const unmarked = damaged(tree, (node) => ({ ...node, lastChildId: null }));
    expect(lastVisitedLeaf(unmarked, root)).toBe('k');
    expect(lastVisitedLeaf(unmarked, 'a')).toBe('g');
  });

  test('[T25] do not follow a mark on a removed child', () => {
    const { tree } = applyOrThrow(wood(), [
      { type: 'select', after: nodeId('k'), before: nodeId('d') },
      { type: 'remove', nodeId: nodeId('b') },
    ]);
    expect(findNode(tree, 'a')?.lastChildId).toBe('b');
    expect(lastVisitedLeaf(tree, 'a')).toBe('g');
  });

  test('[T26] are where the path through a node ends', () => {
    expect(ids(value(pathThrough(wood(), 'b')))).toEqual(['a', 'b', 'c', 'd']);
    expect(ids(value(pathThrough(wood(), 'f')))).toEqual(['a', 'f', 'm', 'g']);
    expect(value(pathThrough(emptyTestTree(), root))).toEqual([]);
    expect(pathThrough(wood(), 'x')).toMatchObject({ ok: false, refusal: { code: 'tree/unknown-node' } });
  });
});

describe('the topology', () => {
  test('[T27] is a flat list without content and without the root, in creation order', () => {
    const rows = topology(wood());
    expect(ids(rows)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'm', 'g', 'h', 'i', 'j', 'k']);
    expect(rows[0]).toEqual({
      id: 'a',
      parentId: root,
      role: 'user',
      kind: 'message',
      groupId: 0,
      seq: 1,
      position: 'a0',
      status: 'success',
      childCount: 2,
      hasChildren: true,
      preview: 'a',
      tokens: findNode(wood(), 'a')?.tokens,
      createdAt: findNode(wood(), 'a')?.createdAt,
    });
    expect(topology(emptyTestTree())).toEqual([]);
  });

  test('[T28] cut at a depth still shows which nodes have children', () => {
    const rows = topology(wood(), { from: 'a', depth: 1 });
    expect(rows.map(({ id, childCount, hasChildren }) => [id, childCount, hasChildren])).toEqual([
      ['a', 2, true],
      ['b', 2, true],
      ['f', 1, true],
    ]);
    expect(ids(topology(wood(), { depth: 1 }))).toEqual(['a', 'h', 'j', 'k']);
    expect(topology(wood(), { depth: 0 })).toEqual([]);
  });

  test('[T29] shows a title, a generated title on a leaf only, else the beginning of the text', () => {
    const text = 'one\n two  three';
    expect(previewOf({ text, meta: {} }, 0)).toBe('one two three');
    expect(previewOf({ text, meta: { autoTitle: 'auto' } }, 0)).toBe('auto');
    expect(previewOf({ text, meta: { autoTitle: 'auto' } }, 1)).toBe('one two three');
    expect(previewOf({ text, meta: { autoTitle: 'auto', title: 'mine' } }, 0)).toBe('mine');
  });

  test('[T29] ends in an ellipsis exactly if the text is longer', () => {
    const full = 'x'.repeat(maxPreviewLength);
    expect(previewOf({ text: full, meta: {} }, 0)).toBe(full);
    expect(previewOf({ text: ` ${full}\n`, meta: {} }, 0)).toBe(full);
    expect(previewOf({ text: `${full}y`, meta: {} }, 0)).toBe(`${'x'.repeat(maxPreviewLength - 1)}…`);
    expect(previewOf({ text: `${'x'.repeat(maxPreviewLength - 2)} and more`, meta: {} }, 0)).toBe(
      `${'x'.repeat(maxPreviewLength - 2)}…`,
    );
    expect(previewOf({ text: '', meta: { title: `${full}y` } }, 0)).toBe(`${full}y`);
    expect(previewOf({ text: `short${' '.repeat(maxPreviewLength * 4)}late`, meta: {} }, 0)).toBe('short…');
    expect(previewOf({ text: ' '.repeat(1_000_000), meta: {} }, 0)).toBe('');
  });

  test('[T29] shows the same text whether or not it has to be split into characters', () => {
    const parts = ['word', ' ', '  ', '\n', '\r\n', '\u00a0', 'é', 'a'.repeat(30), '\t', '.'];
    for (let seed = 1; seed < 3_000; seed++) {
      let text = '';
      for (let rest = seed * 7_919, length = seed % 40; length > 0; length--, rest = (rest * 31 + 17) % 65_521)
        text += parts[rest % parts.length];
      const preview = previewOf({ text, meta: {} }, 0);
      const cut = lastCharacterBoundary(text, maxPreviewLength * 4);
      const line = truncateToLine(text.slice(0, cut), cut);
      const goesOn = line.length > maxPreviewLength || /\S/.test(text.slice(cut, maxPreviewLength * 5));
      expect(preview).toBe(goesOn ? `${truncateToLine(line, maxPreviewLength - 1).trimEnd()}…` : line);
      const beginning = previewOfBeginning(text);
      expect(beginning === null || (goesOn && beginning === preview)).toBe(true);
    }
  });

  test('[T29] never shows half of a character', () => {
    for (const one of ['🌲', '👩‍👩‍👧', '🇨🇭', 'e\u0301', '👍🏽'])
      for (let space = 0; space <= one.length; space++) {
        const before = 'x'.repeat(maxPreviewLength - 1 - space);
        expect(previewOf({ text: `${before}${one}${one}`, meta: {} }, 0)).toBe(
          before.length + 2 * one.length <= maxPreviewLength
            ? `${before}${one}${one}`
            : `${space === one.length ? before + one : before}…`,
        );
        // Leading white space is skipped, so that the test reaches the end of the examined part.
        const far = ' '.repeat(maxPreviewLength * 4 - space);
        expect(previewOf({ text: `${far}${one}`, meta: {} }, 0)).toBe(space === one.length ? one : '…');
      }
  });
});

describe('a page of a branch', () => {
  const long = buildTree(Array.from({ length: 50 }, (_, index) => `${'  '.repeat(index)}n${index}`).join('\n'));

  test('[T30] is the last twenty nodes, with root, active node and version', () => {
    const page = value(branchPage(long));
    expect(ids(page.nodes)).toEqual(Array.from({ length: 20 }, (_, index) => `n${30 + index}`));
    expect(page).toMatchObject({ rootId: root, activeNodeId: 'n49', version: 2, before: 'n30' });
  });

  test('[T31] follows another by its cursor, up to the first turn', () => {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    for (let pages = 0; cursor !== null; pages++) {
      expect(pages).toBeLessThan(10);
      const page = value(branchPage(long, { limit: 7, ...(cursor === undefined ? {} : { before: cursor }) }));
      expect(page).toMatchObject({ rootId: root, activeNodeId: 'n49', version: 2 });
      seen.unshift(...ids(page.nodes));
      cursor = page.before;
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => `n${index}`));
    expect(value(branchPage(long, { before: 'n0' }))).toMatchObject({ nodes: [], before: null });
  });

  test('[T31] ends at any node, and starts with a first turn exactly if there is no page before it', () => {
    const page = value(branchPage(wood(), { nodeId: 'g', limit: 3 }));
    expect([ids(page.nodes), page.before]).toEqual([['f', 'm', 'g'], 'f']);
    const first = value(branchPage(wood(), { nodeId: 'g', before: 'f', limit: 3 }));
    expect([ids(first.nodes), first.before, first.nodes[0]?.parentId]).toEqual([['a'], null, root]);
  });

  test.each([
    [{ before: 'f' }, 'tree/not-on-path'],
    [{ before: 'x' }, 'tree/not-on-path'],
    [{ before: root }, 'tree/not-on-path'],
    [{ nodeId: 'x' }, 'tree/unknown-node'],
    [{ nodeId: root, before: 'a' }, 'tree/not-on-path'],
  ])('[T32] for %j is refused with %s', (request, code) => {
    expect(branchPage(wood(), request)).toMatchObject({ ok: false, refusal: { code } });
  });

  test('[T33] brings the other members of each group on request', () => {
    const page = value(branchPage(wood(), { nodeId: 'i', siblings: true }));
    expect([...page.groups].map(([id, members]) => [id, ids(members)])).toEqual([['h', ['j']]]);
    expect(value(branchPage(wood(), { nodeId: 'i' })).groups.size).toBe(0);
  });

  test('[T30] of an empty tree has no nodes', () => {
    expect(value(branchPage(emptyTestTree()))).toMatchObject({
      nodes: [],
      rootId: root,
      activeNodeId: null,
      version: 1,
      before: null,
    });
    expect(branchPage(emptyTestTree(), { before: 'a' })).toMatchObject({
      ok: false,
      refusal: { code: 'tree/not-on-path' },
    });
  });

  test('[T30] refuses a limit below one, as the leaves do', () => {
    expect(ids(value(branchPage(long, { limit: 1 })).nodes)).toEqual(['n49']);
    for (const limit of [0, -3, 1.5, Number.NaN]) {
      expect(() => branchPage(long, { limit })).toThrow('request.limit must be a whole number from 1');
      expect(() => recentLeaves(long, limit)).toThrow('limit must be a whole number from 1');
    }
  });
});
