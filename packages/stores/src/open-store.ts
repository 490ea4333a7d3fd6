/** Opens a store by its URL. Only the code of that store is loaded. */
import { refuse, type Store } from '@coppice/core';
import { members } from './members.ts';
import type { StoreModule, StoreOptions } from './options.ts';

/** The URL schemes of stores. */
export const storeSchemes: readonly string[] = Object.keys(members);

// Other spellings of a scheme that are in use.
const spellings: ReadonlyMap<string, string> = new Map([['postgresql', 'postgres']]);

function isMember(name: string): name is keyof typeof members {
  return Object.hasOwn(members, name);
}

/**
 * Opens a store by its URL, such as `memory:` or `sqlite:/home/me/coppice.db`. Throws on an unknown scheme. All other
 * errors come from the store.
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
