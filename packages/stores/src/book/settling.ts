/** Turns a plan into a commit whose steps are the book's own. */
import {
  type ChangeOptions,
  isAppError,
  type Plan,
  rowChanges,
  type Settled,
  settle,
  staleError,
  type TreeId,
} from '@coppice/core';
import { refuseSpoilt } from '../unspoilt.ts';
import { ownSteps } from './own-steps.ts';
import type { Turns } from './turns.ts';
import type { Snapshot } from './volume.ts';

/** Settles a plan; null where it has no steps. The steps of a long one are copied part by part. */
export async function settledInTurns<R>(
  treeId: TreeId,
  snapshot: Snapshot | null,
  plan: Plan<R>,
  options: ChangeOptions,
  turns: Turns,
): Promise<Settled | null> {
  const checked = settled(treeId, snapshot, plan, options, turns.long ? undefined : ownSteps);
  return checked === null || !turns.long ? checked : ownedInTurns(checked, turns);
}

function settled<R>(
  treeId: TreeId,
  snapshot: Snapshot | null,
  plan: Plan<R>,
  options: ChangeOptions,
  own: typeof ownSteps | undefined,
): Settled | null {
  try {
    return settle(treeId, snapshot?.tree ?? null, plan, options, own);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'tree/version-conflict') throw error;
    const expected = options.expectedVersion ?? 0;
    throw staleError(treeId, snapshot?.tree.version ?? 0, expected, snapshot?.log(expected) ?? []);
  }
}

async function ownedInTurns({ commit, row }: Settled, turns: Turns): Promise<Settled> {
  const steps = await turns.partByPart(commit.steps, (part) => {
    // What an undo brings back is the book's own already.
    if (commit.kind === 'do') refuseSpoilt(part);
    return ownSteps(part);
  });
  const { version, seq, at } = commit;
  return { commit: { ...commit, steps }, changes: rowChanges(steps, { version, seq, at }), row };
}
