/** Statements that mark subtrees as removed or restored. */
import type { RowChange } from '@coppice/core';
import { execute, queryRow, type SqlTask } from './query.ts';
import { assertReachesTop, refuseCycle } from './scope.ts';

/** Sets `removed_in` to `$3` for a node and all its descendants that satisfy a condition: any depth, one statement. */
function markSubtree(condition: string): string {
  return `WITH RECURSIVE below(id) AS (
    SELECT n.id FROM node n WHERE n.tree_id = $1 AND n.id = $2 AND ${condition}
    UNION ALL
    SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id WHERE n.id <> $2 AND ${condition}
  ) UPDATE node SET removed_in = $3 WHERE tree_id = $1 AND id IN (SELECT id FROM below)`;
}

const markLive = markSubtree('n.removed_in IS NULL');
const markRemoved = markSubtree('n.removed_in = $4');

/** Marks a node and all descendants that are connected to it by rows with the same mark. */
export function* markRows(tree: string, change: Extract<RowChange, { op: 'marked' }>): SqlTask<void> {
  const { nodeId: id, from, to } = change;
  if (from !== null) {
    yield* execute(markRemoved, tree, id, to, from);
    return yield* assertReachesTop(tree, id);
  }
  if ((yield* execute(markLive, tree, id, to)) === 0) return;
  // An ancestor of a node is removed with it only if it is also a descendant.
  const circle = yield* queryRow(
    `SELECT 1 AS yes FROM node n JOIN node p ON p.tree_id = n.tree_id AND p.id = n.parent_id
    WHERE n.tree_id = $1 AND n.id = $2 AND p.removed_in = $3`,
    tree,
    id,
    to,
  );
  if (circle !== undefined) refuseCycle(id);
}
