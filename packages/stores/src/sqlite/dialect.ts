/** The SQLite dialect of the shared statements. */
import { nextInWalk } from '../sql/match.ts';
import type { SqlDialect } from '../sql/query.ts';
import { selectCells } from '../sql/rows.ts';

const plain = /^[\x20-\x7e]*$/;
const encoder = new TextEncoder();

function walk(keys: string, from: string): string {
  return `walk(id, at) AS (
      SELECT CAST($2 AS TEXT), 0
      UNION ALL
      SELECT ${nextInWalk(keys)}, walk.at + 1 FROM ${from} WHERE walk.id IS NOT NULL AND walk.at < $4
    ) SELECT json_group_array(id ORDER BY at) AS ids FROM walk WHERE id IS NOT NULL AND at > 0`;
}

// Keys of equal length are concatenated, so that each is found by its offset.
const walkEven = `WITH RECURSIVE ${walk('CAST(substr($3, walk.at * $5 + 1, $5) AS TEXT)', 'walk')}`;
// Other keys are unpacked once; reading each from a JSON text would scan all before it.
const walkAny = `WITH RECURSIVE keys(at, key) AS MATERIALIZED (SELECT key, value FROM json_each($3)),
  ${walk('keys.key', 'walk JOIN keys ON keys.at = walk.at')}`;

/** The SQLite dialect. */
export const sqliteDialect: SqlDialect = {
  name: 'sqlite',
  integer: 'INTEGER',
  float: 'REAL',
  key: 'TEXT',
  bytes: 'BLOB',
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  list: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
  pairs: (parameter) => `(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(${parameter}))`,
  prefixWalk: (tree, from, keys) => {
    const width = keys[0]?.length ?? 0;
    if (!keys.every((key) => key.length === width && plain.test(key)))
      return { sql: walkAny, params: [tree, from, JSON.stringify(keys), keys.length] };
    return { sql: walkEven, params: [tree, from, encoder.encode(keys.join('')), keys.length, width] };
  },
  pathWalk: (columns) => `WITH RECURSIVE up(place, id, above, level) AS (
      SELECT rowid, id, parent_id, 1 FROM node WHERE tree_id = $1 AND id = $2 AND parent_id IS NOT NULL AND removed_in IS NULL
      UNION ALL
      SELECT n.rowid, n.id, n.parent_id, up.level + 1 FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.above
      WHERE up.level < $3 AND up.id <> $4 AND n.parent_id IS NOT NULL AND n.removed_in IS NULL
    ) SELECT ${selectCells('n', columns)} FROM up CROSS JOIN node n ON n.rowid = up.place`,
  // BEGIN IMMEDIATE holds the only write lock.
  forUpdate: '',
  now: "(unixepoch('subsec') * 1000.0)",
  together: false,
};
