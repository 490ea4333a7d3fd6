import { normaliseMessages, parseMessage, storeInlineMessages } from '@coppice/content';
import {
  nodeId as asNodeId,
  isAppError,
  isBlank,
  type Message,
  type NodeId,
  type ReadProgram,
  type RunContext,
  refuse,
  run,
  type Store,
  type TreeId,
  type TreeSummary,
  treeId,
  unwrapResult,
} from '@coppice/core';
import { maskMessage } from '../config/mask-keys.ts';
import { listConfiguredKeys } from '../config/secret.ts';
import {
  assertCount,
  findNodeLocation,
  type NodeLocation,
  requireNodeId,
  requireNodeLocation,
  runContextOf,
} from '../service.ts';
import type { ForestOptions, RootQuery } from './options.ts';
import { ProvenanceLedger } from './provenance.ts';
import { toAppendedMeta, toMetaPatch, toRootData } from './render.ts';
import {
  type AppendMetadata,
  type BookmarkData,
  type ForestNode,
  isRootData,
  type MetadataChange,
  type NodeData,
  type NodeStructure,
  type RootConfig,
  type RootData,
  type SerializedTree,
} from './shapes.ts';
import {
  viewBookmark,
  viewBookmarks,
  viewChildren,
  viewLeaves,
  viewMessages,
  viewNode,
  viewPath,
  viewRoot,
  viewSiblings,
  viewStructures,
  viewSubtree,
  viewTree,
} from './views.ts';

const keptBlank = { blank: 'keep' } as const;
const byUser: AppendMetadata = { source_info: { type: 'user' } };

/**
 * Addresses conversations by node ids alone, on any store. Every change is a command of core. Changes do not move the
 * active node, except for a tree's first node.
 */
export class Forest {
  readonly #store: Store;
  readonly #context: RunContext;
  readonly #project: string | undefined;
  readonly #source: string;
  readonly #ledger: ProvenanceLedger;

  constructor(store: Store, options: ForestOptions = {}) {
    this.#store = store;
    this.#context = runContextOf(store, options);
    this.#project = options.project;
    this.#source = options.source ?? this.#context.actor;
    this.#ledger = new ProvenanceLedger(store, options.provenance);
  }

  /**
   * Returns the root with exactly this prompt among those of the owner and the project, and creates it if it is
   * missing. No prompt and the empty prompt are different prompts.
   */
  async getOrCreateRoot(systemPrompt?: string): Promise<RootData> {
    const attributes = {
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(this.#project === undefined ? {} : { project: this.#project }),
    };
    const fresh = treeId(this.#context.newId());
    const { result } = await run(
      this.#store,
      { type: 'create', treeId: fresh, forest: true, attributes },
      this.#context,
    );
    return (await this.getRoot(result.treeId)) ?? unknownRoot(result.treeId);
  }

  /** Returns a root; null if the id is unknown or belongs to another node. */
  async getRoot(rootId: string): Promise<RootData | null> {
    const node = await this.getNode(rootId);
    return node !== null && isRootData(node) ? node : null;
  }

  /**
   * Returns the roots of the project, last changed first. A root whose tree cannot be read is listed with the reason.
   */
  async listRoots(query: RootQuery = {}): Promise<RootData[]> {
    const roots: RootData[] = [];
    for await (const tree of this.#trees(query ?? {})) {
      const root = await this.#readUnlessDamaged(tree, viewRoot, (damaged) => ({ ...toRootData(tree, []), damaged }));
      if (root !== null) roots.push(root);
    }
    return roots;
  }

  /** Returns a node, or a root if the id is a root's; null if the id is unknown. */
  async getNode(nodeId: string): Promise<ForestNode | null> {
    const place = await findNodeLocation(this.#store, nodeId);
    return place === null ? null : this.#store.read(place.treeId, () => viewNode(place.nodeId));
  }

  /**
   * Returns the path down to `to`, from the root or from `from` on; both ends are included, and the root is separate.
   */
  async getPath(ends: { from?: string | null; to: string }): Promise<{ root: RootData; path: NodeData[] }> {
    const { treeId } = await requireNodeLocation(this.#store, ends?.to);
    const { to, from } = ends;
    const start = from === undefined || from === null ? {} : { from: requireNodeId(from) };
    return this.#store.read(treeId, () => viewPath(treeId, { to, ...start }));
  }

  /** Returns the messages on the path to a node. Appending them to the root again leads to the same node. */
  async getMessages(nodeId: string): Promise<{ root: RootConfig; messages: Message[] }> {
    const place = await requireNodeLocation(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewMessages(place.treeId, place.nodeId));
  }

  /** Returns the children of a node or a root, in order. */
  async getChildren(nodeId: string): Promise<NodeData[]> {
    const place = await requireNodeLocation(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewChildren(place.treeId, place.nodeId));
  }

  /** Returns the other nodes with the same parent, in order. */
  async getSiblings(nodeId: string): Promise<NodeData[]> {
    const place = await requireNodeLocation(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewSiblings(place.treeId, place.nodeId));
  }

  /** Returns a node and its descendants, breadth first; depth 0 is the node alone. */
  async getSubtree(nodeId: string, options: { depth?: number } = {}): Promise<ForestNode[]> {
    const depth = options?.depth ?? undefined;
    if (depth !== undefined) assertCount('depth', depth);
    const place = await requireNodeLocation(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewSubtree(place.treeId, place.nodeId, depth));
  }

  /** Returns the newest leaves of one tree or of the project, newest first. */
  async listRecentLeaves(limit = 20, rootId?: string): Promise<NodeData[]> {
    assertCount('limit', limit, 1);
    if (rootId !== undefined) {
      const id = await this.#rootTree(rootId);
      return (await this.#store.read(id, () => viewLeaves(limit))).map(({ node }) => node);
    }
    let newest: { at: number; node: NodeData }[] = [];
    for await (const tree of this.#trees({})) {
      // Trees are sorted by last change, so the remaining trees have no newer leaves.
      if (newest.length >= limit && (newest[newest.length - 1]?.at ?? 0) >= tree.updatedAt) break;
      const leaves = await this.#readUnlessDamaged(
        tree,
        () => viewLeaves(limit),
        () => [],
      );
      newest = [...newest, ...leaves].sort((a, b) => b.at - a.at).slice(0, limit);
    }
    return newest.map(({ node }) => node);
  }

  /** Returns one tree, or all trees of the project, without message contents; roots have the role `system`. */
  async getAllNodeStructures(rootId?: string): Promise<NodeStructure[]> {
    if (rootId !== undefined) {
      const id = await this.#rootTree(rootId);
      return this.#store.read(id, () => viewStructures(id));
    }
    const all: NodeStructure[] = [];
    for await (const tree of this.#trees({}))
      for (const structure of await this.#readUnlessDamaged(
        tree,
        () => viewStructures(tree.id),
        () => [],
      ))
        all.push(structure);
    return all;
  }

  /** Returns a whole tree as flat lists, with its root as a system message. */
  async serialize(rootId: string): Promise<SerializedTree> {
    const id = await this.#rootTree(rootId);
    return this.#store.read(id, () => viewTree(id));
  }

  /**
   * Appends messages below a node, reusing equal ones, and returns the last node: the parent if all messages were
   * blank. Older message formats are accepted; an unreadable message is refused with its index, and nothing is
   * stored.
   */
  async append(
    parentId: string,
    messages: readonly unknown[],
    metadata: AppendMetadata | null = byUser,
  ): Promise<ForestNode> {
    const keys = listConfiguredKeys();
    const read = unwrapResult(normaliseMessages(messages, keptBlank)).map((message) => maskMessage(message, keys));
    const place = await requireNodeLocation(this.#store, parentId);
    const { each, last } = toAppendedMeta(metadata ?? byUser);
    const end = read.findLastIndex((message) => !isBlank(message));
    const items = read.map((message, index) => ({ message, meta: index === end ? last : each }));
    const { result } = await run(
      this.#store,
      {
        type: 'append',
        treeId: place.treeId,
        parentId: place.nodeId,
        messages: await storeInlineMessages(items, this.#store.blobs),
        select: false,
      },
      this.#context,
    );
    this.#recordReuse(place.treeId, result.reused);
    return this.#readNode({ treeId: place.treeId, nodeId: result.nodeId });
  }

  /** Splits a text at a UTF-16 offset. Returns the new left half; the node keeps the right half and its replies. */
  async splitNode(nodeId: string, position: number): Promise<NodeData> {
    const place = await requireNodeLocation(this.#store, nodeId);
    const { result } = await run(this.#store, { type: 'split', ...place, position }, this.#context);
    return this.#readMessage({ ...place, nodeId: result.nodeId });
  }

  /**
   * Edits a text and returns the node with the end of the new text. A node with replies is split where the new text
   * differs, so that both versions share the node of their common beginning.
   */
  async editNodeContent(
    nodeId: string,
    newContent: string,
    options: { moveBookmark?: boolean } = {},
  ): Promise<NodeData> {
    // Parsed like every appended message, so that the same limits apply.
    const { content } = unwrapResult(
      parseMessage({ role: 'user', content: [{ type: 'text', text: newContent }] }, keptBlank),
    );
    const place = await requireNodeLocation(this.#store, nodeId);
    const { result } = await run(
      this.#store,
      {
        type: 'edit',
        ...place,
        content,
        mode: 'prefix',
        select: false,
        moveBookmark: options?.moveBookmark === true,
      },
      this.#context,
    );
    return this.#readMessage({ ...place, nodeId: result.nodeId });
  }

  /**
   * Deletes a node with its descendants, or moves its children up to its parent. Returns the parent, or null if the
   * node is unknown. Roots are refused.
   */
  async deleteNode(nodeId: string, reparentToGrandparent = false): Promise<ForestNode | null> {
    const place = await findNodeLocation(this.#store, nodeId);
    if (place === null) return null;
    try {
      const { result } = await run(
        this.#store,
        { type: 'delete', treeId: place.treeId, nodeIds: [place.nodeId], mode: modeOf(reparentToGrandparent) },
        this.#context,
      );
      return result.parentId === null ? null : this.#readNode({ ...place, nodeId: result.parentId });
    } catch (error) {
      // Another caller deleted the node first.
      if (isAppError(error) && error.code === 'tree/unknown-node') return null;
      throw error;
    }
  }

  /** Deletes nodes of one tree in one commit. Returns the deleted nodes; if one is unknown, nothing is deleted. */
  async deleteNodes(nodeIds: readonly string[], reparentToGrandparent = false): Promise<NodeId[]> {
    if (!Array.isArray(nodeIds)) return refuse('command/invalid', 'The nodes to delete must be a list of ids.', {});
    if (nodeIds.length === 0) return [];
    const first = nodeIds[0] ?? '';
    const place = await requireNodeLocation(this.#store, first);
    const { treeId } = place;
    // Only the first id and the id of the root are looked up; core refuses ids that are not in the tree.
    const removedIds: NodeId[] = [];
    for (const id of nodeIds)
      removedIds.push(
        id === first
          ? place.nodeId
          : id === treeId
            ? (await requireNodeLocation(this.#store, id)).nodeId
            : asNodeId(id),
      );
    const { result } = await run(
      this.#store,
      { type: 'delete', treeId, nodeIds: removedIds, mode: modeOf(reparentToGrandparent) },
      this.#context,
    );
    return [...result.removed];
  }

  /**
   * Changes the user metadata of a node in one commit, never its time, origin or source. An automatic title is ignored
   * if the node already has a title or children.
   */
  async updateNodeMetadata(nodeId: string, change: MetadataChange | null = {}): Promise<NodeData> {
    const place = await requireNodeLocation(this.#store, nodeId);
    await run(this.#store, { type: 'annotate', ...place, set: toMetaPatch(change ?? {}) }, this.#context);
    return this.#readMessage(place);
  }

  /** Returns the bookmarks of one tree, or of the project. */
  async listBookmarks(rootId?: string): Promise<BookmarkData[]> {
    if (rootId !== undefined) return this.#store.read(await this.#rootTree(rootId), viewBookmarks);
    const all: BookmarkData[] = [];
    for await (const tree of this.#trees({}))
      for (const bookmark of await this.#readUnlessDamaged(tree, viewBookmarks, () => [])) all.push(bookmark);
    return all;
  }

  /** Returns the bookmark on a node; null if the node has none or does not exist. */
  async getBookmark(nodeId: string): Promise<BookmarkData | null> {
    const place = await findNodeLocation(this.#store, nodeId);
    return place === null ? null : this.#store.read(place.treeId, () => viewBookmark(place.nodeId));
  }

  /** Bookmarks a node; setting it again changes the title and keeps the time. */
  async setBookmark(nodeId: string, title: string): Promise<BookmarkData> {
    const place = await requireNodeLocation(this.#store, nodeId);
    await run(this.#store, { type: 'bookmark', ...place, title }, this.#context);
    const set = await this.#store.read(place.treeId, () => viewBookmark(place.nodeId));
    return set ?? refuse('tree/unknown-node', `There is no message ${nodeId}.`, { nodeId });
  }

  /** Removes the bookmark of a node, if it has one. */
  async removeBookmark(nodeId: string): Promise<void> {
    const place = await requireNodeLocation(this.#store, nodeId);
    await run(this.#store, { type: 'bookmark', ...place, title: null }, this.#context);
  }

  /** Writes pending provenance rows. Does not close the store, which belongs to the caller. */
  close(): Promise<void> {
    return this.#ledger.flush();
  }

  async *#trees(query: RootQuery): AsyncGenerator<TreeSummary, void, undefined> {
    const wanted = {
      ...(this.#project === undefined ? {} : { project: this.#project }),
      ...(query.forest === undefined ? {} : { forest: query.forest }),
    };
    for (let page = await this.#store.trees(wanted); ; ) {
      yield* page.items;
      if (page.cursor === null) return;
      page = await this.#store.trees({ ...wanted, cursor: page.cursor });
    }
  }

  /**
   * Reads one of many trees. If the tree is damaged, returns the result of `instead`, so that the others can still be
   * read.
   */
  async #readUnlessDamaged<T>(
    { id }: TreeSummary,
    reading: () => ReadProgram<T>,
    instead: (damaged: string) => T,
  ): Promise<T> {
    try {
      return await this.#store.read(id, reading);
    } catch (error) {
      if (!isAppError(error) || (error.code !== 'store/damaged' && error.code !== 'store/newer')) throw error;
      return instead(error.message);
    }
  }

  async #rootTree(rootId: string): Promise<TreeId> {
    const root = await this.getRoot(rootId);
    return root?.id ?? unknownRoot(rootId);
  }

  async #readNode({ treeId, nodeId }: NodeLocation): Promise<ForestNode> {
    const node = await this.#store.read(treeId, () => viewNode(nodeId));
    // The node existed when the command ran; another caller has deleted it since.
    return node ?? refuse('tree/unknown-node', `The message ${nodeId} no longer exists.`, { nodeId });
  }

  async #readMessage(place: NodeLocation): Promise<NodeData> {
    const node = await this.#readNode(place);
    if (isRootData(node))
      return refuse('tree/root-protected', `${node.id} is the beginning of a chat: choose a message below it.`, {
        nodeId: place.nodeId,
      });
    return node;
  }

  #recordReuse(treeId: TreeId, reused: readonly NodeId[]): void {
    const [firstNodeId] = reused;
    const lastNodeId = reused[reused.length - 1];
    if (firstNodeId === undefined || lastNodeId === undefined) return;
    const at = this.#context.now();
    this.#ledger.add({ treeId, source: this.#source, firstNodeId, lastNodeId, count: reused.length, at });
  }
}

function modeOf(reparent: boolean): 'splice' | 'cascade' {
  return reparent ? 'splice' : 'cascade';
}

function unknownRoot(id: string): never {
  return refuse('tree/unknown-tree', `There is no root ${id}.`, { treeId: id });
}
