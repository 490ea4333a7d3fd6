/**
 * The entry for stores outside this package: they keep trees in memory and implement {@link Persistence} to write every
 * change.
 */

export type { InProcessState, InProcessStateOptions } from './in-process-state.ts';
export {
  createInProcessState,
  createStoreParts,
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
