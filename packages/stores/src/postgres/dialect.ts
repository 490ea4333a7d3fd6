/** The parts of shared SQL statements that are written differently for PostgreSQL than for SQLite. */
import { nextMatchSql } from '../sql/match.ts';
import { inTreeByIdSql, nodeNumberByIdSql } from '../sql/numbers.ts';
import type { SqlDialect } from '../sql/query.ts';
import { selectPathCells } from '../sql/rows.ts';

// The inner SELECT is evaluated once, and not for each row that reads an item of the list.
const walk = `WITH RECURSIVE walk(no, at) AS (
    SELECT s.no, 0 FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
    UNION ALL
    SELECT ${nextMatchSql('((SELECT CAST($3 AS JSONB)) ->> CAST(walk.at AS INTEGER))')}, walk.at + 1
    FROM walk WHERE walk.no IS NOT NULL AND walk.at < $4
  ) SELECT CAST(coalesce(json_agg((SELECT f.id FROM node f WHERE f.no = walk.no) ORDER BY at), '[]') AS TEXT) AS ids
  FROM walk WHERE no IS NOT NULL AND at > 0`;

/** How the shared statements are written for PostgreSQL. */
export const postgresDialect: SqlDialect = {
  name: 'postgres',
  integer: 'BIGINT',
  float: 'DOUBLE PRECISION',
  // The default collation may be that of any language, and may change with a system update.
  key: 'TEXT COLLATE "C"',
  bytes: 'BYTEA',
  // A trigger assigns the value.
  serial: 'BIGINT NOT NULL',
  // The list is sent as an array, which the server need not parse as JSON.
  list: (parameter) => `(SELECT unnest(CAST(${parameter} AS TEXT[])))`,
  pairs: (parameter) =>
    `(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_array_elements(CAST(${parameter} AS JSON)))`,
  // Written without a join: with old statistics, a join may read the whole tree for each mark.
  setVisitMarks: `UPDATE node SET last_no = (SELECT c.no FROM node c WHERE c.id = ((SELECT CAST($2 AS JSONB)) ->> node.id))
    WHERE ${inTreeByIdSql('node')} AND node.id = ANY (ARRAY(SELECT jsonb_object_keys(CAST($2 AS JSONB))))`,
  prefixWalk: (base, from, keys) => ({ sql: walk, params: [base, from, JSON.stringify(keys), keys.length] }),
  // Every row also contains the parent's id of the last row. This is faster than a lookup for each row or a second
  // query.
  pathWalk: (columns) => `WITH RECURSIVE up AS (
      SELECT s.*, s.parent_no AS above, CAST(NULL AS BIGINT) AS below, 1 AS level
      FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2 AND s.parent_no IS NOT NULL AND s.removed_in IS NULL
      UNION ALL
      SELECT n.*, n.parent_no, up.no, up.level + 1 FROM up JOIN node n ON n.no = up.parent_no
      WHERE up.level < $3 AND up.no <> coalesce(${nodeNumberByIdSql('$4')}, -1) AND n.parent_no IS NOT NULL AND n.removed_in IS NULL
    ) SELECT ${selectPathCells('up', 'up', columns)},
      (SELECT t.id FROM node t WHERE t.no = (SELECT l.parent_no FROM up l ORDER BY l.level DESC LIMIT 1)) AS top FROM up`,
  forUpdate: ' FOR UPDATE',
  now: '(CAST(extract(epoch FROM statement_timestamp()) AS DOUBLE PRECISION) * 1000)',
  hasObjects: true,
  together: true,
};

const castList = /\bCAST\(\$(\d+) AS TEXT\[\]\)/g;

/**
 * Returns the indexes (from 0) of the parameters that are JSON lists in a shared statement and arrays in PostgreSQL.
 */
export function findListParameters(sql: string): ReadonlySet<number> {
  return new Set([...sql.matchAll(castList)].map(([, place]) => Number(place) - 1));
}

/**
 * Rewrites parts of shared statements so that PostgreSQL finds rows by their keys, independent of its statistics.
 * Otherwise a join with the node table may read the whole tree at every level, and a joined list may be scanned for
 * every row.
 */
const rewritings: readonly (readonly [RegExp, string])[] = [
  // A parameter that is compared with a key needs the collation of keys, or the index cannot be used.
  [/\bCAST\((\$\d+) AS TEXT\)/g, '(CAST($1 AS TEXT) COLLATE "C")'],
  [/\bNOT IN \(SELECT unnest\((CAST\(\$\d+ AS TEXT\[\]\))\)\)/g, '<> ALL ($1)'],
  [/\bIN \(SELECT unnest\((CAST\(\$\d+ AS TEXT\[\]\))\)\)/g, '= ANY ($1)'],
  [/\bIN \(SELECT no FROM (below|reach|gone)\)/g, '= ANY (ARRAY(SELECT no FROM $1))'],
  [
    /\bFROM (\w+) JOIN node n ON (n\.\w+ = \1\.\w+)/g,
    'FROM $1 CROSS JOIN LATERAL (SELECT * FROM node n WHERE $2 OFFSET 0) AS n',
  ],
];

/** Rewrites a shared statement with the rules above, so that PostgreSQL uses its indexes. */
export function toPostgresSql(sql: string): string {
  return rewritings.reduce((text, [pattern, words]) => text.replace(pattern, words), sql);
}
