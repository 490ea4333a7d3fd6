/** Worker threads: their modules, and how they open the store. */
import type { ServerOptions } from './contract.ts';

/** How another thread opens the store. */
export interface ThreadStore {
  readonly url: string;
  readonly owner: string;
}

/** Whether several threads may open the store of a URL. PostgreSQL could too, but its calls do not block a thread. */
export function allowsConcurrentOpen(url: string): boolean {
  return /^sqlite:/i.test(url);
}

/**
 * How a thread opens the server's store; undefined if it cannot, or if it would use another clock, id generator or
 * kit.
 */
export function threadStoreOf({ store, storeUrl, now, newId, kit }: ServerOptions): ThreadStore | undefined {
  if (storeUrl === undefined || !allowsConcurrentOpen(storeUrl)) return undefined;
  if (now !== undefined || newId !== undefined || kit !== undefined) return undefined;
  return { url: storeUrl, owner: store.owner };
}
