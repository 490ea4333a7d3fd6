/** Undoes or redoes an act in the named tree, or the user's newest act in any tree. */
import { type CommandOutcome, type ResultOf, readTree, type TreeRow, undoOrRedoAnywhere } from '@coppice/core';
import { fieldsOrEmpty } from '@coppice/core/decode';
import { rowChanges } from '@coppice/core/tree';
import type { CliContext } from './cli-context.ts';
import { readChatName } from './first-words.ts';
import { titleOrUntitled } from './printing.ts';
import { findTree } from './resolve-target.ts';
import { shortenId } from './short-ids.ts';
import type { SubcommandInput, SubcommandOutput } from './subcommands/contract.ts';
import { toOneLine } from './terminal/strip-control-sequences.ts';
import { formatCountedNoun, runTreeChange, toChangeOutput } from './tree-changes.ts';

type Reversal = 'undo' | 'redo';

/** Undoes or redoes an act; the output has the title of the chat and the command that reverses it. */
export async function runUndoOrRedo(type: Reversal, given: SubcommandInput, at: CliContext): Promise<SubcommandOutput> {
  const store = await at.store();
  const force = given.flag('force');
  const word = given.optional('chat');
  const named = word === undefined ? null : await findTree(at, word);
  const outcome: CommandOutcome<ResultOf<Reversal>> =
    named === null
      ? await undoOrRedoAnywhere(store, { type, force }, at.context())
      : await runTreeChange(at, { type, treeId: named.id, force });
  const { treeId } = outcome;
  const row = await store.read(treeId, () => readTree(treeId));
  const opposite = type === 'undo' ? 'redo' : 'undo';
  // Without a named tree the opposite command finds the same act, even if the tree is in the trash now.
  const back = named === null ? `coppice ${opposite}` : `coppice ${opposite} ${shortenId(treeId)}`;
  const answer = toChangeOutput(
    outcome,
    describe(type, row, await readChatName(store, row), outcome),
    at,
    () => back,
    type === 'undo' ? 'Redo' : 'Undo',
  );
  return { ...answer, data: { ...fieldsOrEmpty(answer.data), title: titleOrUntitled(row), trashed: isTrashed(row) } };
}

function isTrashed({ attributes }: TreeRow): boolean {
  return attributes.trashedAt !== undefined;
}

function describe(
  type: Reversal,
  row: TreeRow,
  title: string,
  { result, commit }: CommandOutcome<ResultOf<Reversal>>,
): string {
  const name = JSON.stringify(toOneLine(title, 60));
  const { act, activeNodeId } = result;
  const changes = commit === null ? [] : rowChanges(commit.steps, commit);
  const restored = changes.some(
    (change) => change.op === 'tree' && change.attributes !== undefined && 'trashedAt' in change.attributes,
  );
  const verb = type === 'undo' ? 'Undid' : 'Redid';
  if (isTrashed(row)) return `${verb} the last change of ${name}; it is in the trash.`;
  if (restored) return `${verb} the ${type === 'undo' ? 'deletion' : 'last change'} of ${name}; it is back.`;
  const where = activeNodeId === null ? 'it is now empty' : `you are at ${shortenId(activeNodeId)}`;
  return `${verb} ${formatCountedNoun(act.commits.length)} in ${name}; ${where}.`;
}
