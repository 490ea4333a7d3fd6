import { refuse, type Store } from '@coppice/core';
import { assertStoreOptions, type StoreModule, type StoreOptions } from './options.ts';

// The keys are other spellings of schemes, as connection strings of drivers use them.
const spellings: ReadonlyMap<string, string> = new Map([['postgresql', 'postgres']]);

/** Returns the URL that a caller meant who passed the path of a database. */
function pathHint(members: object, scheme: string, url: string): string {
  if (scheme !== '' || url === '' || !Object.hasOwn(members, 'sqlite')) return '';
  return ` The URL of a SQLite file is sqlite:${url.slice(0, 64)}.`;
}

/** Opens one of several stores by its URL. Only the code of that store is loaded. Throws on an unknown scheme. */
export async function openRegisteredStore(
  members: Readonly<Record<string, () => Promise<StoreModule>>>,
  url: string,
  options: StoreOptions,
): Promise<Store> {
  // A program without types may pass an environment variable that is not set.
  const text = typeof url === 'string' ? url : '';
  const [, given = '', place = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(text) ?? [];
  const scheme = spellings.get(given.toLowerCase()) ?? given.toLowerCase();
  const load = Object.hasOwn(members, scheme) ? members[scheme] : undefined;
  if (load === undefined) {
    const kinds = Object.keys(members)
      .map((name) => `${name}:`)
      .join(', ');
    return refuse(
      'command/invalid',
      typeof url === 'string'
        ? `There is no store of the kind ${JSON.stringify(given === '' ? url.slice(0, 64) : `${given}:`)}. Use one of ${kinds}.${pathHint(members, given, url)}`
        : `A store is opened by its URL, not by ${url === null ? 'null' : `a value of the type ${typeof url}`}. Use one of ${kinds}.`,
    );
  }
  const member = await load();
  assertStoreOptions(options, member.extraOptionNames);
  return member.open(place, options);
}
