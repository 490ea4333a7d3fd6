/** The shape of a whole tree without its texts, kept up to date by the rows that commits write. */
import type { Bookmark, NodeId, RowChange, TopologyNode } from '@coppice/core';
import { previewOf, topologyNode } from '@coppice/core/tree';

function isBefore(a: TopologyNode, b: TopologyNode): number {
  return a.position < b.position ? -1 : a.position > b.position ? 1 : a.seq - b.seq;
}

/**
 * Children by parent, in order. It is changed in place, because a tree may have 100,000 nodes and a reply adds one; its
 * `stamp` rises with each change, for whoever draws it.
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

  /** The children of a node, oldest place first. */
  children(id: NodeId): readonly TopologyNode[] {
    return this.#kids.get(id) ?? [];
  }

  /** The way from a first turn down to a node. */
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

  /** How many messages grow from a node, itself not counted. */
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

  /** The leaf below a node on the way of the newest places. */
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

  /** Everything below a node and itself, taken out. */
  #prune(id: NodeId): void {
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const child of this.children(next)) waiting.push(child.id);
      this.#kids.delete(next);
      this.bookmarks.delete(next);
      this.#take(next);
    }
  }

  /** Carries out what a commit writes. False where it brings back what is not known here: then the whole is asked for again. */
  land(changes: readonly RowChange[]): boolean {
    for (const change of changes) {
      this.stamp++;
      switch (change.op) {
        case 'added':
          if (change.node.parentId !== null)
            this.#put(topologyNode(change.node, change.node.parentId, this.children(change.node.id).length));
          break;
        case 'placed':
          this.#change(change.nodeId, {
            parentId: change.to.parentId,
            position: change.to.position,
            groupId: change.to.groupId,
          });
          break;
        case 'written':
          this.#change(change.nodeId, {
            status: change.content.status,
            tokens: change.content.tokens,
            ...topologyText(change.content.text),
          });
          break;
        case 'annotated':
          if (typeof change.set.title === 'string') this.#change(change.nodeId, { preview: change.set.title });
          break;
        case 'grouped':
          this.#change(change.nodeId, { groupId: change.groupId });
          break;
        case 'removed':
          this.#prune(change.nodeId);
          break;
        case 'restored':
          return false;
        case 'bookmarked':
          if (change.bookmark === null) this.bookmarks.delete(change.nodeId);
          else this.bookmarks.set(change.nodeId, change.bookmark);
          break;
        default:
          break;
      }
    }
    return true;
  }
}

function topologyText(text: string): Partial<TopologyNode> {
  return text === '' ? {} : { preview: previewOf({ text, meta: {} }, 0) };
}
