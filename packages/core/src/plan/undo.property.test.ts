import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { checkTree } from '../check.ts';
import { isAppError } from '../errors.ts';
import { type RunContext, run } from '../run.ts';
import {
  type AbstractCommand,
  type AbstractType,
  arbitraryCommands,
  propertyRuns,
  propertyTimeout,
} from '../testing/arbitraries.ts';
import { essence } from '../testing/expect-steps.ts';
import { testKit } from '../testing/kit.ts';
import { ReferenceStore } from '../testing/reference-store.ts';
import { runCommands } from '../testing/run-commands.ts';
import { ticking } from '../testing/test-tree.ts';

vi.setConfig({ testTimeout: propertyTimeout(process.env) });

const runs = propertyRuns(150, process.env);
// Made by hand below, no acts, or (a reply's end) not taken back to pending.
const leftOut: ReadonlySet<AbstractType> = new Set<AbstractType>([
  'undo',
  'redo',
  'finish',
  'select',
  'navigate',
  'create',
  'duplicate',
]);

/** The same command by one actor, with no reply left open and no version expected. */
function settled(command: AbstractCommand, actor = 0): AbstractCommand {
  const choice =
    command.type === 'reply' || command.type === 'regenerate' ? command.choice & 0b10001111 : command.choice;
  return { ...command, actor, choice, behind: 0, tree: command.tree % 2 };
}

function states(store: ReferenceStore): unknown[] {
  return [...store.trees.values()].map(essence);
}

function flawless(store: ReferenceStore): void {
  for (const tree of store.trees.values())
    expect(checkTree(tree).filter((finding) => finding.severity === 'error')).toEqual([]);
}

const context: RunContext = { actor: 'ann', kit: testKit, ...ticking(900_000) };

test('[U1, U2] whatever one actor does, undone act by act, restores every state before, and redone, every state after', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands({ maxLength: 30 }), async (commands) => {
      const store = new ReferenceStore();
      // Rare by itself, and what undo has most to do with: several removals come back as one act.
      const often = commands.map((one) => (one.choice % 8 === 3 ? { ...one, type: 'restore-version' as const } : one));
      const acts = often.filter((command) => !leftOut.has(command.type)).map((command) => settled(command));
      const before: { readonly treeId: Parameters<ReferenceStore['tree']>[0]; readonly state: unknown[] }[] = [];
      let was: unknown[] = [];
      for await (const { commit, treeId, resolved, index } of runCommands(store, acts)) {
        const act = commit?.steps.some((step) => step.type !== 'select') === true;
        if (index > 2 && act)
          before.push({ treeId: resolved.type === 'transplant' ? resolved.to.treeId : treeId, state: was });
        // What moved the pointer alone is no act: its place is not among the states to come back to.
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

test('[U3] undo and redo by several actors, forced or not, never break a tree, and a refusal leaves it as it was', async () => {
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
