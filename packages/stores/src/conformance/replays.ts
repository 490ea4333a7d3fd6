/** Tests that run random commands, and those that once failed, on a store and on the reference store of core. */
import { readFileSync } from 'node:fs';
import type { Store, TreeId } from '@coppice/core';
import {
  type AbstractCommand,
  arbitraryCommands,
  commandsFromText,
  commandsToText,
  propertyParameters,
  ReferenceStore,
  runCommands,
} from '@coppice/core/testing';
import { treeToJson } from '@coppice/core/tree';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { askStore, readTreeJson, type StoreSubject, testStoreRule } from './subject.ts';

const sequences = propertyParameters(25, process.env);

/** Runs commands on a store and on the reference store. After each, results, refusals and trees must be equal. */
export async function expectSameResults(store: Store, commands: readonly AbstractCommand[]): Promise<void> {
  const reference = new ReferenceStore(store.owner);
  const expected = runCommands(reference, commands);
  const actual = runCommands(store, commands);
  let treeIds: readonly TreeId[] = [];
  for (;;) {
    const [one, two] = [await expected.next(), await actual.next()];
    expect(two.done).toBe(one.done);
    if (one.done === true || two.done === true) break;
    const { resolved, refusal, commit, result, index } = one.value;
    const reported = { resolved, refusal, commit, result: comparable(result), index };
    const turn = two.value;
    expect({
      resolved: turn.resolved,
      refusal: turn.refusal,
      commit: turn.commit,
      result: comparable(turn.result),
      index: turn.index,
    }).toEqual(reported);
    treeIds = one.value.treeIds;
    const touched = new Set([one.value.treeId, ...(commit === null ? [] : [commit.treeId])]);
    for (const id of touched) expect(await readTreeJson(store, id)).toEqual(imageIn(reference, id));
  }
  for (const id of treeIds) {
    expect(await readTreeJson(store, id)).toEqual(imageIn(reference, id));
    expect(await askStore(store, id, 'log', { since: 0 })).toEqual(reference.commits.get(id) ?? []);
  }
}

function imageIn(reference: ReferenceStore, id: TreeId): unknown {
  const tree = reference.trees.get(id);
  return tree === undefined ? null : treeToJson(tree);
}

/** Returns a result in a form that `toEqual` compares: a map as a list of entries. */
function comparable(result: unknown): unknown {
  if (result instanceof Map) return [...result];
  return result;
}

export function registerReplayRules(subject: StoreSubject): void {
  describe('replaying', () => {
    testStoreRule(
      subject,
      '[K40] random commands have the same effect on the store as on the tree value',
      async (store) => {
        let player = 0;
        await fc.assert(
          fc.asyncProperty(arbitraryCommands({ maxLength: 30 }), async (commands) => {
            const own = await subject.open({ owner: `player ${++player}` });
            try {
              await expectSameResults(own, commands);
            } catch (error) {
              throw new Error(`${String(error)}\n\nReplay with these lines:\n${commandsToText(commands)}`, {
                cause: error,
              });
            } finally {
              await subject.destroy(own);
            }
          }),
          sequences,
        );
        expect(await store.trees()).toEqual({ items: [], cursor: null });
      },
    );

    testStoreRule(subject, '[K41] random sequences that failed once now succeed', async () => {
      const text = readFileSync(new URL('./fixtures/sequences.jsonl', import.meta.url), 'utf8');
      for (const sequence of text.split(/\n\s*\n/)) {
        const own = await subject.open();
        try {
          await expectSameResults(own, commandsFromText(sequence));
        } finally {
          await subject.destroy(own);
        }
      }
    });
  });
}
