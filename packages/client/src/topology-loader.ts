/** Loads the topology of an open tree when a view first needs it. */
import type { NodeId, RowChange, TreeId } from '@coppice/core';
import { decodeTopologyColumns } from '@coppice/core/tree';
import type { Api } from './api/create-api.ts';
import type { Observable } from './observable.ts';
import { Topology } from './topology.ts';
import type { OpenTreeState } from './tree-state.ts';

/**
 * Returns the end of the view if the topology contains it, otherwise the nearest ancestor in the topology. The topology
 * has no unconfirmed messages.
 */
export function findViewEndInTopology({ topology, part }: OpenTreeState): NodeId | null {
  let leaf = part?.leaf ?? null;
  while (leaf !== null && topology !== null && !topology.nodes.has(leaf))
    leaf = part?.nodes.get(leaf)?.parentId ?? null;
  return leaf;
}

/** Loads the topology of one open tree, and applies commits to it. */
export class TopologyLoader {
  readonly #api: Api;
  readonly #treeId: TreeId;
  readonly #store: Observable<OpenTreeState>;
  readonly #signal: AbortSignal;
  #isNeeded = false;
  #loading: Promise<Topology | null> | null = null;
  /** The commits that arrived while the topology was being read, because the answer may be older than they are. */
  #arrived: { readonly version: number; readonly changes: readonly RowChange[] }[] = [];
  /** Whether commits were missed during a read, whose answer may lack them too. */
  #readAgain = false;

  constructor(api: Api, treeId: TreeId, store: Observable<OpenTreeState>, signal: AbortSignal) {
    this.#api = api;
    this.#treeId = treeId;
    this.#store = store;
    this.#signal = signal;
  }

  /** Loads the topology, or returns the loaded one. Returns null if it cannot be read. */
  async load(): Promise<Topology | null> {
    this.#isNeeded = true;
    const { topology } = this.#store.getState();
    if (topology !== null) return topology;
    return this.#loadOnce();
  }

  /** The outline and the map need the topology at the same time, but a large one must be read only once. */
  #loadOnce(): Promise<Topology | null> {
    this.#loading ??= this.#read().finally(() => {
      this.#loading = null;
      this.#arrived = [];
      this.#readAgain = false;
    });
    return this.#loading;
  }

  async #read(): Promise<Topology | null> {
    try {
      for (;;) {
        this.#readAgain = false;
        this.#arrived = [];
        const answer = await this.#api.topology(this.#treeId, this.#signal, (topologyLoaded) =>
          this.#store.setState({ topologyLoaded }),
        );
        const topology = new Topology(
          answer.rootId,
          decodeTopologyColumns(answer.columns, answer.rootId),
          answer.bookmarks,
        );
        const newer = this.#arrived.filter(({ version }) => version > answer.version);
        if (this.#readAgain || !newer.every(({ changes }) => topology.applyRowChanges(changes))) continue;
        this.#store.setState((state) => ({ topology, topologyLoaded: null, stamp: state.stamp + 1 }));
        return topology;
      }
    } catch {
      this.#store.setState({ topologyLoaded: null });
      return null;
    }
  }

  /** Loads the topology again if a view needs it and the last read failed. */
  retry(): void {
    if (this.#isNeeded) void this.load();
  }

  /** Reads the topology again, if a view needs it, after commits were missed. The old one is shown until then. */
  reload(): void {
    if (!this.#isNeeded) return;
    this.#readAgain = true;
    void this.#loadOnce();
  }

  /**
   * Applies the changes of a commit to the loaded topology, and to one that is being read. If a change cannot be
   * applied, the topology is read again.
   */
  applyRowChanges(changes: readonly RowChange[], version: number): void {
    if (this.#loading !== null) this.#arrived.push({ version, changes });
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
