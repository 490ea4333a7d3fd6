/** Threads of our own: the module that one begins with, and how it opens the store for itself. */
import type { ServerOptions } from './contract.ts';

/** How another thread opens the store again. */
export interface ThreadStore {
  readonly url: string;
  readonly owner: string;
}

/** Whether several threads may have the store of a URL open at once. PostgreSQL could, but holds up nobody who waits for it. */
export function allowsConcurrentOpen(url: string): boolean {
  return /^sqlite:/i.test(url);
}

/** How a thread opens the store of a server; undefined where it cannot, or where it would have another clock, ids or kit. */
export function threadStoreOf({ store, storeUrl, now, newId, kit }: ServerOptions): ThreadStore | undefined {
  if (storeUrl === undefined || !allowsConcurrentOpen(storeUrl)) return undefined;
  if (now !== undefined || newId !== undefined || kit !== undefined) return undefined;
  return { url: storeUrl, owner: store.owner };
}

/** What a worker is started with. */
export interface ThreadFile {
  readonly file: URL;
  readonly execArgv: string[];
}

/**
 * The module that a thread begins with, by its name without an ending: beside the module of the address `beside`, built
 * as it is, and in a checkout with a loader for the sources.
 */
export function threadFile(name: string, beside: string): ThreadFile {
  const isBuilt = !beside.endsWith('.ts');
  const file = new URL(`./${name}.${isBuilt ? 'js' : 'ts'}`, beside);
  if (isBuilt) return { file, execArgv: [] };
  return { file, execArgv: ['--import', new URL('../test/from-sources.mjs', import.meta.url).href] };
}
