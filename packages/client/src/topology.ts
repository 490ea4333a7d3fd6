/** The topology of a whole tree (its nodes without content), kept up to date by the row changes of commits. */
import type { Bookmark, NodeId, RowChange, TopologyNode } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import { previewOf, toTopologyNode } from '@coppice/core/tree';

function isBefore(a: TopologyNode, b: TopologyNode): number {
  return a.position < b.position ? -1 : a.position > b.position ? 1 : a.seq - b.seq;
}

/**
 * The nodes and their children in order. The object is mutable, because a tree may have 100,000 nodes and a reply adds
 * one. `stamp` increases with each change, so that views notice it.
 */
export class Topology {
  readonly rootId: NodeId;
  readonly nodes: Map<NodeId, TopologyNode>;
  readonly bookmarks: Map<NodeId, Bookmark>;
  #kids = new Map<NodeId, TopologyNode[]>();
  stamp = 0;

  constructor(rootId: NodeId, nodes: readonly TopologyNode[], bookmarks: readonly Bookmark[] = []) {
    this.rootId = rootId;
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.bookmarks = new Map(bookmarks.map((bookmark) => [bookmark.nodeId, bookmark]));
    for (const node of nodes) this.#listOf(node.parentId).push(node);
    for (const list of this.#kids.values()) if (list.length > 1) list.sort(isBefore);
  }

  #listOf(parent: NodeId): TopologyNode[] {
    const known = this.#kids.get(parent);
    if (known !== undefined) return known;
    const list: TopologyNode[] = [];
    this.#kids.set(parent, list);
    return list;
  }

  /** Returns the children of a node, in order. */
  children(id: NodeId): readonly TopologyNode[] {
    return this.#kids.get(id) ?? [];
  }

  /** Returns the path from the first message down to a node. */
  pathTo(id: NodeId): TopologyNode[] {
    const path: TopologyNode[] = [];
    for (
      let node = this.nodes.get(id);
      node !== undefined && path.length <= this.nodes.size;
      node = this.nodes.get(node.parentId)
    )
      path.push(node);
    return path.reverse();
  }

  /** Returns the number of messages below a node. */
  countBelow(id: NodeId): number {
    let count = 0;
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      for (const child of this.children(next)) {
        count++;
        waiting.push(child.id);
      }
    return count;
  }

  /** Returns the leaf below a node, following the last child of each node. */
  leafBelow(id: NodeId): NodeId {
    let at = id;
    for (let last = this.children(at).at(-1); last !== undefined; last = this.children(at).at(-1)) at = last.id;
    return at;
  }

  #put(node: TopologyNode): void {
    this.#take(node.id);
    this.nodes.set(node.id, node);
    const list = this.#listOf(node.parentId);
    const last = list.at(-1);
    list.push(node);
    if (last !== undefined && isBefore(last, node) > 0) list.sort(isBefore);
  }

  #take(id: NodeId): void {
    const node = this.nodes.get(id);
    if (node === undefined) return;
    this.nodes.delete(id);
    const list = this.#kids.get(node.parentId);
    const index = list?.findIndex((each) => each.id === id) ?? -1;
    if (index >= 0) list?.splice(index, 1);
  }

  #change(id: NodeId, set: Partial<TopologyNode>): void {
    const node = this.nodes.get(id);
    if (node !== undefined) this.#put({ ...node, ...set });
  }

  /** Removes a node with all its descendants. */
  #prune(id: NodeId): void {
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const child of this.children(next)) waiting.push(child.id);
      this.#kids.delete(next);
      this.bookmarks.delete(next);
      this.#take(next);
    }
  }

  /**
   * Applies the row changes of a commit. Returns false if a change restores unknown nodes; the topology has to be read
   * again then.
   */
  applyRowChanges(changes: readonly RowChange[]): boolean {
    for (const change of changes) {
      this.stamp++;
      switch (change.op) {
        case 'added':
          if (change.node.parentId !== null)
            this.#put(toTopologyNode(change.node, change.node.parentId, this.children(change.node.id).length));
          break;
        case 'updated':
          for (const id of change.nodeIds) this.#change(id, topologyColumns(change));
          break;
        case 'marked':
          if (change.to === null) return false;
          this.#prune(change.nodeId);
          break;
        case 'bookmarked':
          if (change.bookmark === null) this.bookmarks.delete(change.nodeId);
          else this.bookmarks.set(change.nodeId, change.bookmark);
          break;
        case 'tree':
          break;
      }
    }
    return true;
  }
}

/** Returns the topology fields that a row change sets. */
function topologyColumns({ set, meta }: Extract<RowChange, { op: 'updated' }>): Partial<TopologyNode> {
  const { parentId, position, groupId, status, tokens, text } = set;
  const beginning = text === undefined || text === '' ? undefined : previewOf({ text, meta: {} }, 0);
  const preview = typeof meta?.title === 'string' ? meta.title : beginning;
  return omitUndefined({ parentId: parentId ?? undefined, position, groupId, status, tokens, preview });
}
