/** The shape of a whole tree while it is open: read once somebody wants it, kept by commits from then on. */
import type { NodeId, RowChange, TreeId } from '@coppice/core';
import type { StoreApi } from 'zustand/vanilla';
import type { Api } from './client.ts';
import { Topology } from './topology.ts';
import { fromTopologyColumns } from './topology-columns.ts';
import type { OpenTreeState } from './tree-state.ts';

/** Where the view stands in the shape: what was said here and is not confirmed yet is not in it, but what it hangs on is. */
export function leafInShape({ topology, part }: OpenTreeState): NodeId | null {
  let leaf = part?.leaf ?? null;
  while (leaf !== null && topology !== null && !topology.nodes.has(leaf))
    leaf = part?.nodes.get(leaf)?.parentId ?? null;
  return leaf;
}

/** The shape of one open tree. */
export class TopologyLoader {
  readonly #api: Api;
  readonly #treeId: TreeId;
  readonly #store: StoreApi<OpenTreeState>;
  readonly #signal: AbortSignal;
  #wanted = false;
  #asked: Promise<Topology | null> | null = null;

  constructor(api: Api, treeId: TreeId, store: StoreApi<OpenTreeState>, signal: AbortSignal) {
    this.#api = api;
    this.#treeId = treeId;
    this.#store = store;
    this.#signal = signal;
  }

  /** Loads it, once; from then on the feed keeps it. */
  async want(): Promise<Topology | null> {
    this.#wanted = true;
    const { topology } = this.#store.getState();
    if (topology !== null) return topology;
    // Outline and map ask in the same moment; a large shape is read once.
    this.#asked ??= this.#read().finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  async #read(): Promise<Topology | null> {
    try {
      const answer = await this.#api.topology(this.#treeId, this.#signal);
      const topology = new Topology(
        answer.rootId,
        fromTopologyColumns(answer.columns, answer.rootId),
        answer.bookmarks,
      );
      this.#store.setState((state) => ({ topology, stamp: state.stamp + 1 }));
      return topology;
    } catch {
      return null;
    }
  }

  /** Reads it if somebody wanted it and it could not be had, as without the server. */
  retry(): void {
    if (this.#wanted) void this.want();
  }

  /** Lands a commit on it, if it is there; what it cannot take is read again. */
  land(changes: readonly RowChange[]): void {
    const { topology } = this.#store.getState();
    if (topology === null) return;
    if (topology.land(changes)) {
      this.#store.setState((state) => ({ stamp: state.stamp + 1 }));
      return;
    }
    this.#store.setState({ topology: null });
    this.retry();
  }
}
