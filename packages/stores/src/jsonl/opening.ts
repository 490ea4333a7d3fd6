/** Finds the sessions of a folder or of one file, when a store is opened. Files of version 1 are migrated. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deriveId, messageKit } from '@coppice/content';
import { deriveSessionTreeId } from '@coppice/content/sessions';
import { type AppError, isAppError, type TreeId, treeId } from '@coppice/core';
import { rowOf } from '@coppice/core/tree';
import { listNamesInFolder, statOrNull, withFileErrors } from '../disk/atomic-files.ts';
import { FolderLock } from '../disk/lock.ts';
import { isFolderWritable, makeReadOnlyNote, makeStoreFolder } from '../disk/store-folder.ts';
import { makeUnreadableRow } from '../disk/unreadable-row.ts';
import type { ExternalChanges, UnloadedTree } from '../in-process/persistence.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { FolderWatch, type SessionDiscovery } from './folder-watch.ts';
import { detectFileDialect, ForeignFile } from './foreign-file.ts';
import type { SessionsOpenState } from './jsonl-persistence.ts';
import { migrateSessionFile } from './migrate.ts';
import { findSessionIdInName, isInForeignFolder, listBackupCopies, sidecarFolderOf } from './paths.ts';
import { SessionState } from './session.ts';
import { JsonlFile } from './session-file.ts';
import { readSummaryCache } from './summary-cache.ts';

/** The sessions that were found, and how the folder may be used. */
export interface OpenedSessions {
  readonly holdings: SessionsOpenState;
  readonly readOnly: boolean;
  readonly notes: string[];
  /** The notes about sessions that cannot be read. */
  readonly damage: readonly string[];
  readonly known: readonly UnloadedTree[];
}

/** Opens a folder of sessions or one session file. Creates the folder if it is missing. */
export function openSessions(place: string, options: StoreOptions): OpenedSessions {
  const stat = statOrNull(place);
  const single = stat?.isFile() === true || (stat == null && place.endsWith('.jsonl'));
  const folder = single ? dirname(place) : place;
  makeStoreFolder(folder, options.readOnly === true, 'session');
  const finder = new SessionFinder(place, single, options);
  const mayWrite = options.readOnly !== true && isFolderWritable(folder);
  if (options.readOnly !== true && !mayWrite) finder.note(makeReadOnlyNote(folder));
  if (mayWrite) finishPurges(folder);
  const watch = single ? null : finder.watch(folder, mayWrite);
  if (single && stat != null) finder.find(place, mayWrite);
  const first = watch?.survey(false) ?? finder.take();
  const held = single && mayWrite && finder.hold();
  return finder.opened(mayWrite && (!single || stat == null || held), first, watch);
}

/** Finishes purges that a crash interrupted, by deleting the remaining files and side files. */
function finishPurges(folder: string): void {
  const gone = join(folder, '.coppice', 'gone');
  for (const name of listNamesInFolder(gone)) {
    const path = join(folder, name);
    for (const left of statOrNull(path) === null ? [sidecarFolderOf(path), ...listBackupCopies(path)] : [])
      withFileErrors(left, () => rmSync(left, { recursive: true, force: true }));
    withFileErrors(gone, () => rmSync(join(gone, name), { recursive: true, force: true }));
  }
}

/** Lists session files when a store is opened, and those that appear later. Unreadable files are listed too. */
class SessionFinder implements SessionDiscovery {
  readonly #place: string;
  readonly #single: boolean;
  readonly #options: StoreOptions;
  readonly #sessions = new Map<TreeId, SessionState>();
  readonly #broken = new Map<TreeId, AppError>();
  readonly #notes: string[] = [];
  readonly #damage: string[] = [];
  readonly #brokenPaths = new Map<string, TreeId>();
  #known: UnloadedTree[] = [];

  constructor(place: string, single: boolean, options: StoreOptions) {
    this.#place = place;
    this.#single = single;
    this.#options = options;
  }

  note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  #warn(text: string): void {
    this.note(text);
    this.#damage.push(text);
  }

  get #owner(): string {
    return this.#options.owner ?? defaultOwner;
  }

  watch(folder: string, mayWrite: boolean): FolderWatch {
    return new FolderWatch(folder, this.#sessions, this, mayWrite);
  }

  take(): Pick<ExternalChanges, 'known'> {
    const found = { known: this.#known };
    this.#known = [];
    return found;
  }

  forgetBroken(path: string): TreeId | null {
    const id = this.#brokenPaths.get(path);
    if (id === undefined) return null;
    this.#brokenPaths.delete(path);
    this.#broken.delete(id);
    return id;
  }

  find(path: string, mayWrite: boolean): void {
    try {
      // A process crashed while it wrote files beside this session, so the unfinished files are deleted.
      if (mayWrite && statOrNull(join(sidecarFolderOf(path), 'making')) !== null) this.#clear(path);
      if (this.#listed(path)) return;
      this.#read(path, mayWrite);
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (this.#single) throw error;
      this.#unreadable(path, error);
    }
  }

  #clear(path: string): void {
    const lock = FolderLock.take(sidecarFolderOf(path));
    if (!(lock instanceof FolderLock)) return;
    rmSync(join(sidecarFolderOf(path), 'making'), { recursive: true, force: true });
    lock.release();
  }

  /**
   * Registers a session from its summary cache, without reading its file. Returns false if the cache is missing or
   * outdated.
   */
  #listed(path: string): boolean {
    const listed = readSummaryCache(path);
    if (listed === null || this.#sessions.has(listed.row.id)) return false;
    const { row } = listed;
    this.#sessions.set(row.id, this.#session(row.id, path, row.owner));
    this.#known.push(listed);
    return true;
  }

  #session(id: TreeId, path: string, owner: string, file?: JsonlFile | ForeignFile): SessionState {
    const kit = this.#options.kit ?? messageKit;
    return new SessionState({ treeId: id, path, owner, kit, ...(file === undefined ? {} : { file }) });
  }

  #read(path: string, mayWrite: boolean): void {
    let dialect = detectFileDialect(path);
    if (dialect === 'v1' && mayWrite && !isInForeignFolder(path)) {
      if (migrateUnderLease(path)) dialect = 'v2';
      else if (!this.#single) this.note(`${path} was not migrated: it can be read here, and nothing can be saved.`);
    }
    const file = dialect === 'v2' ? JsonlFile.open(path) : ForeignFile.open(path, dialect);
    const { header } = file;
    const own = deriveSessionTreeId(header.id);
    // A copied file has the session id of its original, so a different tree id is derived from its path.
    const id = this.#sessions.has(own) ? treeId(deriveId('session-copy', own, path)) : own;
    const owner = typeof header['owner'] === 'string' ? header['owner'] : this.#owner;
    const session = this.#session(id, path, owner, file);
    const { tree } = session.read();
    this.#sessions.set(id, session);
    for (const { message } of session.warnings) this.#warn(`${path}: ${message}`);
    this.#known.push({ row: rowOf(tree), format: session.format, sequence: session.sequence });
  }

  #unreadable(path: string, error: AppError): void {
    this.#warn(error.message);
    const id = findSessionIdInName(path) ?? treeId(deriveId('session-unreadable', path));
    this.#broken.set(id, error);
    this.#brokenPaths.set(path, id);
    this.#known.push({ row: makeUnreadableRow(id, this.#owner), format: 'tree', sequence: 0 });
  }

  /**
   * Takes the lease of a store of one session file. Returns false if another process holds the lease, or if the file
   * can only be read.
   */
  hold(): boolean {
    for (const session of this.#sessions.values()) {
      const { file } = session;
      if (!(file instanceof JsonlFile)) {
        const why = file.dialect === 'v1' ? 'was not migrated' : 'was written by another tool';
        this.note(`${file.path} ${why}: it can be read here, and nothing can be saved.`);
        return false;
      }
      try {
        file.lease.take();
      } catch (error) {
        // The next write takes the lease again, and reports the error then.
        if (!isUnwritableError(error)) throw error;
        this.note(`${file.path} cannot be written now: everything can be read.`);
      }
      const { holder } = file;
      if (holder === null) continue;
      this.note(
        `The process ${holder.pid} on ${holder.host} writes to ${file.path}: it can be read here, and nothing can be saved.`,
      );
      return false;
    }
    return true;
  }

  opened(writes: boolean, { known }: Pick<ExternalChanges, 'known'>, watch: FolderWatch | null): OpenedSessions {
    const notes = this.#notes;
    return {
      holdings: {
        place: this.#place,
        single: this.#single,
        sessions: this.#sessions,
        broken: this.#broken,
        kit: this.#options.kit ?? messageKit,
        owner: this.#owner,
        writes,
        watch,
        note: (text) => this.note(text),
      },
      readOnly: !writes,
      notes,
      damage: this.#damage,
      known,
    };
  }
}

/**
 * Migrates a file under its lease. Returns false if another process holds the lease or the file cannot be written; the
 * file is then read in its old version.
 */
export function migrateUnderLease(path: string): boolean {
  try {
    const lock = FolderLock.take(sidecarFolderOf(path));
    if (!(lock instanceof FolderLock)) return false;
    try {
      // Another process may have migrated the file before this one got the lease.
      if (detectFileDialect(path) === 'v1') migrateSessionFile(path);
      return true;
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!isUnwritableError(error)) throw error;
    return detectFileDialect(path) === 'v2';
  }
}

/**
 * Whether an error means that nothing can be written, for example because the disk is full. Reading is still possible.
 */
export function isUnwritableError(error: unknown): boolean {
  return isAppError(error) && (error.code === 'tree/read-only' || error.code === 'store/full');
}
