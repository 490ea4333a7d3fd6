/**
 * Appends with the bare driver and the least work: the same rows of node, tree and change in one durable transaction.
 */
import { createRequire } from 'node:module';

interface Statement {
  run(...params: unknown[]): unknown;
  all(...params: unknown[]): { readonly [column: string]: unknown }[];
}
interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

/** Opens a database file with the settings that the store uses. */
export function openRawDatabase(path: string): Database {
  const load = createRequire(import.meta.url);
  const builtIn = (process as { getBuiltinModule?: (id: string) => unknown }).getBuiltinModule?.('node:sqlite');
  const module = (builtIn ?? load('@photostructure/sqlite')) as { DatabaseSync: new (path: string) => Database };
  const database = new module.DatabaseSync(path);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON', 'cache_size = -32000'])
    database.exec(`PRAGMA ${pragma}`);
  return database;
}

/** Appends messages in a chain, each in its own durable transaction. */
export class RawSqliteAppender {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #log: Statement;
  readonly #mark: Statement;

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepare(
      `INSERT INTO node (no, id, parent_no, position, kind, role, status, group_id, created_at, match_no, equality_key, tokens, added_in, content_in, content, meta, meta_in)
      VALUES (?1, ?2, ?3, 'a0', 'message', ?4, 'success', 0, ?5, ?3, ?6, 100, ?7, ?7, ?8, '{}', ?7)`,
    );
    this.#mark = database.prepare('UPDATE node SET last_no = ?2 WHERE no = ?1');
    this.#update = database.prepare(
      'UPDATE tree SET version = ?2, structure_version = ?2, next_seq = ?3, updated_at = ?4, active_node_id = ?5 WHERE id = ?1',
    );
    this.#log = database.prepare(
      `INSERT INTO change (tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner) VALUES (?1, ?2, ?3, 'me', ?4, 'do', ?5, 1, 1, ?6, 'local')`,
    );
  }

  append(row: {
    treeId: string;
    id: string;
    /** The number of the tree's first node. */
    base: number;
    parentNo: number;
    seq: number;
    version: number;
    content: string;
    key: string;
    at: number;
    steps: string;
    act: string;
  }): void {
    this.#database.exec('BEGIN IMMEDIATE');
    const no = row.base + row.seq;
    this.#insert.run(no, row.id, row.parentNo, 'user', row.at, row.key, row.version, row.content);
    this.#mark.run(row.parentNo, no);
    this.#update.run(row.treeId, row.version, row.seq + 1, row.at, row.id);
    this.#log.run(row.treeId, row.version, row.act, row.at, row.seq, row.steps);
    this.#database.exec('COMMIT');
  }
}
