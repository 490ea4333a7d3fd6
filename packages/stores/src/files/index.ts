/** Trees in folders of JSON files that other tools read, with a journal for each that has the truth. */
import { resolve } from 'node:path';
import { type FsckReport, refuse, type StoreInfo, type TreeId } from '@coppice/core';
import { BookStore, bookOf, type Desk, deskOf, type Nameplate } from '../book/book-store.ts';
import { tidyFolder } from '../disk/passing.ts';
import { withSides } from '../disk/side-check.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import { backupFolder } from './backup.ts';
import { FilesKeeper, type Holdings } from './files-keeper.ts';
import { layoutVersion } from './format-file.ts';
import { fsckFiles } from './fsck.ts';
import { openFolder } from './opening.ts';

/** What the handles of one open folder share. */
interface Shared {
  readonly desk: Desk;
  readonly plate: Nameplate;
  readonly keeper: FilesKeeper;
  readonly holdings: Holdings;
}

/**
 * A store in a folder: `roots.json`, and for each tree a folder with one file per node, as other programs read them,
 * and a journal that has all of it. One process writes; another one reads each tree as it is when it first asks for it, is told so, and follows nothing.
 */
export class FileSystemStore extends BookStore {
  readonly #shared: Shared;

  private constructor(shared: Shared, owner: string) {
    super(shared.desk, shared.plate, owner);
    this.#shared = shared;
  }

  /** Opens a folder, or makes it. Refuses one that is none of ours, that cannot be read, or that a newer build wrote. */
  static async open(place: string, options: StoreOptions = {}): Promise<FileSystemStore> {
    if (place === '') refuse('command/invalid', 'A store in a folder needs the name of the folder, as in files:/path.');
    const path = resolve(place);
    const { holdings, readOnly, notes, known, lists } = openFolder(path, options);
    const keeper = new FilesKeeper(holdings);
    const book = bookOf(options, { keeper, readOnly });
    const desk = deskOf(book, keeper, options);
    try {
      book.know(known);
      for (const { owner: whose, record, sequence } of lists) book.knowLinear(whose, record, sequence);
      for (const { original } of holdings.originals.values()) desk.names.know(original.names);
      holdings.side.read(desk);
    } catch (error) {
      await keeper.close();
      throw error;
    }
    const plate: Nameplate = {
      supports: { durable: true, processes: false, search: true, crossProcessFeed: false, history: true },
      info: (): StoreInfo => ({
        kind: 'files',
        place: path,
        readOnly: !keeper.writes,
        schemaVersion: layoutVersion,
        notes: [
          ...notes,
          ...(keeper.trouble === null
            ? []
            : [`Everything is saved, but the files for other programs are behind: ${keeper.trouble}`]),
          'Search looks through every message.',
        ],
      }),
      backup: (to) => backupFolder(holdings, keeper, to),
      close: async () => {
        await keeper.close();
        tidyFolder(path);
      },
    };
    return new FileSystemStore({ desk, plate, keeper, holdings }, options.owner ?? defaultOwner);
  }

  override forOwner(owner: string): FileSystemStore {
    return new FileSystemStore(this.#shared, owner);
  }

  /** Checks trees as every store does, and that their files say what their journals say; repair writes the files anew. */
  override async fsck(options: { readonly repair?: boolean; readonly treeId?: TreeId } = {}): Promise<FsckReport> {
    const { desk, keeper, holdings } = this.#shared;
    desk.book.alive();
    if (options.repair === true) desk.book.writable();
    if (options.treeId !== undefined && desk.book.find(this.owner, options.treeId) === undefined)
      return super.fsck(options);
    await keeper.flush();
    const repair = options.repair === true;
    const report = await fsckFiles({
      trees: this.wanted(options.treeId),
      holdings,
      keeper,
      repair,
      check: (treeId) => super.fsck({ ...options, treeId }),
    });
    return options.treeId === undefined ? withSides(report, [holdings.side], repair) : report;
  }
}

/** Opens a store in a folder; what follows the scheme is its path. */
export async function open(place: string, options: StoreOptions): Promise<FileSystemStore> {
  return FileSystemStore.open(place, options);
}
