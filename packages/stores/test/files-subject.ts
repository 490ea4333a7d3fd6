/** Describes the folder store for the conformance suite, and has helper functions for its tests. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import type { StoreSubject } from '../src/conformance/index.ts';
import { FileSystemStore } from '../src/files/index.ts';

export function makeTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'coppice-files-'));
}

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

export const filesSubject: StoreSubject = {
  name: 'files',
  open: async (options) => FileSystemStore.open(makeTemporaryFolder(), options),
  reopen: async (store, options) => {
    const place = await placeOf(store);
    await store.close();
    return FileSystemStore.open(place, options);
  },
  damage: async (store, how) => {
    const place = await placeOf(store);
    await store.close();
    if (how === 'newer')
      writeFileSync(join(place, '.coppice', 'format.json'), '{"format":"coppice/files","formatVersion":2}\n');
    else
      for (const name of readdirSync(place)) {
        const journal = join(place, name, 'journal.jsonl');
        if (!existsSync(journal)) continue;
        const bytes = readFileSync(journal);
        bytes.write('XXXX', Math.floor(bytes.length / 2));
        writeFileSync(journal, bytes);
      }
    const before = readEveryFile(place);
    return {
      open: () => FileSystemStore.open(place),
      unchanged: async () => {
        const now = readEveryFile(place);
        return now.size === before.size && [...before].every(([name, bytes]) => now.get(name) === bytes);
      },
    };
  },
  backup: async (store) => {
    const to = `${await placeOf(store)}-backup`;
    return { to, open: () => FileSystemStore.open(to) };
  },
  destroy: async (store) => {
    const place = await placeOf(store);
    await store.close();
    rmSync(place, { recursive: true, force: true });
    rmSync(`${place}-backup`, { recursive: true, force: true });
  },
};
