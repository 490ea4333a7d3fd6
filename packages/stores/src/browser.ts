/**
 * The entry of this package for browsers. It has the same names, but only the memory store works. Everything that needs
 * files or a driver throws when it is called. Bundlers choose this entry by the condition `browser`.
 */
import { type ImportInput, openInput, type ZipLimits } from '@coppice/content/formats';
import { refuse, type Store } from '@coppice/core';
import * as memory from './memory/index.ts';
import { openRegisteredStore } from './open-registered-store.ts';
import type { StoreOptions } from './options.ts';
import type { InputWithTables } from './sqlite/foreign-tables.ts';

export { type CursorPart, decodeCursor, encodeCursor } from './cursor.ts';
export { createMemorySharedRecords } from './in-process/shared-records.ts';
export { assertNoNewBranch, buildLinearTree, deriveId } from './linear.ts';
export { createMemoryStore } from './memory/index.ts';
export { canBranch, defaultOwner, type StoreModule, type StoreOptions } from './options.ts';
export { type RepairedRows, repairRows, type TreeRows } from './repair.ts';
export { containsAllTerms, snippetOf, splitSearchTerms } from './search.ts';
export { TemporaryTrees } from './temporary.ts';

/** The URL schemes that {@link openStore} accepts in a browser. */
export const storeSchemes: readonly string[] = ['memory'];

/** Opens a store by its URL: `memory:`. Every other scheme is refused. */
export function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  return openRegisteredStore({ memory: async () => memory }, url, options);
}

/** Throws, because a browser has no files. */
function refuseInBrowser(name: string): never {
  return refuse('command/invalid', `${name} needs Node or Bun. In a browser there is the store memory:.`, { name });
}

/** A store in a folder. The constructor throws in a browser. */
export class FileSystemStore {
  constructor() {
    refuseInBrowser('FileSystemStore');
  }
}

/** A store of session files. The constructor throws in a browser. */
export class SessionStore {
  constructor() {
    refuseInBrowser('SessionStore');
  }
}

/** Reads session files. Throws in a browser. */
export function sessionFiles(): never {
  return refuseInBrowser('sessionFiles');
}

/** Opens the files of an import. Databases of other programs stay as they are, because a browser cannot open them. */
export async function openForeignTables(input: ImportInput, limits?: Partial<ZipLimits>): Promise<InputWithTables> {
  return { input: await openInput(input, limits), close: () => Promise.resolve() };
}

/** Counts the sessions of an opencode database. Throws in a browser. */
export function countOpencodeSessions(): never {
  return refuseInBrowser('countOpencodeSessions');
}

/** Counts the conversations of a Cursor database. Throws in a browser. */
export function countCursorConversations(): never {
  return refuseInBrowser('countCursorConversations');
}
