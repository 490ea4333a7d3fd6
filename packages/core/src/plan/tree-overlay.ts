import type { NodeId } from '../ids.ts';
import { type Bookmark, isMessageKind, type Node, type TreeAttributes } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { applyPatch, type RowChange } from '../rows.ts';
import { stepKindOf } from '../steps/kinds.ts';
import { AncestorWalk, refuseCycleAbove } from '../steps/select.ts';
import type { Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';

// The removal mark of nodes that a planned step removes. No commit has this version.
const beingRemoved = 0;

/**
 * The tree after the planned steps. The inverse of several commits may change the same node, position or field more
 * than once, so a later step must not be checked against the stored tree.
 */
export class TreeOverlay {
  readonly #row: TreeRow;
  readonly #nodes = new Map<string, Node>();
  readonly #childAtPosition = new Map<string, NodeId | null>();
  /** Positions that planned steps assigned, by parent. */
  readonly #assignedPositions = new Map<string, string[]>();
  readonly #bookmarks = new Map<string, Bookmark | null>();
  readonly #restored = new Map<number, Set<NodeId>>();
  #attributes: TreeAttributes;
  /** Nodes that planned steps moved. */
  readonly moved = new Set<string>();

  constructor(row: TreeRow) {
    this.#row = row;
    this.#attributes = row.attributes;
  }

  get attributes(): TreeAttributes {
    return this.#attributes;
  }

  /** Returns the node with this id, removed or not. */
  *anyNode(id: NodeId): ReadProgram<Node | null> {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node = yield* ask('anyNode', { id });
    if (node !== null) this.#nodes.set(id, node);
    return node;
  }

  /** Returns the node if it is live after the planned steps; a planned restore may restore it with others. */
  *node(id: NodeId): ReadProgram<Node | null> {
    const node = yield* this.anyNode(id);
    if (node === null || node.removedIn === null) return node;
    const restoredRoots = this.#restored.get(node.removedIn);
    if (restoredRoots === undefined) return null;
    // Nodes that were removed together are connected. So a walk up finds the restored root of the same removal before
    // any node with another version. Checking each restored root instead would take 12 million reads for 5,000 of them.
    for (let at: Node | null = node; at !== null; at = yield* this.#parent(at)) {
      if (restoredRoots.has(at.id)) return node;
      if (at.removedIn !== node.removedIn) return null;
    }
    return null;
  }

  *#parent({ parentId }: Node): ReadProgram<Node | null> {
    return parentId === null ? null : yield* this.anyNode(parentId);
  }

  *bookmark(on: NodeId): ReadProgram<Bookmark | null> {
    const known = this.#bookmarks.get(on);
    return known === undefined ? yield* ask('bookmark', { on }) : known;
  }

  /** Returns the position if it is free after the planned steps, else the next free position after it. */
  *findFreePosition(parentId: NodeId, position: string, id: NodeId): ReadProgram<string> {
    const known = this.#childAtPosition.get(positionKey(parentId, position));
    const there = known === undefined ? yield* ask('childAt', { of: parentId, position }) : known;
    if (there === null || there === id) return position;
    let { after } = yield* ask('neighbourPositions', { of: parentId, position });
    for (const given of this.#assignedPositions.get(parentId) ?? [])
      if (given > position && (after === null || given < after)) after = given;
    return positionBetween(position, after);
  }

  /** Whether `id` is `below` or one of its ancestors after the planned steps. `from` is the current parent of `id`. */
  *isAncestorOrSelf(id: NodeId, from: NodeId, below: Node): ReadProgram<boolean> {
    // A sibling, the parent and the grandparent cannot be descendants. This check saves a walk to the root for each of
    // 50,000 children that move by one level.
    if (below.id === from || below.parentId === from) return below.id === id;
    if ((yield* this.anyNode(from))?.parentId === below.id) return false;
    if (this.moved.size === 0) return yield* ask('isAncestorOrSelf', { id, below: below.id });
    for (let at: Node | null = below; at !== null; at = yield* this.#parent(at)) if (at.id === id) return true;
    return false;
  }

  /** Returns the match parent of a node's children after the planned steps; markers above may have moved. */
  *matchParentOfChildren(parent: Node): ReadProgram<NodeId> {
    for (let at = parent; ; ) {
      const above: Node | null = isMessageKind(at.kind) ? null : yield* this.#parent(at);
      if (above === null) return at.id;
      at = above;
    }
  }

  /** Applies one more step. `node` is the result of {@link anyNode} for the node of the step, if it has one. */
  apply(step: Step, node: Node | null): void {
    const rows = stepKindOf(step).rows(step, { version: beingRemoved, seq: 0, at: 0 });
    for (const change of rows) this.#take(change, node === null ? null : (this.#nodes.get(node.id) ?? node));
  }

  #take(change: RowChange, node: Node | null): void {
    switch (change.op) {
      case 'updated':
        return this.#update(change, node);
      case 'marked':
        if (change.from !== null) return this.#restore(change.from, node);
        if (node?.parentId != null) this.#leave(node.parentId, node.position);
        return this.#change(node, { removedIn: change.to });
      case 'bookmarked':
        this.#bookmarks.set(change.nodeId, change.bookmark);
        return;
      case 'tree':
        this.#attributes = applyPatch(this.#attributes, change.attributes ?? {});
        return;
      case 'added':
        return;
    }
  }

  #update({ set, meta = {} }: Extract<RowChange, { op: 'updated' }>, node: Node | null): void {
    if (node === null) return;
    const { contentIn: _, matchParent: __, ...columns } = set;
    if (set.parentId == null || node.parentId === null)
      return this.#change(node, { ...columns, meta: applyPatch(node.meta, meta) });
    this.#leave(node.parentId, node.position);
    // A node that is restored inside another restored subtree becomes a restored root as well, so that its descendants
    // are restored with it.
    if (node.removedIn !== null) this.#restored.get(node.removedIn)?.add(node.id);
    this.#change(node, { ...columns, removedIn: null });
    this.#enter(set.parentId, set.position ?? node.position, node.id);
    this.moved.add(node.id);
  }

  /** Records the version whose content the node will have. */
  setContentVersion(id: NodeId, version: number): void {
    this.#change(this.#nodes.get(id) ?? null, { contentIn: version });
  }

  #change(node: Node | null, to: Partial<Node>): void {
    if (node !== null) this.#nodes.set(node.id, { ...node, ...to });
  }

  /**
   * Returns the root of the planned removal that includes a node, or null if the node is not removed. Planned moves are
   * taken into account.
   */
  *removedWith(id: NodeId, tops: ReadonlySet<NodeId>): ReadProgram<NodeId | null> {
    if (tops.size === 0) return null;
    if (this.moved.size === 0) {
      let top: NodeId | null = null;
      for (const one of tops) if (yield* ask('isAncestorOrSelf', { id: one, below: id })) top = one;
      return top;
    }
    let at = id;
    for (let turns = 0; turns <= this.moved.size; turns++) {
      const met = yield* findNearestAncestorOrSelf(at, (one) => tops.has(one) || this.moved.has(one));
      if (met === null || tops.has(met)) return met;
      at = (yield* this.anyNode(met))?.parentId ?? this.#row.rootId;
    }
    return null;
  }

  #restore(version: number, node: Node | null): void {
    if (node === null || node.parentId === null) return;
    this.#change(node, { removedIn: null });
    const together = this.#restored.get(version) ?? new Set();
    together.add(node.id);
    this.#restored.set(version, together);
    this.#enter(node.parentId, node.position, node.id);
  }

  #leave(parentId: NodeId, position: string): void {
    this.#childAtPosition.set(positionKey(parentId, position), null);
  }

  #enter(parentId: NodeId, position: string, id: NodeId): void {
    this.#childAtPosition.set(positionKey(parentId, position), id);
    const given = this.#assignedPositions.get(parentId) ?? [];
    given.push(position);
    this.#assignedPositions.set(parentId, given);
  }
}

/** Returns the nearest node at or above `from` that fulfils a condition, or null. */
export function* findNearestAncestorOrSelf(from: NodeId, fits: (id: NodeId) => boolean): ReadProgram<NodeId | null> {
  const path = new AncestorWalk(from);
  for (let stride = 4, next = 0; ; stride *= 4) {
    if (!(yield* path.climb(stride))) return refuseCycleAbove(from);
    const found = path.links.slice(next).find(({ id }) => fits(id));
    if (found !== undefined) return found.id;
    if (path.done) return null;
    next = path.links.length;
  }
}

function positionKey(parentId: NodeId, position: string): string {
  return `${parentId} ${position}`;
}
