/**
 * Caches what the last commits of this process wrote, per tree: the row, the active node, and the messages that were
 * matched. A chat usually continues at its end, and need not read again what was just written.
 */
import type { NodeHead, NodeId, RowChange, TreeId } from '@coppice/core';
import type { StoredTree } from './rows.ts';

/** The known children of one message by key: usually one, or several where branches begin. */
interface MatchedChild {
  readonly key: string;
  readonly id: NodeId;
  others: Map<string, NodeId> | null;
}

// About 10 MB. Beyond that the cache is emptied, and one statement per history finds the messages again.
const mostMatches = 60_000;
const mostTrees = 500;
// An import is not sent again soon. In the cache it would only displace other entries.
const mostTaken = 500;

/** The match cache of one tree. */
export interface TreeMatchCache {
  /** Returns the first live child with a key; undefined if it is not known. */
  next(from: NodeId, key: string): NodeId | undefined;
  /** Records the first live child with a key. */
  learn(from: NodeId, key: string, id: NodeId): void;
  /** Records that no live child has a key, until the next commit. */
  missed(from: NodeId, key: string): void;
}

/** The match caches of all trees of a database. They are valid as long as the row cache. */
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

  /** Updates the cache of a tree after a commit. */
  take(treeId: TreeId, changes: readonly RowChange[]): void {
    const ways = this.#trees.get(treeId);
    if (ways === undefined) return;
    if (changes.length <= mostTaken && ways.take(changes)) return;
    // The cache of the tree may have been dropped meanwhile, and its size subtracted.
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

  /**
   * Applies the changes of a commit. Returns false if it did more
   * than add nodes, because nodes may have moved or changed.
   */
  take(changes: readonly RowChange[]): boolean {
    const fresh = new Set<NodeId>();
    for (const change of changes) {
      if (mayMove(change)) return false;
      if (change.op !== 'added') continue;
      const { matchParent, key, id } = change.node;
      if (matchParent === null || key === null) continue;
      // The new message may come before the known message with the same key.
      if (this.next(matchParent, key) !== undefined) return false;
      // The new message is certainly the first one with this key only if there was none before.
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

/** The cached state of a tree after a commit. */
export interface CachedRow {
  readonly tree: StoredTree;
  /** The active node, if the commit has just added it, so that it has no children. Null otherwise. */
  readonly head: NodeHead | null;
  /** The parent of `head` before the commit, if it is known and `head` is its last child. */
  readonly parent: NodeHead | null;
}

// A server with many users writes to many trees. Entries that were dropped are read again.
const mostKept = 500;

/** The row cache of one database. It is valid while no other connection writes. Otherwise the engine clears it. */
export class RowCache {
  readonly #tails = new Map<TreeId, CachedRow>();
  readonly ways = new MatchCache();

  /** Returns the cached row of an owner's tree. */
  of(owner: string, treeId: TreeId): CachedRow | undefined {
    const tail = this.#tails.get(treeId);
    return tail?.tree.owner === owner ? tail : undefined;
  }

  /** Updates the cache after a commit. `tail` is null if the tree has to be read again. */
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
   * Drops all entries. Called when another connection has written, a
   * transaction was rolled back, or rows changed without a commit.
   */
  forget(): void {
    this.#tails.clear();
    this.ways.forget();
  }
}
