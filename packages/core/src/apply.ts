import { applyStepRows, finishDraft, returnToChildList, startDraft, type TreeDraft } from './apply-row-change.ts';
import { computeChangeTime } from './commit.ts';
import { AppError, ok, type Refusal, type Result, refusal } from './errors.ts';
import { isAncestorOrSelf } from './path.ts';
import { mapEntries, mapGet } from './persistent-map.ts';
import type { RowChange } from './rows.ts';
import { stepCheckOf } from './steps/checks.ts';
import { CommitRows, isStructural } from './steps/kinds.ts';
import type { Step } from './steps/types.ts';
import { findNode, type Tree } from './tree.ts';

/** A tree after a commit, and the row changes that a store writes for it. */
export interface ApplyResult {
  readonly tree: Tree;
  readonly changes: readonly RowChange[];
}

/**
 * Applies the steps of a commit to a tree value, either all or none, and raises the version. The input is not changed.
 * `at` is the time of the commit, for display; it defaults to the tree's `updatedAt`. An empty list of steps makes no
 * commit.
 */
export function apply(tree: Tree, steps: readonly Step[], options: { readonly at?: number } = {}): Result<ApplyResult> {
  if (steps.length === 0) return ok({ tree, changes: [] });
  const version = tree.version + 1;
  const at = options.at ?? tree.updatedAt;
  const draft = startDraft(tree);
  const changes: RowChange[] = [];
  const rows = new CommitRows({ version, seq: draft.nextSeq, at, steps }, tree.activeNodeId);
  for (const step of steps) {
    const numbers = { version, seq: draft.nextSeq, at };
    const why = isAlreadyRestored(draft, step, changes) ? null : stepCheckOf(step)(draft, step, numbers);
    if (why !== null) return { ok: false, refusal: why };
    for (const change of applyStepRows(draft, rows.take(step))) changes.push(change);
  }
  const why = checkWholeCommit(draft, changes, version);
  if (why !== null) return { ok: false, refusal: why };
  draft.version = version;
  const structural = isStructural(steps);
  draft.updatedAt = computeChangeTime(tree.version === 0 ? null : tree, structural, at);
  if (structural) draft.structureVersion = version;
  return ok({ tree: finishDraft(draft), changes });
}

/**
 * Returns whether an earlier step of this commit restored the node together with an ancestor. This happens in the
 * inverse of a commit that removed a node and then its ancestor: both have the same removal mark, so the first restore
 * step restores both.
 */
function isAlreadyRestored(draft: TreeDraft, step: Step, changes: readonly RowChange[]): boolean {
  if (step.type !== 'restore' || step.position !== undefined || findNode(draft, step.nodeId) === undefined)
    return false;
  return changes.some(
    (change) =>
      change.op === 'marked' &&
      change.to === null &&
      change.from === step.version &&
      isAncestorOrSelf(draft, change.nodeId, step.nodeId),
  );
}

/** Like {@link apply}, but throws the refusal. For callers who know that the steps can be applied. */
export function applyOrThrow(tree: Tree, steps: readonly Step[], options: { readonly at?: number } = {}): ApplyResult {
  const result = apply(tree, steps, options);
  if (result.ok) return result.value;
  throw new AppError(result.refusal);
}

/**
 * Checks the conditions that must hold after the whole commit, but not between its steps. Returns the first refusal.
 */
function checkWholeCommit(draft: TreeDraft, changes: readonly RowChange[], version: number): Refusal | null {
  const { activeNodeId: active } = draft;
  if (active !== null && findNode(draft, active) === undefined)
    return refusal('tree/unknown-node', `The commit would remove the active node ${active}.`, { nodeId: active });
  if ((active === null) !== (draft.size === 0))
    return refusal('step/invalid', 'A tree has an active node exactly while it is not empty.', { nodeId: active });
  let removes = false;
  for (const change of changes) {
    if (change.op === 'bookmarked' && isDangling(draft, change.nodeId)) return danglingBookmark(change.nodeId);
    if (change.op !== 'marked' || change.to === null) continue;
    removes = true;
    // A removal is identified by its root and version. If a commit removes a node and then its ancestor, both get the
    // same mark, so the node returns to the ancestor's child list and is restored with the ancestor.
    const { nodeId } = change;
    if (!returnToChildList(draft, nodeId, version))
      return refusal('step/invalid', `The position of ${nodeId} was taken before its ancestor was removed.`, {
        nodeId,
      });
  }
  if (removes)
    for (const { key } of mapEntries(draft.bookmarks)) if (isDangling(draft, key)) return danglingBookmark(key);
  return null;
}

function isDangling(draft: TreeDraft, id: string): boolean {
  return mapGet(draft.bookmarks, id) !== undefined && findNode(draft, id) === undefined;
}

function danglingBookmark(nodeId: string): Refusal {
  return refusal('tree/has-references', `The bookmark on ${nodeId} would point at a removed node.`, { nodeId });
}
