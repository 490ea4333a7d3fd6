/**
 * Caches what this process's last commits wrote, per tree: the row, the active node, and which messages were found
 * below which. A chat usually continues where it was, and need not read again what was just written or found.
 */
import type { NodeHead, NodeId, RowChange, TreeId } from '@coppice/core';
import type { StoredTree } from './rows.ts';

/** What is known below one message: usually one child, and others where a history forks. */
interface MatchedChild {
  readonly key: string;
  readonly id: NodeId;
  others: Map<string, NodeId> | null;
}

// About 10 MB. Beyond that everything is dropped, and found again with one statement per history.
const mostMatches = 60_000;
const mostTrees = 500;
// An import is not resent soon; caching it would only displace other entries.
const mostTaken = 500;

/** The cache of one tree. */
export interface TreeMatchCache {
  /** Returns the first live child with a key, if known. */
  next(from: NodeId, key: string): NodeId | undefined;
  /** Records the first live child with a key. */
  learn(from: NodeId, key: string, id: NodeId): void;
  /** Records that there is none, until the next commit. */
  missed(from: NodeId, key: string): void;
}

/** The cache of all trees of a database. It is valid as long as the row cache. */
export class MatchCache {
  readonly #trees = new Map<TreeId, CachedMatches>();
  #size = 0;

  /** Returns the cache of a tree. */
  of(treeId: TreeId): TreeMatchCache {
    let ways = this.#trees.get(treeId);
    if (ways === undefined) {
      if (this.#trees.size >= mostTrees) this.forget();
      ways = new CachedMatches(() => this.#grow());
      this.#trees.set(treeId, ways);
    }
    return ways;
  }

  #grow(): void {
    if (++this.#size > mostMatches) this.forget();
  }

  /** Applies a commit to a cached tree. */
  take(treeId: TreeId, changes: readonly RowChange[]): void {
    const ways = this.#trees.get(treeId);
    if (ways === undefined) return;
    if (changes.length <= mostTaken && ways.take(changes)) return;
    // It may have been dropped, and its size subtracted, meanwhile.
    if (this.#trees.delete(treeId)) this.#size -= ways.size;
  }

  /** Drops everything. */
  forget(): void {
    if (this.#trees.size > 0) this.#trees.clear();
    this.#size = 0;
  }
}

class CachedMatches implements TreeMatchCache {
  readonly #below = new Map<NodeId, MatchedChild>();
  readonly #grow: () => void;
  #missing: { readonly from: NodeId; readonly key: string } | null = null;
  size = 0;

  constructor(grow: () => void) {
    this.#grow = grow;
  }

  next(from: NodeId, key: string): NodeId | undefined {
    const below = this.#below.get(from);
    if (below === undefined) return undefined;
    return below.key === key ? below.id : below.others?.get(key);
  }

  learn(from: NodeId, key: string, id: NodeId): void {
    const below = this.#below.get(from);
    if (below === undefined) this.#below.set(from, { key, id, others: null });
    else if (below.key === key || below.others?.has(key) === true) return;
    else {
      below.others ??= new Map();
      below.others.set(key, id);
    }
    this.size++;
    this.#grow();
  }

  missed(from: NodeId, key: string): void {
    this.#missing = { from, key };
  }

  /** Applies changes; false if a commit did more than add, because places or contents may have changed. */
  take(changes: readonly RowChange[]): boolean {
    const fresh = new Set<NodeId>();
    for (const change of changes) {
      if (mayMove(change)) return false;
      if (change.op !== 'added') continue;
      const { matchParent, key, id } = change.node;
      if (matchParent === null || key === null) continue;
      // An equal message may now come before the known one.
      if (this.next(matchParent, key) !== undefined) return false;
      // It is certainly the first only if there was none before.
      if (fresh.has(matchParent) || (this.#missing?.from === matchParent && this.#missing.key === key))
        this.learn(matchParent, key, id);
      fresh.add(id);
    }
    this.#missing = null;
    return true;
  }
}

/** Whether a change may move a message or change its content. */
function mayMove(change: RowChange): boolean {
  if (change.op !== 'updated') return change.op === 'marked';
  const { parentId, position, matchParent, key } = change.set;
  return parentId !== undefined || position !== undefined || matchParent !== undefined || key !== undefined;
}

/** A tree after a commit. */
export interface CachedRow {
  readonly tree: StoredTree;
  /** The active node if the commit has just added it, so that it has no children. */
  readonly head: NodeHead | null;
  /** The parent of `head` before the commit, if it is known and `head` is its last child. */
  readonly parent: NodeHead | null;
}

// A process with many users continues in many trees; dropped entries are read again.
const mostKept = 500;

/** The cache of one database. It is valid while nobody else writes; its owner clears it otherwise. */
export class RowCache {
  readonly #tails = new Map<TreeId, CachedRow>();
  readonly ways = new MatchCache();

  /** Returns the cached row of an owner's tree. */
  of(owner: string, treeId: TreeId): CachedRow | undefined {
    const tail = this.#tails.get(treeId);
    return tail?.tree.owner === owner ? tail : undefined;
  }

  /** Applies a commit; null if the tree would have to be read. */
  left(treeId: TreeId, tail: CachedRow | null, changes: readonly RowChange[]): void {
    this.ways.take(treeId, changes);
    this.#tails.delete(treeId);
    if (tail === null) return;
    this.#tails.set(treeId, tail);
    if (this.#tails.size <= mostKept) return;
    const [oldest] = this.#tails.keys();
    if (oldest !== undefined) this.#tails.delete(oldest);
  }

  /**
   * Drops everything: another connection has written, a transaction was rolled back, or rows changed without a commit.
   */
  forget(): void {
    this.#tails.clear();
    this.ways.forget();
  }
}
