/** Writes the trees of a store to session files. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type ActId,
  type AppError,
  isAppError,
  isUuid,
  type MessageKit,
  type NodeId,
  nodeId,
  refuse,
  type Tree,
  type TreeId,
} from '@coppice/core';
import {
  AtomicWriter,
  listNamesInFolder,
  runFileOperation,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { DiskPersistence } from '../disk/disk-persistence.ts';
import { FolderLock, makeLockedError } from '../disk/lock.ts';
import { type SideFileEntry, SideFiles } from '../disk/side-files.ts';
import type { StoreParts } from '../in-process/in-process-store.ts';
import type {
  ExternalChanges,
  ExternalCommit,
  LoadedTree,
  PartialTree,
  PersistedEntry,
  Persistence,
} from '../in-process/persistence.ts';
import type { FolderWatch } from './folder-watch.ts';
import { findHashesInFile } from './hashes-in-file.ts';
import { buildSessionFileName, listBackupCopies, sidecarFolderOf } from './paths.ts';
import { SessionState } from './session.ts';

/** The sessions of an open folder or of one session file, and how they may be used. */
export interface SessionsOpenState {
  /** The path of the folder, or of the one session file. */
  readonly place: string;
  /** Whether the path is one session file, so that no other session can be created. */
  readonly single: boolean;
  readonly sessions: Map<TreeId, SessionState>;
  /** Files that exist but cannot be read. */
  readonly broken: ReadonlyMap<TreeId, AppError>;
  readonly kit: MessageKit;
  readonly owner: string;
  readonly writes: boolean;
  /** Detects changes of other processes in the folder; null for one session file. */
  readonly watch: FolderWatch | null;
  note(text: string): void;
}

/** Writes entries to session files, and finds changes of other processes. */
export class JsonlPersistence
  extends DiskPersistence
  implements
    Required<Pick<Persistence, 'runExclusively' | 'openPart' | 'pull' | 'findExternalChanges' | 'findHeldBlobs'>>
{
  readonly holdings: SessionsOpenState;
  readonly #sides = new Map<TreeId, SideFiles>();
  readonly #runs = new Map<string, TreeId>();
  #top: SideFiles | null = null;
  #lock: FolderLock | null = null;
  #parts: StoreParts | null = null;

  constructor(holdings: SessionsOpenState) {
    super();
    this.holdings = holdings;
  }

  protected get broken(): ReadonlyMap<TreeId, AppError> {
    return this.holdings.broken;
  }

  protected assertWritable(): void {
    // Nothing to check for the whole folder: each file has its own lease, which is taken before the file is written.
  }

  get #folder(): string {
    return this.holdings.single ? dirname(this.holdings.place) : this.holdings.place;
  }

  /** Registers the data of the side files with the store. */
  readSides(parts: StoreParts): void {
    this.#parts = parts;
    for (const session of this.holdings.sessions.values()) {
      if (statOrNull(sidecarFolderOf(session.path)) === null) continue;
      this.#side(session).read(parts);
    }
    for (const [id, side] of this.#sides) for (const run of side.running) this.#runs.set(run, id);
    if (!this.holdings.single && statOrNull(join(this.#folder, '.coppice')) !== null) this.#shared().read(parts);
  }

  #newSide(folder: string): SideFiles {
    return new SideFiles(folder, new AtomicWriter(join(folder, 'making')), (text) => this.holdings.note(text));
  }

  /** Returns the side files of one session: external ids, provenance and runs. */
  #side(session: SessionState): SideFiles {
    const known = this.#sides.get(session.treeId) ?? this.#newSide(sidecarFolderOf(session.path));
    this.#sides.set(session.treeId, known);
    return known;
  }

  /** Returns the side files that all sessions share: accounts and attachments. */
  #shared(): SideFiles {
    this.#top ??= this.#newSide(
      this.holdings.single ? sidecarFolderOf(this.holdings.place) : join(this.#folder, '.coppice'),
    );
    return this.#top;
  }

  protected setFormat({ treeId, tree, log, format }: Extract<PersistedEntry, { type: 'format' }>): void {
    this.#known(treeId).setFormat(tree, log, format);
  }

  protected purge({ treeId, tree, log, nodeIds }: Extract<PersistedEntry, { type: 'purge' }>): void {
    const session = this.#known(treeId);
    session.rewrite(tree, log, nodeIds);
    // Copies that a migration or repair left contain the purged data too.
    for (const copy of listBackupCopies(session.path)) withFileErrors(copy, () => rmSync(copy, { force: true }));
    this.#sides.get(treeId)?.forget(treeId, new Set(nodeIds));
  }

  protected trim({ treeId, tree, log }: Extract<PersistedEntry, { type: 'trim' }>): void {
    this.#known(treeId).rewrite(tree, log, []);
  }

  protected mend({ treeId, tree }: Extract<PersistedEntry, { type: 'mend' }>): void {
    this.#known(treeId).rewrite(tree, null, []);
  }

  #known(id: TreeId): SessionState {
    return this.holdings.sessions.get(id) ?? refuse('tree/unknown-tree', `There is no session ${id}.`, { treeId: id });
  }

  /**
   * Returns the session of a tree; a new one if the tree does not exist yet. Throws if the id is not a UUID, because it
   * becomes part of a file name.
   */
  #session(id: TreeId, owner: string, at: number): SessionState {
    const { sessions, single, place, kit } = this.holdings;
    const known = sessions.get(id);
    if (known !== undefined) return known;
    if (!isUuid(id)) refuse('id/invalid', 'A session has a UUID in lower case.', { treeId: id });
    if (single && sessions.size > 0)
      refuse('tree/exists', `${place} is a single session file. Open its folder to create another session.`, {
        treeId: id,
      });
    const path = single ? place : join(place, buildSessionFileName(at, id));
    return new SessionState({ treeId: id, path, owner, kit });
  }

  #header(owner: string): Readonly<Record<string, unknown>> {
    return { cwd: process.cwd(), ...(owner === this.holdings.owner ? {} : { owner }) };
  }

  protected commit(entry: Extract<PersistedEntry, { type: 'commit' }>): void {
    const session = this.#session(entry.treeId, entry.tree.owner, entry.applied.commit.at);
    session.commit(entry, this.#header(entry.tree.owner));
    this.holdings.sessions.set(entry.treeId, session);
  }

  /** Renames the file of a session, so that no process lists it any more, then deletes it with its side files. */
  protected purgeTree(id: TreeId): void {
    const session = this.#known(id);
    const { path } = session;
    session.writing();
    const gone = join(this.#folder, '.coppice', 'gone');
    withFileErrors(path, () => {
      mkdirSync(gone, { recursive: true });
      rmSync(join(gone, basename(path)), { recursive: true, force: true });
      runFileOperation('session', 'rename', () => renameSync(path, join(gone, basename(path))));
      syncFolder(this.#folder, 'session');
    });
    session.close();
    this.#sides.get(id)?.close();
    this.#sides.delete(id);
    this.holdings.sessions.delete(id);
    // The session file is deleted last. If the process crashes before, the next opening finds it and finishes the
    // purge.
    for (const left of [...listBackupCopies(path), sidecarFolderOf(path), join(gone, basename(path))])
      this.#tried(() => rmSync(left, { recursive: true, force: true }));
    this.#tried(() => this.#forgetShared(id));
  }

  #forgetShared(id: TreeId): void {
    if (this.#top === null) return;
    this.#lockShared();
    this.#top.forget(id);
  }

  #tried(work: () => void): void {
    try {
      work();
    } catch (error) {
      // The session is no longer listed, so the purge has succeeded. A note tells the user that some files could not be
      // deleted.
      this.holdings.note(`${this.holdings.place}: ${isAppError(error) ? error.message : String(error)}`);
    }
  }

  protected keepBeside(entry: SideFileEntry): void {
    switch (entry.type) {
      case 'sequence':
        // A store of one session file has no later sessions that could use the number again.
        if (this.holdings.single) return;
        this.#lockShared();
        return this.#shared().keep(entry);
      case 'user':
      case 'token':
      case 'share':
      case 'blob':
      case 'blobs-gone':
        this.#lockShared();
        return this.#shared().keep(entry);
      case 'run':
        this.#runs.set(entry.run.id, entry.run.treeId);
        return this.#besideOf(entry.run.treeId).keep(entry);
      case 'run-chunk':
      case 'run-end':
        return this.#besideOf(this.#runs.get(entry.runId)).keep(entry);
      case 'external-ids':
        for (const [id, ids] of byTree(entry.ids)) this.#besideOf(id).keep({ ...entry, ids });
        return;
      case 'provenance':
        for (const [id, rows] of byTree(entry.rows)) this.#besideOf(id).keep({ ...entry, rows });
        return;
    }
  }

  #besideOf(id: TreeId | undefined): SideFiles {
    const session = id === undefined ? undefined : this.holdings.sessions.get(id);
    if (session === undefined) return refuse('tree/unknown-tree', `There is no session ${id ?? ''}.`, {});
    session.writing();
    return this.#side(session);
  }

  /** Yields the side files. With `write` their locks are taken first. */
  *sides(write: boolean): Generator<SideFiles, void, undefined> {
    for (const [id, side] of this.#sides) {
      if (write && side.damage.length > 0) this.#besideOf(id);
      yield side;
    }
    if (this.#top === null) return;
    if (write && this.#top.damage.length > 0) this.#lockShared();
    yield this.#top;
  }

  /** Takes the lock of the shared side files. A store of one session file needs only the lease of that file. */
  #lockShared(): void {
    const { single, place } = this.holdings;
    if (single) {
      for (const session of this.holdings.sessions.values()) session.writing();
      return;
    }
    if (this.#lock === null) {
      const lock = FolderLock.take(join(place, '.coppice'));
      if (!(lock instanceof FolderLock)) throw makeLockedError(place, lock);
      this.#lock = lock;
    }
    this.#lock.check();
  }

  protected read(id: TreeId): LoadedTree {
    const session = this.#known(id);
    const loaded = session.load();
    for (const { message } of session.warnings) this.holdings.note(`${session.path}: ${message}`);
    this.#parts?.names.register(session.names.externalIds(id));
    return loaded;
  }

  openPart(id: TreeId): PartialTree | null {
    return this.holdings.sessions.get(id)?.openPart() ?? null;
  }

  /** Returns the commits that other processes added to a session file. With `write` the lease is taken first. */
  pull(id: TreeId, tree: Tree, write: boolean): readonly ExternalCommit[] {
    const session = this.holdings.sessions.get(id);
    if (session === undefined) return [];
    if (write) session.writing();
    const commits = session.fresh(tree);
    if (commits.length > 0) this.#parts?.names.register(session.names.externalIds(id));
    return commits;
  }

  findExternalChanges(rows: boolean): ExternalChanges | null {
    const survey = this.holdings.watch?.survey(rows) ?? null;
    if (survey === null) return null;
    for (const { row } of survey.known) this.#registerSession(row.id);
    if (survey.known.length > 0) this.forgetLookups('acts');
    return survey;
  }

  /** Registers the side files and external ids of a session that another process created. */
  #registerSession(id: TreeId): void {
    const session = this.holdings.sessions.get(id);
    if (session === undefined) return;
    const parts = this.#parts;
    if (parts !== null && statOrNull(sidecarFolderOf(session.path)) !== null)
      this.#tried(() => this.#side(session).read(parts));
    this.#tried(() => this.enterNodes(id, idsIn(session)));
  }

  async runExclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.holdings.single) return work();
    const lock = await FolderLock.wait(join(this.#folder, '.coppice', 'creating'));
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /**
   * Yields the node ids of each session. A file that cannot be read yields none, and a note names it.
   */
  protected *nodesOfTrees(): Generator<readonly [TreeId, Iterable<NodeId>], void, undefined> {
    for (const session of this.holdings.sessions.values()) {
      const ids: NodeId[] = [];
      this.#tried(() => {
        for (const id of idsIn(session)) ids.push(id);
      });
      yield [session.treeId, ids];
    }
  }

  protected *actsOfTrees(
    isLoaded: (id: TreeId) => boolean,
  ): Generator<readonly [TreeId, Iterable<ActId>], void, undefined> {
    for (const session of this.holdings.sessions.values()) {
      if (isLoaded(session.treeId)) continue;
      const acts = new Set<ActId>();
      this.#tried(() => {
        for (const { actId } of session.read().log) acts.add(actId);
      });
      yield [session.treeId, acts];
    }
  }

  /**
   * Returns which attachments must not be deleted: those that other processes added recently, and those that any
   * session file refers to, because another process may have created sessions or appended to files that are loaded
   * here. The lock of the shared side files prevents new uploads meanwhile.
   */
  findHeldBlobs(owner: string, hashes: ReadonlySet<string>, after: number): ReadonlySet<string> {
    this.#lockShared();
    const found = new Set<string>(this.#shared().waitingSince(owner, after));
    const others = new Set<string>();
    for (const session of this.holdings.sessions.values()) if (session.owner !== owner) others.add(session.path);
    for (const name of this.holdings.single ? [] : listNamesInFolder(this.#folder)) {
      const path = join(this.#folder, name);
      if (!name.endsWith('.jsonl') || name.startsWith('.') || others.has(path)) continue;
      for (const hash of findHashesInFile(path)) if (hashes.has(hash)) found.add(hash);
    }
    return found;
  }

  async readBlob(_owner: string, hash: string): Promise<Uint8Array> {
    return this.#shared().bytesOf(hash);
  }

  /** Closes all files and releases their leases. */
  close(): void {
    for (const side of this.#sides.values()) side.close();
    this.#top?.close();
    for (const session of this.holdings.sessions.values()) {
      session.writeCaches();
      session.close();
    }
    this.#lock?.release();
    this.#lock = null;
  }
}

function* idsIn({ file, names }: SessionState): Generator<NodeId, void, undefined> {
  for (let index = 0; index < file.size; index++) yield nodeId(names.toNode(file.uuidAt(index)));
}

function byTree<T extends { readonly treeId: TreeId }>(rows: readonly T[]): Map<TreeId, T[]> {
  const found = new Map<TreeId, T[]>();
  for (const row of rows) found.set(row.treeId, [...(found.get(row.treeId) ?? []), row]);
  return found;
}
