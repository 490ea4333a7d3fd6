/**
 * The ten kinds of steps: which rows each kind writes and how it is inverted. Checks (checks.ts) and decoding
 * (parse.ts) are separate, so that programs which only run commands do not bundle them.
 */
import type { NodeId } from '../ids.ts';
import type { NewNode } from '../node.ts';
import type { Commit, ReadProgram } from '../reads.ts';
import type { RowChange } from '../rows.ts';
import { annotateStepKind } from './annotate.ts';
import { attributesStepKind } from './attributes.ts';
import { bookmarkStepKind } from './bookmark.ts';
import { insertStepKind } from './insert.ts';
import { moveStepKind } from './move.ts';
import { regroupStepKind } from './regroup.ts';
import { removeStepKind } from './remove.ts';
import { replaceStepKind } from './replace.ts';
import { restoreStepKind } from './restore.ts';
import { selectStepKind, visitMarksOfInserts } from './select.ts';
import type { CommitNumbers, Step, StepKind, StepType } from './types.ts';

const kinds: { readonly [T in StepType]: StepKind<Extract<Step, { type: T }>> } = {
  insert: insertStepKind,
  remove: removeStepKind,
  restore: restoreStepKind,
  move: moveStepKind,
  replace: replaceStepKind,
  annotate: annotateStepKind,
  regroup: regroupStepKind,
  select: selectStepKind,
  bookmark: bookmarkStepKind,
  attributes: attributesStepKind,
};

/** Returns how a step of this type is written and inverted. */
export function stepKindOf(step: Step): StepKind<Step> {
  return kinds[step.type] as StepKind<Step>;
}

/** Whether steps change structure or content, which makes a write with an older expected version stale. */
export function isStructural(steps: readonly Step[]): boolean {
  return steps.some((step) => kinds[step.type].structural);
}

/**
 * Returns the steps that undo a commit of the given version. For an inserted chain only the first node is removed; its
 * descendants are removed with it.
 */
export function invert(steps: readonly Step[], version: number): Step[] {
  const inserted = new Set<string>();
  const inverse: Step[] = [];
  for (const step of steps) {
    if (step.type === 'insert') inserted.add(step.node.id);
    if (step.type === 'insert' && step.node.parentId !== null && inserted.has(step.node.parentId)) continue;
    inverse.push(stepKindOf(step).invert(step, version));
  }
  return inverse.reverse();
}

/**
 * Returns the row changes of a commit, in order, without reading the tree. Visit marks and match parents of other rows
 * are not included; see {@link CommitRows}.
 */
export function rowChanges(steps: readonly Step[], numbers: CommitNumbers): RowChange[] {
  const changes: RowChange[] = [];
  let { seq } = numbers;
  for (const step of steps)
    for (const change of stepKindOf(step).rows(step, { ...numbers, seq })) {
      changes.push(change);
      if (change.op === 'added') seq++;
    }
  return changes;
}

/** Returns the nodes that steps insert, in order. */
export function insertedNodes(steps: readonly Step[]): NewNode[] {
  return steps.flatMap((step) => (step.type === 'insert' ? [step.node] : []));
}

/** Returns the node that a step changes; null if the step changes the tree row. */
export function nodeIdOfStep(step: Step): NodeId | null {
  if (step.type === 'insert') return step.node.id;
  return 'nodeId' in step ? step.nodeId : null;
}

/** The writes of one step: first `rows`, then the changes that `follow` returns after `rows` are written. */
export interface StepRows {
  readonly rows: readonly RowChange[];
  readonly follow: ReadProgram<readonly RowChange[]> | null;
}

/** Everything that a store writes for a commit, step by step. */
export class CommitRows {
  readonly #numbers: Pick<CommitNumbers, 'version' | 'at' | 'marks'>;
  #seq: number;
  #active: NodeId | null;

  /** `parentOfActive` saves a read of the path for a commit that adds a sibling of the active node. */
  constructor(
    { version, seq, at, steps }: Pick<Commit, 'version' | 'seq' | 'at' | 'steps'>,
    active: NodeId | null,
    parentOfActive: NodeId | null = null,
  ) {
    this.#numbers = { version, at, marks: visitMarksOfInserts(steps, active, parentOfActive) };
    this.#seq = seq;
    this.#active = active;
  }

  /** Returns the writes of the next step. Must be called for each step once, in order. */
  take(step: Step): StepRows {
    const { version, at, marks = null } = this.#numbers;
    const numbers: CommitNumbers = { version, at, marks, seq: this.#seq, active: this.#active };
    const kind = stepKindOf(step);
    const rows = kind.rows(step, numbers);
    for (const change of rows) {
      if (change.op === 'added') this.#seq++;
      else if (change.op === 'tree' && change.activeNodeId !== undefined) this.#active = change.activeNodeId;
    }
    return { rows, follow: kind.follow?.(step, numbers) ?? null };
  }
}
