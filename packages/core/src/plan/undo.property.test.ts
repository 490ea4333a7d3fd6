import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { checkTree } from '../check.ts';
import { isAppError } from '../errors.ts';
import { type RunContext, run } from '../run.ts';
import {
  type AbstractCommand,
  type AbstractCommandType,
  arbitraryCommands,
  propertyParameters,
  propertyTimeoutMs,
} from '../testing/arbitraries.ts';
import { undoableState } from '../testing/expect-steps.ts';
import { testKit } from '../testing/kit.ts';
import { ReferenceStore } from '../testing/reference-store.ts';
import { runCommands } from '../testing/run-commands.ts';
import { createTestClock } from '../testing/test-tree.ts';

vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

const runs = propertyParameters(150, process.env);
// Commands that the test issues itself, that are not acts, or whose effect undo does not revert (finish).
const leftOut: ReadonlySet<AbstractCommandType> = new Set<AbstractCommandType>([
  'undo',
  'redo',
  'finish',
  'select',
  'navigate',
  'create',
  'duplicate',
]);

/** Returns the same command for one actor, without pending replies and without an expected version. */
function settled(command: AbstractCommand, actor = 0): AbstractCommand {
  const choice =
    command.type === 'reply' || command.type === 'regenerate' ? command.choice & 0b10001111 : command.choice;
  return { ...command, actor, choice, behind: 0, tree: command.tree % 2 };
}

function states(store: ReferenceStore): unknown[] {
  return [...store.trees.values()].map(undoableState);
}

function flawless(store: ReferenceStore): void {
  for (const tree of store.trees.values())
    expect(checkTree(tree).filter((finding) => finding.severity === 'error')).toEqual([]);
}

const context: RunContext = { actor: 'ann', kit: testKit, ...createTestClock(900_000) };

test('[U1, U2] undoing the acts of one actor one by one restores every earlier state, and redoing every later one', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands({ maxLength: 30 }), async (commands) => {
      const store = new ReferenceStore();
      // Restoring a version is rare in random commands but the hardest case for undo, because one act restores several
      // removals.
      const often = commands.map((one) => (one.choice % 8 === 3 ? { ...one, type: 'restore-version' as const } : one));
      const acts = often.filter((command) => !leftOut.has(command.type)).map((command) => settled(command));
      const before: { readonly treeId: Parameters<ReferenceStore['tree']>[0]; readonly state: unknown[] }[] = [];
      let was: unknown[] = [];
      for await (const { commit, treeId, resolved, index } of runCommands(store, acts)) {
        const act = commit?.steps.some((step) => step.type !== 'select') === true;
        if (index > 2 && act)
          before.push({ treeId: resolved.type === 'transplant' ? resolved.to.treeId : treeId, state: was });
        // A commit that only moves the active node is not an act, so undo does not return to the states before it.
        if (commit !== null && !act) before.length = 0;
        was = states(store);
      }
      const after: unknown[] = [];
      for (const { treeId, state } of [...before].reverse()) {
        after.push(states(store));
        await run(store, { type: 'undo', treeId }, context);
        expect(states(store)).toEqual(state);
      }
      flawless(store);
      for (const { treeId } of before) {
        await run(store, { type: 'redo', treeId }, context);
        expect(states(store)).toEqual(after.pop());
      }
      flawless(store);
    }),
    runs,
  );
});

test('[U3] undo and redo by several actors, forced or not, never break a tree, and a refusal leaves it unchanged', async () => {
  const turn = fc.record({ actor: fc.constantFrom('ann', 'ben', 'cem'), undoes: fc.boolean(), force: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      arbitraryCommands({ maxLength: 30 }),
      fc.array(turn, { maxLength: 40 }),
      async (commands, turns) => {
        const store = new ReferenceStore();
        for await (const _ of runCommands(store, commands));
        for (const { actor, undoes, force } of turns)
          for (const treeId of [...store.trees.keys()]) {
            const trees = new Map(store.trees);
            try {
              await run(store, { type: undoes ? 'undo' : 'redo', treeId, force }, { ...context, actor });
            } catch (error) {
              if (!isAppError(error)) throw error;
              expect(['undo/nothing', 'undo/overtaken', 'tree/pending', 'tree/read-only']).toContain(error.code);
              if (error.code === 'undo/overtaken') expect(force).toBe(false);
              expect(new Map(store.trees)).toEqual(trees);
            }
            flawless(store);
          }
      },
    ),
    runs,
  );
});
