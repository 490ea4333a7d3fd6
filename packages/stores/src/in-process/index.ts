/** For stores outside of this package: state in one process, with a persistence that makes every change durable. */

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
  treesOfNodes,
  type UnloadedTree,
} from './persistence.ts';
export type { TreeState, TreeStateOptions } from './tree-state.ts';
