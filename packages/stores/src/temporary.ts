/**
 * Temporary trees, which have the same interface as all other trees. They are in memory, or in the database if several
 * servers share the main store.
 */
import { byteSourceOf } from '@coppice/content';
import {
  ask,
  type ChangeOptions,
  type ChangeResult,
  type Node,
  type NodeId,
  type Plan,
  type ReadProgram,
  type Reads,
  refuse,
  type Store,
  type TemporaryStore,
  type TreeId,
} from '@coppice/core';
import { stepsFromRows } from '@coppice/core/tree';
import { createMemoryStore } from './memory/index.ts';
import type { StoreOptions } from './options.ts';
import { throwUnknownTree } from './refusals.ts';

type TemporaryRows = NonNullable<Reads['rows']['answer']>;

/**
 * The temporary trees beside a store. They are created, read and changed through
 * `store`, which is apart from the main store. So no list, search, feed or backup of
 * the main store contains them. `keep` moves a tree to the main store, `discard` deletes it.
 */
export class TemporaryTrees {
  readonly #main: Store;
  readonly #inMemory: TemporaryStore;
  #inDatabase: TemporaryStore | null = null;

  constructor(main: Store, options: StoreOptions = {}, inMemory?: TemporaryStore) {
    this.#main = main;
    this.#inMemory = inMemory ?? createMemoryStore({ ...options, owner: main.owner });
  }

  /**
   * The store with the temporary trees of this owner. It is in memory until the database takes writes, and then in the
   * database.
   */
  get store(): Store {
    return this.#apart;
  }

  get #apart(): TemporaryStore {
    const { shared } = this.#main;
    if (shared === null) return this.#inMemory;
    this.#inDatabase ??= shared.temporary.forOwner(this.#main.owner);
    return this.#inDatabase;
  }

  /** Returns the temporary trees of another owner. */
  forOwner(owner: string): TemporaryTrees {
    return new TemporaryTrees(this.#main.forOwner(owner), {}, this.#inMemory.forOwner(owner));
  }

  /** Whether this owner has a temporary tree with this id. */
  async has(treeId: TreeId): Promise<boolean> {
    return (await this.#apart.formatOf(treeId)) !== null;
  }

  /** Returns the store that contains a tree, for code that works with temporary and stored trees. */
  async storeOf(treeId: TreeId): Promise<Store> {
    return (await this.has(treeId)) ? this.store : this.#main;
  }

  /**
   * Moves a tree to the main store. One commit inserts it with the same ids, order, groups, bookmarks and active node,
   * then its attachments and external ids are copied. Its trash and its log are not moved. Throws if a reply is pending
   * or an id is taken; then the tree stays temporary.
   */
  async keep(treeId: TreeId, options: Omit<ChangeOptions, 'additive'>): Promise<ChangeResult<TreeId>> {
    const write = { ...options, additive: false };
    // A tree in the trash takes no messages, so no message is acknowledged and then missing in the copy.
    const { result: rows } = await this.#apart.change(treeId, () => moveToTrash(treeId, options.at), write);
    const changed = await this.#insert(treeId, rows, write).catch(async (error: unknown) => {
      // If the tree is in the main store now, another process has kept it at the same moment.
      if ((await this.#main.formatOf(treeId)) === null) await this.#apart.change(treeId, restoreFromTrash, write);
      throw error;
    });
    const names = await this.#apart.externalIdsOf(treeId);
    const live = new Set<NodeId | null>([null, ...rows.nodes.filter(isLive).map((node) => node.id)]);
    await this.#main.putExternalIds(names.filter((name) => live.has(name.nodeId)));
    await this.#apart.discard(treeId);
    return changed;
  }

  async #insert(treeId: TreeId, rows: TemporaryRows, options: ChangeOptions): Promise<ChangeResult<TreeId>> {
    for (const hash of blobsIn(rows.nodes)) {
      const [info, bytes] = [await this.#apart.blobs.find(hash), await this.#apart.blobs.read(hash)];
      if (info !== null && bytes !== null) await this.#main.blobs.put(bytes, info.mediaType);
    }
    return this.#main.change(treeId, () => keepTree(treeId, rows), options);
  }

  /** Deletes a temporary tree with its log and its attachments. Nothing of it can be restored. */
  async discard(treeId: TreeId): Promise<void> {
    await this.#apart.discard(treeId);
  }

  /** Closes the temporary trees; those in memory are deleted. The main store stays open. */
  async close(): Promise<void> {
    await this.#inMemory.close();
  }
}

function isLive(node: Node): boolean {
  return node.removedIn === null;
}

/** Moves a temporary tree to the trash, unless an interrupted `keep` did. The result has the rows before the move. */
function* moveToTrash(treeId: TreeId, at: number): ReadProgram<Plan<TemporaryRows>> {
  const rows = (yield* ask('rows', {})) ?? throwUnknownTree(treeId);
  const pending = rows.nodes.filter((node) => isLive(node) && node.status === 'pending').map((node) => node.id);
  if (pending.length > 0)
    refuse('tree/pending', `A reply is still being written in ${treeId}: stop it first.`, { nodeIds: pending });
  const { trashedAt, ...attributes } = rows.row.attributes;
  return {
    steps:
      trashedAt === undefined ? [{ type: 'attributes', after: { trashedAt: at }, before: { trashedAt: null } }] : [],
    result: { ...rows, row: { ...rows.row, attributes } },
  };
}

function* restoreFromTrash(): ReadProgram<Plan<null>> {
  const { trashedAt } = (yield* ask('tree', {}))?.attributes ?? {};
  return {
    steps: trashedAt === undefined ? [] : [{ type: 'attributes', after: { trashedAt: null }, before: { trashedAt } }],
    result: null,
  };
}

function* keepTree(treeId: TreeId, rows: TemporaryRows): ReadProgram<Plan<TreeId>> {
  const live = rows.nodes.filter(isLive);
  if ((yield* ask('tree', {})) !== null) refuse('tree/exists', `There is a chat ${treeId} already.`, { treeId });
  const [taken] = yield* ask('taken', { ids: live.map((node) => node.id) });
  if (taken !== undefined) refuse('id/taken', `The id ${taken} is taken by another node.`, { nodeId: taken });
  return { steps: stepsFromRows(rows), result: treeId };
}

function blobsIn(nodes: readonly Node[]): Set<string> {
  const hashes = new Set<string>();
  for (const { message } of nodes)
    for (const block of message?.content ?? []) {
      const source = byteSourceOf(block);
      if (source?.type === 'blob') hashes.add(source.hash);
    }
  return hashes;
}
