import { normaliseMessages, parseMessage } from '@coppice/content';
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
  valueOf,
} from '@coppice/core';
import { maskMessage } from '../config/mask-message.ts';
import { heldKeys } from '../config/secret.ts';
import {
  checkCount,
  findNodePlace,
  type NodePlace,
  requireNodeNamed,
  requireNodePlace,
  runContextOf,
} from '../service.ts';
import type { ForestOptions, RootQuery } from './options.ts';
import { ProvenanceLedger } from './provenance.ts';
import { notesOfMeta, notesToSet, rootDataOf } from './render.ts';
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
 * Conversations by the ids of their nodes alone, on any store. It holds no rules of its own: every change is a command
 * of core. What it adds does not move where the user is, but for a tree's first node.
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

  /** Finds this owner's and project's root with exactly this prompt, or makes it. No prompt and the empty one differ. */
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

  /** The root of an id; null where there is none. */
  async getRoot(rootId: string): Promise<RootData | null> {
    const node = await this.getNode(rootId);
    return node !== null && isRootData(node) ? node : null;
  }

  /** The roots of the project, newest change first. One whose tree cannot be read is among them and says so. */
  async listRoots(query: RootQuery = {}): Promise<RootData[]> {
    const roots: RootData[] = [];
    for await (const tree of this.#trees(query ?? {})) {
      const root = await this.#readable(tree, viewRoot, (damaged) => ({ ...rootDataOf(tree, []), damaged }));
      if (root !== null) roots.push(root);
    }
    return roots;
  }

  /** A node, or a root where the id is a root's; null where there is none. */
  async getNode(nodeId: string): Promise<ForestNode | null> {
    const place = await findNodePlace(this.#store, nodeId);
    return place === null ? null : this.#store.read(place.treeId, () => viewNode(place.nodeId));
  }

  /** The way from a root, or from a node on it, down to a node; both ends included, the root apart. */
  async getPath(ends: { from?: string | null; to: string }): Promise<{ root: RootData; path: NodeData[] }> {
    const { treeId } = await requireNodePlace(this.#store, ends?.to);
    const { to, from } = ends;
    const start = from === undefined || from === null ? {} : { from: requireNodeNamed(from) };
    return this.#store.read(treeId, () => viewPath(treeId, { to, ...start }));
  }

  /** What was said on the way to a node. Appending it again under the root leads to the same node. */
  async getMessages(nodeId: string): Promise<{ root: RootConfig; messages: Message[] }> {
    const place = await requireNodePlace(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewMessages(place.treeId, place.nodeId));
  }

  /** The nodes right below a node or a root, in order. */
  async getChildren(nodeId: string): Promise<NodeData[]> {
    const place = await requireNodePlace(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewChildren(place.treeId, place.nodeId));
  }

  /** The other nodes with the same parent, in order. */
  async getSiblings(nodeId: string): Promise<NodeData[]> {
    const place = await requireNodePlace(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewSiblings(place.treeId, place.nodeId));
  }

  /** A node and what is below it, breadth first; depth 0 is the node alone. */
  async getSubtree(nodeId: string, options: { depth?: number } = {}): Promise<ForestNode[]> {
    const depth = options?.depth ?? undefined;
    if (depth !== undefined) checkCount('depth', depth);
    const place = await requireNodePlace(this.#store, nodeId);
    return this.#store.read(place.treeId, () => viewSubtree(place.treeId, place.nodeId, depth));
  }

  /** The newest leaves of one tree or of the project, newest first. */
  async listRecentLeaves(limit = 20, rootId?: string): Promise<NodeData[]> {
    checkCount('limit', limit, 1);
    if (rootId !== undefined) {
      const id = await this.#rootTree(rootId);
      return (await this.#store.read(id, () => viewLeaves(limit))).map(({ node }) => node);
    }
    let newest: { at: number; node: NodeData }[] = [];
    for await (const tree of this.#trees({})) {
      // Trees come newest change first: what follows has nothing newer than what is there.
      if (newest.length >= limit && (newest[newest.length - 1]?.at ?? 0) >= tree.updatedAt) break;
      const leaves = await this.#readable(
        tree,
        () => viewLeaves(limit),
        () => [],
      );
      newest = [...newest, ...leaves].sort((a, b) => b.at - a.at).slice(0, limit);
    }
    return newest.map(({ node }) => node);
  }

  /** One tree, or all of the project, without what they say; roots are in the list as `system`. */
  async getAllNodeStructures(rootId?: string): Promise<NodeStructure[]> {
    if (rootId !== undefined) {
      const id = await this.#rootTree(rootId);
      return this.#store.read(id, () => viewStructures(id));
    }
    const all: NodeStructure[] = [];
    for await (const tree of this.#trees({}))
      for (const structure of await this.#readable(
        tree,
        () => viewStructures(tree.id),
        () => [],
      ))
        all.push(structure);
    return all;
  }

  /** A whole tree as flat lists, its root rendered as a system message. */
  async serialize(rootId: string): Promise<SerializedTree> {
    const id = await this.#rootTree(rootId);
    return this.#store.read(id, () => viewTree(id));
  }

  /**
   * Adds messages below a node, reusing what is there already, and gives the last node: the parent if nothing was said.
   * Takes older forms of messages too; one that cannot be read is refused by its index, and nothing is stored.
   */
  async append(
    parentId: string,
    messages: readonly unknown[],
    metadata: AppendMetadata | null = byUser,
  ): Promise<ForestNode> {
    const keys = heldKeys();
    const read = valueOf(normaliseMessages(messages, keptBlank)).map((message) => maskMessage(message, keys));
    const place = await requireNodePlace(this.#store, parentId);
    const { each, last } = notesOfMeta(metadata ?? byUser);
    const end = read.findLastIndex((message) => !isBlank(message));
    const { result } = await run(
      this.#store,
      {
        type: 'append',
        treeId: place.treeId,
        parentId: place.nodeId,
        messages: read.map((message, index) => ({ message, meta: index === end ? last : each })),
        select: false,
      },
      this.#context,
    );
    this.#noteReuse(place.treeId, result.reused);
    return this.#shown({ treeId: place.treeId, nodeId: result.nodeId });
  }

  /** Cuts a text in two at a UTF-16 offset. Gives the new left half; the node keeps the right half and its replies. */
  async splitNode(nodeId: string, position: number): Promise<NodeData> {
    const place = await requireNodePlace(this.#store, nodeId);
    const { result } = await run(this.#store, { type: 'split', ...place, position }, this.#context);
    return this.#turn({ ...place, nodeId: result.nodeId });
  }

  /** Changes a text, keeping what both texts share, and gives the node that completes the new one. */
  async editNodeContent(
    nodeId: string,
    newContent: string,
    options: { moveBookmark?: boolean } = {},
  ): Promise<NodeData> {
    // At content's door, where every message comes in: a text past the limits is refused here as anywhere.
    const { content } = valueOf(
      parseMessage({ role: 'user', content: [{ type: 'text', text: newContent }] }, keptBlank),
    );
    const place = await requireNodePlace(this.#store, nodeId);
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
    return this.#turn({ ...place, nodeId: result.nodeId });
  }

  /**
   * Takes a node out, with all that is below it, or with its children put in its place. Gives the parent, and null where
   * the node was unknown. Roots are refused.
   */
  async deleteNode(nodeId: string, reparentToGrandparent = false): Promise<ForestNode | null> {
    const place = await findNodePlace(this.#store, nodeId);
    if (place === null) return null;
    try {
      const { result } = await run(
        this.#store,
        { type: 'delete', treeId: place.treeId, nodeIds: [place.nodeId], mode: modeOf(reparentToGrandparent) },
        this.#context,
      );
      return result.parentId === null ? null : this.#shown({ ...place, nodeId: result.parentId });
    } catch (error) {
      // Somebody else was quicker.
      if (isAppError(error) && error.code === 'tree/unknown-node') return null;
      throw error;
    }
  }

  /** Takes nodes of one tree out in one commit. Gives those that went; an unknown one is refused, and nothing goes. */
  async deleteNodes(nodeIds: readonly string[], reparentToGrandparent = false): Promise<NodeId[]> {
    if (!Array.isArray(nodeIds)) return refuse('command/invalid', 'The nodes to delete are a list of ids.', {});
    if (nodeIds.length === 0) return [];
    const first = nodeIds[0] ?? '';
    const place = await requireNodePlace(this.#store, first);
    const { treeId } = place;
    // Only the first, and the root by its tree's id, have to be looked for: what is not in the tree is refused there.
    const doomed: NodeId[] = [];
    for (const id of nodeIds)
      doomed.push(
        id === first ? place.nodeId : id === treeId ? (await requireNodePlace(this.#store, id)).nodeId : asNodeId(id),
      );
    const { result } = await run(
      this.#store,
      { type: 'delete', treeId, nodeIds: doomed, mode: modeOf(reparentToGrandparent) },
      this.#context,
    );
    return [...result.removed];
  }

  /**
   * Changes what the user noted about a node, in one commit. Never its time, its origin or its source; and a machine's
   * title is passed over where the node has a title or children.
   */
  async updateNodeMetadata(nodeId: string, change: MetadataChange | null = {}): Promise<NodeData> {
    const place = await requireNodePlace(this.#store, nodeId);
    await run(this.#store, { type: 'annotate', ...place, set: notesToSet(change ?? {}) }, this.#context);
    return this.#turn(place);
  }

  /** The bookmarks of one tree, or of the project. */
  async listBookmarks(rootId?: string): Promise<BookmarkData[]> {
    if (rootId !== undefined) return this.#store.read(await this.#rootTree(rootId), viewBookmarks);
    const all: BookmarkData[] = [];
    for await (const tree of this.#trees({}))
      for (const bookmark of await this.#readable(tree, viewBookmarks, () => [])) all.push(bookmark);
    return all;
  }

  /** The bookmark on a node; null if it has none, or is not there. */
  async getBookmark(nodeId: string): Promise<BookmarkData | null> {
    const place = await findNodePlace(this.#store, nodeId);
    return place === null ? null : this.#store.read(place.treeId, () => viewBookmark(place.nodeId));
  }

  /** Bookmarks a node; setting it again retitles it and keeps its time. */
  async setBookmark(nodeId: string, title: string): Promise<BookmarkData> {
    const place = await requireNodePlace(this.#store, nodeId);
    await run(this.#store, { type: 'bookmark', ...place, title }, this.#context);
    const set = await this.#store.read(place.treeId, () => viewBookmark(place.nodeId));
    return set ?? refuse('tree/unknown-node', `There is no node ${nodeId}.`, { nodeId });
  }

  /** Takes the bookmark of a node away; nothing happens where it has none. */
  async removeBookmark(nodeId: string): Promise<void> {
    const place = await requireNodePlace(this.#store, nodeId);
    await run(this.#store, { type: 'bookmark', ...place, title: null }, this.#context);
  }

  /** Writes what waits to be written. The store stays open: whoever opened it closes it. */
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

  /** Reads one of many trees. One that is damaged keeps nobody from the others: `listRoots` names it and says why. */
  async #readable<T>({ id }: TreeSummary, reading: () => ReadProgram<T>, instead: (damaged: string) => T): Promise<T> {
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

  async #shown({ treeId, nodeId }: NodePlace): Promise<ForestNode> {
    const node = await this.#store.read(treeId, () => viewNode(nodeId));
    // It was there a moment ago: somebody took it out in between.
    return node ?? refuse('tree/unknown-node', `There is no node ${nodeId} any more.`, { nodeId });
  }

  async #turn(place: NodePlace): Promise<NodeData> {
    const node = await this.#shown(place);
    if (isRootData(node))
      return refuse('tree/root-protected', `The root ${node.id} has nothing of this kind.`, { nodeId: place.nodeId });
    return node;
  }

  #noteReuse(treeId: TreeId, reused: readonly NodeId[]): void {
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
