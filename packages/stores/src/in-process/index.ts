/** What a store outside this package is built on: state in one process, and a keeper that makes every change last. */

export { InProcessStore, type StoreIdentity, type StoreParts, storePartsOf, treeStateOf } from './in-process-store.ts';
export {
  type ExternalCommit,
  type KnownTree,
  type ListStored,
  type LoadedTree,
  type PersistedEntry,
  type Persistence,
  treesOfNodes,
} from './persistence.ts';
export type { TreeState, TreeStateOptions } from './tree-state.ts';
