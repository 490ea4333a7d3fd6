/** Describes stores in a folder for the conformance suite, and has helper functions for their tests. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import type { DamagedStore, StoreSubject } from '../src/conformance/index.ts';
import type { StoreOptions } from '../src/options.ts';

/** Returns every file below a folder with its bytes, so that two states can be compared. */
export function readEveryFile(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open = [''];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const path = join(folder, at);
    if (!statSync(path).isDirectory()) found.set(at, readFileSync(path, 'base64'));
    else for (const name of readdirSync(path)) open.push(join(at, name));
  }
  return found;
}

async function placeOf(store: Store): Promise<string> {
  return (await store.info()).place;
}

/** A kind of store that keeps everything in one folder. */
export interface FolderStoreKind {
  readonly name: string;
  open(folder: string, options?: StoreOptions): Promise<Store>;
  /** Changes the files of a closed store. */
  spoil(folder: string, how: 'damaged' | 'newer'): void;
}

export function createFolderSubject({ name, open, spoil }: FolderStoreKind): StoreSubject {
  return {
    name,
    open: async (options) => open(mkdtempSync(join(tmpdir(), `coppice-${name}-`)), options),
    reopen: async (store, options) => {
      const place = await placeOf(store);
      await store.close();
      return open(place, options);
    },
    damage: async (store, how): Promise<DamagedStore> => {
      const place = await placeOf(store);
      await store.close();
      spoil(place, how);
      const before = readEveryFile(place);
      return {
        open: () => open(place),
        unchanged: async () => {
          const now = readEveryFile(place);
          return now.size === before.size && [...before].every(([path, bytes]) => now.get(path) === bytes);
        },
      };
    },
    backup: async (store) => {
      const to = `${await placeOf(store)}-backup`;
      return { to, open: () => open(to) };
    },
    destroy: async (store) => {
      const place = await placeOf(store);
      await store.close();
      rmSync(place, { recursive: true, force: true });
      rmSync(`${place}-backup`, { recursive: true, force: true });
    },
  };
}
