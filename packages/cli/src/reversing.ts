/** Undo and redo: in a tree that is named, else the user's last act in any tree. */
import { type Outcome, type ResultOf, readTree, runAnywhere, type TreeRow } from '@coppice/core';
import { change, changed, counted } from './changing.ts';
import { findTree } from './place.ts';
import { titleOf } from './printing.ts';
import type { Answer, Given } from './subcommands/contract.ts';
import { oneLine } from './terminal/neutral.ts';
import type { Workplace } from './workplace.ts';

type Reversal = 'undo' | 'redo';

/** Undoes or redoes, and answers with the name of the chat and the line that reverses it. */
export async function reverse(type: Reversal, given: Given, at: Workplace): Promise<Answer> {
  const store = await at.store();
  const force = given.flag('force');
  const word = given.optional('tree');
  const named = word === undefined ? null : await findTree(at, word);
  const outcome: Outcome<ResultOf<Reversal>> =
    named === null
      ? await runAnywhere(store, { type, force }, at.context())
      : await change(at, { type, treeId: named.id, force });
  const { treeId } = outcome;
  const row = await store.read(treeId, () => readTree(treeId));
  const opposite = type === 'undo' ? 'redo' : 'undo';
  // Without a tree the other way leads to the same act, also where the tree is in the trash now.
  const back = named === null ? `coppice ${opposite}` : `coppice ${opposite} ${treeId}`;
  const answer = changed(outcome, describe(type, row, outcome), at, () => back);
  return { ...answer, data: { ...asObject(answer.data), title: titleOf(row), trashed: isTrashed(row) } };
}

function asObject(data: unknown): object {
  return typeof data === 'object' && data !== null ? data : {};
}

function isTrashed({ attributes }: TreeRow): boolean {
  return attributes.trashedAt !== undefined;
}

function describe(type: Reversal, row: TreeRow, { result, commit }: Outcome<ResultOf<Reversal>>): string {
  const name = JSON.stringify(oneLine(titleOf(row), 60));
  const { act, activeNodeId } = result;
  const restored = commit?.steps.some((step) => step.type === 'attributes' && 'trashedAt' in step.before) === true;
  const verb = type === 'undo' ? 'Undid' : 'Redid';
  if (isTrashed(row)) return `${verb} the last change of ${name}; it is in the trash.`;
  if (restored) return `${verb} the deletion of ${name}; it is back.`;
  const where = activeNodeId === null ? 'it is now empty' : `you are at ${activeNodeId}`;
  return `${verb} ${counted(act.commits.length)} in ${name}; ${where}.`;
}
