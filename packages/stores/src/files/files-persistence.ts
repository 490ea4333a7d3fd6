/** The hands of a book whose trees lie in folders. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ActId,
  type AppError,
  allNodes,
  isAppError,
  isUuid,
  type NodeId,
  nodeId,
  refuse,
  type Tree,
  type TreeId,
} from '@coppice/core';
import { addHashes, addHashesOf } from '../attachments.ts';
import { type AtomicWriter, fileStep, namesInFolder, onFile, statOrNull, syncFolder } from '../disk/atomic-files.ts';
import { linesOfFile } from '../disk/line-file.ts';
import { type FolderLock, type Holder, lockHolder } from '../disk/lock.ts';
import type { SideFiles } from '../disk/side-files.ts';
import { Locks } from '../in-process/locks.ts';
import { type LoadedTree, type PersistedEntry, type Persistence, treesOfNodes } from '../in-process/persistence.ts';
import { type ForeignFolder, forgetOriginal } from './foreign-folder.ts';
import { writeFormat } from './format-file.ts';
import { actsIn } from './journal.ts';
import { rootFileData } from './node-file.ts';
import { isNodeFile } from './node-files.ts';
import { forgetDamaged, type Rebuilt, rebuildJournal } from './rebuild.ts';
import type { Registry } from './registry.ts';
import { type FolderContext, TreeFolder } from './tree-folder.ts';

/** What a keeper works with, as it was found when the store was opened. */
export interface FilesOpenState extends FolderContext {
  readonly place: string;
  readonly bench: AtomicWriter;
  readonly registry: Registry;
  readonly side: SideFiles;
  readonly folders: Map<TreeId, TreeFolder>;
  /** Trees that other programs wrote, and where. */
  readonly originals: Map<TreeId, { readonly original: ForeignFolder; readonly folder: string }>;
  /** Trees that are there and cannot be read. */
  readonly broken: Map<TreeId, AppError>;
  /** The lock, if it is ours; who has it, if it is not; null where nothing is written at all. */
  readonly lock: FolderLock | Holder | null;
}

const soonest = 30;
const latest = 5_000;
const mostOpen = 64;

function isHeld(lock: FilesOpenState['lock']): lock is FolderLock {
  return lock !== null && 'check' in lock;
}

/** Keeps a book in folders. */
export class FilesPersistence implements Persistence {
  readonly #has: FilesOpenState;
  readonly #locks = new Locks();
  readonly #behind = new Set<TreeFolder>();
  readonly #recent = new Set<TreeFolder>();
  readonly #asked = new Set<TreeId>();
  #homes: Map<NodeId, TreeId> | null = null;
  #acts: Map<ActId, Set<TreeId>> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #delay = soonest;
  #trouble: string | null = null;
  #formatted = false;
  #listed = true;

  constructor(holdings: FilesOpenState) {
    this.#has = holdings;
    for (const folder of holdings.folders.values()) if (folder.behind) this.#behind.add(folder);
    this.#listed = holdings.registry.trouble === null;
    if (this.#behind.size > 0 || !this.#listed) this.#schedule();
  }

  /** Why the files that others read are behind, if they are. */
  get trouble(): string | null {
    return this.#trouble;
  }

  get writes(): boolean {
    return isHeld(this.#has.lock);
  }

  /** Refuses where somebody else may be writing. */
  #mayWrite(): void {
    const { lock, place } = this.#has;
    if (lock !== null && !isHeld(lock)) throw lockHolder(place, lock);
    lock?.check();
    if (this.#formatted) return;
    writeFormat(place, this.#has.bench);
    this.#formatted = true;
  }

  persist(entry: PersistedEntry): Promise<void> | void {
    this.#mayWrite();
    switch (entry.type) {
      case 'commit':
        return this.#commit(entry);
      case 'linear': {
        const folder = this.#folder(entry.record.treeId);
        folder.putLinear(entry.owner, entry.record, entry.sequence);
        return this.#written(folder);
      }
      case 'purge':
        return this.#purge(entry.treeId, entry.tree, entry.log, entry.nodeIds);
      case 'mend':
        return this.#locks.run(entry.treeId, async () => {
          const folder = this.#folder(entry.treeId);
          folder.rewrite(entry.tree, null, []);
          this.#written(folder);
        });
      case 'purge-tree':
        return this.#locks.run(entry.treeId, async () => this.#forget(entry.treeId));
      default:
        return this.#has.side.keep(entry);
    }
  }

  /** The folder of a tree, which need not be there yet. Its name is one of our own ids and nothing else. */
  #folder(id: TreeId): TreeFolder {
    if (!isUuid(id)) return refuse('id/invalid', 'A tree in a folder has a UUID in lower case.', { treeId: id });
    const { folders, place } = this.#has;
    const known = folders.get(id) ?? new TreeFolder(join(place, id), id, this.#has);
    return known;
  }

  #commit(entry: Extract<PersistedEntry, { type: 'commit' }>): void {
    for (const step of entry.settled.commit.steps)
      if (step.type === 'insert' && !isUuid(step.node.id))
        refuse('id/invalid', 'A node in a folder has a UUID in lower case.', { nodeId: step.node.id });
    const folder = this.#folder(entry.treeId);
    const found = this.#has.originals.get(entry.treeId);
    if (found === undefined) {
      folder.commit(entry);
      return this.#written(folder);
    }
    // The names first: a crash in between leaves names of a tree that is still read from where it was.
    const { original } = found;
    if (original.names.some((name) => name.nodeId !== name.id))
      this.#has.side.keep({ type: 'external-ids', ids: original.names });
    folder.commit(entry, { origin: original.origin, commit: original.commit, tree: original.tree });
    this.#has.originals.delete(entry.treeId);
    if (original.origin.id !== entry.treeId) this.#has.registry.delete(original.origin.id);
    this.#written(folder);
  }

  #written(folder: TreeFolder): void {
    this.#has.folders.set(folder.id, folder);
    this.#behind.add(folder);
    this.#recent.delete(folder);
    this.#recent.add(folder);
    // Handles are few, trees are not.
    const [oldest] = this.#recent;
    if (oldest !== undefined && this.#recent.size > mostOpen) {
      oldest.close();
      this.#recent.delete(oldest);
    }
    this.#schedule();
  }

  #purge(id: TreeId, tree: Tree, log: LoadedTree['log'], nodeIds: readonly NodeId[]): Promise<void> {
    return this.#locks.run(id, async () => {
      const folder = this.#folder(id);
      folder.rewrite(tree, log, nodeIds);
      this.#written(folder);
      for (const gone of nodeIds) this.#homes?.delete(gone);
      await this.#tried(() => forgetDamaged(folder.path));
      const { origin } = folder;
      if (origin !== null) await this.#tried(() => forgetOriginal(this.#has.place, id, origin.id, new Set(nodeIds)));
      // What was purged is to be gone from the other files as well when this returns; the journal has decided it already.
      await this.#tried(() => this.#has.side.forget(id, new Set(nodeIds)));
      await this.#tried(async () => this.#enter(folder, await folder.flush()));
    });
  }

  async #tried(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#trouble = error.message;
      this.#schedule();
    }
  }

  /** Takes the folder of a tree out of sight by one rename, then away. */
  async #forget(id: TreeId): Promise<void> {
    const { place, folders, originals, registry, side } = this.#has;
    const path = originals.get(id)?.folder ?? folders.get(id)?.path ?? join(place, id);
    const origin = folders.get(id)?.readOrigin();
    const gone = join(place, '.coppice', 'gone');
    folders.get(id)?.close();
    if (statOrNull(path) !== null)
      onFile(path, () => {
        mkdirSync(gone, { recursive: true });
        rmSync(join(gone, id), { recursive: true, force: true });
        fileStep('journal', 'rename', () => renameSync(path, join(gone, id)));
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
    for (const [node, home] of this.#homes ?? []) if (home === id) this.#homes?.delete(node);
    this.#listed = false;
    await this.#tried(() => side.forget(id));
    await this.#tried(() => this.#list());
    await this.#tried(() => registry.forgetDamaged());
    if (origin != null) await this.#tried(() => forgetOriginal(place, id, origin.id));
    await this.#tried(() => onFile(gone, () => rmSync(join(gone, id), { recursive: true, force: true })));
  }

  #list(): void {
    this.#has.registry.write(this.#has.bench);
    this.#listed = true;
  }

  async load(id: TreeId): Promise<LoadedTree> {
    const broken = this.#has.broken.get(id);
    if (broken !== undefined) throw broken;
    this.#asked.add(id);
    const found = this.#has.originals.get(id);
    if (found !== undefined) return { tree: found.original.tree, log: [found.original.commit] };
    return this.#folder(id).load();
  }

  async treesOfNodes(ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, TreeId>> {
    this.#homes ??= this.#allHomes();
    return treesOfNodes(this.#homes, ids);
  }

  /** Which tree every node of every folder belongs to, by the names of their files. */
  #allHomes(): Map<NodeId, TreeId> {
    const homes = new Map<NodeId, TreeId>();
    const enter = (tree: Tree) => {
      for (const node of allNodes(tree)) homes.set(node.id, tree.id);
    };
    for (const { original } of this.#has.originals.values()) enter(original.tree);
    for (const folder of this.#has.folders.values()) {
      if (folder.tree !== null) {
        enter(folder.tree);
        continue;
      }
      for (const part of ['nodes', 'trash'])
        for (const name of namesInFolder(join(folder.path, part)))
          if (isNodeFile(name)) homes.set(nodeId(name.slice(0, -5)), folder.id);
      const root = folder.lastKnown()?.row.rootId;
      if (root !== undefined) homes.set(root, folder.id);
    }
    return homes;
  }

  async treesOf(act: ActId): Promise<readonly TreeId[]> {
    this.#acts ??= this.#allActs();
    return [...(this.#acts.get(act) ?? [])];
  }

  /** Which trees every act has changed, of those that the book has not asked for. */
  #allActs(): Map<ActId, Set<TreeId>> {
    const acts = new Map<ActId, Set<TreeId>>();
    const enter = (act: ActId, id: TreeId) => acts.set(act, (acts.get(act) ?? new Set<TreeId>()).add(id));
    for (const [id, { original }] of this.#has.originals) enter(original.commit.actId, id);
    for (const [id, folder] of this.#has.folders)
      if (!this.#asked.has(id)) for (const act of actsIn(folder.journalPath)) enter(act, id);
    return acts;
  }

  /** By the journal's text: a hash stands in it as it is, and reading every commit would cost more than it tells. */
  mentions(id: TreeId, hashes: ReadonlySet<string>): ReadonlySet<string> {
    const broken = this.#has.broken.get(id);
    if (broken !== undefined) throw broken;
    const folder = this.#has.folders.get(id);
    const found = new Set<string>();
    if (folder !== undefined)
      for (const line of linesOfFile(folder.journalPath)) if (line.ok) addHashes(JSON.stringify(line.value), found);
    const original = this.#has.originals.get(id)?.original;
    if (original !== undefined) addHashesOf(allNodes(original.tree), found);
    for (const hash of [...found]) if (!hashes.has(hash)) found.delete(hash);
    return found;
  }

  async bytesOf(_owner: string, hash: string): Promise<Uint8Array> {
    return this.#has.side.bytesOf(hash);
  }

  #schedule(): void {
    if (this.#timer !== null || !this.writes) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, this.#delay);
  }

  /** Brings the files that others read to what the journals say. What fails is told by {@link trouble} and tried again. */
  flush(): Promise<void> {
    // One after the other: whoever waits for a flush waits for the one under way as well, registry included.
    return this.#locks.run('flush', () => this.#flush());
  }

  async #flush(): Promise<void> {
    if (!this.writes) return;
    const began = performance.now();
    let trouble: string | null = null;
    for (const folder of [...this.#behind]) {
      try {
        await this.#locks.run(folder.id, async () => {
          if (this.#has.folders.get(folder.id) === folder) this.#enter(folder, await folder.flush());
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
    // A tenth of the time at most goes into files that only others read.
    this.#delay = Math.min(latest, Math.max(soonest, 10 * (performance.now() - began), trouble === null ? 0 : 1000));
    if (this.#behind.size > 0 || !this.#listed) this.#schedule();
  }

  #enter(folder: TreeFolder, tree: Tree | null): void {
    if (tree === null) return;
    this.#has.registry.set(folder.id, rootFileData(tree, folder.format));
    this.#listed = false;
  }

  /** Has the files of a tree looked at and brought in order. */
  async restore(id: TreeId): Promise<void> {
    this.#mayWrite();
    await this.#locks.run(id, async () => {
      const folder = this.#has.folders.get(id);
      if (folder === undefined) return;
      folder.distrust();
      this.#enter(folder, await folder.flush());
    });
    this.#list();
  }

  /** Has the journal of a tree that cannot be read made anew; tells what was done, or why nothing was. */
  async rebuild(id: TreeId): Promise<Rebuilt> {
    this.#mayWrite();
    const { folders, place, broken, bench } = this.#has;
    const rebuilt = await this.#locks.run(id, async () => {
      const old = folders.get(id);
      const done = rebuildJournal(join(place, id), id, bench, old?.tree?.version ?? null);
      if ('why' in done) return done;
      old?.close();
      if (old !== undefined) for (const list of [this.#behind, this.#recent]) list.delete(old);
      const folder = new TreeFolder(join(place, id), id, this.#has);
      folder.distrust();
      this.#written(folder);
      broken.delete(id);
      this.#homes = null;
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
    const { side, folders, lock } = this.#has;
    side.close();
    for (const folder of folders.values()) folder.close();
    if (isHeld(lock)) lock.release();
  }
}
