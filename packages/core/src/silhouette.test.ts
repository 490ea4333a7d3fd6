import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NodeId, nodeId } from './ids.ts';
import type { ParentLink } from './reads.ts';
import { silhouetteOf } from './silhouette.ts';
import { testUuid } from './testing/test-tree.ts';

const root = nodeId(testUuid(0));

/** Builds nodes from parent numbers: 0 is the root, n the nth node. */
function linked(parents: readonly number[]): readonly ParentLink[] {
  return parents.map((parent, index) => ({ id: nodeId(testUuid(index + 1)), parentId: nodeId(testUuid(parent)) }));
}

const trees = fc
  .array(fc.nat(), { maxLength: 60 })
  .map((picks) => linked(picks.map((pick, index) => pick % (index + 1))));

test('[R8] a silhouette counts messages and branches, and draws the active branch once', () => {
  fc.assert(
    fc.property(trees, fc.nat(), (links, pick) => {
      const active: NodeId | null = links[pick % Math.max(1, links.length)]?.id ?? null;
      const { messages, branches, stems } = silhouetteOf(links, root, active);
      const parents = new Set(links.map((link) => link.parentId));
      expect(messages).toBe(links.length);
      expect(branches).toBe(links.filter((link) => !parents.has(link.id)).length);
      expect(stems.length).toBe(Math.min(7, branches));
      expect(stems.filter((stem) => stem.active).length).toBe(active === null ? 0 : 1);
    }),
  );
});

test('[R8] lines are in the order of their branches, each as high as its branch is long', () => {
  const links = linked([0, 1, 2, 1, 0]);
  expect(silhouetteOf(links, root, nodeId(testUuid(4))).stems).toEqual([
    { height: 3, active: false },
    { height: 2, active: true },
    { height: 1, active: false },
  ]);
});

test('[R8] a chain of 100,000 is one line', () => {
  const { stems, branches } = silhouetteOf(
    linked(Array.from({ length: 100_000 }, (_, index) => index)),
    root,
    nodeId(testUuid(50_000)),
  );
  expect([stems, branches]).toEqual([[{ height: 100_000, active: true }], 1]);
});
