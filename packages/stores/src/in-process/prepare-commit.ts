/** Turns a plan into a commit whose steps are the book's own. */
import { type ChangeOptions, isAppError, type Plan, type PreparedCommit, type TreeId } from '@coppice/core';
import { prepareCommit, versionConflict } from '@coppice/core/store';
import { rowChanges } from '@coppice/core/tree';
import { assertRevalidated } from '../revalidate.ts';
import { freezeSteps } from './freeze-steps.ts';
import type { Snapshot } from './tree-slot.ts';
import type { Yielder } from './yielder.ts';

/** Settles a plan; null where it has no steps. The steps of a long one are copied part by part. */
export async function prepareInTurns<R>(
  treeId: TreeId,
  snapshot: Snapshot | null,
  plan: Plan<R>,
  options: ChangeOptions,
  turns: Yielder,
): Promise<PreparedCommit | null> {
  const checked = prepareNow(treeId, snapshot, plan, options, turns.long ? undefined : freezeSteps);
  return checked === null || !turns.long ? checked : freezeInTurns(checked, turns);
}

function prepareNow<R>(
  treeId: TreeId,
  snapshot: Snapshot | null,
  plan: Plan<R>,
  options: ChangeOptions,
  own: typeof freezeSteps | undefined,
): PreparedCommit | null {
  try {
    return prepareCommit(treeId, snapshot?.tree ?? null, plan, options, own);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'tree/version-conflict') throw error;
    const expected = options.expectedVersion ?? 0;
    throw versionConflict(treeId, snapshot?.tree.version ?? 0, expected, snapshot?.log(expected) ?? []);
  }
}

async function freezeInTurns({ commit, row }: PreparedCommit, turns: Yielder): Promise<PreparedCommit> {
  const steps = await turns.partByPart(commit.steps, (part) => {
    // What an undo brings back is the book's own already.
    if (commit.kind === 'do') assertRevalidated(part);
    return freezeSteps(part);
  });
  const { version, seq, at } = commit;
  return { commit: { ...commit, steps }, changes: rowChanges(steps, { version, seq, at }), row };
}
