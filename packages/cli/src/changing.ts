/** What subcommands that change a tree share: one command of core, what it did in words, and how to take it back. */
import { type Command, type Outcome, type ResultOf, run, type TreeId } from '@coppice/core';
import type { Answer } from './subcommands/contract.ts';
import type { Workplace } from './workplace.ts';

/** Runs a command on the store on behalf of the user. */
export async function change<C extends Command>(at: Workplace, command: C): Promise<Outcome<ResultOf<C['type']>>> {
  return run(await at.store(), command, at.context());
}

/** The answer of a change: what happened, in words and as data, and how to take it back. */
export function changed(outcome: Outcome<unknown>, said: string, at: Workplace, back = undoLine): Answer {
  const { treeId, version, actId, result } = outcome;
  const nothing = outcome.commit === null;
  const undo = nothing ? null : back(treeId);
  return {
    data: { treeId, version, actId, changed: !nothing, ...spread(result) },
    lines: [
      nothing ? 'Nothing to change.' : said,
      ...(undo === null ? [] : [at.output.style.quiet(`Take it back with ${undo}.`)]),
    ],
  };
}

/** `1 change`, `3 changes`; other things by their name. */
export function counted(count: number, one = 'change'): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

/** The line that takes the last change of a tree back. */
export function undoLine(treeId: TreeId): string {
  return `coppice undo ${treeId}`;
}

/** The line that does again what was taken back. */
export function redoLine(treeId: TreeId): string {
  return `coppice redo ${treeId}`;
}

function spread(result: unknown): object {
  return typeof result === 'object' && result !== null ? result : {};
}
