/** From rows back to steps: a tree that lives elsewhere, made here by one commit. */
import type { NodeId } from './ids.ts';
import type { NewNode, Node } from './node.ts';
import type { Reads } from './reads.ts';
import { inversePatch } from './rows.ts';
import type { Step } from './steps/types.ts';

/** The steps of a first commit that make a tree what its live rows say. */
export function stepsFromRows({ row, nodes, bookmarks }: NonNullable<Reads['rows']['answer']>): Step[] {
  const live = nodes.filter((node) => node.removedIn === null);
  const steps: Step[] = orderParentsFirst(live).map((node) => ({ type: 'insert', node: toNewNode(node) }));
  const [root, ...rest] = steps;
  const { attributes, activeNodeId } = row;
  const named: Step[] = [{ type: 'attributes', after: attributes, before: inversePatch({}, attributes) }];
  for (const bookmark of bookmarks)
    rest.push({ type: 'bookmark', nodeId: bookmark.nodeId, after: bookmark, before: null });
  if (activeNodeId !== null) rest.push({ type: 'select', after: activeNodeId, before: null });
  return [...(root === undefined ? [] : [root]), ...named, ...rest];
}

/** Creation order, but for nodes that were put above older ones: those come as soon as what hangs on them needs them. */
export function orderParentsFirst(nodes: readonly Node[]): Node[] {
  const byId = new Map<NodeId, Node>(nodes.map((node) => [node.id, node]));
  const placed = new Set<NodeId>();
  const order: Node[] = [];
  for (const node of [...nodes].sort((a, b) => a.seq - b.seq)) {
    const way: Node[] = [];
    for (let at: Node | undefined = node; at !== undefined && !placed.has(at.id); ) {
      way.push(at);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    for (const one of way.reverse()) {
      placed.add(one.id);
      order.push(one);
    }
  }
  return order;
}

/** A node without what is assigned when it is stored. */
export function toNewNode(node: Node): NewNode {
  const {
    seq: _seq,
    addedIn: _in,
    contentIn: _content,
    removedIn: _removed,
    lastChildId: _last,
    role: _role,
    ...rest
  } = node;
  return rest;
}
