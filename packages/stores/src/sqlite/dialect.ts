/** The parts of shared SQL statements that are written differently for SQLite than for PostgreSQL. */
import { nextMatchSql } from '../sql/match.ts';
import { inTreeByIdSql, nodeNumberByIdSql } from '../sql/numbers.ts';
import type { SqlDialect } from '../sql/query.ts';
import { selectPathCells } from '../sql/rows.ts';

const plain = /^[\x20-\x7e]*$/;
const encoder = new TextEncoder();

function walk(keys: string, from: string): string {
  return `walk(no, at) AS (
      SELECT s.no, 0 FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
      UNION ALL
      SELECT ${nextMatchSql(keys)}, walk.at + 1 FROM ${from} WHERE walk.no IS NOT NULL AND walk.at < $4
    ) SELECT json_group_array((SELECT f.id FROM node f WHERE f.no = walk.no) ORDER BY at) AS ids FROM walk WHERE no IS NOT NULL AND at > 0`;
}

// Keys of equal length are joined to one text, so that each key is found by its offset.
const walkEven = `WITH RECURSIVE ${walk('CAST(substr($3, walk.at * $5 + 1, $5) AS TEXT)', 'walk')}`;
// Other keys are read from JSON once. Reading each key separately would scan all keys before it.
const walkAny = `WITH RECURSIVE keys(at, key) AS MATERIALIZED (SELECT key, value FROM json_each($3)),
  ${walk('keys.key', 'walk JOIN keys ON keys.at = walk.at')}`;

/** How the shared statements are written for SQLite. */
export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  integer: 'INTEGER',
  float: 'REAL',
  key: 'TEXT',
  bytes: 'BLOB',
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  list: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
  pairs: (parameter) => `(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(${parameter}))`,
  setVisitMarks: `UPDATE node SET last_no = c.no FROM json_each($2) AS mark JOIN node c ON c.id = mark.value
    WHERE ${inTreeByIdSql('node')} AND node.id = mark.key`,
  prefixWalk: (base, from, keys) => {
    const width = keys[0]?.length ?? 0;
    if (!keys.every((key) => key.length === width && plain.test(key)))
      return { sql: walkAny, params: [base, from, JSON.stringify(keys), keys.length] };
    return { sql: walkEven, params: [base, from, encoder.encode(keys.join('')), keys.length, width] };
  },
  pathWalk: (columns) => `WITH RECURSIVE up(no, above, below, level) AS (
      SELECT s.no, s.parent_no, NULL, 1 FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2 AND s.parent_no IS NOT NULL AND s.removed_in IS NULL
      UNION ALL
      SELECT n.no, n.parent_no, up.no, up.level + 1 FROM up JOIN node n ON n.no = up.above
      WHERE up.level < $3 AND up.no <> coalesce(${nodeNumberByIdSql('$4')}, -1) AND n.parent_no IS NOT NULL AND n.removed_in IS NULL
    ) SELECT ${selectPathCells('n', 'up', columns)} FROM up CROSS JOIN node n ON n.no = up.no`,
  // Empty, because a transaction starts with BEGIN IMMEDIATE, which already takes the only write lock.
  forUpdate: '',
  now: "(unixepoch('subsec') * 1000.0)",
  hasObjects: false,
  together: false,
};
