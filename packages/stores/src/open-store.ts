/** Opens a store by its URL. Only the code of that store is loaded. */
import type { Store } from '@coppice/core';
import { members } from './members.ts';
import { openRegisteredStore } from './open-registered-store.ts';
import type { StoreOptions } from './options.ts';

/** The URL schemes that {@link openStore} accepts. */
export const storeSchemes: readonly string[] = Object.keys(members);

/**
 * Opens a store by its URL, such as `memory:` or `sqlite:/home/me/coppice.db`. Throws on an unknown scheme. All other
 * errors come from the store.
 */
export function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  return openRegisteredStore(members, url, options);
}
