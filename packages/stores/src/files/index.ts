/** Trees in folders of JSON files that other tools read, with a journal for each that has the truth. */
import { resolve } from 'node:path';
import { type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { checkSideFiles } from '../disk/side-check.ts';
import { tidyFolder } from '../disk/transient-names.ts';
import {
  InProcessStore,
  type StoreIdentity,
  type StoreParts,
  storePartsOf,
  treeStateOf,
} from '../in-process/in-process-store.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backupFolder } from './backup.ts';
import { type FilesOpenState, FilesPersistence } from './files-persistence.ts';
import { layoutVersion } from './format-file.ts';
import { fsckFiles } from './fsck.ts';
import { openFolder } from './opening.ts';

/** What the handles of one open folder share. */
interface SharedFolder {
  readonly parts: StoreParts;
  readonly plate: StoreIdentity;
  readonly persistence: FilesPersistence;
  readonly holdings: FilesOpenState;
}

/**
 * A store in a folder: `roots.json`, and for each tree a folder with one file per node, as other programs read them,
 * and a journal that has all of it. One process writes; another one reads each tree as it is when it first asks for it, is told so, and follows nothing.
 */
export class FileSystemStore extends InProcessStore {
  readonly #shared: SharedFolder;

  private constructor(shared: SharedFolder, owner: string) {
    super(shared.parts, shared.plate, owner);
    this.#shared = shared;
  }

  /** Opens a folder, or makes it. Refuses one that is none of ours, that cannot be read, or that a newer build wrote. */
  static async open(place: string, options: StoreOptions = {}): Promise<FileSystemStore> {
    if (place === '') refuse('command/invalid', 'A store in a folder needs the name of the folder, as in files:/path.');
    const path = resolve(place);
    const { holdings, readOnly, notes, known, lists } = openFolder(path, options);
    const persistence = new FilesPersistence(holdings);
    const state = treeStateOf(options, { persistence, readOnly });
    const parts = storePartsOf(state, persistence, options);
    try {
      state.know(known);
      for (const { owner: whose, record, sequence } of lists) state.knowLinear(whose, record, sequence);
      for (const { original } of holdings.originals.values()) parts.names.know(original.names);
      holdings.side.read(parts);
    } catch (error) {
      await persistence.close();
      throw error;
    }
    const plate: StoreIdentity = {
      supports: { durable: true, processes: false, search: true, crossProcessFeed: false, history: true },
      info: (): StoreInfo => ({
        kind: 'files',
        place: path,
        readOnly: !persistence.writes,
        schemaVersion: layoutVersion,
        notes: [
          ...notes,
          ...(persistence.trouble === null
            ? []
            : [`Everything is saved, but the files for other programs are behind: ${persistence.trouble}`]),
          'Search looks through every message.',
        ],
      }),
      backup: (to) => backupFolder(holdings, persistence, to),
      close: async () => {
        await persistence.close();
        tidyFolder(path);
      },
    };
    return new FileSystemStore({ parts, plate, persistence, holdings }, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): FileSystemStore {
    return new FileSystemStore(this.#shared, owner);
  }

  /** Checks trees as every store does, and that their files say what their journals say; repair writes the files anew. */
  override async fsck(options: { readonly repair?: boolean; readonly treeId?: TreeId } = {}): Promise<FsckReport> {
    const { parts, persistence, holdings } = this.#shared;
    parts.state.alive();
    if (options.repair === true) parts.state.writable();
    if (options.treeId !== undefined && parts.state.find(this.owner, options.treeId) === undefined)
      return super.fsck(options);
    await persistence.flush();
    const repair = options.repair === true;
    const report = await fsckFiles({
      trees: this.wanted(options.treeId),
      holdings,
      persistence,
      repair,
      check: (treeId) => super.fsck({ ...options, treeId }),
    });
    return options.treeId === undefined ? checkSideFiles(report, [holdings.side], repair) : report;
  }
}

/** Opens a store in a folder; what follows the scheme is its path. */
export async function open(place: string, options: StoreOptions): Promise<FileSystemStore> {
  return FileSystemStore.open(place, options);
}
