/**
 * Copies a database into one file that the SQLite store can open. The copy comes from one snapshot while other
 * transactions write. Tools of the server, such as `pg_dump`, copy large databases faster, but may not be installed.
 */

import type { WorkProgress } from '@coppice/core';
import { numbersPerTree } from '../sql/numbers.ts';
import { execute, queryRow, queryRows, type SqlRow, type SqlTask, sqlNumber, sqlNumberOrNull } from '../sql/query.ts';
import { type TableFileWriter, writeTableFile } from '../table-file.ts';
import type { PostgresDatabase } from './database.ts';
import { postgresDialect } from './dialect.ts';

// Attachments are large, so only a few of them are read at a time.
const atOnce: ReadonlyMap<string, number> = new Map([['blob', 8]]);
const usualAtOnce = 500;

/** These tables are copied only from the directory, which is authoritative, although each bucket has a copy of them. */
const ofDirectory = new Set(['account', 'token', 'share']);

/** Assigns new row numbers to the rows of several databases, so that they do not collide in one file. */
class Renumbering {
  #place = 0;
  #treesBefore = 0;
  #trees = 0;

  /** Starts the next database. Its trees get numbers above those of the databases before. */
  next(): void {
    this.#treesBefore = this.#trees;
  }

  row(table: string, row: SqlRow): SqlRow {
    if (table === 'change') return { ...row, id: ++this.#place };
    const shift = this.#treesBefore;
    if (table === 'tree') {
      const no = sqlNumber(row, 'no') + shift;
      this.#trees = Math.max(this.#trees, no);
      return { ...row, no };
    }
    if (table !== 'node') return row;
    const moved = (column: string, by: number) => {
      const no = sqlNumberOrNull(row, column);
      return { [column]: no === null ? null : no + by };
    };
    const nodes = shift * numbersPerTree;
    return {
      ...row,
      ...moved('root_of', shift),
      ...Object.assign({}, ...['no', 'parent_no', 'match_no', 'last_no'].map((column) => moved(column, nodes))),
    };
  }
}

/** Counts the copied rows for progress reports. */
class CopyProgress {
  readonly #report: ((progress: WorkProgress) => void) | undefined;
  #done = 0;
  #total = 0;

  constructor(report: ((progress: WorkProgress) => void) | undefined) {
    this.#report = report;
  }

  restart(): void {
    [this.#done, this.#total] = [0, 0];
  }

  /**
   * Adds the estimated number of rows of some tables to the total. The server's estimate is used, because counting
   * would take as long as copying.
   */
  *expect(names: readonly string[]): SqlTask<void> {
    if (this.#report === undefined) return;
    const found = yield* queryRow(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0) AS n FROM pg_class c
      WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relname IN ${postgresDialect.list('$1')}`,
      JSON.stringify(names),
    );
    this.#total += found === undefined ? 0 : Math.round(sqlNumber(found, 'n'));
  }

  add(rows: number): void {
    this.#done += rows;
    this.#report?.({ done: this.#done, total: Math.max(this.#done, this.#total) });
  }
}

function* copyTables(
  tables: TableFileWriter,
  wanted: (name: string) => boolean,
  progress: CopyProgress,
  renumber?: Renumbering,
): SqlTask<void> {
  yield* progress.expect(tables.list.map(({ name }) => name).filter(wanted));
  for (const { name, columns } of tables.list) {
    if (!wanted(name)) continue;
    const cursor = `copy_of_${name}`;
    const order = name === 'change' && renumber !== undefined ? ' ORDER BY id' : '';
    yield* execute(`DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${name}${order}`);
    for (;;) {
      const part = yield* queryRows(`FETCH ${atOnce.get(name) ?? usualAtOnce} FROM ${cursor}`);
      if (part.length === 0) break;
      tables.add(name, renumber === undefined ? part : part.map((row) => renumber.row(name, row)));
      progress.add(part.length);
    }
    yield* execute(`CLOSE ${cursor}`);
  }
}

/** Writes the backup of one database. The file gets its name only when it is complete. Throws if the file exists. */
export async function backUpPostgres(
  database: PostgresDatabase,
  to: string,
  onProgress?: (progress: WorkProgress) => void,
): Promise<void> {
  const progress = new CopyProgress(onProgress);
  await writeTableFile(to, (tables) =>
    database.read(function* (): SqlTask<void> {
      tables.clear();
      progress.restart();
      yield* copyTables(tables, () => true, progress);
    }),
  );
}

/**
 * Writes the backup of a directory and its buckets, each from one snapshot. Log positions of different buckets may
 * collide, so they are assigned again. Throws if the file exists.
 */
export async function backUpDatabases(
  directory: PostgresDatabase,
  buckets: readonly PostgresDatabase[],
  to: string,
  onProgress?: (progress: WorkProgress) => void,
): Promise<void> {
  const progress = new CopyProgress(onProgress);
  await writeTableFile(to, async (tables) => {
    const renumber = new Renumbering();
    const once = (database: PostgresDatabase, wanted: (name: string) => boolean): Promise<void> => {
      let isBegun = false;
      return database.read(function* (): SqlTask<void> {
        // The file already contains rows of the first attempt, so the work cannot be repeated.
        if (isBegun) throw new Error('The connection was lost during the backup; begin it again.');
        isBegun = true;
        renumber.next();
        yield* copyTables(tables, wanted, progress, renumber);
      });
    };
    tables.clear();
    await once(directory, (name) => ofDirectory.has(name));
    for (const bucket of buckets) await once(bucket, (name) => !ofDirectory.has(name));
  });
}
