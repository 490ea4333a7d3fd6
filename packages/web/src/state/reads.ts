/** What an open tree reads of the server: pages of a branch, its end, and what is around a place far above it. */
import { type NodeId, nodeId, type TreeId } from '@coppice/core';
import type { PageAnswer } from './api-types.ts';
import type { Api } from './client.ts';
import { asProblem } from './http.ts';
import { joinPages, type LoadedBranch, shownPath, withPage } from './loaded-branch.ts';

/** How many messages are read where nobody has seen more. */
export const pageSize = 40;
// Whoever goes on reading up or down gets more at once.
const furtherSize = 100;

/** The replies that were being written when a page of a branch was read, by the runs that write them. */
export function runsOf(page: PageAnswer): ReadonlyMap<NodeId, string> {
  return new Map(Object.entries(page.runs).map(([id, run]) => [nodeId(id), run]));
}

/** Reads of one tree. They end with its signal. */
export class TreeReads {
  readonly #api: Api;
  readonly #treeId: TreeId;
  readonly #signal: AbortSignal;

  constructor(api: Api, treeId: TreeId, signal: AbortSignal) {
    this.#api = api;
    this.#treeId = treeId;
    this.#signal = signal;
  }

  /** The end of a branch, so many messages of it. */
  page(leaf: NodeId | undefined, limit = pageSize): Promise<PageAnswer> {
    return this.#api.page(this.#treeId, { nodeId: leaf, limit }, this.#signal);
  }

  /** What comes before a message on the way to another. */
  before(leaf: NodeId, before: NodeId): Promise<PageAnswer> {
    return this.#api.page(this.#treeId, { nodeId: leaf, before, limit: furtherSize }, this.#signal);
  }

  /** What comes after a message on the way to another. */
  after(leaf: NodeId, after: NodeId): Promise<PageAnswer> {
    return this.#api.page(this.#treeId, { nodeId: leaf, after, limit: furtherSize }, this.#signal);
  }

  /** Where the branch through a node ends: the leaf that was last visited below it. */
  async leafThrough(id: NodeId): Promise<NodeId> {
    return (await this.#api.through(this.#treeId, id, 1)).nodes.at(-1)?.id ?? id;
  }

  /** The same, or null where the tree has no such node: it was deleted, or never was of this tree. */
  async leafIfThere(id: NodeId): Promise<NodeId | null> {
    try {
      return await this.leafThrough(id);
    } catch (thrown) {
      const { status } = asProblem(thrown);
      if (status !== 404 && status !== 400) throw thrown;
      return null;
    }
  }

  /** The end of a branch; where the view stood is gone, the branch on which the tree has its user. */
  async pageOrActive(wanted: NodeId | undefined, limit: number): Promise<PageAnswer> {
    try {
      return await this.page(wanted, limit);
    } catch (thrown) {
      if (asProblem(thrown).status !== 404) throw thrown;
      return this.page(undefined, limit);
    }
  }

  /** Loads what is around a node that is far above what is loaded; nothing in between is read. */
  async reaching(part: LoadedBranch, id: NodeId): Promise<LoadedBranch> {
    const { leaf } = part;
    if (leaf === null || part.before === null || shownPath(part).some((node) => node.id === id)) return part;
    const [above, below] = await Promise.all([
      this.page(id),
      this.#api.page(this.#treeId, { nodeId: leaf, after: id, limit: pageSize }, this.#signal),
    ]);
    return joinPages(withPage(withPage(part, above, 'above'), below, 'below'));
  }
}
