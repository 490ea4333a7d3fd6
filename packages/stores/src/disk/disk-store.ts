/** A store whose trees are in memory while every change is written to files. */
import type { FsckOptions, FsckReport, StoreInfo, TreeId } from '@coppice/core';
import { assertArgument } from '@coppice/core/decode';
import { argumentValidators } from '../argument-shapes.ts';
import {
  createInProcessState,
  createStoreParts,
  InProcessStore,
  type StoreIdentity,
  type StoreParts,
} from '../in-process/in-process-store.ts';
import type { UnloadedTree } from '../in-process/persistence.ts';
import type { StoreOptions } from '../options.ts';
import type { DiskPersistence } from './disk-persistence.ts';
import { checkSideFiles } from './side-check.ts';
import type { SideFiles } from './side-files.ts';
import { removeEmptyTransientFolders } from './transient-names.ts';

/** The parts of an open store that all its handles share. */
export interface DiskStoreParts<P extends DiskPersistence> {
  readonly parts: StoreParts;
  readonly identity: StoreIdentity;
  readonly persistence: P;
}

/** A store folder that was opened, and the functions that differ between the kinds of stores on disk. */
export interface DiskStoreInput<P extends DiskPersistence> {
  readonly persistence: P & { close(): Promise<void> | void };
  readonly readOnly: boolean;
  /** Whether feeds include commits of other processes. */
  readonly crossProcessFeed: boolean;
  readonly known: readonly UnloadedTree[];
  /** The folder of the store; null for a single session file in the folder of another program. */
  readonly folder: string | null;
  /** Reads the side files (accounts, runs, attachments, external ids) and registers their contents. */
  read(parts: StoreParts): void;
  info(): StoreInfo;
  backup(to: string): Promise<void>;
}

/**
 * Builds the parts that all handles of a store share. If the store cannot be read completely, its lock is released and
 * the error is thrown.
 */
export async function openDiskStore<P extends DiskPersistence>(
  options: StoreOptions,
  { persistence, readOnly, crossProcessFeed, known, folder, read, info, backup }: DiskStoreInput<P>,
): Promise<DiskStoreParts<P>> {
  const state = createInProcessState(options, { persistence, readOnly });
  const parts = createStoreParts(state, persistence, options);
  try {
    state.register(known);
    read(parts);
  } catch (error) {
    await persistence.close();
    throw error;
  }
  const identity: StoreIdentity = {
    supports: { durable: true, processes: false, search: true, crossProcessFeed, history: true },
    info,
    backup,
    close: async () => {
      await persistence.close();
      if (folder !== null) removeEmptyTransientFolders(folder);
    },
  };
  return { parts, identity, persistence };
}

/** A store on disk, limited to one owner. */
export abstract class DiskStore<P extends DiskPersistence> extends InProcessStore {
  protected readonly opened: DiskStoreParts<P>;

  protected constructor(opened: DiskStoreParts<P>, owner: string) {
    super(opened.parts, opened.identity, owner);
    this.opened = opened;
  }

  protected abstract checkFiles(
    trees: readonly TreeId[],
    repair: boolean,
    onProgress: FsckOptions['onProgress'],
  ): Promise<FsckReport>;
  /** Returns the side files. With `write` this process acquires the right to write them first. */
  protected abstract sides(write: boolean): Iterable<SideFiles>;

  /**
   * Checks the trees with the rules that all stores share, then their files. Without `treeId`, the side files are
   * checked too.
   */
  override async fsck(options: FsckOptions = {}): Promise<FsckReport> {
    const { state } = this.opened.parts;
    state.assertOpen();
    assertArgument('options', options, argumentValidators.fsckOptions);
    const repair = options.repair === true;
    if (repair) state.assertWritable();
    await state.follow(true);
    const wanted = this.wanted(options.treeId);
    if (options.treeId !== undefined && wanted.length === 0) return super.fsck(options);
    const report = await this.checkFiles(wanted, repair, options.onProgress);
    return options.treeId === undefined ? checkSideFiles(report, this.sides(repair), repair) : report;
  }

  /** Checks the rows of one tree, without its files. */
  protected checkTree(treeId: TreeId, repair: boolean): Promise<FsckReport> {
    return super.fsck({ repair, treeId });
  }
}
