import { type NodeId, nodeId, type TopologyNode } from '@coppice/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteBeginning } from './format.ts';
import { buildCommandOutline, outlineFilters, renderOutline } from './outline.ts';

/** Builds a tree from the parent numbers of its nodes: each is a child of an earlier node or of the root. */
function buildTopology(parents: readonly number[]): TopologyNode[] {
  const id = (at: number) => nodeId(`n${at}`);
  const above = parents.map((parent, at) => (parent % (at + 1)) - 1);
  return above.map((parent, at) => {
    const childCount = above.filter((other) => other === at).length;
    return {
      id: id(at),
      parentId: parent < 0 ? nodeId('root') : id(parent),
      role: at % 2 === 0 ? 'user' : 'assistant',
      kind: 'message',
      groupId: 0,
      seq: at,
      position: `a${String(at).padStart(4, '0')}`,
      status: 'success',
      tokens: 1,
      createdAt: at,
      childCount,
      hasChildren: childCount > 0,
      preview: `m${at}`,
    };
  });
}

const source = fc.record({
  nodes: fc.array(fc.nat({ max: 1_000 }), { maxLength: 40 }).map(buildTopology),
  filter: fc.constantFrom(...outlineFilters),
  marked: fc.nat({ max: 39 }),
  here: fc.nat({ max: 39 }),
});

test('[E19] each shown node follows the shown one above it in any tree, and every node is counted once', () => {
  fc.assert(
    fc.property(source, ({ nodes, filter, marked, here }) => {
      const labels = new Map<NodeId, string>([[nodeId(`n${marked}`), 'label']]);
      const current = nodes[here]?.id ?? null;
      const outline = buildCommandOutline({ nodes, labels, current, filter, limit: 1_000 });
      const { entries } = outline;
      const at = new Map<string, number>(entries.map((entry, index) => [entry.nodeId, index]));
      expect(at.size).toBe(entries.length);
      const byId = new Map<string, TopologyNode>(nodes.map((node) => [node.id, node]));
      for (const [index, entry] of entries.entries()) {
        let hidden = 0;
        let above = byId.get(byId.get(entry.nodeId)?.parentId ?? '');
        for (; above !== undefined && !at.has(above.id); above = byId.get(above.parentId)) hidden++;
        expect(entry).toMatchObject({ parentId: above?.id ?? null, folded: hidden });
        expect(at.get(entry.parentId ?? '') ?? -1).toBeLessThan(index);
      }
      // Every filter shows the current node and the labelled ones.
      if (current !== null) expect(entries.some((entry) => entry.current)).toBe(true);
      if (filter === 'all') expect(entries).toHaveLength(nodes.length);
      if (filter === 'folded') for (const node of nodes) if (node.childCount !== 1) expect(at.has(node.id)).toBe(true);
      const numbers = renderOutline(outline).match(/^ *\d+\. /gm) ?? [];
      expect(numbers).toHaveLength(entries.length);
    }),
  );
});

test('[E19] a limit cuts off the end and reports how many lines are missing', () => {
  const nodes = buildTopology(Array.from({ length: 30 }, (_, at) => at));
  const whole = buildCommandOutline({ nodes, labels: new Map(), current: null, filter: 'all', limit: 100 });
  const cut = buildCommandOutline({ nodes, labels: new Map(), current: null, filter: 'all', limit: 10 });
  expect(cut.entries).toEqual(whole.entries.slice(0, 10));
  expect(cut.left).toBe(20);
});

test('[E19] the text of a line is cut between characters', () => {
  expect(quoteBeginning('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 2)).toBe('“👩‍👩‍👧…”');
  expect(quoteBeginning('e\u0301e\u0301', 2)).toBe('“e\u0301e\u0301”');
  expect(quoteBeginning(`a ${' '.repeat(500)}b`, 20)).toBe('“a…”');
});
