/** Loads the topology of an open tree when it is first needed. Commits keep it up to date. */
import type { NodeId, RowChange, TreeId } from '@coppice/core';
import type { Api } from './api/create-api.ts';
import type { Observable } from './observable.ts';
import { Topology } from './topology.ts';
import { decodeTopologyColumns } from './topology-columns.ts';
import type { OpenTreeState } from './tree-state.ts';

/**
 * Returns the end of the view in the topology. It has no unconfirmed
 * messages; for those, returns the nearest confirmed ancestor.
 */
export function leafInTopology({ topology, part }: OpenTreeState): NodeId | null {
  let leaf = part?.leaf ?? null;
  while (leaf !== null && topology !== null && !topology.nodes.has(leaf))
    leaf = part?.nodes.get(leaf)?.parentId ?? null;
  return leaf;
}

/** Loads the topology of one open tree. */
export class TopologyLoader {
  readonly #api: Api;
  readonly #treeId: TreeId;
  readonly #store: Observable<OpenTreeState>;
  readonly #signal: AbortSignal;
  #wanted = false;
  #asked: Promise<Topology | null> | null = null;

  constructor(api: Api, treeId: TreeId, store: Observable<OpenTreeState>, signal: AbortSignal) {
    this.#api = api;
    this.#treeId = treeId;
    this.#store = store;
    this.#signal = signal;
  }

  /** Loads the topology once. From then on the feed keeps it up to date. */
  async want(): Promise<Topology | null> {
    this.#wanted = true;
    const { topology } = this.#store.getState();
    if (topology !== null) return topology;
    // The outline and the map request it at the same time, but a large topology is read only once.
    this.#asked ??= this.#read().finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  async #read(): Promise<Topology | null> {
    try {
      const answer = await this.#api.topology(this.#treeId, this.#signal, (topologyLoaded) =>
        this.#store.setState({ topologyLoaded }),
      );
      const topology = new Topology(
        answer.rootId,
        decodeTopologyColumns(answer.columns, answer.rootId),
        answer.bookmarks,
      );
      this.#store.setState((state) => ({ topology, topologyLoaded: null, stamp: state.stamp + 1 }));
      return topology;
    } catch {
      this.#store.setState({ topologyLoaded: null });
      return null;
    }
  }

  /** Loads the topology again if it is needed and reading failed, for example because the server was unreachable. */
  retry(): void {
    if (this.#wanted) void this.want();
  }

  /**
   * Applies the changes of a commit, if the topology is loaded. If one cannot be applied, the topology is read again.
   */
  applyRowChanges(changes: readonly RowChange[]): void {
    const { topology } = this.#store.getState();
    if (topology === null) return;
    if (topology.applyRowChanges(changes)) {
      this.#store.setState((state) => ({ stamp: state.stamp + 1 }));
      return;
    }
    this.#store.setState({ topology: null });
    this.retry();
  }
}
