/**
 * Indexes over all trees of a store: the tree of a node, the trees that an act changed, and the tree with a unique key.
 */
import {
  type ActId,
  type ActRecord,
  type NodeId,
  nodeId,
  type PreparedCommit,
  type Read,
  refuse,
  type Tree,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { findRedoableAct, findUndoableAct } from '@coppice/core/history';
import { isUndoable } from '@coppice/core/store';
import { allNodes, findNode } from '@coppice/core/tree';
import type { Persistence } from './persistence.ts';
import { ActIndex, type LoadedTreeSlot, type TreeSlot, type TreeSnapshot } from './tree-slot.ts';

/** Access to the trees of a store for the indexes. */
export interface TreeLookup {
  /** Whether a tree of any owner has this id. */
  has(id: string): boolean;
  find(owner: string, treeId: TreeId): TreeSlot | undefined;
  load(slot: TreeSlot): Promise<LoadedTreeSlot>;
}

/** The indexes over all trees. The persistence answers for trees that are not loaded. */
export class GlobalIndex {
  readonly #trees: TreeLookup;
  readonly #persistence: Persistence | null;
  readonly #treeOfNode = new Map<NodeId, TreeId>();
  readonly #forest = new Map<string, TreeId>();
  readonly #acts = new ActIndex();

  constructor(trees: TreeLookup, persistence: Persistence | null) {
    this.#trees = trees;
    this.#persistence = persistence;
  }

  /** Indexes the nodes and acts of a tree that was loaded. */
  enter(treeId: TreeId, { tree, log }: LoadedTreeSlot): void {
    for (const node of allNodes(tree)) this.#treeOfNode.set(node.id, treeId);
    for (const commit of log) this.#acts.add(commit.actId, treeId);
  }

  /** Indexes nodes that another process added. A node that is already indexed keeps its tree. */
  adopt(treeId: TreeId, ids: readonly NodeId[]): void {
    for (const id of ids) if (!this.#treeOfNode.has(id)) this.#treeOfNode.set(id, treeId);
  }

  /**
   * Indexes the act and the unique key of a persisted commit. Its nodes were indexed when their ids were reserved or
   * adopted. `before` is the tree row before the commit; null for a new tree.
   */
  commit({ commit }: PreparedCommit, before: TreeRow | null, after: TreeRow): void {
    this.#acts.add(commit.actId, after.id);
    if (before !== null) this.leaveForest(before);
    this.enterForest(after);
  }

  /** Removes some nodes of a tree from the index, or the whole tree if no nodes are given. */
  remove(row: TreeRow, nodeIds?: readonly NodeId[]): void {
    if (nodeIds !== undefined) {
      for (const id of nodeIds) this.#treeOfNode.delete(id);
      return;
    }
    this.leaveForest(row);
    for (const [id, home] of this.#treeOfNode) if (home === row.id) this.#treeOfNode.delete(id);
  }

  enterForest(row: TreeRow): void {
    const entry = indexEntryOf(row);
    if (entry !== null) this.#forest.set(entry, row.id);
  }

  leaveForest(row: TreeRow): void {
    const entry = indexEntryOf(row);
    if (entry !== null && this.#forest.get(entry) === row.id) this.#forest.delete(entry);
  }

  /** Returns the tree with this key among the trees of a forest; null if no tree has it. */
  forest(owner: string, project: string, key: string): TreeId | null {
    return this.#forest.get(indexKeyOf(owner, project, key)) ?? null;
  }

  /**
   * Returns which of these ids are taken in any tree of any owner. Ids of trees count as taken too, because a root may
   * have the id of its tree.
   */
  taken(ids: readonly NodeId[]): readonly NodeId[] | Promise<readonly NodeId[]> {
    const here = (id: NodeId) => this.#isTakenHere(id);
    const elsewhere = this.#persistence?.findTreesOfNodes?.(ids.filter((id) => !here(id)));
    if (elsewhere === undefined) return ids.filter(here);
    return elsewhere.then((homes) => ids.filter((id) => here(id) || homes.has(id)));
  }

  #isTakenHere(id: NodeId): boolean {
    return this.#treeOfNode.has(id) || this.#trees.has(id);
  }

  /**
   * Reserves the ids and the unique key of a commit before it is persisted, so that no other commit can use them
   * meanwhile. Throws if one is taken. If the commit fails, the returned function releases them.
   */
  async reserve(treeId: TreeId, ids: readonly NodeId[], tree: Tree): Promise<() => void> {
    const requestedIds = this.#trees.has(treeId) ? ids : [nodeId(treeId), ...ids];
    const [taken] = requestedIds.length === 0 ? [] : await this.taken(requestedIds);
    if (taken !== undefined) refuse('id/taken', `The id ${taken} is taken by another node.`, { nodeId: taken });
    const entry = indexEntryOf(tree);
    const other = entry === null ? undefined : this.#forest.get(entry);
    if (other !== undefined && other !== treeId)
      refuse('tree/exists', `The chat ${other} has this system prompt in this project already.`, { treeId: other });
    for (const id of ids) {
      // Another commit may have taken the id while the persistence was asked.
      if (this.#isTakenHere(id)) refuse('id/taken', `The id ${id} is taken by another node.`, { nodeId: id });
    }
    for (const id of ids) this.#treeOfNode.set(id, treeId);
    if (entry !== null && other === undefined) this.#forest.set(entry, treeId);
    return () => {
      for (const id of ids) this.#treeOfNode.delete(id);
      if (entry !== null && other === undefined) this.#forest.delete(entry);
    };
  }

  /**
   * Returns the owner's tree that contains a live node; null if the node is removed, unknown or in a tree of another
   * owner.
   */
  home(owner: string, id: NodeId): TreeId | null | Promise<TreeId | null> {
    const known = this.#treeOfNode.get(id);
    if (known !== undefined) {
      const slot = this.#trees.find(owner, known);
      if (slot === undefined) return null;
      return slot.loaded === null ? this.#liveIn(slot, id) : isLiveIn(slot.loaded, id, known);
    }
    const elsewhere = this.#persistence?.findTreesOfNodes?.([id]);
    if (elsewhere === undefined) return null;
    return elsewhere.then((homes) => {
      const found = homes.get(id);
      const slot = found === undefined ? undefined : this.#trees.find(owner, found);
      return slot === undefined ? null : this.#liveIn(slot, id);
    });
  }

  async #liveIn(slot: TreeSlot, id: NodeId): Promise<TreeId | null> {
    return isLiveIn(await this.#trees.load(slot), id, slot.id);
  }

  /** Returns the act that an undo or redo in a tree would invert, and the other trees that this act changed. */
  act(
    owner: string,
    treeId: TreeId,
    snapshot: TreeSnapshot | null,
    read: Extract<Read, { ask: 'undoable' | 'redoable' }>,
  ): ActRecord | null | Promise<ActRecord | null> {
    if (snapshot === null) return null;
    const find = read.ask === 'undoable' ? findUndoableAct : findRedoableAct;
    const record = snapshot.record(find(snapshot.log(0), read.actor, read.actId));
    if (record === null) return null;
    const { actId } = record;
    const known = this.#acts.of(actId);
    const others = (ids: Iterable<TreeId>) =>
      [...new Set(ids)].sort().flatMap((id) => (id === treeId ? [] : (this.#trees.find(owner, id) ?? [])));
    const more = this.#persistence?.findTreesOfAct?.(actId);
    if (more !== undefined)
      return more.then(async (ids) => {
        const elsewhere: TreeId[] = [];
        for (const slot of others([...known, ...ids]))
          if (isChangedBy(actId, await this.#trees.load(slot))) elsewhere.push(slot.id);
        return { ...record, elsewhere };
      });
    const elsewhere = others(known).filter(
      ({ loaded: loadedSlot }) => loadedSlot !== null && isChangedBy(actId, loadedSlot),
    );
    return { ...record, elsewhere: elsewhere.map(({ id }) => id) };
  }
}

/** Whether an act counts as a change of a tree. Creating the tree and selecting a node in it do not count. */
function isChangedBy(act: ActId, { log }: LoadedTreeSlot): boolean {
  return log.some(({ actId, version, steps }) => actId === act && version > 1 && isUndoable(steps));
}

function isLiveIn({ tree }: LoadedTreeSlot, id: NodeId, treeId: TreeId): TreeId | null {
  return findNode(tree, id) === undefined ? null : treeId;
}

function indexKeyOf(owner: string, project: string, key: string): string {
  return JSON.stringify([owner, project, key]);
}

function indexEntryOf(row: Pick<TreeRow, 'owner' | 'attributes'>): string | null {
  const { forestKey, project, trashedAt } = row.attributes;
  if (typeof forestKey !== 'string' || trashedAt !== undefined) return null;
  return indexKeyOf(row.owner, project ?? '', forestKey);
}
