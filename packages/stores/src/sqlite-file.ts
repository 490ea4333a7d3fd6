/** Writes the tables of another database into a new file that the SQLite store can open. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError, refusalKinds, refuse } from '@coppice/core';
import type { SqlParameter, SqlRow } from './sql/query.ts';
import type { SqliteConnection } from './sqlite/driver.ts';

/** A table of the new file with all its columns. */
interface FileTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Writes rows into the tables of the new file. `list` has the tables that a caller must copy. */
export interface SqliteFileWriter {
  readonly list: readonly FileTable[];
  /** Deletes all rows, to restart the copy. */
  clear(): void;
  add(name: string, rows: readonly SqlRow[]): void;
}

// The tables that the SQLite store fills itself, and the encrypted keys of a server, which no copy contains.
const notCopied = /^(?:sqlite_|node_text|node_indexed|search_|residue|sealed_record)/;

/** Lets `fill` write the rows of all tables that a copy contains, in one transaction. */
async function fillTables(
  connection: SqliteConnection,
  fill: (tables: SqliteFileWriter) => Promise<void>,
): Promise<void> {
  // Foreign keys are checked at the end, because rows arrive in any order.
  connection.database.exec('PRAGMA foreign_keys = OFF');
  connection.database.exec('BEGIN');
  const list = connection
    .all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .map(({ name }) => String(name))
    .filter((name) => !notCopied.test(name))
    .map((name) => ({
      name,
      columns: connection.all(`SELECT name FROM pragma_table_info('${name}')`).map((column) => String(column.name)),
    }));
  const inserts = new Map(
    list.map(({ name, columns }) => [
      name,
      {
        columns,
        sql: `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
      },
    ]),
  );
  await fill({
    list,
    clear() {
      // Trees are deleted before their nodes, because the active node of a tree cannot be deleted.
      for (const { name } of [...list].reverse()) connection.run(`DELETE FROM ${name}`);
    },
    add(name, rows) {
      const insert = inserts.get(name);
      if (insert === undefined) throw new Error(`The file has no table ${name}.`);
      for (const row of rows)
        connection.run(insert.sql, ...insert.columns.map((column) => row[column] as SqlParameter));
    },
  });
  connection.database.exec('COMMIT');
  const [loose] = connection.all('PRAGMA foreign_key_check');
  if (loose !== undefined)
    throw new AppError({
      code: 'store/damaged',
      kind: refusalKinds['store/damaged'],
      message: `The backup was not kept: a row of ${String(loose.table)} refers to a missing row of ${String(loose.parent)}. Run coppice fsck.`,
    });
}

/**
 * Creates the file and calls `fill` to write its rows. The file gets its name when it is complete, checked and synced.
 * Throws if the name is in use.
 */
export async function writeSqliteFile(to: string, fill: (tables: SqliteFileWriter) => Promise<void>): Promise<void> {
  const path = resolve(to);
  if (existsSync(path))
    refuse('command/invalid', `${path} already exists, and a backup overwrites nothing. Choose another name.`, { to });
  // SQLite is loaded here, because a server with another database does not need it otherwise.
  const { toSqliteError, SqliteConnection, loadSqliteModule } = await import('./sqlite/driver.ts');
  const { syncFile } = await import('./sqlite/backup.ts');
  const { migrateSqlite } = await import('./sqlite/migrations.ts');
  const temporary = `${path}.part-${process.pid}`;
  rmSync(temporary, { force: true });
  try {
    const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(temporary));
    try {
      // The file is synced once at the end.
      for (const pragma of ['journal_mode = DELETE', 'synchronous = OFF']) connection.database.exec(`PRAGMA ${pragma}`);
      migrateSqlite(connection, temporary);
      await fillTables(connection, fill);
    } finally {
      connection.close();
    }
    syncFile(temporary);
    renameSync(temporary, path);
    syncFile(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw toSqliteError(error, path);
  }
}
