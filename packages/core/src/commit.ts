/** Turns a plan into a commit and its rows. Every store calls these functions while it holds its lock. */
import { AppError, refusalKinds, refuse } from './errors.ts';
import type { TreeId } from './ids.ts';
import type { Plan } from './plan/context.ts';
import type { Commit } from './reads.ts';
import type { RowChange } from './rows.ts';
import { insertedNodes, isStructural } from './steps/kinds.ts';
import { assertStorable } from './steps/storable.ts';
import type { Step } from './steps/types.ts';
import type { ChangeOptions } from './store.ts';
import type { TreeRow } from './tree.ts';

/**
 * Whether a write with an expected version is stale, because a later commit changed structure or content. A version
 * that the tree has not reached is stale too: it comes from another history, for example from before a backup was
 * restored.
 */
export function isStale(
  row: Pick<TreeRow, 'version' | 'structureVersion'> | null,
  expectedVersion: number | undefined,
): boolean {
  if (row === null || expectedVersion === undefined) return false;
  // Negated, so that NaN counts as stale.
  return !(expectedVersion >= row.structureVersion && expectedVersion <= row.version);
}

/** A commit that is ready to be written. */
export interface PreparedCommit {
  readonly commit: Commit;
  /** The new fields of the tree row, apart from those that row changes set. */
  readonly row: Pick<TreeRow, 'version' | 'structureVersion' | 'nextSeq' | 'updatedAt'>;
}

/** A commit with everything that was written for it. */
export interface AppliedCommit extends PreparedCommit {
  readonly changes: readonly RowChange[];
}

/** Whether undo can revert a commit. A commit that only moves the active node does not count. */
export function isUndoable(steps: readonly Step[]): boolean {
  return steps.some((step) => step.type !== 'select');
}

/**
 * Turns a plan into a commit; returns null for a plan without steps. A stale structural write is refused with the
 * current version; the caller adds the later commits to the error. A store that keeps steps as objects passes
 * `copySteps`, so that it does not share them with the caller.
 */
export function prepareCommit<R>(
  treeId: TreeId,
  row: TreeRow | null,
  plan: Plan<R>,
  options: ChangeOptions,
  copySteps: (steps: readonly Step[]) => readonly Step[] = (given) => given,
): PreparedCommit | null {
  const { reverses } = plan;
  if (plan.steps.length === 0) return null;
  const structural = isStructural(plan.steps);
  assertNotTrashed(treeId, row, plan.steps);
  // An undo needs no check, because it only writes values that were stored before.
  if (reverses === undefined) assertStorable(plan.steps);
  if (structural && isStale(row, options.expectedVersion) && !(options.onConflict === 'branch' && options.additive))
    throw makeVersionConflictError(treeId, row?.version ?? 0, options.expectedVersion ?? 0);
  const steps = copySteps(plan.steps);
  const version = (row?.version ?? 0) + 1;
  const seq = row?.nextSeq ?? 0;
  const commit: Commit = {
    treeId,
    version,
    actId: reverses?.actId ?? options.actId,
    actor: options.actor,
    at: options.at,
    kind: reverses?.kind ?? 'do',
    seq,
    structural,
    steps,
  };
  return {
    commit,
    row: {
      version,
      structureVersion: structural ? version : (row?.structureVersion ?? 0),
      nextSeq: seq + insertedNodes(steps).length,
      updatedAt: computeChangeTime(row, structural, options.at),
    },
  };
}

/**
 * Returns the time of a tree's last change after a commit. Only commits that change messages count, so that a chat that
 * is renamed, moved, pinned or tagged keeps its date and its position in lists. The time never decreases, even if the
 * clock was set back.
 */
export function computeChangeTime(row: Pick<TreeRow, 'updatedAt'> | null, structural: boolean, at: number): number {
  if (row === null) return at;
  return structural ? Math.max(at, row.updatedAt) : row.updatedAt;
}

/** Throws if the tree is in the trash, unless the steps restore it. */
export function assertNotTrashed(
  treeId: TreeId,
  row: Pick<TreeRow, 'attributes'> | null,
  steps: readonly Step[],
): void {
  if (row?.attributes.trashedAt !== undefined && steps.some((step) => step.type !== 'attributes'))
    refuse('tree/read-only', `The chat ${treeId} is in the trash: restore it first.`, { treeId });
}

/**
 * Builds the error of a stale write. `since` are the commits after the expected version, if the caller has read them.
 */
export function makeVersionConflictError(
  treeId: TreeId,
  version: number,
  expected: number,
  since: readonly Commit[] = [],
): AppError {
  return new AppError({
    code: 'tree/version-conflict',
    kind: refusalKinds['tree/version-conflict'],
    message: `The chat ${treeId} is at version ${version}, not ${expected} as expected: read what changed and try again.`,
    data: { treeId, version, expectedVersion: expected, since },
  });
}
