/**
 * The ten kinds of step: what each writes and how it is taken back. Whether one fits (checks.ts) and how it is read from
 * outside (parse.ts) is apart, so that who runs commands need not ship it.
 */
import type { RowChange } from '../rows.ts';
import { annotate } from './annotate.ts';
import { attributes } from './attributes.ts';
import { bookmark } from './bookmark.ts';
import { insert } from './insert.ts';
import { move } from './move.ts';
import { regroup } from './regroup.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';
import { restore } from './restore.ts';
import { select } from './select.ts';
import type { CommitNumbers, Step, StepKind, StepType } from './types.ts';

const kinds: { readonly [T in StepType]: StepKind<Extract<Step, { type: T }>> } = {
  insert,
  remove,
  restore,
  move,
  replace,
  annotate,
  regroup,
  select,
  bookmark,
  attributes,
};

/** The kind of a step. */
export function stepKind(step: Step): StepKind<Step> {
  return kinds[step.type] as StepKind<Step>;
}

/** Whether a list of steps changes structure or content, which makes a write that expects an older version stale. */
export function isStructural(steps: readonly Step[]): boolean {
  return steps.some((step) => kinds[step.type].structural);
}

/**
 * The steps that take a commit back, given the version it was committed under. Of a chain that it inserted only the
 * top is removed, the rest goes with it.
 */
export function invert(steps: readonly Step[], version: number): Step[] {
  const inserted = new Set<string>();
  const inverse: Step[] = [];
  for (const step of steps) {
    if (step.type === 'insert') inserted.add(step.node.id);
    if (step.type === 'insert' && step.node.parentId !== null && inserted.has(step.node.parentId)) continue;
    inverse.push(stepKind(step).invert(step, version));
  }
  return inverse.reverse();
}

/** What a store writes for a commit, in order. Needs no tree: the numbers that the commit assigns are passed in. */
export function rowChanges(steps: readonly Step[], landing: CommitNumbers): RowChange[] {
  const changes: RowChange[] = [];
  const { version, at } = landing;
  let { seq } = landing;
  for (const step of steps) {
    for (const change of stepKind(step).rows(step, { version, seq, at })) changes.push(change);
    if (step.type === 'insert') seq++;
  }
  return changes;
}
