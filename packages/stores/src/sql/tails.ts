/**
 * What this process's last commits left behind, tree by tree: the row and the active node. A chat goes on where it went
 * on last, and need not read again what it has just written.
 */
import type { NodeHead, TreeId } from '@coppice/core';
import type { StoredTree } from './rows.ts';

/** A tree as a commit left it that hung a message below the active node and went there. */
export interface Tail {
  readonly tree: StoredTree;
  /** The active node. It was just added: nothing hangs below it. */
  readonly head: NodeHead;
}

// A process that answers many users goes on in many trees; what is forgotten is read.
const mostKept = 500;

/** The tails of one database. They hold while nobody else has written: whoever keeps them says when that ends. */
export class Tails {
  readonly #tails = new Map<TreeId, Tail>();

  /** What is known of a tree of an owner. */
  of(owner: string, treeId: TreeId): Tail | undefined {
    const tail = this.#tails.get(treeId);
    return tail?.tree.owner === owner ? tail : undefined;
  }

  /** Takes in what a commit leaves; null where that would have to be read. */
  left(treeId: TreeId, tail: Tail | null): void {
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
  }
}
