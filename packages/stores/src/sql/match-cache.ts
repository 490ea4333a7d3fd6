/**
 * Which message was found below which by its key. Whoever sends a whole history with every request has it walked from
 * the top each time; what one walk found, the next need not look up again.
 */
import type { NodeId, RowChange, TreeId } from '@coppice/core';

/** What is known below one message: mostly one child, and others where a history forks. */
interface MatchedChild {
  readonly key: string;
  readonly id: NodeId;
  others: Map<string, NodeId> | null;
}

// About 10 MB. What is over that is forgotten, and found again by one statement a history.
const mostKept = 60_000;
const mostTrees = 500;
// An import is not sent again at once: learning it would only push out what is.
const mostTaken = 500;

/** The ways of one tree. */
export interface TreeMatchCache {
  /** The first live child below a message that has a key, where it is known. */
  next(from: NodeId, key: string): NodeId | undefined;
  /** Keeps that this is the first live child with that key. */
  learn(from: NodeId, key: string, id: NodeId): void;
  /** Keeps that there is none, until the next commit is through. */
  missed(from: NodeId, key: string): void;
}

/** The ways of all trees of a database. They hold as long as tails do. */
export class MatchCache {
  readonly #trees = new Map<TreeId, CachedMatches>();
  #size = 0;

  /** The ways of a tree, to be asked and added to. */
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
    if (++this.#size > mostKept) this.forget();
  }

  /** Takes in what a commit did to a tree that is walked. */
  take(treeId: TreeId, changes: readonly RowChange[]): void {
    const ways = this.#trees.get(treeId);
    if (ways === undefined) return;
    if (changes.length <= mostTaken && ways.take(changes)) return;
    // It may have been forgotten, and counted off, while it took in.
    if (this.#trees.delete(treeId)) this.#size -= ways.size;
  }

  /** Forgets everything. */
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

  /** False where a commit did more than add: what hangs where, or says what, may have changed. */
  take(changes: readonly RowChange[]): boolean {
    const fresh = new Set<NodeId>();
    for (const change of changes) {
      if (!harmless.has(change.op)) return false;
      if (change.op !== 'added') continue;
      const { matchParent, key, id } = change.node;
      if (matchParent === null || key === null) continue;
      // An equal one may have come to stand before the one that is known.
      if (this.next(matchParent, key) !== undefined) return false;
      // Only where none was before is this one surely the first.
      if (fresh.has(matchParent) || (this.#missing?.from === matchParent && this.#missing.key === key))
        this.learn(matchParent, key, id);
      fresh.add(id);
    }
    this.#missing = null;
    return true;
  }
}

// What neither hangs a message elsewhere nor has it say something else.
const harmless: ReadonlySet<RowChange['op']> = new Set([
  'added',
  'pointed',
  'annotated',
  'grouped',
  'bookmarked',
  'attributed',
]);
