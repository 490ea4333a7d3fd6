/**
 * A store in a folder of JSON files that other tools can read. If other files of a tree differ from its journal, the
 * journal is right.
 */
import { resolve } from 'node:path';
import { type FsckOptions, type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { DiskStore, openDiskStore } from '../disk/disk-store.ts';
import type { SideFiles } from '../disk/side-files.ts';
import { registerNativeHash } from '../native-hash.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backUpFolder } from './backup.ts';
import { FilesPersistence } from './files-persistence.ts';
import { folderLayoutVersion } from './format-file.ts';
import { fsckFiles } from './fsck.ts';
import { openFilesFolder } from './opening.ts';

/**
 * A store in a folder: `roots.json`, and for each tree a folder with a journal and one file per node, which other
 * programs can read. One process writes. Other processes can read, but load each tree once and do not see later
 * changes; a note tells them so.
 */
export class FileSystemStore extends DiskStore<FilesPersistence> {
  /**
   * Opens or creates the folder of a store. Throws if the folder is not a store, cannot be read, or is from a newer
   * version.
   */
  static async open(place: string, options: StoreOptions = {}): Promise<FileSystemStore> {
    if (place === '') refuse('command/invalid', 'A store in a folder needs the name of the folder, as in files:/path.');
    const path = resolve(place);
    const { holdings, readOnly, notes, known } = openFilesFolder(path, options);
    const persistence = new FilesPersistence(holdings);
    const behind = () =>
      persistence.trouble === null
        ? []
        : [`Everything is saved, but the files for other programs are behind: ${persistence.trouble}`];
    const opened = await openDiskStore(options, {
      persistence,
      readOnly,
      crossProcessFeed: false,
      known,
      folder: path,
      read: (parts) => {
        for (const { original } of holdings.originals.values()) parts.names.register(original.names);
        holdings.side.read(parts);
      },
      info: (): StoreInfo => ({
        kind: 'files',
        place: path,
        readOnly: !persistence.writes,
        schemaVersion: folderLayoutVersion,
        notes: [...notes, ...behind(), 'Search scans every message.'],
      }),
      backup: (to) => backUpFolder(holdings, persistence, to),
    });
    return new FileSystemStore(opened, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): FileSystemStore {
    return new FileSystemStore(this.opened, owner);
  }

  /** Compares the files with their journals. With `repair` the files that differ are written again. */
  protected async checkFiles(
    trees: readonly TreeId[],
    repair: boolean,
    onProgress: FsckOptions['onProgress'],
  ): Promise<FsckReport> {
    const { persistence } = this.opened;
    await persistence.flush();
    const check = (treeId: TreeId) => this.checkTree(treeId, repair);
    return fsckFiles({ trees, persistence, repair, onProgress, check });
  }

  protected sides(): Iterable<SideFiles> {
    return [this.opened.persistence.holdings.side];
  }
}

/** Opens a store in a folder; `place` is the path in the URL. */
export async function open(place: string, options: StoreOptions): Promise<FileSystemStore> {
  registerNativeHash();
  return FileSystemStore.open(place, options);
}
