import { AppError, ok, type Refusal, type Result, refusal } from './errors.ts';
import { type Draft, draftOf, finished, land } from './land.ts';
import { mapEntries, mapGet } from './persistent-map.ts';
import type { RowChange } from './rows.ts';
import { definitionOf, isStructural } from './steps/index.ts';
import type { Step } from './steps/types.ts';
import { findAnyNode, findNode, type Tree } from './tree.ts';

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
  const gone: string[] = [];
  for (const step of steps) {
    const definition = definitionOf(step);
    const landing = { version, seq: draft.nextSeq, at };
    const why = definition.check(draft, step, landing);
    if (why !== null) return { ok: false, refusal: why };
    for (const change of definition.rows(step, landing)) {
      land(draft, change);
      changes.push(change);
      if (change.op === 'removed') gone.push(change.nodeId);
    }
  }
  const why = whole(draft, gone, version);
  if (why !== null) return { ok: false, refusal: why };
  draft.version = version;
  draft.updatedAt = at;
  if (isStructural(steps)) draft.structureVersion = version;
  return ok({ tree: finished(draft), changes });
}

/** As {@link apply}, for callers who know that the steps fit: a refusal is thrown. */
export function applyOrThrow(tree: Tree, steps: readonly Step[], options: { readonly at?: number } = {}): Applied {
  const result = apply(tree, steps, options);
  if (result.ok) return result.value;
  throw new AppError(result.refusal);
}

/** What must hold after the whole commit, though it may not in between. */
function whole(draft: Draft, gone: readonly string[], version: number): Refusal | null {
  const { activeNodeId: active } = draft;
  if (active !== null && findNode(draft, active) === undefined)
    return refusal('tree/unknown-node', `The active node ${active} would be gone.`, { nodeId: active });
  if ((active === null) !== (draft.size === 0))
    return refusal('step/invalid', 'A tree has an active node exactly while it is not empty.', { nodeId: active });
  if (gone.length === 0) return null;
  return nestedRemoval(draft, gone, version) ?? (draft.bookmarks.size === 0 ? null : danglingBookmark(draft));
}

/**
 * A removal is known by its top and its version. A node that went on its own and again with what is above it would
 * come back with either, so a commit names only the top.
 */
function nestedRemoval(draft: Draft, gone: readonly string[], version: number): Refusal | null {
  for (const nodeId of gone) {
    const node = findAnyNode(draft, nodeId);
    const above = node?.removedIn === version ? findAnyNode(draft, node.parentId ?? '') : undefined;
    if (above?.removedIn === version)
      return refusal('step/invalid', `The node ${nodeId} goes with ${above.id} already: remove the top alone.`, {
        nodeId,
      });
  }
  return null;
}

function danglingBookmark(draft: Draft): Refusal | null {
  for (const { key } of mapEntries(draft.bookmarks)) {
    const node = mapGet(draft.nodes, key)?.node;
    if (node === undefined || node.removedIn !== null)
      return refusal('tree/has-references', `A bookmark still points at ${key}, which would be gone.`, { nodeId: key });
  }
  return null;
}
