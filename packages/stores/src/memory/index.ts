/** A store in the memory of one process, for tests, temporary chats and browsers. */
import { AppError, refusalKinds, type StoreInfo } from '@coppice/core';
import {
  createInProcessState,
  createStoreParts,
  InProcessStore,
  type StoreIdentity,
} from '../in-process/in-process-store.ts';
import { registerNativeHash } from '../native-hash.ts';
import { defaultOwner, type StoreOptions } from '../options.ts';

/**
 * Creates a store in memory. Two stores share no data, even with the same name. The handles of `forOwner` share the
 * data of one store, and each owner sees only their own trees.
 */
export function createMemoryStore(options: StoreOptions = {}, name = ''): InProcessStore {
  registerNativeHash();
  const { owner = defaultOwner, readOnly = false } = options;
  const state = createInProcessState(options, { readOnly });
  const info: StoreInfo = {
    kind: 'memory',
    place: `memory:${name}`,
    readOnly,
    schemaVersion: 1,
    notes: ['Kept in memory: all data is lost when the process ends.', 'Search scans every message.'],
  };
  const plate: StoreIdentity = {
    supports: { durable: false, processes: false, search: true, crossProcessFeed: false, history: true },
    info: () => info,
    backup: async () => {
      throw new AppError({
        code: 'store/unavailable',
        kind: refusalKinds['store/unavailable'],
        message: 'A memory store has no files to copy: keep its trees in another store instead.',
      });
    },
    close: async () => undefined,
  };
  return new InProcessStore(createStoreParts(state, undefined, options), plate, owner);
}

/** Opens a memory store; `place` is only a name for display. */
export async function open(place: string, options: StoreOptions): Promise<InProcessStore> {
  return createMemoryStore(options, place);
}
