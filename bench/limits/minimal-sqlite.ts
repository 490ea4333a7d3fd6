/** The fastest possible store on SQLite: a narrow table, integer keys, prepared statements, rows as arrays. */
import { createRequire } from 'node:module';
import { benchBranchDepth, makeBenchMessage } from '../stores/bench-tree.ts';

interface Statement {
  run(...params: unknown[]): { readonly lastInsertRowid: number | bigint };
  all(...params: unknown[]): unknown[];
  get(...params: unknown[]): unknown;
  setReturnArrays?(on: boolean): void;
}
interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  close(): void;
}

function openDatabase(path: string): Database {
  const load = createRequire(import.meta.url);
  const builtIn = (process as { getBuiltinModule?: (id: string) => unknown }).getBuiltinModule?.('node:sqlite');
  const module = (builtIn ?? load('@photostructure/sqlite')) as { DatabaseSync: new (path: string) => Database };
  const database = new module.DatabaseSync(path);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -32000'])
    database.exec(`PRAGMA ${pragma}`);
  return database;
}

/** A tree in a table of five columns. The active message is a number in a table of one row. */
export class MinimalSqlite {
  readonly #database: Database;
  readonly #insert: Statement;
  readonly #select: Statement;
  readonly #path: Statement;
  readonly #shape: Statement;
  readonly #shapeBelow: Statement;
  readonly #find: Statement;
  readonly #remove: Statement;
  #search: Statement | undefined;

  constructor(path: string) {
    const database = openDatabase(path);
    this.#database = database;
    database.exec(`CREATE TABLE IF NOT EXISTS message (
      no INTEGER PRIMARY KEY, parent INTEGER, role TEXT NOT NULL, content TEXT NOT NULL, hidden INTEGER
    )`);
    database.exec('CREATE INDEX IF NOT EXISTS message_parent ON message (parent)');
    database.exec('CREATE TABLE IF NOT EXISTS head (id INTEGER PRIMARY KEY, active INTEGER)');
    database.exec('INSERT OR IGNORE INTO head VALUES (1, NULL)');
    const arrays = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays?.(true);
      return statement;
    };
    this.#insert = database.prepare('INSERT INTO message (parent, role, content) VALUES (?, ?, ?)');
    this.#select = database.prepare('UPDATE head SET active = ?');
    this.#path = arrays(`WITH RECURSIVE up(no, parent, role, content, level) AS (
      SELECT no, parent, role, content, 1 FROM message WHERE no = ?1 UNION ALL
      SELECT m.no, m.parent, m.role, m.content, up.level + 1 FROM up JOIN message m ON m.no = up.parent WHERE up.level < ?2
    ) SELECT no, role, content FROM up`);
    this.#shape = arrays('SELECT no, parent, role, substr(content, 1, 80) FROM message ORDER BY no');
    this.#shapeBelow = arrays(`WITH RECURSIVE below(no, level) AS (
      VALUES (?1, 0) UNION ALL
      SELECT m.no, below.level + 1 FROM below JOIN message m ON m.parent = below.no WHERE below.level < ?2
    ) SELECT m.no, m.parent, m.role, substr(m.content, 1, 80) FROM below JOIN message m ON m.no = below.no`);
    this.#find = arrays('SELECT no FROM message WHERE parent = ? AND content = ?');
    this.#remove = database.prepare(`WITH RECURSIVE below(no) AS (
      VALUES (?1) UNION ALL SELECT m.no FROM below JOIN message m ON m.parent = below.no
    ) UPDATE message SET hidden = ?2 WHERE no IN below`);
  }

  /** Runs work in one durable transaction. */
  transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    const value = work();
    this.#database.exec('COMMIT');
    return value;
  }

  insert(parent: number | null, role: string, content: string): number {
    return Number(this.#insert.run(parent, role, content).lastInsertRowid);
  }

  select(no: number): void {
    this.#select.run(no);
  }

  /** Returns the last messages of a branch as parsed values. */
  path(no: number, limit: number): unknown[] {
    return this.#path.all(no, limit).map((row) => JSON.parse(String((row as unknown[])[2])));
  }

  /** Returns the last messages of a branch as one JSON text. */
  pathText(no: number, limit: number): string {
    const texts = this.#path.all(no, limit).map((row) => {
      const [id, role, content] = row as [number, string, string];
      return `{"id":${id},"role":"${role}","content":${content}}`;
    });
    return `[${texts.reverse().join(',')}]`;
  }

  shape(): unknown[] {
    return this.#shape.all();
  }

  /** Returns the shape of the messages below one message, itself included, down to a number of levels. */
  shapeBelow(no: number, levels: number): unknown[] {
    return this.#shapeBelow.all(no, levels);
  }

  /** Returns the child of a message with this content. */
  find(parent: number, content: string): number | undefined {
    const row = this.#find.get(parent, content) as number[] | undefined;
    return row?.[0];
  }

  remove(no: number, hidden: number | null): void {
    this.#remove.run(no, hidden);
  }

  /** Moves the write-ahead log into the database file, so that its size counts only later writes. */
  emptyLog(): void {
    this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  }

  index(): void {
    this.#database.exec(
      "CREATE VIRTUAL TABLE found USING fts5(content, content='', tokenize='trigram case_sensitive 0')",
    );
    this.#database.exec('INSERT INTO found (rowid, content) SELECT no, content FROM message');
  }

  search(word: string): unknown[] {
    this.#search ??= this.#database.prepare(
      'SELECT m.no, m.content FROM found f JOIN message m ON m.no = f.rowid WHERE found MATCH ? LIMIT 20',
    );
    return this.#search.all(`"${word}"`);
  }

  close(): void {
    this.#database.close();
  }
}

/** Builds the tree of `buildBenchTree` in the narrow table: branches of equal depth below one root. */
export function buildMinimalTree(least: MinimalSqlite, size: number): { readonly root: number; readonly leaf: number } {
  return least.transaction(() => {
    const root = least.insert(null, 'root', '[]');
    let leaf = root;
    for (let n = 0; n < size; n += benchBranchDepth) {
      leaf = root;
      for (let index = 0; index < benchBranchDepth; index++) {
        const { role, content } = makeBenchMessage(n + index);
        leaf = least.insert(leaf, role, JSON.stringify(content));
      }
    }
    least.select(leaf);
    return { root, leaf };
  });
}
