/** Temporary trees, which are in memory and have the same interface as all other trees. */
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
  type TreeId,
} from '@coppice/core';
import { stepsFromRows } from '@coppice/core/tree';
import type { InProcessStore } from './in-process/in-process-store.ts';
import { createMemoryStore } from './memory/index.ts';
import type { StoreOptions } from './options.ts';
import { throwUnknownTree } from './refusals.ts';

type TemporaryRows = NonNullable<Reads['rows']['answer']>;

/**
 * The temporary trees beside a store. They are created, read and changed through
 * `store`, which is a memory store. So no list, search, feed or backup of the main
 * store contains them. `keep` moves a tree to the main store, `discard` deletes it.
 */
export class TemporaryTrees {
  /** The store with the temporary trees of this owner. */
  readonly store: Store;
  readonly #main: Store;
  readonly #memory: InProcessStore;

  constructor(main: Store, options: StoreOptions = {}, memory?: InProcessStore) {
    this.#main = main;
    this.#memory = memory ?? createMemoryStore({ ...options, owner: main.owner });
    this.store = this.#memory;
  }

  /** Returns the temporary trees of another owner. */
  forOwner(owner: string): TemporaryTrees {
    return new TemporaryTrees(this.#main.forOwner(owner), {}, this.#memory.forOwner(owner));
  }

  /** Whether this owner has a temporary tree with this id. */
  async has(treeId: TreeId): Promise<boolean> {
    return (await this.#memory.read(treeId, () => ask('tree', {}))) !== null;
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
    const rows = (await this.#memory.read(treeId, () => ask('rows', {}))) ?? throwUnknownTree(treeId);
    for (const hash of blobsIn(rows.nodes)) {
      const [info, bytes] = [await this.#memory.blobs.find(hash), await this.#memory.blobs.read(hash)];
      if (info !== null && bytes !== null) await this.#main.blobs.put(bytes, info.mediaType);
    }
    const changed = await this.#main.change(treeId, () => keepTree(treeId, rows), { ...options, additive: false });
    const names = await this.#memory.externalIdsOf(treeId);
    const live = new Set<NodeId | null>([null, ...rows.nodes.filter(isLive).map((node) => node.id)]);
    await this.#main.putExternalIds(names.filter((name) => live.has(name.nodeId)));
    await this.#memory.discard(treeId);
    return changed;
  }

  /** Deletes a temporary tree with its log and its attachments. Nothing of it can be restored. */
  async discard(treeId: TreeId): Promise<void> {
    await this.#memory.discard(treeId);
  }

  /** Closes the memory store, which deletes all temporary trees. The main store stays open. */
  async close(): Promise<void> {
    await this.#memory.close();
  }
}

function isLive(node: Node): boolean {
  return node.removedIn === null;
}

function* keepTree(treeId: TreeId, rows: TemporaryRows): ReadProgram<Plan<TreeId>> {
  const live = rows.nodes.filter(isLive);
  const pending = live.filter((node) => node.status === 'pending').map((node) => node.id);
  if (pending.length > 0)
    refuse('tree/pending', `A reply is still being written in ${treeId}: stop it first.`, { nodeIds: pending });
  if ((yield* ask('tree', {})) !== null) refuse('tree/exists', `There is a tree ${treeId} already.`, { treeId });
  const [taken] = yield* ask('taken', { ids: live.map((node) => node.id) });
  if (taken !== undefined) refuse('id/taken', `The id ${taken} is taken by another node.`, { nodeId: taken });
  return { steps: stepsFromRows(rows), result: treeId };
}

function blobsIn(nodes: readonly Node[]): Set<string> {
  const hashes = new Set<string>();
  for (const { message } of nodes)
    for (const block of message?.content ?? []) {
      const source: unknown = 'source' in block ? block.source : null;
      if (typeof source !== 'object' || source === null || !('type' in source) || source.type !== 'blob') continue;
      if ('hash' in source && typeof source.hash === 'string') hashes.add(source.hash);
    }
  return hashes;
}
