/** Describes the store of session files for the conformance suite, and has helper functions for its tests. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import type { StoreSubject } from '../src/conformance/index.ts';
import { SessionStore } from '../src/jsonl/index.ts';
import { readEveryFile } from './files-subject.ts';

function makeSessionFolder(): string {
  return mkdtempSync(join(tmpdir(), 'coppice-jsonl-'));
}

async function placeOf(store: Store): Promise<string> {
  return (await store.info()).place;
}

/** Returns the paths of the session files in a folder, sorted. */
export function listSessionFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name));
}

export const jsonlSubject: StoreSubject = {
  name: 'jsonl',
  open: async (options) => SessionStore.open(makeSessionFolder(), options),
  reopen: async (store, options) => {
    const place = await placeOf(store);
    await store.close();
    return SessionStore.open(place, options);
  },
  damage: async (store, how) => {
    const place = await placeOf(store);
    await store.close();
    for (const path of listSessionFiles(place)) {
      const text = readFileSync(path, 'utf8');
      const end = text.indexOf('\n');
      const header = text.slice(0, end);
      const spoilt = how === 'newer' ? header.replace('"version":2', '"version":9') : header.slice(0, -7);
      writeFileSync(path, spoilt + text.slice(end));
    }
    const before = readEveryFile(place);
    return {
      open: () => SessionStore.open(place),
      unchanged: async () => {
        const now = readEveryFile(place);
        return now.size === before.size && [...before].every(([name, bytes]) => now.get(name) === bytes);
      },
    };
  },
  backup: async (store) => {
    const to = `${await placeOf(store)}-backup`;
    return { to, open: () => SessionStore.open(to) };
  },
  destroy: async (store) => {
    const place = await placeOf(store);
    await store.close();
    rmSync(place, { recursive: true, force: true });
    rmSync(`${place}-backup`, { recursive: true, force: true });
  },
};
