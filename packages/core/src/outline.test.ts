import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NodeId, nodeId } from './ids.ts';
import { buildOutlineShape, type OutlineRequest, outlineOf } from './outline.ts';
import type { TopologyNode } from './path.ts';

/** Builds a tree from parent numbers: each node is a child of an earlier one or of the root. */
function treeOf(parents: readonly number[]): TopologyNode[] {
  const above = parents.map((parent, at) => (parent % (at + 1)) - 1);
  return above.map((parent, at) => {
    const childCount = above.filter((other) => other === at).length;
    return {
      id: nodeId(`n${at}`),
      parentId: nodeId(parent < 0 ? 'root' : `n${parent}`),
      role: at % 2 === 0 ? 'user' : 'assistant',
      kind: 'message',
      groupId: 0,
      seq: at,
      position: `a${String(at).padStart(6, '0')}`,
      status: 'success',
      tokens: 1,
      createdAt: at,
      childCount,
      hasChildren: childCount > 0,
      preview: `m${at}`,
    };
  });
}

const everything: OutlineRequest = { current: null, shows: () => true, fold: null, branches: 'all', limit: 1_000_000 };

function linesOf(nodes: readonly TopologyNode[], request: Partial<OutlineRequest>) {
  return outlineOf(buildOutlineShape(nodes), { ...everything, ...request }).lines;
}

test('[R9] an outline along the path has the path, and one line with its size for each branch that leaves it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 40 }), fc.nat(), (parents, pick) => {
      const nodes = treeOf(parents);
      const current = nodes[pick % nodes.length]?.id ?? expect.fail();
      const shape = buildOutlineShape(nodes);
      const path = new Set<NodeId>();
      for (let node = shape.node(current); node !== undefined; node = shape.node(node.parentId)) path.add(node.id);
      const lines = linesOf(nodes, { current, branches: 'path' });
      expect(lines.filter((line) => line.onPath).map((line) => line.node.id)).toEqual([...path].reverse());
      for (const line of lines) {
        expect(line.size > 0).toBe(!line.onPath);
        expect(line.parentId === null || path.has(line.parentId)).toBe(true);
      }
      // Every node must be on the path, in one of the branches, or below the current node.
      const below = new Set<NodeId>([current]);
      for (const node of nodes) if (below.has(node.parentId)) below.add(node.id);
      const counted = lines.reduce((sum, line) => sum + (line.onPath ? 1 : line.size), 0);
      expect(counted + below.size - 1).toBe(nodes.length);
    }),
  );
});

test('[R9] the middle of a long unbranched part is folded, counted and opened by its first hidden node', () => {
  const chain = treeOf(Array.from({ length: 12 }, (_, at) => at));
  const current = nodeId('n11');
  const folded = linesOf(chain, { current, fold: 5, branches: 'path' });
  expect(folded.map((line) => [line.node.id, line.folded, line.foldedFrom])).toEqual([
    ['n0', 0, null],
    ['n11', 10, 'n1'],
  ]);
  expect(linesOf(chain, { current, fold: 5, branches: 'path', opened: new Set([nodeId('n1')]) })).toHaveLength(12);
  expect(linesOf(chain, { current, fold: 11, branches: 'path' })).toHaveLength(12);
  expect(linesOf(chain, { fold: 5, keeps: (node) => node.id === 'n6' }).map((line) => line.node.id)).toEqual([
    'n0',
    'n6',
    'n7',
    'n8',
    'n9',
    'n10',
    'n11',
  ]);
});

test('[R9] a chain of 100,000 messages and one with a fork at each of them are outlined without recursion', () => {
  const chain = treeOf(Array.from({ length: 1_000 }, (_, at) => at));
  const long: TopologyNode[] = [];
  for (let at = 0; at < 100_000; at++) {
    const node = chain[at % 1_000] ?? expect.fail();
    long.push({ ...node, id: nodeId(`l${at}`), parentId: nodeId(at === 0 ? 'root' : `l${at - 1}`), position: 'a' });
    if (at % 10 === 0) long.push({ ...node, id: nodeId(`v${at}`), parentId: nodeId(`l${at}`), position: 'b' });
  }
  const current = nodeId('l99999');
  expect(linesOf(long, { current, branches: 'path' })).toHaveLength(110_000);
  expect(linesOf(long, { current, fold: 1 }).length).toBeLessThan(40_000);
});
