/**
 * Caches what the last commits of this process wrote, for each tree: the tree row, the active node, and matched
 * messages. A chat usually continues at its end, where nothing has to be read again.
 */
import type { NodeHead, NodeId, RowChange, TreeId } from '@coppice/core';
import type { StoredTree } from './rows.ts';

/** A known child of a message. `others` has further children by key, where branches begin. */
interface MatchedChild {
  readonly key: string;
  readonly id: NodeId;
  others: Map<string, NodeId> | null;
}

// About 10 MB. If the cache grows larger it is emptied, and one query per history fills it again.
const mostMatches = 60_000;
const mostTrees = 500;
// Large commits are not cached: an imported history is rarely sent again, and would displace other entries.
const mostTaken = 500;

/** The matched messages of one tree, by parent and key. */
export interface TreeMatchCache {
  /** Returns the first live child with a key; undefined if the cache does not know it. */
  next(from: NodeId, key: string): NodeId | undefined;
  /** Records the first live child with a key. */
  learn(from: NodeId, key: string, id: NodeId): void;
  /** Records that no live child has the key. Valid until the next commit. */
  missed(from: NodeId, key: string): void;
}

/** The match caches of all trees of a database. They are cleared together with the row cache. */
export class MatchCache {
  readonly #trees = new Map<TreeId, CachedMatches>();
  #size = 0;

  of(treeId: TreeId): TreeMatchCache {
    let matches = this.#trees.get(treeId);
    if (matches === undefined) {
      if (this.#trees.size >= mostTrees) this.forget();
      matches = new CachedMatches(() => this.#countEntry());
      this.#trees.set(treeId, matches);
    }
    return matches;
  }

  #countEntry(): void {
    if (++this.#size > mostMatches) this.forget();
  }

  /** Applies a commit to the cache of its tree, or drops that cache if existing nodes may have moved or changed. */
  take(treeId: TreeId, changes: readonly RowChange[]): void {
    const matches = this.#trees.get(treeId);
    if (matches === undefined) return;
    if (changes.length <= mostTaken && matches.take(changes)) return;
    // If the cache overflowed meanwhile, it was emptied and its size reset.
    if (this.#trees.delete(treeId)) this.#size -= matches.size;
  }

  forget(): void {
    if (this.#trees.size > 0) this.#trees.clear();
    this.#size = 0;
  }
}

class CachedMatches implements TreeMatchCache {
  readonly #childOf = new Map<NodeId, MatchedChild>();
  readonly #countEntry: () => void;
  #missing: { readonly from: NodeId; readonly key: string } | null = null;
  size = 0;

  constructor(grow: () => void) {
    this.#countEntry = grow;
  }

  next(from: NodeId, key: string): NodeId | undefined {
    const below = this.#childOf.get(from);
    if (below === undefined) return undefined;
    return below.key === key ? below.id : below.others?.get(key);
  }

  learn(from: NodeId, key: string, id: NodeId): void {
    const below = this.#childOf.get(from);
    if (below === undefined) this.#childOf.set(from, { key, id, others: null });
    else if (below.key === key || below.others?.has(key) === true) return;
    else {
      below.others ??= new Map();
      below.others.set(key, id);
    }
    this.size++;
    this.#countEntry();
  }

  missed(from: NodeId, key: string): void {
    this.#missing = { from, key };
  }

  /**
   * Applies the changes of a commit. Returns false if the commit may have moved or changed existing nodes; the caller
   * then drops the cache of the tree.
   */
  take(changes: readonly RowChange[]): boolean {
    const fresh = new Set<NodeId>();
    for (const change of changes) {
      if (mayMove(change)) return false;
      if (change.op !== 'added') continue;
      const { matchParent, key, id } = change.node;
      if (matchParent === null || key === null) continue;
      // The new message may come before the cached message with the same key.
      if (this.next(matchParent, key) !== undefined) return false;
      // The new message is certainly the first one with this key only if no child had the key before.
      if (fresh.has(matchParent) || (this.#missing?.from === matchParent && this.#missing.key === key))
        this.learn(matchParent, key, id);
      fresh.add(id);
    }
    this.#missing = null;
    return true;
  }
}

/** Whether a change may move a node, remove it, or change its key. */
function mayMove(change: RowChange): boolean {
  if (change.op !== 'updated') return change.op === 'marked';
  const { parentId, position, matchParent, key } = change.set;
  return parentId !== undefined || position !== undefined || matchParent !== undefined || key !== undefined;
}

/** What is known of a tree after a commit. */
export interface CachedRow {
  readonly tree: StoredTree;
  /** The active node, if the last commit added it, so that it has no children; else null. */
  readonly head: NodeHead | null;
  /** The parent of `head` as it was before the commit, if it is known and `head` is its last child; else null. */
  readonly parent: NodeHead | null;
}

// The maximum number of cached trees. A server with many users would otherwise keep a row for every tree.
const mostKept = 500;

/** The row cache of one database. It is valid until another connection writes; the engine then clears it. */
export class RowCache {
  readonly #rows = new Map<TreeId, CachedRow>();
  readonly matches = new MatchCache();

  /** Returns what is known of an owner's tree; undefined if the tree has to be read. */
  of(owner: string, treeId: TreeId): CachedRow | undefined {
    const row = this.#rows.get(treeId);
    return row?.tree.owner === owner ? row : undefined;
  }

  /** Updates the cache after a commit. With null the tree has to be read again. */
  update(treeId: TreeId, row: CachedRow | null, changes: readonly RowChange[]): void {
    this.matches.take(treeId, changes);
    this.#rows.delete(treeId);
    if (row === null) return;
    this.#rows.set(treeId, row);
    if (this.#rows.size <= mostKept) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }

  /**
   * Drops all entries. Called when another connection has written, a
   * transaction was rolled back, or rows changed without a commit.
   */
  forget(): void {
    this.#rows.clear();
    this.matches.forget();
  }
}
