/** `roots.json`: the list of trees that other readers begin with. It follows from the folders, which have the truth. */
import { constants, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, field, isFields } from '../disk/decode.ts';
import { bytesOf, namesIn, onFile, readText, type Workbench } from '../disk/whole-files.ts';
import { print } from './node-file.ts';

/** The registry of a store. Entries that are not ours are kept as they are. */
export class Registry {
  readonly path: string;
  readonly #folder: string;
  readonly #entries = new Map<string, Fields>();
  /** Why the file could not be read; null if it could, or if there is none. */
  readonly trouble: string | null;
  readonly there: boolean;
  #written: string | null;
  #kept = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'roots.json');
    const found = readText(this.path);
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
      const id = isFields(entry) ? field(entry, 'id') : undefined;
      if (!isFields(entry) || typeof id !== 'string') return 'has an entry without an id';
      this.#entries.set(id, entry);
    }
    return null;
  }

  get(id: string): Fields | undefined {
    return this.#entries.get(id);
  }

  entries(): IterableIterator<[string, Fields]> {
    return this.#entries.entries();
  }

  /** The version of a tree that the entry was made from. */
  versionOf(id: string): number | null {
    const entry = this.#entries.get(id);
    const own = entry === undefined ? undefined : field(entry, 'coppice');
    const version = isFields(own) ? field(own, 'version') : undefined;
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
  write(bench: Workbench): void {
    const text = print([...this.#entries.values()]);
    if (text === this.#written) return;
    if (this.trouble !== null && !this.#kept) this.#keep();
    bench.replace(this.path, [bytesOf(text)], 'roots', true);
    this.#written = text;
  }

  /** Deletes the kept registries that could not be read: they may name a tree that is purged. */
  forgetDamaged(): void {
    for (const name of namesIn(this.#folder))
      if (name.startsWith('roots.json.damaged-')) {
        const path = join(this.#folder, name);
        onFile(path, () => rmSync(path, { force: true }));
      }
  }

  #keep(): void {
    const names = new Set(namesIn(this.#folder));
    let at = 1;
    while (names.has(`roots.json.damaged-${at}`)) at++;
    const beside = join(this.#folder, `roots.json.damaged-${at}`);
    onFile(beside, () => copyFileSync(this.path, beside, constants.COPYFILE_EXCL));
    this.#kept = true;
  }
}
