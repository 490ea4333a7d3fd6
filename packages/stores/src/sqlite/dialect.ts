/** SQLite's ways of saying what both databases do. */
import { nextInWalk } from '../sql/match.ts';
import type { SqlDialect } from '../sql/query.ts';

const plain = /^[\x20-\x7e]*$/;
const encoder = new TextEncoder();

function walk(keys: string, from: string): string {
  return `walk(id, at) AS (
      SELECT CAST($2 AS TEXT), 0
      UNION ALL
      SELECT ${nextInWalk(keys)}, walk.at + 1 FROM ${from} WHERE walk.id IS NOT NULL AND walk.at < $4
    ) SELECT json_group_array(id ORDER BY at) AS ids FROM walk WHERE id IS NOT NULL AND at > 0`;
}

// Keys of equal width lie one behind the other as bytes, where each is found without looking at those before it.
const walkEven = `WITH RECURSIVE ${walk('CAST(substr($3, walk.at * $5 + 1, $5) AS TEXT)', 'walk')}`;
// Others are taken apart once; asking a JSON text for each of them would go through all that stand before it.
const walkAny = `WITH RECURSIVE keys(at, key) AS MATERIALIZED (SELECT key, value FROM json_each($3)),
  ${walk('keys.key', 'walk JOIN keys ON keys.at = walk.at')}`;

/** The words in which SQLite differs. */
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
  // BEGIN IMMEDIATE holds the one write lock that there is.
  forUpdate: '',
  now: "(unixepoch('subsec') * 1000.0)",
  together: false,
};
