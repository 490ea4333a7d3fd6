/** Protects the attachments of unfinished commits from deletion, and counts purges. */
import type { Plan } from '@coppice/core';
import { addBlobHashesOfPlan } from '../attachments.ts';

/** A change in progress. Its attachments are not deleted until `release` is called. */
export interface BlobHold {
  take(plan: Plan<unknown>): void;
  /** The hashes of the attachments; empty until `take` is called, and if the owner has no attachments. */
  readonly hashes: ReadonlySet<string>;
  release(): void;
}

/**
 * The attachments that unfinished commits refer to. They must not be deleted, although no stored message refers to them
 * yet.
 */
export class BlobHolds {
  /**
   * The number of purges. If it changed while a change was planned, the plan may contain purged data and is made again.
   */
  purges = 0;
  /** Returns whether an owner has any attachments. Without attachments, plans need not be searched for hashes. */
  hasBlobs: (owner: string) => boolean = () => false;
  /** Called after a commit with the attachments that it refers to for the first time. Their uploads no longer wait. */
  onReferred: (owner: string, hashes: ReadonlySet<string>) => Promise<void> = () => Promise.resolve();
  readonly #held = new Map<string, number>();

  hold(owner: string): BlobHold {
    const hashes = new Set<string>();
    return {
      hashes,
      take: (plan) => {
        if (!this.hasBlobs(owner)) return;
        addBlobHashesOfPlan(plan, hashes);
        for (const hash of hashes) this.#count(owner, hash, 1);
      },
      release: () => {
        for (const hash of hashes) this.#count(owner, hash, -1);
        hashes.clear();
      },
    };
  }

  #count(owner: string, hash: string, by: number): void {
    const key = hash + owner;
    const count = (this.#held.get(key) ?? 0) + by;
    if (count === 0) this.#held.delete(key);
    else this.#held.set(key, count);
  }

  has(owner: string, hash: string): boolean {
    return this.#held.has(hash + owner);
  }
}
