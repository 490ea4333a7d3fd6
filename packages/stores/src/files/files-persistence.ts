/** Writes the trees of a store to folders, one journal and one file per node in each. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ActId,
  type AppError,
  isAppError,
  isUuid,
  type NodeId,
  nodeId,
  refuse,
  type Tree,
  type TreeId,
} from '@coppice/core';
import { allNodes } from '@coppice/core/tree';
import { addBlobHashesInJson, addBlobHashesOfNodes } from '../attachments.ts';
import {
  type AtomicWriter,
  listNamesInFolder,
  runFileOperation,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { DiskPersistence } from '../disk/disk-persistence.ts';
import { readLinesOfFile } from '../disk/line-file.ts';
import { type FolderLock, type LockHolder, makeLockedError } from '../disk/lock.ts';
import type { SideFileEntry, SideFiles } from '../disk/side-files.ts';
import { KeyedLocks } from '../in-process/locks.ts';
import type { LoadedTree, PersistedEntry, Persistence } from '../in-process/persistence.ts';
import { deleteFromOriginalFolder, type ForeignFolder } from './foreign-folder.ts';
import { writeFormatFile } from './format-file.ts';
import { readActsOfJournal } from './journal.ts';
import { buildRootFileData } from './node-file.ts';
import { isNodeFile } from './node-files.ts';
import { deleteDamagedJournals, type RebuildResult, rebuildJournal } from './rebuild.ts';
import type { TreeRegistry } from './registry.ts';
import { type FolderContext, TreeFolder } from './tree-folder.ts';

/** The trees of an open folder, and the parts that write their files. */
export interface FilesOpenState extends FolderContext {
  readonly place: string;
  readonly writer: AtomicWriter;
  readonly registry: TreeRegistry;
  readonly side: SideFiles;
  readonly folders: Map<TreeId, TreeFolder>;
  /** Trees that another program wrote and that were not changed here yet, with the names of their folders. */
  readonly originals: Map<TreeId, { readonly original: ForeignFolder; readonly folder: string }>;
  /** Trees that exist but cannot be read. */
  readonly broken: Map<TreeId, AppError>;
  /** The lock if this process holds it, else the process that holds it. Null if the folder can only be read. */
  readonly lock: FolderLock | LockHolder | null;
}

const soonest = 30;
const latest = 5_000;
const mostOpen = 64;

function* idsIn(tree: Tree): Generator<NodeId, void, undefined> {
  for (const node of allNodes(tree)) yield node.id;
}

function* idsInFolder(folder: TreeFolder): Generator<NodeId, void, undefined> {
  for (const part of ['nodes', 'trash'])
    for (const name of listNamesInFolder(join(folder.path, part)))
      if (isNodeFile(name)) yield nodeId(name.slice(0, -5));
  const root = folder.lastKnown()?.row.rootId;
  if (root !== undefined) yield root;
}

function isHeld(lock: FilesOpenState['lock']): lock is FolderLock {
  return lock !== null && 'check' in lock;
}

/** Writes entries to the journals at once, and updates the files for other programs after a delay. */
export class FilesPersistence extends DiskPersistence implements Required<Pick<Persistence, 'findReferencedHashes'>> {
  readonly holdings: FilesOpenState;
  readonly #locks = new KeyedLocks();
  readonly #behind = new Set<TreeFolder>();
  readonly #recent = new Set<TreeFolder>();
  #timer: NodeJS.Timeout | null = null;
  #delay = soonest;
  #trouble: string | null = null;
  #formatted = false;
  #listed = true;

  constructor(holdings: FilesOpenState) {
    super();
    this.holdings = holdings;
    for (const folder of holdings.folders.values()) if (folder.behind) this.#behind.add(folder);
    this.#listed = holdings.registry.trouble === null;
    if (this.#behind.size > 0 || !this.#listed) this.#schedule();
  }

  /** Why the files for other programs could not be updated; null if they are current. */
  get trouble(): string | null {
    return this.#trouble;
  }

  get writes(): boolean {
    return isHeld(this.holdings.lock);
  }

  protected get broken(): ReadonlyMap<TreeId, AppError> {
    return this.holdings.broken;
  }

  /** Throws if another process holds the lock or this process has lost it. The first call writes the format file. */
  protected assertWritable(): void {
    const { lock, place } = this.holdings;
    if (lock !== null && !isHeld(lock)) throw makeLockedError(place, lock);
    lock?.check();
    if (this.#formatted) return;
    writeFormatFile(place, this.holdings.writer);
    this.#formatted = true;
  }

  protected setFormat({ treeId, tree, format }: Extract<PersistedEntry, { type: 'format' }>): Promise<void> {
    return this.#locks.run(treeId, async () => {
      const folder = this.#folder(treeId);
      folder.setFormat(tree, format);
      this.#written(folder);
    });
  }

  protected mend({ treeId, tree }: Extract<PersistedEntry, { type: 'mend' }>): Promise<void> {
    return this.#locks.run(treeId, async () => {
      const folder = this.#folder(treeId);
      folder.rewrite(tree, null, []);
      this.#written(folder);
    });
  }

  protected purgeTree(id: TreeId): Promise<void> {
    return this.#locks.run(id, () => this.#forget(id));
  }

  protected keepBeside(entry: SideFileEntry): void {
    this.holdings.side.keep(entry);
  }

  /**
   * Returns the folder of a tree; a new one if the tree does not exist yet. Throws if the id is not a UUID, because it
   * becomes the folder's name.
   */
  #folder(id: TreeId): TreeFolder {
    if (!isUuid(id)) return refuse('id/invalid', 'A tree in a folder has a UUID in lower case.', { treeId: id });
    const { folders, place } = this.holdings;
    const known = folders.get(id) ?? new TreeFolder(join(place, id), id, this.holdings);
    return known;
  }

  protected commit(entry: Extract<PersistedEntry, { type: 'commit' }>): void {
    const folder = this.#folder(entry.treeId);
    const found = this.holdings.originals.get(entry.treeId);
    if (found === undefined) {
      folder.commit(entry);
      return this.#written(folder);
    }
    // External ids are written first. If the process crashes in between, the tree is still read from its original
    // folder.
    const { original } = found;
    if (original.names.some((name) => name.nodeId !== name.id))
      this.holdings.side.keep({ type: 'external-ids', ids: original.names });
    folder.commit(entry, { origin: original.origin, commit: original.commit, tree: original.tree });
    this.holdings.originals.delete(entry.treeId);
    if (original.origin.id !== entry.treeId) this.holdings.registry.delete(original.origin.id);
    this.#written(folder);
  }

  #written(folder: TreeFolder): void {
    this.holdings.folders.set(folder.id, folder);
    this.#behind.add(folder);
    this.#recent.delete(folder);
    this.#recent.add(folder);
    // The system limits the number of open files, so the journal that was used longest ago is closed.
    const [oldest] = this.#recent;
    if (oldest !== undefined && this.#recent.size > mostOpen) {
      oldest.close();
      this.#recent.delete(oldest);
    }
    this.#schedule();
  }

  protected purge({ treeId: id, tree, log, nodeIds }: Extract<PersistedEntry, { type: 'purge' }>): Promise<void> {
    return this.#locks.run(id, async () => {
      const folder = this.#folder(id);
      folder.rewrite(tree, log, nodeIds);
      this.#written(folder);
      await this.#recordFailure(() => deleteDamagedJournals(folder.path));
      const { origin } = folder;
      if (origin !== null)
        await this.#recordFailure(() => deleteFromOriginalFolder(this.holdings.place, id, origin.id, new Set(nodeIds)));
      // The journal is already rewritten without the purged data. The other files must not contain that data either
      // when the purge ends.
      await this.#recordFailure(() => this.holdings.side.forget(id, new Set(nodeIds)));
      await this.#recordFailure(async () => this.#enter(folder, await folder.flush()));
    });
  }

  protected trim({ treeId: id, tree, log }: Extract<PersistedEntry, { type: 'trim' }>): Promise<void> {
    return this.#locks.run(id, async () => {
      const folder = this.#folder(id);
      folder.rewrite(tree, log, []);
      this.#written(folder);
    });
  }

  async #recordFailure(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#trouble = error.message;
      this.#schedule();
    }
  }

  /** Renames the folder of a tree, so that it is no longer listed, then deletes the folder. */
  async #forget(id: TreeId): Promise<void> {
    const { place, folders, originals, registry, side } = this.holdings;
    const path = originals.get(id)?.folder ?? folders.get(id)?.path ?? join(place, id);
    const origin = folders.get(id)?.readOrigin();
    const gone = join(place, '.coppice', 'gone');
    folders.get(id)?.close();
    if (statOrNull(path) !== null)
      withFileErrors(path, () => {
        mkdirSync(gone, { recursive: true });
        rmSync(join(gone, id), { recursive: true, force: true });
        runFileOperation('journal', 'rename', () => renameSync(path, join(gone, id)));
        syncFolder(place, 'journal');
        syncFolder(gone, 'journal');
      });
    const folder = folders.get(id);
    if (folder !== undefined) {
      this.#behind.delete(folder);
      this.#recent.delete(folder);
    }
    registry.delete(originals.get(id)?.original.origin.id ?? id);
    folders.delete(id);
    originals.delete(id);
    this.#listed = false;
    await this.#recordFailure(() => side.forget(id));
    await this.#recordFailure(() => this.#list());
    await this.#recordFailure(() => registry.forgetDamaged());
    if (origin != null) await this.#recordFailure(() => deleteFromOriginalFolder(place, id, origin.id));
    await this.#recordFailure(() =>
      withFileErrors(gone, () => rmSync(join(gone, id), { recursive: true, force: true })),
    );
  }

  #list(): void {
    this.holdings.registry.write(this.holdings.writer);
    this.#listed = true;
  }

  protected read(id: TreeId): LoadedTree {
    const found = this.holdings.originals.get(id);
    if (found !== undefined) return { tree: found.original.tree, log: [found.original.commit] };
    return this.#folder(id).load();
  }

  /** Yields the node ids of each tree; for trees that are not loaded they are read from the names of the node files. */
  protected *nodesOfTrees(): Generator<readonly [TreeId, Iterable<NodeId>], void, undefined> {
    for (const { original } of this.holdings.originals.values()) yield [original.tree.id, idsIn(original.tree)];
    for (const folder of this.holdings.folders.values())
      yield [folder.id, folder.tree === null ? idsInFolder(folder) : idsIn(folder.tree)];
  }

  protected *actsOfTrees(
    isLoaded: (id: TreeId) => boolean,
  ): Generator<readonly [TreeId, Iterable<ActId>], void, undefined> {
    for (const [id, { original }] of this.holdings.originals) yield [id, [original.commit.actId]];
    for (const [id, folder] of this.holdings.folders)
      if (!isLoaded(id)) yield [id, readActsOfJournal(folder.journalPath)];
  }

  /** Searches the text of the journal for the hashes, which is faster than decoding every commit. */
  findReferencedHashes(id: TreeId, hashes: ReadonlySet<string>): ReadonlySet<string> {
    const broken = this.holdings.broken.get(id);
    if (broken !== undefined) throw broken;
    const folder = this.holdings.folders.get(id);
    const found = new Set<string>();
    if (folder !== undefined)
      for (const line of readLinesOfFile(folder.journalPath))
        if (line.ok) addBlobHashesInJson(JSON.stringify(line.value), found);
    const original = this.holdings.originals.get(id)?.original;
    if (original !== undefined) addBlobHashesOfNodes(allNodes(original.tree), found);
    for (const hash of [...found]) if (!hashes.has(hash)) found.delete(hash);
    return found;
  }

  /** Returns the attachments that earlier processes added after a time and that no message refers to yet. */
  findHeldBlobs(owner: string, _hashes: ReadonlySet<string>, after: number): ReadonlySet<string> {
    return this.holdings.side.waitingSince(owner, after);
  }

  async readBlob(_owner: string, hash: string): Promise<Uint8Array> {
    return this.holdings.side.bytesOf(hash);
  }

  #schedule(): void {
    if (this.#timer !== null || !this.writes) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, this.#delay);
  }

  /**
   * Updates the files for other programs to match the journals. If that fails, {@link trouble} has the reason, and
   * another flush follows later.
   */
  flush(): Promise<void> {
    // Flushes run one after another, so this call also waits for a flush that is already running.
    return this.#locks.run('flush', () => this.#flush());
  }

  async #flush(): Promise<void> {
    if (!this.writes) return;
    const began = performance.now();
    let trouble: string | null = null;
    for (const folder of [...this.#behind]) {
      try {
        await this.#locks.run(folder.id, async () => {
          if (this.holdings.folders.get(folder.id) === folder) this.#enter(folder, await folder.flush());
        });
        if (!folder.behind) this.#behind.delete(folder);
      } catch (error) {
        if (!isAppError(error)) throw error;
        trouble = error.message;
      }
    }
    try {
      if (!this.#listed) this.#list();
    } catch (error) {
      if (!isAppError(error)) throw error;
      trouble = error.message;
    }
    this.#trouble = trouble;
    // The delay is ten times as long as the flush took, so that flushing takes less than a tenth of the time.
    this.#delay = Math.min(latest, Math.max(soonest, 10 * (performance.now() - began), trouble === null ? 0 : 1000));
    if (this.#behind.size > 0 || !this.#listed) this.#schedule();
  }

  #enter(folder: TreeFolder, tree: Tree | null): void {
    if (tree === null) return;
    this.holdings.registry.set(folder.id, buildRootFileData(tree, folder.format));
    this.#listed = false;
  }

  /** Compares every file of a tree with its journal, and writes those that differ. */
  async restore(id: TreeId): Promise<void> {
    this.assertWritable();
    await this.#locks.run(id, async () => {
      const folder = this.holdings.folders.get(id);
      if (folder === undefined) return;
      folder.distrust();
      this.#enter(folder, await folder.flush());
    });
    this.#list();
  }

  /** Rebuilds an unreadable journal. Returns what was done, or the reason why it was not possible. */
  async rebuild(id: TreeId): Promise<RebuildResult> {
    this.assertWritable();
    const { folders, place, broken, writer } = this.holdings;
    const rebuilt = await this.#locks.run(id, async () => {
      const old = folders.get(id);
      const done = rebuildJournal(join(place, id), id, writer, old?.tree?.version ?? null);
      if ('why' in done) return done;
      old?.close();
      if (old !== undefined) for (const list of [this.#behind, this.#recent]) list.delete(old);
      const folder = new TreeFolder(join(place, id), id, this.holdings);
      folder.distrust();
      this.#written(folder);
      broken.delete(id);
      this.forgetLookups('all');
      this.#enter(folder, await folder.flush());
      return done;
    });
    if (!this.#listed) this.#list();
    return rebuilt;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const { side, folders, lock } = this.holdings;
    side.close();
    for (const folder of folders.values()) folder.close();
    if (isHeld(lock)) lock.release();
  }
}
