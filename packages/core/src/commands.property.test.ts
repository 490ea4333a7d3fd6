import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { checkTree } from './check.ts';
import { isAppError } from './errors.ts';
import type { NodeId } from './ids.ts';
import { activePath } from './path.ts';
import { run } from './run.ts';
import { parseSteps, stepsToJson } from './steps/index.ts';
import {
  type AbstractCommand,
  abstractCommandTypes,
  arbitraryCommands,
  propertyParameters,
  propertyTimeoutMs,
} from './testing/arbitraries.ts';
import { allRowsOf, replayRows, undoableState } from './testing/expect-steps.ts';
import { testKit } from './testing/kit.ts';
import { ReferenceStore } from './testing/reference-store.ts';
import { type AbstractCommandResult, runCommands } from './testing/run-commands.ts';
import { testUuid } from './testing/test-tree.ts';
import { allBookmarks, allNodes, emptyTree, findNode, type Tree } from './tree.ts';

const runs = propertyParameters(300, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

/** Runs commands on the reference store, and calls `look` after each one with the trees before it. */
async function watch(
  commands: readonly AbstractCommand[],
  look: (turn: AbstractCommandResult, before: ReadonlyMap<string, Tree>, store: ReferenceStore) => Promise<void> | void,
): Promise<ReferenceStore> {
  const store = new ReferenceStore();
  let before: ReadonlyMap<string, Tree> = new Map();
  const turns = runCommands(store, commands);
  for (let next = await turns.next(); !next.done; next = await turns.next()) {
    await look(next.value, before, store);
    before = new Map(store.trees);
  }
  return store;
}

function errors(tree: Tree) {
  return checkTree(tree).filter((finding) => finding.severity === 'error');
}

test('[S16] random commands of several actors break no invariant', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      await watch(commands, (_turn, _before, store) => {
        for (const tree of store.trees.values()) expect(errors(tree)).toEqual([]);
      });
    }),
    runs,
  );
});

test('[S35] after every random command visit marks lead from the root to the active node', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      await watch(commands, (_turn, _before, store) => {
        for (const tree of store.trees.values()) {
          const marked: (NodeId | null)[] = [tree.rootId, ...activePath(tree).map(({ id }) => id)];
          for (const [index, child] of marked.slice(1).entries())
            expect(findNode(tree, marked[index] ?? '')?.lastChildId).toBe(child);
        }
      });
    }),
    runs,
  );
});

test('[S17] a refused command leaves every tree unchanged, as the same object', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      await watch(commands, (turn, before, store) => {
        if (turn.index === 2 || turn.refusal === null || turn.resolved.type === 'transplant') return;
        expect(store.trees).toEqual(before);
        for (const [id, tree] of store.trees) expect(before.get(id)).toBe(tree);
      });
    }),
    runs,
  );
});

test('[S18] the rows of every commit, replayed without the tree, give the same tree', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      const store = await watch(commands, () => undefined);
      for (const [id, log] of store.commits) {
        let rows = emptyTree(id, store.owner, log[0]?.at);
        for (const { steps, version, seq, at, structural } of log) {
          expect(parseSteps(stepsToJson(steps))).toEqual({ ok: true, value: stepsToJson(steps) });
          const inserts = steps.filter((step) => step.type === 'insert').length;
          const structureVersion = structural ? version : rows.structureVersion;
          const after = { ...rows, version, structureVersion, nextSeq: seq + inserts, updatedAt: at };
          const { changes } = applyOrThrow(rows, steps, { at });
          rows = replayRows(rows, allNodes(rows), allBookmarks(rows), changes, after);
        }
        const tree = store.trees.get(id);
        if (tree !== undefined) expect(allRowsOf(tree)).toEqual(allRowsOf(rows));
      }
    }),
    runs,
  );
});

/** Undoes and redoes a command in a copy of the store: both must restore the exact trees. */
async function takeBackAndRedo(
  turn: AbstractCommandResult,
  before: ReadonlyMap<string, Tree>,
  store: ReferenceStore,
): Promise<void> {
  const was = before.get(turn.treeId);
  const { commit } = turn;
  if (commit === null || was === undefined || commit.kind !== 'do' || commit.version === 1) return;
  // Undo does not make a finished reply pending again, because no run would finish the reply.
  if (turn.resolved.type === 'finish' || turn.resolved.type === 'transplant') return;
  if (commit.steps.every((step) => step.type === 'select')) return;
  const side = new ReferenceStore();
  for (const [id, tree] of store.trees) side.trees.set(id, tree);
  for (const [id, log] of store.commits) side.commits.set(id, [...log]);
  const done = store.trees.get(turn.treeId);
  const context = { actor: turn.actor, kit: testKit, now: () => 1, newId: () => testUuid(999_999_999) };
  try {
    await run(side, { type: 'undo', treeId: turn.treeId }, context);
  } catch (error) {
    // An act with a pending reply cannot be undone before the reply is stopped.
    if (isAppError(error) && error.code === 'tree/pending') return;
    throw error;
  }
  const undone = side.trees.get(turn.treeId);
  expect(undone === undefined ? null : undoableState(undone)).toEqual(undoableState(was));
  await run(side, { type: 'redo', treeId: turn.treeId }, context);
  const redone = side.trees.get(turn.treeId);
  expect(redone === undefined || done === undefined ? null : undoableState(redone)).toEqual(
    done && undoableState(done),
  );
}

test('[S19] undo restores the exact tree after any act, and redo the act', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      await watch(commands, takeBackAndRedo);
    }),
    runs,
  );
});

const plain = { actor: 0, tree: 0, nodes: [0], texts: ['a'], choice: 0, behind: 0 };

test('[S19] undo also restores the tree when restoring a version brought back more nodes than wanted', async () => {
  await watch(
    [
      { ...plain, type: 'append', texts: ['a', 'a'] },
      { ...plain, type: 'append' },
      { ...plain, type: 'delete' },
      { ...plain, type: 'clear' },
      { ...plain, type: 'restore-version', choice: 3 },
    ],
    takeBackAndRedo,
  );
});

test('[S19] undo also restores the tree when a node is moved out of a restored subtree and removed again', async () => {
  await watch(
    [
      { ...plain, type: 'reply', texts: ['a b'] },
      { ...plain, type: 'split', choice: 130 },
      { ...plain, type: 'append', texts: ['!'] },
      { ...plain, type: 'clear', texts: [''] },
      { ...plain, type: 'append', texts: ['!'] },
      { ...plain, type: 'tag' },
      { ...plain, type: 'append', texts: ['a', ''] },
      { ...plain, type: 'append' },
      { ...plain, type: 'restore-version', choice: 231 },
    ],
    takeBackAndRedo,
  );
});

test('[S19] undo also restores the tree when a node is moved into a removed subtree', async () => {
  await watch(
    [
      { ...plain, type: 'append', texts: ['one two four', ''] },
      { ...plain, type: 'split', choice: 1 },
      { ...plain, type: 'append' },
      { ...plain, type: 'clear' },
      { ...plain, type: 'restore-version', choice: 3 },
    ],
    takeBackAndRedo,
  );
});

test('every kind of random command sometimes succeeds and is sometimes refused', async () => {
  const done = new Set<string>();
  const refused = new Set<string>();
  await fc.assert(
    fc.asyncProperty(arbitraryCommands({ minLength: 30, maxLength: 60 }), async (commands) => {
      await watch(commands, (turn) => {
        (turn.refusal === null ? done : refused).add(turn.abstract.type);
      });
    }),
    { numRuns: 300, seed: 1 },
  );
  expect(abstractCommandTypes.filter((type) => !done.has(type))).toEqual([]);
  expect(abstractCommandTypes.filter((type) => !refused.has(type))).toEqual(['restore-tree']);
});
