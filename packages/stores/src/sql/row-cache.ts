/**
 * What this process's last commits left behind, tree by tree: the row, the active node, and which messages were found
 * below which. A chat goes on where it went on last, and need not read again what it has just written or found.
 */
import type { NodeHead, RowChange, TreeId } from '@coppice/core';
import { MatchCache } from './match-cache.ts';
import type { StoredTree } from './rows.ts';

/** A tree as a commit left it. */
export interface CachedRow {
  readonly tree: StoredTree;
  /** The active node where the commit has just added it: nothing hangs below it. */
  readonly head: NodeHead | null;
}

// A process that answers many users goes on in many trees; what is forgotten is read.
const mostKept = 500;

/** The tails of one database. They hold while nobody else has written: whoever keeps them says when that ends. */
export class RowCache {
  readonly #tails = new Map<TreeId, CachedRow>();
  readonly ways = new MatchCache();

  /** What is known of a tree of an owner. */
  of(owner: string, treeId: TreeId): CachedRow | undefined {
    const tail = this.#tails.get(treeId);
    return tail?.tree.owner === owner ? tail : undefined;
  }

  /** Takes in what a commit did and leaves; null where the tree would have to be read. */
  left(treeId: TreeId, tail: CachedRow | null, changes: readonly RowChange[]): void {
    this.ways.take(treeId, changes);
    this.#tails.delete(treeId);
    if (tail === null) return;
    this.#tails.set(treeId, tail);
    if (this.#tails.size <= mostKept) return;
    const [oldest] = this.#tails.keys();
    if (oldest !== undefined) this.#tails.delete(oldest);
  }

  /** Forgets everything: another connection has written, something was taken back, or rows changed past any commit. */
  forget(): void {
    this.#tails.clear();
    this.ways.forget();
  }
}
