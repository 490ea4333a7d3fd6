/** Nodes that go, come back or hang elsewhere, as statements. */
import type { NodeId, RowChange } from '@coppice/core';
import { execute, queryRow, type SqlTask, sqlText } from './query.ts';
import { assertReachesTop, refuseCycle } from './scope.ts';

/** Sets `removed_in` to `$3` for a node and all below it that satisfy a condition: any depth, one statement. */
function markSubtree(condition: string): string {
  return `WITH RECURSIVE below(id) AS (
    SELECT n.id FROM node n WHERE n.tree_id = $1 AND n.id = $2 AND ${condition}
    UNION ALL
    SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id WHERE n.id <> $2 AND ${condition}
  ) UPDATE node SET removed_in = $3 WHERE tree_id = $1 AND id IN (SELECT id FROM below)`;
}

/** Removes a node and all below it. */
export function* remove(tree: string, { nodeId: id, version }: Extract<RowChange, { op: 'removed' }>): SqlTask<void> {
  const removed = yield* execute(markSubtree('n.removed_in IS NULL'), tree, id, version);
  if (removed === 0) return;
  // What is above a node was not removed with it, unless it is also below it.
  const circle = yield* queryRow(
    `SELECT 1 AS yes FROM node n JOIN node p ON p.tree_id = n.tree_id AND p.id = n.parent_id
    WHERE n.tree_id = $1 AND n.id = $2 AND p.removed_in = $3`,
    tree,
    id,
    version,
  );
  if (circle !== undefined) refuseCycle(id);
}

/** Brings back what one removal took. It matches where it did: whatever moved meanwhile took along what was removed below it. */
export function* restoreRows(tree: string, change: Extract<RowChange, { op: 'restored' }>): SqlTask<void> {
  if (change.position !== null)
    yield* execute(
      'UPDATE node SET position = $3 WHERE tree_id = $1 AND id = $2',
      tree,
      change.nodeId,
      change.position,
    );
  yield* execute(markSubtree('n.removed_in = $4'), tree, change.nodeId, null, change.removedIn);
  yield* assertReachesTop(tree, change.nodeId);
}

/** Below a marker the first messages match under what is above it: all of them follow when it moves. */
function* rematchRows(tree: string, id: NodeId, matchParent: string): SqlTask<void> {
  yield* execute(
    `WITH RECURSIVE reach(id, kind) AS (
      SELECT id, kind FROM node WHERE tree_id = $1 AND id = $2
      UNION ALL
      SELECT n.id, n.kind FROM reach JOIN node n ON n.tree_id = $1 AND n.parent_id = reach.id WHERE reach.kind <> 'message' AND n.id <> $2
    ) UPDATE node SET match_parent = $3 WHERE tree_id = $1 AND id IN (SELECT id FROM reach)`,
    tree,
    id,
    matchParent,
  );
}

/** Hangs a node elsewhere, with the keys and marks that follow from it. */
export function* placeRow(tree: string, { nodeId: id, to, from }: Extract<RowChange, { op: 'placed' }>): SqlTask<void> {
  yield* execute(
    'UPDATE node SET parent_id = $3, position = $4, group_id = $5, match_parent = $6 WHERE tree_id = $1 AND id = $2',
    tree,
    id,
    to.parentId,
    to.position,
    to.groupId,
    to.matchParent,
  );
  const kind = yield* queryRow('SELECT kind FROM node WHERE tree_id = $1 AND id = $2', tree, id);
  if (sqlText(kind ?? { kind: 'message' }, 'kind') !== 'message') yield* rematchRows(tree, id, to.matchParent);
  if (from === to.parentId) return;
  const carried = yield* execute(
    `UPDATE node SET last_child_id = CASE WHEN (SELECT p.parent_id FROM node p WHERE p.tree_id = $1 AND p.id = $4) = $2 THEN $4 ELSE NULL END
    WHERE tree_id = $1 AND id = $2 AND last_child_id = $3`,
    tree,
    from,
    id,
    to.parentId,
  );
  if (carried > 0)
    yield* execute(
      'UPDATE node SET last_child_id = $3 WHERE tree_id = $1 AND id = $2 AND (last_child_id IS NULL OR last_child_id = $4)',
      tree,
      to.parentId,
      id,
      from,
    );
}
