/** Turns a plan into a commit whose steps are frozen copies. */
import { type ChangeOptions, isAppError, type Plan, type PreparedCommit, type TreeId } from '@coppice/core';
import { makeVersionConflictError, prepareCommit } from '@coppice/core/store';
import { assertStepsStillValid } from '../revalidate.ts';
import { freezeSteps } from './freeze-steps.ts';
import type { TreeSnapshot } from './tree-slot.ts';
import type { Yielder } from './yielder.ts';

/**
 * Prepares the commit of a plan; null if the plan has no steps. The steps of a long plan are copied in parts, and other
 * work can run in between.
 */
export async function prepareCommitCooperatively<R>(
  treeId: TreeId,
  snapshot: TreeSnapshot | null,
  plan: Plan<R>,
  options: ChangeOptions,
  turns: Yielder,
): Promise<PreparedCommit | null> {
  const checked = prepareNow(treeId, snapshot, plan, options, turns.long ? undefined : freezeSteps);
  return checked === null || !turns.long ? checked : freezeInTurns(checked, turns);
}

function prepareNow<R>(
  treeId: TreeId,
  snapshot: TreeSnapshot | null,
  plan: Plan<R>,
  options: ChangeOptions,
  own: typeof freezeSteps | undefined,
): PreparedCommit | null {
  try {
    return prepareCommit(treeId, snapshot?.tree ?? null, plan, options, own);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'tree/version-conflict') throw error;
    const expected = options.expectedVersion ?? 0;
    throw makeVersionConflictError(treeId, snapshot?.tree.version ?? 0, expected, snapshot?.log(expected) ?? []);
  }
}

async function freezeInTurns({ commit, row }: PreparedCommit, turns: Yielder): Promise<PreparedCommit> {
  const steps = await turns.mapInParts(commit.steps, (part) => {
    // An undo contains only values that were validated when they were first stored.
    if (commit.kind === 'do') assertStepsStillValid(part);
    return freezeSteps(part);
  });
  return { commit: { ...commit, steps }, row };
}
