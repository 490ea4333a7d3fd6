/** The public names of stores, in reading order. */
import { refuse, type Store } from '@coppice/core';
import { members } from './members.ts';
import type { StoreModule, StoreOptions } from './options.ts';

export { type CursorPart, fromCursor, toCursor } from './cursor.ts';
export { FileSystemStore } from './files/index.ts';
export { SessionStore } from './jsonl/index.ts';
export { sessionFiles } from './jsonl/session-files.ts';
export { derivedId, refuseBranching, treeOfLinear } from './linear.ts';
export { createMemoryStore } from './memory/index.ts';
export { defaultOwner, mayBranch, type StoreModule, type StoreOptions } from './options.ts';
export { type RepairedRows, repairRows, type TreeRows } from './repair.ts';
export { hasTerms, searchTerms, snippetOf } from './search.ts';
export { type OpenedInput, openTables } from './sqlite/foreign-tables.ts';
export { TemporaryTrees } from './temporary.ts';

/** The schemes that a store can be opened by. */
export const storeSchemes: readonly string[] = Object.keys(members);

// Other spellings of a scheme that people use.
const spellings: ReadonlyMap<string, string> = new Map([['postgresql', 'postgres']]);

function isMember(name: string): name is keyof typeof members {
  return Object.hasOwn(members, name);
}

/**
 * Opens a store by its URL, such as `memory:` or `sqlite:/home/me/coppice.db`. Refuses a scheme that no store has; what
 * else can go wrong is the store's own to say.
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const [, given = '', place = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) ?? [];
  const scheme = spellings.get(given.toLowerCase()) ?? given.toLowerCase();
  if (!isMember(scheme))
    return refuse(
      'command/invalid',
      `A store is opened by one of ${storeSchemes.map((name) => `${name}:`).join(', ')}; got ${JSON.stringify(given === '' ? url.slice(0, 64) : `${given}:`)}.`,
    );
  const member: StoreModule = await members[scheme]();
  return member.open(place, options);
}
