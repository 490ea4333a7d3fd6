/** Worker threads: their modules, and how they open the store. */
import type { ServerOptions } from './contract.ts';

/** The data with which a worker thread opens the store of the server. */
export interface WorkerStoreAddress {
  readonly url: string;
  readonly owner: string;
}

/**
 * Whether worker threads open the store of a URL too. For PostgreSQL they would gain nothing, because its calls do not
 * block a thread.
 */
export function allowsConcurrentOpen(url: string): boolean {
  return /^sqlite:/i.test(url);
}

/**
 * Returns the data with which a thread opens the server's store. Returns undefined if the store cannot be opened twice,
 * or if the server was given another clock, id generator or kit.
 */
export function workerStoreAddressOf({
  store,
  storeUrl,
  now,
  newId,
  kit,
}: ServerOptions): WorkerStoreAddress | undefined {
  if (storeUrl === undefined || !allowsConcurrentOpen(storeUrl)) return undefined;
  if (now !== undefined || newId !== undefined || kit !== undefined) return undefined;
  return { url: storeUrl, owner: store.owner };
}
