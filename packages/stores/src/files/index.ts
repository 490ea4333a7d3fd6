/** Trees in folders of JSON files that other tools read, with a journal for each that has the truth. */
import { resolve } from 'node:path';
import { type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { DiskStore, openDiskStore } from '../disk/disk-store.ts';
import type { SideFiles } from '../disk/side-files.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backupFolder } from './backup.ts';
import { FilesPersistence } from './files-persistence.ts';
import { layoutVersion } from './format-file.ts';
import { fsckFiles } from './fsck.ts';
import { openFolder } from './opening.ts';

/**
 * A store in a folder: `roots.json`, and for each tree a folder with one file per node, as other programs read them,
 * and a journal that has all of it. One process writes; another one reads each tree as it is when it first asks for it, is told so, and follows nothing.
 */
export class FileSystemStore extends DiskStore<FilesPersistence> {
  /** Opens a folder, or makes it. Refuses one that is none of ours, that cannot be read, or that a newer build wrote. */
  static async open(place: string, options: StoreOptions = {}): Promise<FileSystemStore> {
    if (place === '') refuse('command/invalid', 'A store in a folder needs the name of the folder, as in files:/path.');
    const path = resolve(place);
    const { holdings, readOnly, notes, known, lists } = openFolder(path, options);
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
      lists,
      folder: path,
      read: (parts) => {
        for (const { original } of holdings.originals.values()) parts.names.know(original.names);
        holdings.side.read(parts);
      },
      info: (): StoreInfo => ({
        kind: 'files',
        place: path,
        readOnly: !persistence.writes,
        schemaVersion: layoutVersion,
        notes: [...notes, ...behind(), 'Search looks through every message.'],
      }),
      backup: (to) => backupFolder(holdings, persistence, to),
    });
    return new FileSystemStore(opened, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): FileSystemStore {
    return new FileSystemStore(this.opened, owner);
  }

  /** Checks that files say what their journals say; repair writes the files anew. */
  protected async checkFiles(trees: readonly TreeId[], repair: boolean): Promise<FsckReport> {
    const { persistence } = this.opened;
    await persistence.flush();
    return fsckFiles({ trees, persistence: persistence, repair, check: (treeId) => this.checkTree(treeId, repair) });
  }

  protected sides(): Iterable<SideFiles> {
    return [this.opened.persistence.holdings.side];
  }
}

/** Opens a store in a folder; what follows the scheme is its path. */
export async function open(place: string, options: StoreOptions): Promise<FileSystemStore> {
  return FileSystemStore.open(place, options);
}
