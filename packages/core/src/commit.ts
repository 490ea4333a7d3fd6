/** What happens between a plan and its rows: the same for every store, inside its lock. */
import { AppError, refusalKinds, refuse } from './errors.ts';
import type { TreeId } from './ids.ts';
import type { Plan } from './plan/context.ts';
import type { Commit } from './reads.ts';
import type { RowChange } from './rows.ts';
import { isStructural, rowChanges } from './steps/kinds.ts';
import type { Step } from './steps/types.ts';
import { assertStorable } from './storable-steps.ts';
import type { ChangeOptions } from './store.ts';
import type { TreeRow } from './tree.ts';

/**
 * Whether a write that expects a version comes too late: a commit after it changed structure or content. A version
 * that the tree has not reached is of another past, such as the one before a backup was put back, and is stale too.
 */
export function isStale(
  row: Pick<TreeRow, 'version' | 'structureVersion'> | null,
  expectedVersion: number | undefined,
): boolean {
  if (row === null || expectedVersion === undefined) return false;
  // Said the other way round, so that what is no number is no version that anybody has seen.
  return !(expectedVersion >= row.structureVersion && expectedVersion <= row.version);
}

/** A commit that is ready to be written. */
export interface PreparedCommit {
  readonly commit: Commit;
  readonly changes: readonly RowChange[];
  /** The tree row afterwards, but for what the changes themselves set on it. */
  readonly row: Pick<TreeRow, 'version' | 'structureVersion' | 'nextSeq' | 'updatedAt'>;
}

/** Whether a commit counts as something its actor did: moving the pointer alone does not. */
export function isUndoable(steps: readonly Step[]): boolean {
  return steps.some((step) => step.type !== 'select');
}

/**
 * Turns a plan into a commit and its row changes, or into nothing where it has no steps. A stale structural write is
 * refused with the present version; the caller adds the steps since. A store that keeps steps as objects says by `own`
 * how it makes them its own.
 */
export function prepareCommit<R>(
  treeId: TreeId,
  row: TreeRow | null,
  plan: Plan<R>,
  options: ChangeOptions,
  own: (steps: readonly Step[]) => readonly Step[] = (given) => given,
): PreparedCommit | null {
  const { reverses } = plan;
  if (plan.steps.length === 0) return null;
  const structural = isStructural(plan.steps);
  assertNotTrashed(treeId, row, plan.steps);
  // What an undo brings back has been kept before.
  if (reverses === undefined) assertStorable(plan.steps);
  if (structural && isStale(row, options.expectedVersion) && !(options.onConflict === 'branch' && options.additive))
    throw versionConflict(treeId, row?.version ?? 0, options.expectedVersion ?? 0);
  const steps = own(plan.steps);
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
  const inserts = steps.reduce((count, step) => (step.type === 'insert' ? count + 1 : count), 0);
  return {
    commit,
    changes: rowChanges(steps, { version, seq, at: options.at }),
    row: {
      version,
      structureVersion: structural ? version : (row?.structureVersion ?? 0),
      nextSeq: seq + inserts,
      updatedAt: Math.max(options.at, row?.updatedAt ?? options.at),
    },
  };
}

/** Refuses steps on a tree in the trash, but for those that take it out again. */
export function assertNotTrashed(
  treeId: TreeId,
  row: Pick<TreeRow, 'attributes'> | null,
  steps: readonly Step[],
): void {
  if (row?.attributes.trashedAt !== undefined && steps.some((step) => step.type !== 'attributes'))
    refuse('tree/read-only', `The tree ${treeId} is in the trash: restore it first.`, { treeId });
}

/** The refusal of a stale write. `since` are the commits that made it stale, where the caller has them at hand. */
export function versionConflict(
  treeId: TreeId,
  version: number,
  expected: number,
  since: readonly Commit[] = [],
): AppError {
  return new AppError({
    code: 'tree/version-conflict',
    kind: refusalKinds['tree/version-conflict'],
    message: `The tree ${treeId} is at version ${version}, not ${expected} as expected: read what changed and try again.`,
    data: { treeId, version, expectedVersion: expected, since },
  });
}
