/** The store in one SQLite file, which is the default store. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError, refuse, type Store } from '@coppice/core';
import { isProcessRunning } from '../disk/lock.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { failpoint } from '../failpoints.ts';
import { registerNativeHash } from '../native-hash.ts';
import type { StoreOptions } from '../options.ts';
import type { MigrationProgress } from '../sql/number-rows.ts';
import { SqlStore } from '../sql/store.ts';
import { makePrivateFile, syncFile } from './backup.ts';
import { loadSqliteModule, SqliteConnection, toSqliteError } from './driver.ts';
import { type OpenedSqlite, SqliteEngine } from './engine.ts';
import { migrateSqlite, newestSqliteVersion, readSqliteVersion } from './migrations.ts';
import { clearResidue } from './residue.ts';
import { maxBlockingWaitMs, maxLockWaitMs } from './transactions.ts';

/** Returns the path of the file that is used if the URL names none. */
function defaultSqlitePath(): string {
  return join(homedir(), '.coppice', 'coppice.db');
}

/** Opens or creates a SQLite file. A file without write permission is opened read-only with a note. */
export async function open(place: string, options: StoreOptions): Promise<Store> {
  // SQLite itself would take this name as a database in memory. Here it would be a file name, which no user expects.
  if (place === ':memory:')
    refuse('command/invalid', 'For a store in memory, use memory: instead of sqlite::memory:.', {
      place,
    });
  registerNativeHash();
  const path = place === '' ? defaultSqlitePath() : resolve(place);
  const opened = await openWhenFree(path, options);
  const store = new SqlStore(new SqliteEngine(opened), { ...options, readOnly: opened.readOnly });
  if (!opened.readOnly) await store.sweep();
  return store;
}

/** Opens the file. Waits while another process creates or recovers it. */
async function openWhenFree(path: string, options: StoreOptions): Promise<OpenedSqlite> {
  const until = Date.now() + maxLockWaitMs;
  for (;;) {
    try {
      return openFile(path, options);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'store/locked' || Date.now() > until) throw error;
      await sleep(1 + Math.random() * 30);
    }
  }
}

function openFile(path: string, options: StoreOptions): OpenedSqlite {
  const { readOnly = false, onMigration: progress } = options;
  try {
    if (!existsSync(path)) {
      if (readOnly)
        throw new AppError({
          code: 'store/unavailable',
          kind: 'unavailable',
          message: `There is no database ${path}.`,
          data: { place: path },
        });
      createDatabase(path);
    }
    checkFile(path);
    const writable = !readOnly && isDatabaseWritable(path);
    if (writable) sweep(path);
    return writable ? openToWrite(path, options) : openToRead(path, readOnly, progress);
  } catch (error) {
    throw toSqliteError(systemError(error, path), path);
  }
}

// Matches the temporary names of a database that is being created; they contain the pid of the process.
const makings = /^\.new-(\d+)(?:-journal|-wal|-shm)?$/;

/** Creates the file under a temporary name, and renames it when it is complete. So a crash leaves no empty file. */
function createDatabase(path: string): void {
  // Messages are private, so other users get no permissions.
  makeFolders(dirname(path), 0o700);
  const temporary = `${path}.new-${process.pid}`;
  try {
    rmSync(temporary, { force: true });
    failpoint('create');
    makePrivateFile(temporary);
    const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(temporary));
    try {
      connection.database.exec('PRAGMA journal_mode = DELETE');
      connection.database.exec('PRAGMA synchronous = FULL');
      migrateSqlite(connection, temporary);
    } finally {
      connection.close();
    }
    failpoint('sync');
    syncFile(temporary);
    failpoint('link');
    try {
      // This fails if another process has created the file meanwhile. Then that file is used.
      linkSync(temporary, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
    }
    failpoint('unlink');
  } finally {
    for (const end of ['', '-journal']) rmSync(`${temporary}${end}`, { force: true });
  }
  failpoint('sync-folder');
  syncFile(dirname(path));
}

/** Deletes the temporary files of processes that ended while they created the database. */
function sweep(path: string): void {
  const name = basename(path);
  for (const entry of readdirSync(dirname(path))) {
    const maker = entry.startsWith(name) ? makings.exec(entry.slice(name.length))?.[1] : undefined;
    if (maker !== undefined && !isProcessRunning(Number(maker))) rmSync(join(dirname(path), entry), { force: true });
  }
}

/** Throws on an empty or truncated file, which is damaged and must not be taken for a new database. */
function checkFile(path: string): void {
  const stat = statSync(path);
  const { size } = stat;
  const damaged = (why: string) =>
    new AppError({
      code: 'store/damaged',
      kind: 'internal',
      message: `The file ${path} ${why}. It was left as it is.`,
      data: { place: path },
    });
  if (!stat.isFile()) throw damaged('is not a file');
  if (size === 0) throw damaged('is empty');
  const header = Buffer.alloc(100);
  const handle = openSync(path, 'r');
  try {
    readSync(handle, header, 0, 100, 0);
  } finally {
    closeSync(handle);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw damaged('is not an SQLite database');
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  if (size < pageSize * pages && !existsSync(`${path}-wal`))
    throw damaged(`was cut off: ${size} bytes of ${pageSize * pages}`);
}

function isDatabaseWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

// File systems on which SQLite's shared memory does not work between machines, by type number.
const networkFileSystems = new Map<number, string>([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
]);

// Mapped pages count as memory of the process. Without a limit, an import could map the whole file.
const usuallyMapped = 64 * 1024 * 1024;

// With a small cache, SQLite writes pages to the log during the work, and the commit at the end takes less time.
const besideCache = 4_000;

/** Opens a second connection for long work. It never checkpoints the log automatically. */
function openBeside(path: string): SqliteConnection {
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path, { timeout: maxBlockingWaitMs }));
  for (const pragma of [...pragmas, `cache_size = -${besideCache}`, 'wal_autocheckpoint = 0'])
    connection.database.exec(`PRAGMA ${pragma}`);
  return connection;
}

// `secure_delete` zeroes deleted rows and freed pages immediately, because a purge could not find them later.
const pragmas = ['synchronous = FULL', 'foreign_keys = ON', 'secure_delete = ON', 'temp_store = MEMORY'];

function openToWrite(path: string, { onMigration: progress, mappedBytes = usuallyMapped }: StoreOptions): OpenedSqlite {
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path, { timeout: maxBlockingWaitMs }));
  const notes: string[] = [];
  try {
    // The version is checked before the first write, so that a file of another program or of a newer version stays
    // unchanged.
    readSqliteVersion(connection, path);
    const network = networkFileSystems.get(statfsSync(path).type);
    if (network !== undefined)
      notes.push(`The file is on ${network}: it is used without a write-ahead log, which is slower.`);
    connection.database.exec(`PRAGMA journal_mode = ${network === undefined ? 'WAL' : 'DELETE'}`);
    for (const pragma of [...pragmas, 'cache_size = -32000', `mmap_size = ${mappedBytes}`])
      connection.database.exec(`PRAGMA ${pragma}`);
    migrateSqlite(connection, path, progress);
    clearResidue(connection, path);
    const opened = { connection, place: path, readOnly: false, notes };
    // On a network file system there is no write-ahead log, and a writer blocks readers, so a second connection is
    // useless.
    return network === undefined ? { ...opened, beside: () => openBeside(path) } : opened;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function openToRead(path: string, asked: boolean, progress: MigrationProgress | undefined): OpenedSqlite {
  const { DatabaseSync } = loadSqliteModule();
  const notes = asked ? [] : ['The file or its folder is not writable: everything can be read, nothing can be saved.'];
  const attempt = (name: string): OpenedSqlite => {
    const connection = new SqliteConnection(new DatabaseSync(name, { readOnly: true }));
    try {
      const { version } = readSqliteVersion(connection, path);
      connection.all('SELECT count(*) FROM tree');
      if (version < newestSqliteVersion) return openConverted(connection, path, notes, progress);
      return { connection, place: path, readOnly: true, notes };
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  try {
    return attempt(path);
  } catch (error) {
    // Reading with a write-ahead log needs a shared memory file beside the database. If it cannot be created and the
    // log is empty, no process writes, and the file can be opened as immutable.
    if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) throw error;
    return attempt(`file:${encodeURI(path)}?immutable=1`);
  }
}

/** Opens a migrated copy of an older file that cannot be written. */
function openConverted(
  source: SqliteConnection,
  path: string,
  notes: readonly string[],
  progress: MigrationProgress | undefined,
): OpenedSqlite {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-read-'));
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, basename(path));
  try {
    makePrivateFile(copy);
    source.run('VACUUM INTO $1', copy);
    const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(copy));
    migrateSqlite(connection, copy, progress);
    source.close();
    const converted = 'The file has an older format: a converted copy of it is read, and later changes are not seen.';
    return { connection, place: path, readOnly: true, notes: [...notes, converted], dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

function systemError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const make = (init: { readonly code: string; readonly kind: AppError['kind']; readonly message: string }) =>
    new AppError({ ...init, cause: error, data: { place: path } });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return make({ code: 'store/full', kind: 'unavailable', message: `The disk of ${path} is full.` });
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return make({
      code: 'tree/read-only',
      kind: 'refused',
      message: `The database ${path} cannot be created: its folder is not writable.`,
    });
  // Other errors of the system, for example ENOTDIR if a parent folder is a file.
  if (error instanceof Error && 'syscall' in error)
    return make({
      code: 'store/unavailable',
      kind: 'unavailable',
      message: `The database ${path} cannot be created or read: ${code}.`,
    });
  return error;
}
