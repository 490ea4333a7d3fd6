/** Worker threads: their modules, and how they open the store. */
import type { ServerOptions } from './contract.ts';

/** The data with which another thread opens the store. */
export interface ThreadStore {
  readonly url: string;
  readonly owner: string;
}

/**
 * Whether several threads may open the store of a URL. PostgreSQL allows it too, but its calls do not block a thread.
 */
export function allowsConcurrentOpen(url: string): boolean {
  return /^sqlite:/i.test(url);
}

/**
 * The data with which a thread opens the server's store. Undefined if it cannot be opened twice, or if the server uses
 * its own clock, id generator or kit.
 */
export function threadStoreOf({ store, storeUrl, now, newId, kit }: ServerOptions): ThreadStore | undefined {
  if (storeUrl === undefined || !allowsConcurrentOpen(storeUrl)) return undefined;
  if (now !== undefined || newId !== undefined || kit !== undefined) return undefined;
  return { url: storeUrl, owner: store.owner };
}
