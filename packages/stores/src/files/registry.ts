/** Reads and writes `roots.json`, the list of trees for other programs. It is derived from the folders. */
import { constants, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FieldMap } from '@coppice/core';
import { isFieldMap, ownField } from '@coppice/core/decode';
import {
  type AtomicWriter,
  encodeFileText,
  listNamesInFolder,
  readTextFile,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { toReadableJson } from './node-file.ts';

/** The registry of a store. Entries that Coppice did not write are kept unchanged. */
export class TreeRegistry {
  readonly path: string;
  readonly #folder: string;
  readonly #entries = new Map<string, FieldMap>();
  /** Why the file could not be read; null if it was read or does not exist. */
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
      const id = isFieldMap(entry) ? ownField(entry, 'id') : undefined;
      if (!isFieldMap(entry) || typeof id !== 'string') return 'has an entry without an id';
      this.#entries.set(id, entry);
    }
    return null;
  }

  get(id: string): FieldMap | undefined {
    return this.#entries.get(id);
  }

  entries(): IterableIterator<[string, FieldMap]> {
    return this.#entries.entries();
  }

  /** Returns the version of the tree for which its entry was written; null if the tree has no entry. */
  versionOf(id: string): number | null {
    const entry = this.#entries.get(id);
    const own = entry === undefined ? undefined : ownField(entry, 'coppice');
    const version = isFieldMap(own) ? ownField(own, 'version') : undefined;
    return typeof version === 'number' ? version : null;
  }

  set(id: string, entry: object): void {
    this.#entries.set(id, Object.fromEntries(Object.entries(entry)));
  }

  /** Removes an entry; returns whether it existed. */
  delete(id: string): boolean {
    return this.#entries.delete(id);
  }

  /** Writes the file if an entry changed. An unreadable file is first copied under another name. */
  write(writer: AtomicWriter): void {
    const text = toReadableJson([...this.#entries.values()]);
    if (text === this.#written) return;
    if (this.trouble !== null && !this.#kept) this.#keep();
    writer.replace(this.path, [encodeFileText(text)], 'roots', true);
    this.#written = text;
  }

  /** Deletes the copies of unreadable registries, because they may name a purged tree. */
  forgetDamaged(): void {
    for (const name of listNamesInFolder(this.#folder))
      if (name.startsWith('roots.json.damaged-')) {
        const path = join(this.#folder, name);
        withFileErrors(path, () => rmSync(path, { force: true }));
      }
  }

  #keep(): void {
    const names = new Set(listNamesInFolder(this.#folder));
    let at = 1;
    while (names.has(`roots.json.damaged-${at}`)) at++;
    const beside = join(this.#folder, `roots.json.damaged-${at}`);
    withFileErrors(beside, () => copyFileSync(this.path, beside, constants.COPYFILE_EXCL));
    this.#kept = true;
  }
}
