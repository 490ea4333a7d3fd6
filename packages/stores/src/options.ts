/** The options for opening any store. */
import type { FieldReaders, MessageKit, Store, TreeWriteScope } from '@coppice/core';
import { assertArgument, exactObjectField } from '@coppice/core/decode';

/** The owner of all trees in a store with a single user. */
export const defaultOwner = 'local';

/**
 * How long an attachment is kept without a message that refers to
 * it. A message may be sent some time after its image was uploaded.
 */
export const defaultAttachmentGraceMs = 3_600_000;

/** Options for opening a store. Some stores have further options. */
export interface StoreOptions {
  /** The owner whose trees are visible. Trees of other owners are not. */
  readonly owner?: string;
  /** Whether every write is refused with `tree/read-only`. */
  readonly readOnly?: boolean;
  /** Whether conversations may branch: for no owner, some owners or all (the default). */
  readonly treeWrites?: TreeWriteScope;
  /** The message kit for converting lists to trees; defaults to that of `@coppice/content`. */
  readonly kit?: MessageKit;
  /** The clock for times that the store sets. Defaults to the clock of the machine. */
  readonly now?: () => number;
  /**
   * How many milliseconds an attachment is kept for a message that will refer to it, even if another message with the
   * same bytes is purged. Defaults to an hour.
   */
  readonly attachmentGrace?: number;
  /** Called while the tables of an older version are migrated, with the number of messages done and of all messages. */
  readonly onMigration?: (done: number, total: number) => void;
  /**
   * The most bytes of an SQLite file that are mapped into memory. Defaults to 64 MiB. Mapped pages count as memory of
   * the process, so a short process that reads a whole tree should set less.
   */
  readonly mappedBytes?: number;
}

const optionNames: Readonly<Record<keyof StoreOptions, true>> = {
  owner: true,
  readOnly: true,
  treeWrites: true,
  kit: true,
  now: true,
  attachmentGrace: true,
  onMigration: true,
  mappedBytes: true,
};

/** Throws on an option that the store does not have. `furtherNames` are the options that only this store has. */
export function assertStoreOptions(options: unknown, furtherNames: readonly string[] = []): void {
  const readers: FieldReaders = Object.fromEntries(
    // Only the names are checked, because functions and kits are not JSON.
    [...Object.keys(optionNames), ...furtherNames].map((name) => [name, (fields, key) => fields[key]]),
  );
  assertArgument('options', options, exactObjectField('A store', readers));
}

/** What the `index.ts` of a store's folder exports. `place` is the URL without its scheme. */
export interface StoreModule {
  /** The names of the options that only this store has. */
  readonly extraOptionNames?: readonly string[];
  open(place: string, options: StoreOptions): Promise<Store>;
}

/** Whether an owner's conversations may branch. */
export function canBranch(treeWrites: TreeWriteScope | undefined, owner: string): boolean {
  if (treeWrites === undefined || treeWrites === 'on') return true;
  return treeWrites !== 'off' && treeWrites.owners.includes(owner);
}
