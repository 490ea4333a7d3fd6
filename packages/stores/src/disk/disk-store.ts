/** A store on a disk: trees in memory that are backed by files, and a check of those files. */
import type { FsckReport, StoreInfo, TreeId } from '@coppice/core';
import {
  InProcessStore,
  type StoreIdentity,
  type StoreParts,
  storePartsOf,
  treeStateOf,
} from '../in-process/in-process-store.ts';
import type { KnownList, KnownTree } from '../in-process/persistence.ts';
import type { StoreOptions } from '../options.ts';
import type { DiskPersistence } from './disk-persistence.ts';
import { checkSideFiles } from './side-check.ts';
import type { SideFiles } from './side-files.ts';
import { tidyFolder } from './transient-names.ts';

/** What the handles of one open place share. */
export interface Opened<P extends DiskPersistence> {
  readonly parts: StoreParts;
  readonly plate: StoreIdentity;
  readonly persistence: P;
}

/** A place as it was found, and what is done with it. */
export interface Opening<P extends DiskPersistence> {
  readonly persistence: P & { close(): Promise<void> | void };
  readonly readOnly: boolean;
  /** Whether feeds have what other processes write. */
  readonly crossProcessFeed: boolean;
  readonly known: readonly KnownTree[];
  readonly lists: readonly KnownList[];
  /** The folder of the store; null where it is one file in a folder of somebody else's. */
  readonly folder: string | null;
  /** Reads what lies beside the trees. */
  read(parts: StoreParts): void;
  info(): StoreInfo;
  backup(to: string): Promise<void>;
}

/** Puts together what the handles of a place share. A place that cannot be read whole is closed again. */
export async function openDiskStore<P extends DiskPersistence>(
  options: StoreOptions,
  { persistence, readOnly, crossProcessFeed, known, lists, folder, read, info, backup }: Opening<P>,
): Promise<Opened<P>> {
  const state = treeStateOf(options, { persistence, readOnly });
  const parts = storePartsOf(state, persistence, options);
  try {
    state.know(known);
    for (const { owner, record, sequence } of lists) state.knowLinear(owner, record, sequence);
    read(parts);
  } catch (error) {
    await persistence.close();
    throw error;
  }
  const plate: StoreIdentity = {
    supports: { durable: true, processes: false, search: true, crossProcessFeed, history: true },
    info,
    backup,
    close: async () => {
      await persistence.close();
      if (folder !== null) tidyFolder(folder);
    },
  };
  return { parts, plate, persistence };
}

/** A store on a disk, as one owner sees it. */
export abstract class DiskStore<P extends DiskPersistence> extends InProcessStore {
  protected readonly opened: Opened<P>;

  protected constructor(opened: Opened<P>, owner: string) {
    super(opened.parts, opened.plate, owner);
    this.opened = opened;
  }

  /** Checks trees with their files. */
  protected abstract checkFiles(trees: readonly TreeId[], repair: boolean): Promise<FsckReport>;
  /** What lies beside the trees; with `write` it is this process's to write. */
  protected abstract sides(write: boolean): Iterable<SideFiles>;

  /** Checks trees as every store does, the files that they lie in, and what lies beside them. */
  override async fsck(options: { readonly repair?: boolean; readonly treeId?: TreeId } = {}): Promise<FsckReport> {
    const { state } = this.opened.parts;
    state.alive();
    const repair = options.repair === true;
    if (repair) state.writable();
    await state.follow(true);
    const wanted = this.wanted(options.treeId);
    if (options.treeId !== undefined && wanted.length === 0) return super.fsck(options);
    const report = await this.checkFiles(wanted, repair);
    return options.treeId === undefined ? checkSideFiles(report, this.sides(repair), repair) : report;
  }

  /** The check that every store makes of one tree. */
  protected checkTree(treeId: TreeId, repair: boolean): Promise<FsckReport> {
    return super.fsck({ repair, treeId });
  }
}
