/** Undoes and redoes acts, for `/undo` and `/redo`. */
import { ask, run } from '@coppice/core';
import type { CommandResult, CommandScope } from './contract.ts';
import { describeAct } from './describe-act.ts';
import { makeCommandReport, makePhrase, phraseToEnglish } from './phrases.ts';

/** An act that `/undo` or `/redo` reverted, and its description. */
export interface ReversedAct {
  readonly actId: string;
  readonly at: number;
  /** What the act changed, in English, for example `2 messages`. */
  readonly what: readonly string[];
}

/**
 * Undoes the newest act, or redoes the one that was undone last. If the turn of the act is still running, it is stopped
 * first.
 */
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
  const parts = describeAct(commits);
  const what = parts.map(phraseToEnglish);
  return {
    ...makeCommandReport(
      makePhrase(type === 'undo' ? 'undid' : 'redid', {
        parts: { parts: parts.length === 0 ? [makePhrase('part-none')] : parts },
      }),
    ),
    undo: type === 'undo' ? '/redo' : '/undo',
    data: { actId, at: commits[0]?.at ?? scope.now(), what },
    place: { treeId, activeNodeId: result.activeNodeId },
  };
}
