/** PostgreSQL's ways of saying what both databases do. */
import type { Dialect } from '../sql/query.ts';

/** The words in which PostgreSQL differs. */
export const postgresDialect: Dialect = {
  name: 'postgres',
  integer: 'BIGINT',
  float: 'DOUBLE PRECISION',
  // The database's own order of texts may be any language's, and may change with the system's libraries.
  key: 'TEXT COLLATE "C"',
  bytes: 'BYTEA',
  // Given by a function that is made after the tables, see the migrations.
  serial: 'BIGINT NOT NULL',
  list: (parameter) => `(SELECT jsonb_array_elements_text(CAST(${parameter} AS JSONB)))`,
  // The sub-select is carried out once, not for each row that asks for an item.
  item: (parameter, index) => `((SELECT CAST(${parameter} AS JSONB)) ->> CAST(${index} AS INTEGER))`,
  forUpdate: ' FOR UPDATE',
};

const castKey = /\bCAST\((\$\d+) AS TEXT\)/g;

/** A statement of the shared texts as PostgreSQL takes it: a parameter that becomes a key sorts and joins as keys do. */
export function toPostgres(sql: string): string {
  return sql.replace(castKey, '(CAST($1 AS TEXT) COLLATE "C")');
}
