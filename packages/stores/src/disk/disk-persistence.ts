/**
 * Implements what all stores on disk share: it persists entries, and finds nodes and acts in trees that are not loaded.
 */
import { type ActId, type AppError, isUuid, type NodeId, refuse, type TreeId } from '@coppice/core';
import { insertedNodes } from '@coppice/core/tree';
import { type LoadedTree, type PersistedEntry, type Persistence, pickTreesOfNodes } from '../in-process/persistence.ts';
import type { SideFileEntry } from './side-files.ts';

type EntryOf<T extends PersistedEntry['type']> = Extract<PersistedEntry, { readonly type: T }>;

/** Persists entries on disk. A subclass defines how each kind of entry is written. */
export abstract class DiskPersistence implements Persistence {
  readonly #asked = new Set<TreeId>();
  #homes: Map<NodeId, TreeId> | null = null;
  #acts: Map<ActId, Set<TreeId>> | null = null;

  /** The trees that cannot be read, with the error of each. */
  protected abstract readonly broken: ReadonlyMap<TreeId, AppError>;
  /**
   * Throws if another process has locked the folder, or if this process has lost the lock. A store with one lease per
   * file checks nothing here: it takes the lease before it writes a file.
   */
  protected abstract assertWritable(): void;
  protected abstract commit(entry: EntryOf<'commit'>): void;
  protected abstract setFormat(entry: EntryOf<'format'>): Promise<void> | void;
  protected abstract purge(entry: EntryOf<'purge'>): Promise<void> | void;
  protected abstract trim(entry: EntryOf<'trim'>): Promise<void> | void;
  protected abstract mend(entry: EntryOf<'mend'>): Promise<void> | void;
  protected abstract purgeTree(id: TreeId): Promise<void> | void;
  protected abstract keepBeside(entry: SideFileEntry): void;
  protected abstract read(id: TreeId): LoadedTree;
  /** Yields every tree that can be read, with the ids of its nodes. */
  protected abstract nodesOfTrees(): Iterable<readonly [TreeId, Iterable<NodeId>]>;
  /** Yields the acts of the trees that are not loaded. */
  protected abstract actsOfTrees(isLoaded: (id: TreeId) => boolean): Iterable<readonly [TreeId, Iterable<ActId>]>;
  abstract readBlob(owner: string, hash: string): Promise<Uint8Array>;

  async persist(entry: PersistedEntry): Promise<void> {
    this.assertWritable();
    switch (entry.type) {
      case 'commit':
        assertOwnIds(entry);
        return this.commit(entry);
      case 'format':
        return this.setFormat(entry);
      case 'purge':
        await this.purge(entry);
        for (const gone of entry.nodeIds) this.#homes?.delete(gone);
        return;
      case 'trim':
        return this.trim(entry);
      case 'mend':
        return this.mend(entry);
      case 'purge-tree':
        await this.purgeTree(entry.treeId);
        for (const [node, home] of this.#homes ?? []) if (home === entry.treeId) this.#homes?.delete(node);
        return;
      default:
        return this.keepBeside(entry);
    }
  }

  async load(id: TreeId): Promise<LoadedTree> {
    const broken = this.broken.get(id);
    if (broken !== undefined) throw broken;
    this.#asked.add(id);
    return this.read(id);
  }

  async findTreesOfNodes(ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, TreeId>> {
    if (this.#homes === null) {
      this.#homes = new Map();
      for (const [tree, nodes] of this.nodesOfTrees()) this.enterNodes(tree, nodes);
    }
    return pickTreesOfNodes(this.#homes, ids);
  }

  /**
   * Adds the nodes of a tree to the index, if the index was built already. If two trees contain the same id, the tree
   * that was indexed first keeps it.
   */
  protected enterNodes(tree: TreeId, nodes: Iterable<NodeId>): void {
    const homes = this.#homes;
    if (homes !== null) for (const node of nodes) if (!homes.has(node)) homes.set(node, tree);
  }

  async findTreesOfAct(act: ActId): Promise<readonly TreeId[]> {
    if (this.#acts === null) {
      this.#acts = new Map();
      for (const [tree, acts] of this.actsOfTrees((id) => this.#asked.has(id)))
        for (const one of acts) this.#acts.set(one, (this.#acts.get(one) ?? new Set<TreeId>()).add(tree));
    }
    return [...(this.#acts.get(act) ?? [])];
  }

  /**
   * Drops the index of acts, or both indexes, after trees were added, removed or rebuilt. The next lookup builds them
   * again.
   */
  protected forgetLookups(which: 'acts' | 'all'): void {
    this.#acts = null;
    if (which === 'all') this.#homes = null;
  }
}

/** Throws if a new id is not a UUID, because ids become parts of file names. */
function assertOwnIds({ applied }: EntryOf<'commit'>): void {
  for (const { id } of insertedNodes(applied.commit.steps))
    if (!isUuid(id)) refuse('id/invalid', 'A new node has a UUID in lower case.', { nodeId: id });
}
