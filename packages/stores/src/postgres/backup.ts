/**
 * Copies a database into one file that the SQLite store can open. The copy comes from one snapshot while other
 * transactions write. Tools of the server, such as `pg_dump`, copy large databases faster, but may not be installed.
 */

import type { WorkProgress } from '@coppice/core';
import type { AttachmentObjectStore } from '../sql/attachment-objects.ts';
import { readBlob } from '../sql/attachments.ts';
import { nodeNumbersPerTree, treeNoSql } from '../sql/numbers.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readNumberColumnOrNull,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from '../sql/query.ts';
import { type SqliteFileWriter, writeSqliteFile } from '../sqlite-file.ts';
import { movedBlobTable, movedTreeTables } from './buckets/moved-tables.ts';
import type { PostgresDatabase } from './database.ts';
import { postgresDialect } from './dialect.ts';

// Attachments are large, so only a few of them are read at a time.
const atOnce: ReadonlyMap<string, number> = new Map([['blob', 8]]);
const usualAtOnce = 500;

/** These tables are copied only from the directory. Other buckets have them too, but do not use them. */
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
      const no = readNumberColumn(row, 'no') + shift;
      this.#trees = Math.max(this.#trees, no);
      return { ...row, no };
    }
    if (table !== 'node') return row;
    const moved = (column: string, by: number) => {
      const no = readNumberColumnOrNull(row, column);
      return { [column]: no === null ? null : no + by };
    };
    const nodes = shift * nodeNumbersPerTree;
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
    this.#total += found === undefined ? 0 : Math.round(readNumberColumn(found, 'n'));
  }

  add(rows: number): void {
    this.#done += rows;
    this.#report?.({ done: this.#done, total: Math.max(this.#done, this.#total) });
  }
}

function* copyTables(
  tables: SqliteFileWriter,
  wanted: (name: string) => boolean,
  progress: CopyProgress,
  { remote, from, without = [] }: CopySource,
  renumber?: Renumbering,
): SqlTask<void> {
  yield* progress.expect(tables.list.map(({ name }) => name).filter(wanted));
  for (const { name, columns } of tables.list) {
    if (!wanted(name)) continue;
    const cursor = `copy_of_${name}`;
    const order = name === 'change' && renumber !== undefined ? ' ORDER BY id' : '';
    const more = name === 'blob' ? ', CASE WHEN length(bytes) = 0 THEN object END AS object' : '';
    const others = without.length === 0 ? undefined : rowsOfOwners.get(name);
    const condition = others === undefined ? '' : ` WHERE NOT (${others})`;
    const params = others === undefined ? [] : [JSON.stringify(without)];
    yield* execute(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${columns.join(', ')}${more} FROM ${name}${condition}${order}`,
      ...params,
    );
    for (;;) {
      const part = yield* queryRows(`FETCH ${atOnce.get(name) ?? usualAtOnce} FROM ${cursor}`);
      if (part.length === 0) break;
      const here = name === 'blob' ? part.filter((row) => !addRemote(remote, from, row)) : part;
      tables.add(name, renumber === undefined ? here : here.map((row) => renumber.row(name, row)));
      progress.add(part.length);
    }
    yield* execute(`CLOSE ${cursor}`);
  }
}

/** Where rows are copied from, and what is collected meanwhile. */
interface CopySource {
  readonly from: PostgresDatabase;
  readonly remote: RemoteRow[];
  /** The owners that are in another bucket. An interrupted move may have left rows of theirs here. */
  readonly without?: readonly string[];
}

/** For each table the condition of rows that belong to some owners. */
const rowsOfOwners: ReadonlyMap<string, string> = (() => {
  const listed = postgresDialect.list('$1');
  const ofTree = (column: string, key: string) =>
    `EXISTS (SELECT 1 FROM tree t WHERE t.${column} = ${key} AND t.owner IN ${listed})`;
  return new Map<string, string>([
    ['tree', `owner IN ${listed}`],
    ['node', ofTree('no', treeNoSql('node'))],
    ...movedTreeTables.map(([name, column]) => [name, ofTree('id', `${name}.${column}`)] as const),
    ['run', `owner IN ${listed}`],
    ['run_chunk', `run_id IN (SELECT r.id FROM run r WHERE r.owner IN ${listed})`],
    ['blob_put', `owner IN ${listed}`],
    [movedBlobTable, `owner IN ${listed}`],
  ]);
})();

/** A row of an attachment whose bytes are in an object store. */
interface RemoteRow {
  readonly row: SqlRow;
  readonly address: string;
  /** The database that the row comes from. */
  readonly from: PostgresDatabase;
}

function addRemote(remote: RemoteRow[], from: PostgresDatabase, row: SqlRow): boolean {
  const address = row.object;
  if (typeof address !== 'string') return false;
  remote.push({ row, address, from });
  return true;
}

/**
 * Writes the attachments of an object store into the file, so that the file is complete. An attachment that was purged
 * since the snapshot is left out.
 */
async function copyObjects(
  tables: SqliteFileWriter,
  objects: AttachmentObjectStore | undefined,
  remote: readonly RemoteRow[],
): Promise<void> {
  for (const { row, address, from } of remote) {
    const bytes = (await objects?.read(address, null)) ?? (await readMovedBytes(from, objects, row));
    if (bytes !== null) tables.add('blob', [{ ...row, bytes }]);
  }
}

/** Returns the bytes of an attachment that was moved to another place since the snapshot; null if it was purged. */
async function readMovedBytes(
  from: PostgresDatabase,
  objects: AttachmentObjectStore | undefined,
  row: SqlRow,
): Promise<Uint8Array | null> {
  const [owner, hash] = [readTextColumn(row, 'owner'), readTextColumn(row, 'hash')];
  const stored = await from.read(() => readBlob(postgresDialect, owner, hash, 0, null));
  if (stored === null || stored.address === null) return stored?.bytes ?? null;
  return (await objects?.read(stored.address, null)) ?? null;
}

/** Writes the backup of one database. The file gets its name only when it is complete. Throws if the file exists. */
export async function backUpPostgres(
  { database, objects }: { readonly database: PostgresDatabase; readonly objects?: AttachmentObjectStore | undefined },
  to: string,
  onProgress?: (progress: WorkProgress) => void,
): Promise<void> {
  const progress = new CopyProgress(onProgress);
  await writeSqliteFile(to, async (tables) => {
    const remote: RemoteRow[] = [];
    await database.read(function* (): SqlTask<void> {
      tables.clear();
      remote.length = 0;
      progress.restart();
      yield* copyTables(tables, () => true, progress, { remote, from: database });
    });
    await copyObjects(tables, objects, remote);
  });
}

/** A bucket to back up, without the rows that interrupted moves left there. */
export interface BucketToBackUp {
  readonly database: PostgresDatabase;
  readonly without: readonly string[];
}

/**
 * Writes the backup of a directory and its buckets, each from one snapshot. The caller ensures that no owner is moved
 * meanwhile. Log positions of different buckets may collide, so they are assigned again. Throws if the file exists.
 */
export async function backUpDatabases(
  directory: PostgresDatabase,
  buckets: readonly BucketToBackUp[],
  objects: AttachmentObjectStore | undefined,
  to: string,
  onProgress?: (progress: WorkProgress) => void,
): Promise<void> {
  const progress = new CopyProgress(onProgress);
  await writeSqliteFile(to, async (tables) => {
    const renumber = new Renumbering();
    const remote: RemoteRow[] = [];
    const once = (
      database: PostgresDatabase,
      wanted: (name: string) => boolean,
      without: readonly string[],
    ): Promise<void> => {
      let isBegun = false;
      return database.read(function* (): SqlTask<void> {
        // The file already contains rows of the first attempt, so the work cannot be repeated.
        if (isBegun) throw new Error('The connection was lost during the backup; begin it again.');
        isBegun = true;
        renumber.next();
        yield* copyTables(tables, wanted, progress, { remote, from: database, without }, renumber);
      });
    };
    tables.clear();
    await once(directory, (name) => ofDirectory.has(name), []);
    for (const { database, without } of buckets) await once(database, (name) => !ofDirectory.has(name), without);
    await copyObjects(tables, objects, remote);
  });
}
