/** What `/undo` and `/redo` have in common. */
import { ask, run } from '@coppice/core';
import type { CommandResult, CommandScope } from './contract.ts';
import { describeAct, joinList } from './describe-act.ts';

/** What was taken back, or brought back. */
export interface ReversedAct {
  readonly actId: string;
  readonly at: number;
  /** Its parts, such as `2 messages`. */
  readonly what: readonly string[];
}

/** Takes the newest act back, or brings back what was taken back last. A turn that still runs is stopped first. */
export async function undoOrRedoActs(
  scope: CommandScope,
  type: 'undo' | 'redo',
  force: boolean,
): Promise<CommandResult<ReversedAct>> {
  const { store, treeId, actor } = scope;
  const asked = type === 'undo' ? 'undoable' : 'redoable';
  const found = await store.read(treeId, () => ask(asked, { actor }));
  if (type === 'undo' && found !== null) await scope.abort({ actId: found.actId });
  const { result, actId } = await run(
    store,
    { type, treeId, force, ...(found === null ? {} : { actId: found.actId }) },
    scope.running(),
  );
  const { commits } = result.act;
  const what = describeAct(commits);
  return {
    said: `${type === 'undo' ? 'Took back' : 'Brought back'} ${joinList(what)}.`,
    undo: type === 'undo' ? '/redo' : '/undo',
    data: { actId, at: commits[0]?.at ?? scope.now(), what },
    place: { treeId, activeNodeId: result.activeNodeId },
  };
}
