/** What commits on their way to the keeper are about to name, and how often something was taken for good. */
import type { Plan } from '@coppice/core';
import { addHashesOfPlan } from '../attachments.ts';

/** A change under way: the attachments that it names are left alone until it ends. */
export interface BlobHold {
  take(plan: Plan<unknown>): void;
  release(): void;
}

/** Attachments that are named by what nobody sees yet. */
export class BlobHolds {
  /** Counts what was purged: a plan that was made across one may copy what is no more. */
  purges = 0;
  /** Whether an owner has attachments at all. */
  keeps: (owner: string) => boolean = () => false;
  readonly #held = new Map<string, number>();

  hold(owner: string): BlobHold {
    const named = new Set<string>();
    return {
      take: (plan) => {
        if (!this.keeps(owner)) return;
        addHashesOfPlan(plan, named);
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
