import { refuse, type Store } from '@coppice/core';
import type { StoreModule, StoreOptions } from './options.ts';

// The keys are other spellings of schemes, as connection strings of drivers use them.
const spellings: ReadonlyMap<string, string> = new Map([['postgresql', 'postgres']]);

/** Opens one of several stores by its URL. Only the code of that store is loaded. Throws on an unknown scheme. */
export async function openMember(
  members: Readonly<Record<string, () => Promise<StoreModule>>>,
  url: string,
  options: StoreOptions,
): Promise<Store> {
  const [, given = '', place = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url) ?? [];
  const scheme = spellings.get(given.toLowerCase()) ?? given.toLowerCase();
  const load = Object.hasOwn(members, scheme) ? members[scheme] : undefined;
  if (load === undefined)
    return refuse(
      'command/invalid',
      `A store is opened by one of ${Object.keys(members)
        .map((name) => `${name}:`)
        .join(', ')}; got ${JSON.stringify(given === '' ? url.slice(0, 64) : `${given}:`)}.`,
    );
  return (await load()).open(place, options);
}
