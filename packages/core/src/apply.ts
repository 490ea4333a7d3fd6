import { applyRowChange, regroupRemoved, startDraft, type TreeDraft, toTree } from './apply-row-change.ts';
import { AppError, ok, type Refusal, type Result, refusal } from './errors.ts';
import { isAbove } from './path.ts';
import { mapEntries, mapGet } from './persistent-map.ts';
import type { RowChange } from './rows.ts';
import { checkOf } from './steps/checks.ts';
import { isStructural, stepKind } from './steps/kinds.ts';
import type { Step } from './steps/types.ts';
import { findNode, type Tree } from './tree.ts';

/** A tree after a commit, and what a store writes for it. */
export interface Applied {
  readonly tree: Tree;
  readonly changes: readonly RowChange[];
}

/**
 * Applies a commit's steps to a tree value under the next version, all or none. The input stays valid and unchanged.
 * `at` is the commit's time, for display; it defaults to the time of the last one. No steps are no commit.
 */
export function apply(tree: Tree, steps: readonly Step[], options: { readonly at?: number } = {}): Result<Applied> {
  if (steps.length === 0) return ok({ tree, changes: [] });
  const version = tree.version + 1;
  const at = options.at ?? tree.updatedAt;
  const draft = startDraft(tree);
  const changes: RowChange[] = [];
  for (const step of steps) {
    const landing = { version, seq: draft.nextSeq, at };
    const why = isAlreadyRestored(draft, step, changes) ? null : checkOf(step)(draft, step, landing);
    if (why !== null) return { ok: false, refusal: why };
    for (const change of stepKind(step).rows(step, landing)) {
      applyRowChange(draft, change);
      changes.push(change);
    }
  }
  const why = assertWhole(draft, changes, version);
  if (why !== null) return { ok: false, refusal: why };
  draft.version = version;
  // A clock that was set back does not take a tree down the list of what changed last.
  draft.updatedAt = Math.max(at, tree.updatedAt);
  if (isStructural(steps)) draft.structureVersion = version;
  return ok({ tree: toTree(draft), changes });
}

/**
 * Whether a restore asks for what came back with a node above it a moment ago. The inverse of a commit that took a
 * node and then what is above it ends so: all of it has one mark, and the first restore brings back all of it.
 */
function isAlreadyRestored(draft: TreeDraft, step: Step, changes: readonly RowChange[]): boolean {
  if (step.type !== 'restore' || step.position !== undefined || findNode(draft, step.nodeId) === undefined)
    return false;
  return changes.some(
    (change) =>
      change.op === 'restored' && change.removedIn === step.version && isAbove(draft, change.nodeId, step.nodeId),
  );
}

/** As {@link apply}, for callers who know that the steps fit: a refusal is thrown. */
export function applyOrThrow(tree: Tree, steps: readonly Step[], options: { readonly at?: number } = {}): Applied {
  const result = apply(tree, steps, options);
  if (result.ok) return result.value;
  throw new AppError(result.refusal);
}

/** What must hold after the whole commit, though it may not in between. */
function assertWhole(draft: TreeDraft, changes: readonly RowChange[], version: number): Refusal | null {
  const { activeNodeId: active } = draft;
  if (active !== null && findNode(draft, active) === undefined)
    return refusal('tree/unknown-node', `The active node ${active} would be gone.`, { nodeId: active });
  if ((active === null) !== (draft.size === 0))
    return refusal('step/invalid', 'A tree has an active node exactly while it is not empty.', { nodeId: active });
  let removes = false;
  for (const change of changes) {
    if (change.op === 'bookmarked' && isDangling(draft, change.nodeId)) return dangling(change.nodeId);
    if (change.op !== 'removed') continue;
    removes = true;
    // A removal is known by its top and its version. A node that went on its own and again with what is above it has the
    // same mark as all of that and comes back with it, so it is listed with it.
    const { nodeId } = change;
    if (!regroupRemoved(draft, nodeId, version))
      return refusal('step/invalid', `The place of ${nodeId} was taken before what is above it went.`, { nodeId });
  }
  if (removes) for (const { key } of mapEntries(draft.bookmarks)) if (isDangling(draft, key)) return dangling(key);
  return null;
}

function isDangling(draft: TreeDraft, id: string): boolean {
  return mapGet(draft.bookmarks, id) !== undefined && findNode(draft, id) === undefined;
}

function dangling(nodeId: string): Refusal {
  return refusal('tree/has-references', `A bookmark would point at ${nodeId}, which is gone.`, { nodeId });
}
