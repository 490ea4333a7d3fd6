/** PostgreSQL's ways of saying what both databases do. */
import { nextInWalk } from '../sql/match.ts';
import type { SqlDialect } from '../sql/query.ts';

// The innermost sub-select is carried out once, not for each row that asks for an item.
const walk = `WITH RECURSIVE walk(id, at) AS (
    SELECT CAST($2 AS TEXT), 0
    UNION ALL
    SELECT ${nextInWalk('((SELECT CAST($3 AS JSONB)) ->> CAST(walk.at AS INTEGER))')}, walk.at + 1
    FROM walk WHERE walk.id IS NOT NULL AND walk.at < $4
  ) SELECT CAST(coalesce(json_agg(id ORDER BY at), '[]') AS TEXT) AS ids FROM walk WHERE id IS NOT NULL AND at > 0`;

/** The words in which PostgreSQL differs. */
export const postgresDialect: SqlDialect = {
  name: 'postgres',
  integer: 'BIGINT',
  float: 'DOUBLE PRECISION',
  // The database's own order of texts may be any language's, and may change with the system's libraries.
  key: 'TEXT COLLATE "C"',
  bytes: 'BYTEA',
  // Given by a function that is made after the tables, see the migrations.
  serial: 'BIGINT NOT NULL',
  // The connection sends such a list as an array, which needs no parsing here.
  list: (parameter) => `(SELECT unnest(CAST(${parameter} AS TEXT[])))`,
  pairs: (parameter) =>
    `(SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_array_elements(CAST(${parameter} AS JSON)))`,
  prefixWalk: (tree, from, keys) => ({ sql: walk, params: [tree, from, JSON.stringify(keys), keys.length] }),
  forUpdate: ' FOR UPDATE',
  now: '(CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION) * 1000)',
  together: true,
};

const castList = /\bCAST\(\$(\d+) AS TEXT\[\]\)/g;

/** The places of the parameters, counted from zero, that are JSON lists in the shared texts and arrays here. */
export function listPlaces(sql: string): ReadonlySet<number> {
  return new Set([...sql.matchAll(castList)].map(([, place]) => Number(place) - 1));
}

/**
 * What the shared texts say in words that both databases know, in the words with which this one finds rows by their
 * keys whatever its statistics say. A join of a walk with the node table may otherwise read the whole tree at every
 * level, and a list that is joined may be gone through for every row.
 */
const rewritings: readonly (readonly [RegExp, string])[] = [
  // A parameter that becomes a key sorts and joins as keys do.
  [/\bCAST\((\$\d+) AS TEXT\)/g, '(CAST($1 AS TEXT) COLLATE "C")'],
  [/\bNOT IN \(SELECT unnest\((CAST\(\$\d+ AS TEXT\[\]\))\)\)/g, '<> ALL ($1)'],
  [/\bIN \(SELECT unnest\((CAST\(\$\d+ AS TEXT\[\]\))\)\)/g, '= ANY ($1)'],
  [/\bIN \(SELECT id FROM (below|reach|gone)\)/g, '= ANY (ARRAY(SELECT id FROM $1))'],
  [
    /\bFROM (\w+) JOIN node n ON (n\.tree_id = \$1 AND n\.\w+ = \1\.\w+)/g,
    'FROM $1 CROSS JOIN LATERAL (SELECT * FROM node n WHERE $2 OFFSET 0) AS n',
  ],
];

/** A statement of the shared texts as PostgreSQL takes it. */
export function toPostgres(sql: string): string {
  return rewritings.reduce((text, [pattern, words]) => text.replace(pattern, words), sql);
}
