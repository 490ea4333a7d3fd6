/** The feeds of trees that have readers, one per tree. */
import type { Store, TreeId } from '@coppice/core';
import type { OwnerServices, SharedServices } from '../services.ts';
import type { EventStream } from './event-stream.ts';
import { TreeHub } from './tree-hub.ts';

/** Finds or starts the feed of a tree, and ends it when the last reader disconnects. */
export class TreeFeeds {
  readonly #services: Pick<SharedServices, 'turns' | 'limits' | 'log'>;
  readonly #byStore = new Map<Store, Map<TreeId, TreeHub>>();

  constructor(services: Pick<SharedServices, 'turns' | 'limits' | 'log'>, closing: AbortSignal) {
    this.#services = services;
    services.turns.onBegin((live) => void this.#byStore.get(live.store)?.get(live.treeId)?.followTurn(live));
    closing.addEventListener('abort', () => this.#closeAll(), { once: true });
  }

  /** Sends a reader the commits of a tree after a version, then live events. */
  async join(
    ownerServices: OwnerServices,
    store: Store,
    treeId: TreeId,
    stream: EventStream,
    since: number | null,
  ): Promise<void> {
    const hubs = this.#byStore.get(store) ?? new Map<TreeId, TreeHub>();
    this.#byStore.set(store, hubs);
    const hub = hubs.get(treeId) ?? this.#openHub(ownerServices, store, treeId, hubs);
    try {
      await hub.join(stream, since);
    } catch (error) {
      stream.close();
      if (hubs.get(treeId) === hub && hub.size === 0) hubs.delete(treeId);
      throw error;
    }
  }

  #openHub(ownerServices: OwnerServices, store: Store, treeId: TreeId, hubs: Map<TreeId, TreeHub>): TreeHub {
    const { turns, limits, log } = this.#services;
    const hub: TreeHub = new TreeHub({
      ownerServices,
      store,
      treeId,
      turns,
      limits,
      log,
      onEmpty: () => {
        if (hub.size > 0 || hubs.get(treeId) !== hub) return;
        hubs.delete(treeId);
        hub.close();
      },
    });
    hubs.set(treeId, hub);
    return hub;
  }

  /** Whether a tree of a store has readers. */
  has(store: Store): boolean {
    return (this.#byStore.get(store)?.size ?? 0) > 0;
  }

  /** Forgets a store without readers. */
  release(store: Store): void {
    if (!this.has(store)) this.#byStore.delete(store);
  }

  #closeAll(): void {
    for (const hubs of this.#byStore.values()) for (const hub of [...hubs.values()]) hub.close();
    this.#byStore.clear();
  }
}
