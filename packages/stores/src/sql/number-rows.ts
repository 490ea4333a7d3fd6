/** The parts of the migration to row numbers that both databases share. They read the tables of the old version. */
import { treeId } from '@coppice/core';
import type { FormerLinearConversation } from './linear-form.ts';
import { nodeNumbersPerTree } from './numbers.ts';
import { execute, queryRow, queryRows, readNumberColumn, readTextColumn, type SqlTask } from './query.ts';

/** Called during a migration with the number of migrated rows and the number of all rows. */
export type MigrationProgress = (done: number, total: number) => void;

/** Returns the lists that an earlier version stored as JSON texts, if the tables still have them. */
export function* readFormerLinearConversations(hasLists: boolean): SqlTask<readonly FormerLinearConversation[]> {
  if (!hasLists) return [];
  const found = yield* queryRows('SELECT id, owner, linear_form FROM tree WHERE linear_form IS NOT NULL ORDER BY id');
  return found.map((one) => ({
    id: treeId(readTextColumn(one, 'id')),
    owner: readTextColumn(one, 'owner'),
    form: readTextColumn(one, 'linear_form'),
  }));
}

/**
 * Assigns new creation numbers to nodes whose number is used twice or out of range. Earlier versions had no constraint
 * against this.
 */
export function* makeCreationNumbersUnique(): SqlTask<void> {
  const shared = yield* queryRows(
    `SELECT DISTINCT tree_id FROM (
      SELECT tree_id FROM node GROUP BY tree_id, seq HAVING count(*) > 1
      UNION ALL SELECT tree_id FROM node WHERE seq < 0 OR seq >= ${nodeNumbersPerTree}
    ) AS shared`,
  );
  for (const one of shared) {
    const tree = readTextColumn(one, 'tree_id');
    const seen = new Set<number>();
    const nodes = yield* queryRows('SELECT id, seq FROM node WHERE tree_id = $1 ORDER BY seq, id', tree);
    const numbers = nodes
      .map((node) => readNumberColumn(node, 'seq'))
      .filter((seq) => seq >= 0 && seq < nodeNumbersPerTree);
    let next = numbers.reduce((most, seq) => Math.max(most, seq), -1) + 1;
    for (const node of nodes) {
      const seq = readNumberColumn(node, 'seq');
      if (seq >= 0 && seq < nodeNumbersPerTree && !seen.has(seq)) {
        seen.add(seq);
        continue;
      }
      yield* execute(
        'UPDATE node SET seq = $3 WHERE tree_id = $1 AND id = $2',
        tree,
        readTextColumn(node, 'id'),
        next++,
      );
    }
    yield* execute('UPDATE tree SET next_seq = $2 WHERE id = $1 AND next_seq < $2', tree, next);
  }
}

/** Returns the number of nodes in the tables of the old version. */
export function* countAllNodes(): SqlTask<number> {
  const found = yield* queryRow('SELECT count(*) AS n FROM node');
  return found === undefined ? 0 : readNumberColumn(found, 'n');
}
