/**
 * The entry for stores outside this package: they keep trees in memory and implement {@link Persistence} to write every
 * change.
 */

export {
  createStoreParts,
  createTreeState,
  InProcessStore,
  type StoreIdentity,
  type StoreParts,
} from './in-process-store.ts';
export {
  type ExternalCommit,
  type LoadedTree,
  type PersistedEntry,
  type Persistence,
  pickTreesOfNodes,
  type UnloadedTree,
} from './persistence.ts';
export type { TreeState, TreeStateOptions } from './tree-state.ts';
