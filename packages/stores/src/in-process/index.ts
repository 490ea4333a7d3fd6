/** For stores outside of this package: state in one process, with a persistence that makes every change durable. */

export { InProcessStore, type StoreIdentity, type StoreParts, storePartsOf, treeStateOf } from './in-process-store.ts';
export {
  type ExternalCommit,
  type KnownTree,
  type LoadedTree,
  type PersistedEntry,
  type Persistence,
  treesOfNodes,
} from './persistence.ts';
export type { TreeState, TreeStateOptions } from './tree-state.ts';
