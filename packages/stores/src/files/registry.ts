/** `roots.json`: the list of trees that other readers begin with. It follows from the folders, which have the truth. */
import { constants, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AtomicWriter, bytesOfFile, namesInFolder, onFile, readTextFile } from '../disk/atomic-files.ts';
import { type DiskFields, diskField, isDiskFields } from '../disk/decode.ts';
import { fileFingerprint } from './node-file.ts';

/** The registry of a store. Entries that are not ours are kept as they are. */
export class Registry {
  readonly path: string;
  readonly #folder: string;
  readonly #entries = new Map<string, DiskFields>();
  /** Why the file could not be read; null if it could, or if there is none. */
  readonly trouble: string | null;
  readonly there: boolean;
  #written: string | null;
  #kept = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'roots.json');
    const found = readTextFile(this.path);
    this.there = found !== null;
    this.#written = found;
    this.trouble = found === null ? null : this.#read(found);
  }

  #read(found: string): string | null {
    let json: unknown;
    try {
      json = JSON.parse(found);
    } catch {
      return found === '' ? 'is empty' : 'is no JSON';
    }
    if (!Array.isArray(json)) return 'is no list';
    for (const entry of json) {
      const id = isDiskFields(entry) ? diskField(entry, 'id') : undefined;
      if (!isDiskFields(entry) || typeof id !== 'string') return 'has an entry without an id';
      this.#entries.set(id, entry);
    }
    return null;
  }

  get(id: string): DiskFields | undefined {
    return this.#entries.get(id);
  }

  entries(): IterableIterator<[string, DiskFields]> {
    return this.#entries.entries();
  }

  /** The version of a tree that the entry was made from. */
  versionOf(id: string): number | null {
    const entry = this.#entries.get(id);
    const own = entry === undefined ? undefined : diskField(entry, 'coppice');
    const version = isDiskFields(own) ? diskField(own, 'version') : undefined;
    return typeof version === 'number' ? version : null;
  }

  set(id: string, entry: object): void {
    this.#entries.set(id, Object.fromEntries(Object.entries(entry)));
  }

  /** Takes an entry out; true if there was one. */
  delete(id: string): boolean {
    return this.#entries.delete(id);
  }

  /** Writes the file if it says something else. One that could not be read is kept beside it first. */
  write(bench: AtomicWriter): void {
    const text = fileFingerprint([...this.#entries.values()]);
    if (text === this.#written) return;
    if (this.trouble !== null && !this.#kept) this.#keep();
    bench.replace(this.path, [bytesOfFile(text)], 'roots', true);
    this.#written = text;
  }

  /** Deletes the kept registries that could not be read: they may name a tree that is purged. */
  forgetDamaged(): void {
    for (const name of namesInFolder(this.#folder))
      if (name.startsWith('roots.json.damaged-')) {
        const path = join(this.#folder, name);
        onFile(path, () => rmSync(path, { force: true }));
      }
  }

  #keep(): void {
    const names = new Set(namesInFolder(this.#folder));
    let at = 1;
    while (names.has(`roots.json.damaged-${at}`)) at++;
    const beside = join(this.#folder, `roots.json.damaged-${at}`);
    onFile(beside, () => copyFileSync(this.path, beside, constants.COPYFILE_EXCL));
    this.#kept = true;
  }
}
