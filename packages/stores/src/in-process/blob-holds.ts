/** Keeps the attachments of unfinished commits from being deleted, and counts purges. */
import type { Plan } from '@coppice/core';
import { addBlobHashesOfPlan } from '../attachments.ts';

/** A change in progress: the attachments that it refers to are not deleted until it ends. */
export interface BlobHold {
  take(plan: Plan<unknown>): void;
  /** The attachments that the change refers to. */
  readonly named: ReadonlySet<string>;
  release(): void;
}

/** The attachments that unfinished commits refer to. They must not be deleted, although no message shows them yet. */
export class BlobHolds {
  /** The number of purges. A plan from before a purge may copy purged data, so it is planned again. */
  purges = 0;
  /** Whether an owner has any attachments. */
  keeps: (owner: string) => boolean = () => false;
  /** Called with the attachments that a commit is the first to refer to. They no longer need the grace period. */
  referred: (owner: string, hashes: ReadonlySet<string>) => Promise<void> = () => Promise.resolve();
  readonly #held = new Map<string, number>();

  hold(owner: string): BlobHold {
    const named = new Set<string>();
    return {
      named,
      take: (plan) => {
        if (!this.keeps(owner)) return;
        addBlobHashesOfPlan(plan, named);
        for (const hash of named) this.#count(owner, hash, 1);
      },
      release: () => {
        for (const hash of named) this.#count(owner, hash, -1);
        named.clear();
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
