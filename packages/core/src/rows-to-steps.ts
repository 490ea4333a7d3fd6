/** Converts rows to steps that recreate a tree in one commit. */
import type { NodeId } from './ids.ts';
import type { NewNode, Node } from './node.ts';
import type { Reads } from './reads.ts';
import { inversePatch } from './rows.ts';
import type { Step } from './steps/types.ts';

/** Builds the steps of a first commit that recreates the live rows of a tree. */
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

/** Returns nodes in creation order, but moves a parent that was created later than its child before that child. */
export function orderParentsFirst(nodes: readonly Node[]): Node[] {
  const byId = new Map<NodeId, Node>(nodes.map((node) => [node.id, node]));
  const placed = new Set<NodeId>();
  const order: Node[] = [];
  for (const node of [...nodes].sort((a, b) => a.seq - b.seq)) {
    const ancestors: Node[] = [];
    for (let at: Node | undefined = node; at !== undefined && !placed.has(at.id); ) {
      ancestors.push(at);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    for (const one of ancestors.reverse()) {
      placed.add(one.id);
      order.push(one);
    }
  }
  return order;
}

/** Removes the fields that are assigned when a node is stored. */
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
