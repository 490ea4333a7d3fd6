/** The options that every store takes on opening. */
import type { MessageKit, Store, TreeWriteScope } from '@coppice/core';

/** The owner of everything in a store with a single user. */
export const defaultOwner = 'local';

/** How long an unused attachment is kept: a message may be written some time after its image was uploaded. */
export const defaultAttachmentGraceMs = 3_600_000;

/** Options for opening a store; a store may have further ones. */
export interface StoreOptions {
  /** Whose trees are visible; others' are unknown. */
  readonly owner?: string;
  /** Refuses every write with `tree/read-only`. */
  readonly readOnly?: boolean;
  /** Whether conversations may branch: for no owner, some owners or all (the default). */
  readonly treeWrites?: TreeWriteScope;
  /** The message kit for converting lists to trees; defaults to that of `@coppice/content`. */
  readonly kit?: MessageKit;
  /** The clock for times that a store sets itself; defaults to the machine's. */
  readonly now?: () => number;
  /**
   * How many milliseconds an attachment waits for a message that refers to it, even if another message with the same
   * bytes is purged; defaults to an hour.
   */
  readonly attachmentGrace?: number;
  /** Called while opening converts the tables of an older version, with the number of messages done and of all. */
  readonly onMigration?: (done: number, total: number) => void;
  /**
   * How many bytes of an SQLite file are mapped into memory at most; defaults to 64 MiB. Mapped pages count as memory
   * of the process, so a short one that reads a whole tree takes fewer.
   */
  readonly mappedBytes?: number;
}

/** The exports of a store's folder: `place` is the URL without its scheme. */
export interface StoreModule {
  open(place: string, options: StoreOptions): Promise<Store>;
}

/** Whether an owner's conversations may branch. */
export function canBranch(treeWrites: TreeWriteScope | undefined, owner: string): boolean {
  if (treeWrites === undefined || treeWrites === 'on') return true;
  return treeWrites !== 'off' && treeWrites.owners.includes(owner);
}
