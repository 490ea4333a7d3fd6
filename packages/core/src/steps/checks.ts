/**
 * Checks whether steps can be applied to a tree value. The steps of planners always can; steps from other sources need
 * the check.
 */
import { checkAnnotate } from './annotate.ts';
import { checkAttributes } from './attributes.ts';
import { checkBookmark } from './bookmark.ts';
import { checkInsert } from './insert.ts';
import { checkMove } from './move.ts';
import { checkRegroup } from './regroup.ts';
import { checkRemove } from './remove.ts';
import { checkReplace } from './replace.ts';
import { checkRestore } from './restore.ts';
import { checkSelect } from './select.ts';
import type { Step, StepCheck, StepType } from './types.ts';

const checks: { readonly [T in StepType]: StepCheck<Extract<Step, { type: T }>> } = {
  insert: checkInsert,
  remove: checkRemove,
  restore: checkRestore,
  move: checkMove,
  replace: checkReplace,
  annotate: checkAnnotate,
  regroup: checkRegroup,
  select: checkSelect,
  bookmark: checkBookmark,
  attributes: checkAttributes,
};

/** Returns the check for the type of a step. */
export function stepCheckOf(step: Step): StepCheck<Step> {
  return checks[step.type] as StepCheck<Step>;
}
