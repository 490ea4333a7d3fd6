/** What every store can be told when it is opened. */
import type { MessageKit, Store, TreeWrites } from '@coppice/core';

/** The owner of everything where there is only one. */
export const defaultOwner = 'local';

/** How long an attachment that was put waits to be named: a message may be written at leisure after its picture came. */
export const usualGrace = 3_600_000;

/** How a store is opened; a store may know further options of its own. */
export interface StoreOptions {
  /** Whose trees are seen; others' are unknown. */
  readonly owner?: string;
  /** Refuses every write with `tree/read-only`. */
  readonly readOnly?: boolean;
  /** Whether conversations may branch: for nobody, for some owners, for everybody (the default). */
  readonly treeWrites?: TreeWrites;
  /** What stored lists of messages are turned into trees with; the kit of `@coppice/content` if not given. */
  readonly kit?: MessageKit;
  /** The clock, for what a store dates itself; the machine's if not given. */
  readonly now?: () => number;
  /**
   * For how many milliseconds an attachment that was put waits for a message to name it, whoever else lets go of the same
   * bytes; an hour if not given.
   */
  readonly attachmentGrace?: number;
}

/** What the folder of a store exports: `place` is what follows the scheme in its URL. */
export interface StoreModule {
  open(place: string, options: StoreOptions): Promise<Store>;
}

/** Whether an owner's conversations may branch. */
export function mayBranch(treeWrites: TreeWrites | undefined, owner: string): boolean {
  if (treeWrites === undefined || treeWrites === 'on') return true;
  return treeWrites !== 'off' && treeWrites.owners.includes(owner);
}
