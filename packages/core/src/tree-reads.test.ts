import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isAppError, type Result } from './errors.ts';
import { treeId } from './ids.ts';
import { treeToJson } from './json.ts';
import { branchPage, path, pathThrough, recentLeaves, topology } from './path.ts';
import type { Read, ReadProgram } from './reads.ts';
import { arbitraryCommands, propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';
import { recordReads } from './testing/planning.ts';
import { ReferenceStore } from './testing/reference-store.ts';
import { runCommands } from './testing/run-commands.ts';
import { TestTree, testUuid } from './testing/test-tree.ts';
import { allNodes, type Tree } from './tree.ts';
import { readPage, readPath, readPathThrough, readRecentLeaves, readTopology, readTreeAsOf } from './tree-reads.ts';

vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

const runs = propertyParameters(60, process.env);

async function said<T>(store: ReferenceStore, tree: Tree, reading: () => ReadProgram<T>): Promise<unknown> {
  try {
    return await store.read(tree.id, reading);
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

function saidOf<T>(result: Result<T>): unknown {
  return result.ok ? result.value : result.refusal.code;
}

/** Runs random commands and checks every resulting tree. */
async function everyTree(look: (store: ReferenceStore, tree: Tree) => Promise<void>, maxLength = 25): Promise<void> {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands({ maxLength }), async (commands) => {
      const store = new ReferenceStore();
      for await (const _ of runCommands(store, commands));
      for (const tree of store.trees.values()) await look(store, tree);
    }),
    runs,
  );
}

const strange = [testUuid(0xdead), '__proto__'];

describe('reading through a store', () => {
  it('[R1] gives the same path and refusals as the tree value', async () => {
    await everyTree(async (store, tree) => {
      const ids = [...allNodes(tree).map((node) => node.id), ...strange];
      for (const to of ids) {
        expect(await said(store, tree, () => readPath({ to }))).toEqual(saidOf(path(tree, { to })));
        const from = ids[(ids.indexOf(to) + 1) % ids.length] ?? to;
        expect(await said(store, tree, () => readPath({ from, to }))).toEqual(saidOf(path(tree, { from, to })));
      }
    });
  });

  it('[R2] gives the same page, cursor, groups and refusals as the tree value', async () => {
    await everyTree(async (store, tree) => {
      const ids = [...allNodes(tree).map((node) => node.id), ...strange];
      for (const [index, nodeId] of ids.entries()) {
        const before = ids[(index * 7 + 1) % ids.length] ?? nodeId;
        for (const request of [{}, { nodeId, limit: 2 }, { nodeId, limit: 3, before, siblings: true }])
          expect(await said(store, tree, () => readPage(tree.id, request))).toEqual(saidOf(branchPage(tree, request)));
      }
    });
  });

  it('[R3] gives the same topology as the tree value', async () => {
    await everyTree(async (store, tree) => {
      expect(await said(store, tree, () => readTopology(tree.id))).toEqual(topology(tree));
      for (const depth of [0, 1, 3])
        expect(await said(store, tree, () => readTopology(tree.id, { depth }))).toEqual(topology(tree, { depth }));
    });
  });

  it('[R4] gives the same leaves and paths down as the tree value', async () => {
    await everyTree(async (store, tree) => {
      expect(await said(store, tree, () => readRecentLeaves(3))).toEqual(recentLeaves(tree, 3));
      for (const node of allNodes(tree))
        expect(await said(store, tree, () => readPathThrough(node.id))).toEqual(saidOf(pathThrough(tree, node.id)));
    });
  });

  it('[R5] gives every earlier state', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommands({ maxLength: 25 }), async (commands) => {
        const store = new ReferenceStore();
        const states = new Map<string, Tree>();
        const note = () => {
          for (const tree of store.trees.values()) states.set(`${tree.id} ${tree.version}`, tree);
        };
        for await (const _ of runCommands(store, commands)) note();
        for (const then of states.values()) {
          const back = await store.read(then.id, () => readTreeAsOf(then.id, then.version));
          expect(unmarked(back)).toEqual(unmarked(then));
        }
      }),
      runs,
    );
  });

  it('[R6] refuses versions and trees that do not exist', async () => {
    const fixture = await TestTree.make();
    const store = fixture.store as ReferenceStore;
    for (const version of [0, -1, 1.5, 2, Number.NaN])
      expect(await said(store, fixture.tree, () => readTreeAsOf(fixture.treeId, version))).toBe('tree/unknown-version');
    const other = treeId(testUuid(77));
    const readings: (() => ReadProgram<unknown>)[] = [
      () => readTreeAsOf(other, 1),
      () => readPage(other),
      () => readTopology(other),
    ];
    for (const reading of readings)
      await expect(store.read(other, reading)).rejects.toThrow(`There is no chat ${other}.`);
  });

  it('[R7] reads the page, not the path above it', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(Array.from({ length: 500 }, (_, index) => `turn ${index}`));
    const asked: Read[] = [];
    const page = await fixture.store.read(fixture.treeId, () =>
      recordReads(readPage(fixture.treeId, { limit: 5 }), asked),
    );
    expect(page.nodes.map((node) => node.text)).toEqual([495, 496, 497, 498, 499].map((index) => `turn ${index}`));
    expect(asked.filter((read) => read.ask === 'path').every((read) => 'limit' in read && read.limit === 5)).toBe(true);
    // Each read is a round trip to a remote database, so the last node must not be read separately from its path.
    expect(asked.map((read) => read.ask)).toEqual(['tree', 'path']);
  });
});

/**
 * Returns the tree as JSON without visit marks, which have no history, and without times that a rewind does not reset.
 */
function unmarked(tree: Tree): unknown {
  const { updatedAt: _, structureVersion: __, nodes, ...rest } = treeToJson(tree);
  return { ...rest, nodes: nodes.map((node) => ({ ...node, lastChildId: null })) };
}
