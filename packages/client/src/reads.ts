/** Reads pages of an open tree: the end of a branch, and the messages around a node. */
import { type NodeId, nodeId, type TreeId } from '@coppice/core';
import type { Api } from './api/create-api.ts';
import type { PageAnswer } from './api-types.ts';
import { toHttpProblem } from './http.ts';
import { addPage, type LoadedBranch, showEndIfReached, shownPath } from './loaded-branch.ts';
import type { RecentCommits } from './recent-commits.ts';

/** The number of messages in the first page. */
export const firstPageLength = 40;
// Later pages are longer than the first page, which must arrive quickly.
const furtherPageLength = 100;

/** Returns the replies that were in progress when the page was read, with the ids of their runs. */
export function runsInPage(page: PageAnswer): ReadonlyMap<NodeId, string> {
  return new Map(Object.entries(page.runs).map(([id, run]) => [nodeId(id), run]));
}

/** Reads pages of one tree. The signal aborts the requests. */
export class TreePageReader {
  readonly #api: Api;
  readonly #treeId: TreeId;
  readonly #signal: AbortSignal;

  constructor(api: Api, treeId: TreeId, signal: AbortSignal) {
    this.#api = api;
    this.#treeId = treeId;
    this.#signal = signal;
  }

  /** Reads the last messages of a branch. */
  readPage(leaf: NodeId | undefined, limit = firstPageLength): Promise<PageAnswer> {
    return this.#api.page(this.#treeId, { nodeId: leaf, limit }, this.#signal);
  }

  /** Reads the messages before a node, on the path to a leaf. */
  readBefore(leaf: NodeId, before: NodeId): Promise<PageAnswer> {
    return this.#api.page(this.#treeId, { nodeId: leaf, before, limit: furtherPageLength }, this.#signal);
  }

  /** Reads the messages after a node, on the path to a leaf. */
  readAfter(leaf: NodeId, after: NodeId): Promise<PageAnswer> {
    return this.#api.page(this.#treeId, { nodeId: leaf, after, limit: furtherPageLength }, this.#signal);
  }

  /** Returns the last visited leaf below a node, or the node itself if it has no children. */
  async readLeafThrough(id: NodeId): Promise<NodeId> {
    return (await this.#api.through(this.#treeId, id, 1)).nodes.at(-1)?.id ?? id;
  }

  /** Like `readLeafThrough`, but returns null if the node does not exist. */
  async findLeafThrough(id: NodeId): Promise<NodeId | null> {
    try {
      return await this.readLeafThrough(id);
    } catch (thrown) {
      const { status } = toHttpProblem(thrown);
      if (status !== 404 && status !== 400) throw thrown;
      return null;
    }
  }

  /** Reads the last messages of a branch, or of the active branch if the node no longer exists. */
  async readPageOrActive(wanted: NodeId | undefined, limit: number): Promise<PageAnswer> {
    try {
      return await this.readPage(wanted, limit);
    } catch (thrown) {
      if (toHttpProblem(thrown).status !== 404) throw thrown;
      return this.readPage(undefined, limit);
    }
  }

  /**
   * Reads the messages around a node that is far above the loaded messages, without those in between. Returns null if
   * the node is shown already.
   */
  async readAround(part: LoadedBranch, id: NodeId): Promise<PagesAround | null> {
    const { leaf } = part;
    if (leaf === null || part.before === null || shownPath(part).some((node) => node.id === id)) return null;
    const [above, below] = await Promise.all([
      this.readPage(id),
      this.#api.page(this.#treeId, { nodeId: leaf, after: id, limit: firstPageLength }, this.#signal),
    ]);
    return { above, below };
  }
}

/** The page that ends at a message, and the page after it. */
export interface PagesAround {
  readonly above: PageAnswer;
  readonly below: PageAnswer;
}

/** Adds the messages around a node, if any were read, and the kept commits that are newer. */
export function addPagesAround(part: LoadedBranch, pages: PagesAround | null, recent: RecentCommits): LoadedBranch {
  if (pages === null) return part;
  const { above, below } = pages;
  const added = addPage(addPage(part, above, 'above'), below, 'below');
  return showEndIfReached(recent.applyAfter(Math.min(above.version, below.version), added));
}
