import type { RowChange } from '@coppice/core';
import { applyRowChanges, type LoadedBranch } from './loaded-branch.ts';

/**
 * The commits that the feed delivered while pages were being read. A page that was read before a commit may arrive
 * after it; without these commits it would show the older state until the next read.
 */
export class RecentCommits {
  #commits: { readonly version: number; readonly changes: readonly RowChange[] }[] = [];
  #reads = 0;

  /** Keeps commits from now on, until the returned function is called. Call it after the page was added. */
  keep(): () => void {
    this.#reads++;
    return () => {
      this.#reads--;
      if (this.#reads === 0) this.#commits = [];
    };
  }

  add(version: number, changes: readonly RowChange[]): void {
    if (this.#reads > 0) this.#commits.push({ version, changes });
  }

  /** Applies the kept commits that are newer than a page to the branch that the page was added to. */
  applyAfter(version: number, part: LoadedBranch): LoadedBranch {
    let current = part;
    for (const commit of this.#commits)
      if (commit.version > version) current = applyRowChanges(current, commit.changes, commit.version);
    return current;
  }
}
