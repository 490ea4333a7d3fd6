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

/** What a worker is started with. */
export interface ThreadFile {
  readonly file: URL;
  readonly execArgv: string[];
}

/**
 * The module of a worker, by its name without extension: next to the module `beside`, as built, or in a checkout with
 * a loader for TypeScript.
 */
export function threadFile(name: string, beside: string): ThreadFile {
  const isBuilt = !beside.endsWith('.ts');
  const file = new URL(`./${name}.${isBuilt ? 'js' : 'ts'}`, beside);
  if (isBuilt) return { file, execArgv: [] };
  return { file, execArgv: ['--import', new URL('../test/from-sources.mjs', import.meta.url).href] };
}
