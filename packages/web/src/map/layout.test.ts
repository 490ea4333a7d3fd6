import { Topology } from '@coppice/client';
import { nodeId, type TopologyNode } from '@coppice/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeMessagePosition, layOutTree } from './layout.ts';

const root = nodeId('root');

function node(index: number, parent: number): TopologyNode {
  return {
    id: nodeId(`n${index}`),
    parentId: parent < 0 ? root : nodeId(`n${parent}`),
    kind: 'message',
    role: index % 2 === 0 ? 'user' : 'assistant',
    groupId: 0,
    seq: index,
    position: String(index).padStart(7, '0'),
    status: 'success',
    tokens: 1,
    createdAt: index,
    childCount: 0,
    hasChildren: false,
    preview: `Message ${index}`,
  };
}

/** Random trees: the index of each message's parent, which is smaller than its own; −1 is the root. */
const trees = fc
  .array(fc.nat(), { minLength: 1, maxLength: 60 })
  .map((draws) => draws.map((draw, index) => (index === 0 ? -1 : (draw % (index + 1)) - 1)));

function layoutOf(parents: readonly number[]) {
  return layOutTree(
    new Topology(
      root,
      parents.map((parent, index) => node(index, parent)),
    ),
  );
}

test('[B54] every message has one position, children are above their parents, and no two messages overlap', () => {
  fc.assert(
    fc.property(trees, (parents) => {
      const layout = layoutOf(parents);
      expect(layout.spots.size).toBe(parents.length);
      const taken = new Set<string>();
      for (const [index, parent] of parents.entries()) {
        const spot = layout.spots.get(nodeId(`n${index}`));
        if (spot === undefined) throw new Error(`n${index} has no place.`);
        const { y } = computeMessagePosition(layout, spot.branch, spot.at);
        taken.add(`${spot.branch.column} ${spot.at}`);
        const above = parent < 0 ? undefined : layout.spots.get(nodeId(`n${parent}`));
        expect(y).toBeLessThan(above === undefined ? 0 : computeMessagePosition(layout, above.branch, above.at).y);
      }
      expect(taken.size).toBe(parents.length);
      expect(new Set(layout.branches.map((branch) => branch.column)).size).toBe(layout.branches.length);
    }),
  );
});

test('[B54] a new message at the end of a branch moves no column', () => {
  fc.assert(
    fc.property(trees, (parents) => {
      const before = layoutOf(parents);
      const [branch] = before.branches;
      // A branch of one message is drawn narrower, so a second message may change its width.
      if (branch === undefined || branch.nodes.length < 2) return;
      const tip = branch.nodes.at(-1)?.id ?? '';
      const after = layoutOf([...parents, Number(tip.slice(1))]);
      for (const [index, old] of before.branches.entries()) expect(after.branches[index]?.column).toBe(old.column);
    }),
  );
});

test('[B54] a chain of 100,000 messages is one column', () => {
  const layout = layoutOf(Array.from({ length: 100_000 }, (_, index) => index - 1));
  expect(layout.branches.length).toBe(1);
  expect(layout.branches[0]?.weights[0]).toBe(100_000);
});
