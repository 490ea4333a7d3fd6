/** The entry for stores outside of this package: trees in memory, with a persistence that writes every change. */

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
