import { AppError, ok, type Refusal, type Result, refusal } from './errors.ts';
import type { NodeId } from './ids.ts';
import { type Draft, draftOf, finished, joinRemoved, land } from './land.ts';
import { isAbove } from './path.ts';
import { mapEntries, mapGet } from './persistent-map.ts';
import type { RowChange } from './rows.ts';
import { checkOf } from './steps/checks.ts';
import { isStructural, kindOf } from './steps/kinds.ts';
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
  const draft = draftOf(tree);
  const changes: RowChange[] = [];
  const touched: Touched = { removed: none, restored: none, bookmarked: none };
  for (const step of steps) {
    const landing = { version, seq: draft.nextSeq, at };
    const why = isBackAlready(draft, step, touched) ? null : checkOf(step)(draft, step, landing);
    if (why !== null) return { ok: false, refusal: why };
    for (const change of kindOf(step).rows(step, landing)) {
      land(draft, change);
      changes.push(change);
      touch(touched, change);
    }
  }
  const why = whole(draft, touched, version);
  if (why !== null) return { ok: false, refusal: why };
  draft.version = version;
  // A clock that was set back does not take a tree down the list of what changed last.
  draft.updatedAt = Math.max(at, tree.updatedAt);
  if (isStructural(steps)) draft.structureVersion = version;
  return ok({ tree: finished(draft), changes });
}

/** What must be looked at again when all steps have landed. */
interface Touched {
  removed: NodeId[];
  restored: { readonly id: NodeId; readonly removedIn: number }[];
  bookmarked: NodeId[];
}

// Shared by all commits that touch nothing of a kind, which is most of them.
const none: never[] = [];

function touch(touched: Touched, change: RowChange): void {
  if (change.op === 'removed') touched.removed = added(touched.removed, change.nodeId);
  if (change.op === 'restored')
    touched.restored = added(touched.restored, { id: change.nodeId, removedIn: change.removedIn });
  if (change.op === 'bookmarked' && change.bookmark !== null)
    touched.bookmarked = added(touched.bookmarked, change.nodeId);
}

function added<T>(list: T[], item: T): T[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/**
 * Whether a restore asks for what came back with a node above it a moment ago. The inverse of a commit that took a
 * node and then what is above it ends so: all of it has one mark, and the first restore brings back all of it.
 */
function isBackAlready(draft: Draft, step: Step, { restored }: Touched): boolean {
  if (step.type !== 'restore' || step.position !== undefined) return false;
  if (restored.length === 0 || findNode(draft, step.nodeId) === undefined) return false;
  return restored.some(({ id, removedIn }) => removedIn === step.version && isAbove(draft, id, step.nodeId));
}

/** As {@link apply}, for callers who know that the steps fit: a refusal is thrown. */
export function applyOrThrow(tree: Tree, steps: readonly Step[], options: { readonly at?: number } = {}): Applied {
  const result = apply(tree, steps, options);
  if (result.ok) return result.value;
  throw new AppError(result.refusal);
}

/** What must hold after the whole commit, though it may not in between. */
function whole(draft: Draft, touched: Touched, version: number): Refusal | null {
  const { activeNodeId: active } = draft;
  if (active !== null && findNode(draft, active) === undefined)
    return refusal('tree/unknown-node', `The active node ${active} would be gone.`, { nodeId: active });
  if ((active === null) !== (draft.size === 0))
    return refusal('step/invalid', 'A tree has an active node exactly while it is not empty.', { nodeId: active });
  return removedTogether(draft, touched.removed, version) ?? danglingBookmark(draft, touched);
}

/**
 * A removal is known by its top and its version. A node that went on its own and again with what is above it has the
 * same mark as all of that and comes back with it, so it is listed with it.
 */
function removedTogether(draft: Draft, removed: readonly NodeId[], version: number): Refusal | null {
  for (const id of removed) {
    if (joinRemoved(draft, id, version)) continue;
    return refusal('step/invalid', `The place of ${id} was taken before what is above it went.`, { nodeId: id });
  }
  return null;
}

function danglingBookmark(draft: Draft, { removed, bookmarked }: Touched): Refusal | null {
  const suspects: string[] = [];
  for (const id of bookmarked) if (mapGet(draft.bookmarks, id) !== undefined) suspects.push(id);
  if (removed.length > 0) for (const { key } of mapEntries(draft.bookmarks)) suspects.push(key);
  for (const id of suspects)
    if (findNode(draft, id) === undefined)
      return refusal('tree/has-references', `A bookmark would point at ${id}, which is gone.`, { nodeId: id });
  return null;
}
