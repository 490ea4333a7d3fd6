/** Marks subtrees as removed or restored. */
import type { RowChange } from '@coppice/core';
import { inTreeByIdSql } from './numbers.ts';
import { execute, queryRow, type SqlTask } from './query.ts';
import { assertPathHasNoCycle, throwCycle } from './scope.ts';

/**
 * Returns a statement that sets `removed_in` to `$3` for a node and for its descendants that satisfy a condition, at
 * any depth.
 */
function markSubtree(condition: string): string {
  return `WITH RECURSIVE below(no) AS (
    SELECT n.no FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2 AND ${condition}
    UNION ALL
    SELECT n.no FROM below JOIN node n ON n.parent_no = below.no WHERE n.id <> $2 AND ${condition}
  ) UPDATE node SET removed_in = $3 WHERE no IN (SELECT no FROM below)`;
}

const markLive = markSubtree('n.removed_in IS NULL');
const markRemoved = markSubtree('n.removed_in = $4');

/**
 * Marks a node as removed or restored, together with the descendants that have the same mark and are connected to it.
 */
export function* markSubtreeRows(base: number, change: Extract<RowChange, { op: 'marked' }>): SqlTask<void> {
  const { nodeId: id, from, to } = change;
  if (from !== null) {
    yield* execute(markRemoved, base, id, to, from);
    return yield* assertPathHasNoCycle(base, id);
  }
  if ((yield* execute(markLive, base, id, to)) === 0) return;
  // If the statement also marked the parent of the node, the parent is its descendant too, so the parents form a cycle.
  const circle = yield* queryRow(
    `SELECT 1 AS yes FROM node n JOIN node p ON p.no = n.parent_no WHERE ${inTreeByIdSql('n')} AND n.id = $2 AND p.removed_in = $3`,
    base,
    id,
    to,
  );
  if (circle !== undefined) throwCycle(id);
}
