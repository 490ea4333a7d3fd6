/** SQLite's ways of saying what both databases do. */
import type { Dialect } from '../sql/query.ts';

/** The words in which SQLite differs. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  integer: 'INTEGER',
  float: 'REAL',
  key: 'TEXT',
  bytes: 'BLOB',
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  list: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
  item: (parameter, index) => `json_extract(${parameter}, '$[' || ${index} || ']')`,
  // BEGIN IMMEDIATE holds the one write lock that there is.
  forUpdate: '',
  together: false,
};
