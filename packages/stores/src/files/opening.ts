/** Takes the lock of a folder and finds the trees in it, when a store is opened. */
import { accessSync, constants, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AppError, isAppError, isUuid, type TreeId, type TreeRow, treeId } from '@coppice/core';
import { ownField } from '@coppice/core/decode';
import {
  AtomicWriter,
  listNamesInFolder,
  makeDamagedFileError,
  osErrorCode,
  statOrNull,
  toDiskError,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { FolderLock } from '../disk/lock.ts';
import { SideFiles } from '../disk/side-files.ts';
import { makeReadOnlyNote, makeStoreFolder } from '../disk/store-folder.ts';
import { makeUnreadableRow } from '../disk/unreadable-row.ts';
import type { UnloadedTree } from '../in-process/persistence.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';
import type { FilesOpenState } from './files-persistence.ts';
import { type ForeignFolder, foreignTreeIdOf, readForeignFolder } from './foreign-folder.ts';
import { hasFormatFile } from './format-file.ts';
import { readTreeOrigin } from './journal.ts';
import { TreeRegistry } from './registry.ts';
import { TreeFolder } from './tree-folder.ts';

/** The trees that were found, and how the folder may be used. */
export interface OpenedFilesFolder {
  readonly holdings: FilesOpenState;
  readonly readOnly: boolean;
  readonly notes: string[];
  readonly known: readonly UnloadedTree[];
}

/** Opens or creates a folder. A folder without write permission is opened read-only, with a note. */
export function openFilesFolder(place: string, options: StoreOptions): OpenedFilesFolder {
  const made = makeStoreFolder(place, options.readOnly === true, 'format');
  try {
    return inspectFolder(place, options);
  } catch (error) {
    if (made) rmSync(place, { recursive: true, force: true });
    throw toDiskError(error, place);
  }
}

function inspectFolder(place: string, options: StoreOptions): OpenedFilesFolder {
  const ours = hasFormatFile(place);
  const names = listNamesInFolder(place).filter((name) => !name.startsWith('.'));
  const registry = new TreeRegistry(place);
  const folders = names.filter((name) => isStoreFolder(join(place, name)));
  const journaled = folders.filter((name) => isUuid(name) && statOrNull(join(place, name, 'journal.jsonl')) !== null);
  if (!ours && !registry.there && journaled.length === 0 && names.length > 0)
    throw makeDamagedFileError(
      place,
      `contains other files (such as ${names[0]}) and is not a store: choose an empty folder`,
    );
  const notes: string[] = [];
  const note = (text: string) => {
    if (!notes.includes(text)) notes.push(text);
  };
  const writer = new AtomicWriter(join(place, '.coppice', 'making'));
  const lock = options.readOnly === true ? null : takeLock(place, note);
  const readOnly = lock === null;
  try {
    if (lock instanceof FolderLock) writer.clear();
    if (registry.trouble !== null)
      note(`${registry.path} ${registry.trouble}: the trees are read from their folders, and the file is kept.`);
    const finder = new FolderFinder(place, options, registry, writer, note);
    finder.journaled(journaled);
    finder.originals(folders.filter((name) => !journaled.includes(name)));
    finder.missing(new Set(folders));
    // If a crash interrupted a purge, the renamed folder of the purged tree is still here.
    if (lock instanceof FolderLock) rmSync(join(place, '.coppice', 'gone'), { recursive: true, force: true });
    const side = new SideFiles(join(place, '.coppice'), writer, note);
    return {
      holdings: { ...finder.found(), place, writer, registry, side, lock, note, kit: options.kit },
      readOnly,
      notes,
      known: finder.known,
    };
  } catch (error) {
    if (lock instanceof FolderLock) lock.release();
    throw error;
  }
}

// Symbolic links are not followed, because one could lead out of the store.
function isStoreFolder(path: string): boolean {
  return withFileErrors(path, () => lstatSync(path)).isDirectory();
}

function takeLock(place: string, note: (text: string) => void): FilesOpenState['lock'] {
  const own = join(place, '.coppice');
  try {
    accessSync(place, constants.W_OK);
    mkdirSync(own, { recursive: true });
    accessSync(own, constants.W_OK);
    const lock = FolderLock.take(own);
    if (!(lock instanceof FolderLock))
      note(
        `The process ${lock.pid} on ${lock.host} writes to ${place}: each tree can be read here as it is at its first read, and nothing can be saved. Open the folder again to see later changes.`,
      );
    return lock;
  } catch (error) {
    const refused = isAppError(error) ? error.code === 'tree/read-only' : false;
    if (!refused && !['EACCES', 'EROFS', 'EPERM'].includes(osErrorCode(error))) throw toDiskError(error, place);
    note(makeReadOnlyNote(place));
    return null;
  }
}

/** Lists the trees in the folders of a store, including unreadable ones. */
class FolderFinder {
  readonly known: UnloadedTree[] = [];
  readonly #folders = new Map<TreeId, TreeFolder>();
  readonly #originals = new Map<TreeId, { readonly original: ForeignFolder; readonly folder: string }>();
  readonly #broken = new Map<TreeId, AppError>();
  readonly #place: string;
  readonly #options: StoreOptions;
  readonly #registry: TreeRegistry;
  readonly #writer: AtomicWriter;
  readonly #note: (text: string) => void;

  constructor(
    place: string,
    options: StoreOptions,
    registry: TreeRegistry,
    writer: AtomicWriter,
    note: (text: string) => void,
  ) {
    this.#place = place;
    this.#options = options;
    this.#registry = registry;
    this.#writer = writer;
    this.#note = note;
  }

  found(): Pick<FilesOpenState, 'folders' | 'originals' | 'broken'> {
    return { folders: this.#folders, originals: this.#originals, broken: this.#broken };
  }

  journaled(names: readonly string[]): void {
    const around = { writer: this.#writer, kit: this.#options.kit, note: this.#note };
    for (const name of names) {
      const id = treeId(name);
      const folder = new TreeFolder(join(this.#place, name), id, around);
      this.#folders.set(id, folder);
      try {
        const known = folder.known();
        this.known.push(known);
        // The registry is written last, so an entry with another version of the tree is outdated.
        const { version } = known.row;
        if (this.#registry.trouble !== null || this.#registry.versionOf(id) !== version) folder.distrust();
      } catch (error) {
        const file = folder.lastKnown();
        this.#unreadable(id, error, file?.row ?? null, file?.sequence ?? 0);
      }
    }
  }

  #unreadable(id: TreeId, error: unknown, row: TreeRow | null, sequence: number): void {
    if (!isAppError(error)) throw error;
    this.#note(error.message);
    this.#broken.set(id, error);
    this.known.push({
      row: row ?? makeUnreadableRow(id, this.#options.owner ?? defaultOwner),
      format: 'tree',
      sequence,
    });
  }

  /** Finds the folders of other programs, and the folders of Coppice without a journal. */
  originals(names: readonly string[]): void {
    const candidates = new Map<string, string | null>();
    for (const name of names) {
      if (statOrNull(join(this.#place, name, 'tree.json')) !== null) {
        const id = treeId(name);
        const folder = join(this.#place, name);
        const row = new TreeFolder(folder, id, { writer: this.#writer, kit: undefined, note: this.#note }).lastKnown();
        this.#unreadable(id, makeDamagedFileError(join(folder, 'journal.jsonl'), 'is missing'), row?.row ?? null, 0);
      } else if (listNamesInFolder(join(this.#place, name, 'nodes')).some((file) => file.endsWith('.json')))
        candidates.set(name, join(this.#place, name));
    }
    for (const [id, entry] of this.#registry.entries())
      if (ownField(entry, 'coppice') === undefined && !candidates.has(id)) candidates.set(id, null);
    if (candidates.size === 0) return;
    const moved = new Set([...this.#folders.values()].map(({ journalPath }) => readTreeOrigin(journalPath)?.id));
    for (const [id, folder] of candidates) if (!moved.has(id)) this.#original(id, folder);
    for (const id of moved)
      if (id !== undefined && this.#registry.get(id) !== undefined && !this.#folders.has(treeId(id)))
        this.#registry.delete(id);
  }

  #original(id: string, path: string | null): void {
    const root = { id, entry: this.#registry.get(id) ?? {} };
    const tree = foreignTreeIdOf(root);
    if (this.#folders.has(tree)) return;
    // A tree without messages has no folder. The path of a folder that does not exist is used instead, so that the
    // tree's id never becomes part of a path.
    const folder = path ?? join(this.#place, '.coppice', 'none');
    try {
      const children = ownField(root.entry, 'child_ids');
      if (path === null && Array.isArray(children) && children.length > 0)
        throw makeDamagedFileError(
          this.#registry.path,
          `names the root ${JSON.stringify(id)} with ${children.length} children, which has no folder`,
        );
      const owner = this.#options.owner ?? defaultOwner;
      const original = readForeignFolder(folder, root, { owner, scope: this.#place, kit: this.#options.kit });
      for (const text of original.notes) this.#note(`${folder}: ${text}`);
      this.#originals.set(tree, { original, folder });
      this.known.push({ row: original.tree, format: 'tree', sequence: 0 });
    } catch (error) {
      this.#unreadable(tree, error, null, 0);
    }
  }

  /**
   * Marks trees as unreadable that the registry lists but that have no folder. Entries left by an interrupted purge are
   * deleted.
   */
  missing(here: ReadonlySet<string>): void {
    const gone = new Set(listNamesInFolder(join(this.#place, '.coppice', 'gone')));
    for (const [id, entry] of [...this.#registry.entries()]) {
      if (ownField(entry, 'coppice') === undefined || here.has(id)) continue;
      // The folder is missing because a crash interrupted a purge, so the entry is removed.
      if (gone.has(id) || !isUuid(id)) this.#registry.delete(id);
      else this.#unreadable(treeId(id), makeDamagedFileError(join(this.#place, id), 'is missing'), null, 0);
    }
  }
}
