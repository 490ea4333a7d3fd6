import type { NodeId } from '../ids.ts';
import { type Bookmark, isMessageKind, type Node, type TreeAttributes } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { applyPatch } from '../rows.ts';
import type { MoveStep, RestoreStep, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';

// No commit has this version: the mark of what a planned remove takes.
const beingRemoved = 0;

/**
 * The tree as the steps planned so far will leave it. A commit of many steps that turns back several commits meets
 * the same node, place or note more than once; judged by the tree as it is now, the second look would be wrong.
 */
export class TreeOverlay {
  readonly #row: TreeRow;
  readonly #nodes = new Map<string, Node>();
  readonly #places = new Map<string, NodeId | null>();
  /** Places that a planned step gave, by parent. */
  readonly #given = new Map<string, string[]>();
  readonly #bookmarks = new Map<string, Bookmark | null>();
  readonly #restored = new Map<number, Set<NodeId>>();
  #attributes: TreeAttributes;
  /** What planned moves took elsewhere. */
  readonly moved = new Set<string>();

  constructor(row: TreeRow) {
    this.#row = row;
    this.#attributes = row.attributes;
  }

  get attributes(): TreeAttributes {
    return this.#attributes;
  }

  /** The node of an id, also a removed one. */
  *anyNode(id: NodeId): ReadProgram<Node | null> {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    const node = yield* ask('anyNode', { id });
    if (node !== null) this.#nodes.set(id, node);
    return node;
  }

  /** The node of an id if it lives then: also one that a planned restore brings back with others. */
  *node(id: NodeId): ReadProgram<Node | null> {
    const node = yield* this.anyNode(id);
    if (node === null || node.removedIn === null) return node;
    const tops = this.#restored.get(node.removedIn);
    if (tops === undefined) return null;
    // What went together hangs together, so the way up meets the top that took it, if it comes back, before any other
    // mark. Asked of every top instead, 5,000 of them would be 12 million questions.
    for (let at: Node | null = node; at !== null; at = yield* this.#parent(at)) {
      if (tops.has(at.id)) return node;
      if (at.removedIn !== node.removedIn) return null;
    }
    return null;
  }

  *#parent({ parentId }: Node): ReadProgram<Node | null> {
    return parentId === null ? null : yield* this.anyNode(parentId);
  }

  /** The bookmark on a node. */
  *bookmark(on: NodeId): ReadProgram<Bookmark | null> {
    const known = this.#bookmarks.get(on);
    return known === undefined ? yield* ask('bookmark', { on }) : known;
  }

  /** The place itself if it is free then, else one right behind it. */
  *freePlace(parentId: NodeId, position: string, id: NodeId): ReadProgram<string> {
    const known = this.#places.get(placeKey(parentId, position));
    const there = known === undefined ? yield* ask('childAt', { of: parentId, position }) : known;
    if (there === null || there === id) return position;
    let { after } = yield* ask('neighbourPositions', { of: parentId, position });
    for (const given of this.#given.get(parentId) ?? [])
      if (given > position && (after === null || given < after)) after = given;
    return positionBetween(position, after);
  }

  /** Whether the first is the second or lies above it then. The first hangs on `from` now. */
  *above(id: NodeId, from: NodeId, below: Node): ReadProgram<boolean> {
    // A node beside it, the one it hangs on, and the one above that are none of its descendants. Splicing 50,000
    // children back moves each of them one level, and must not walk to the root for each.
    if (below.id === from || below.parentId === from) return below.id === id;
    if ((yield* this.anyNode(from))?.parentId === below.id) return false;
    if (this.moved.size === 0) return yield* ask('isAncestorOrSelf', { id, below: below.id });
    for (let at: Node | null = below; at !== null; at = yield* this.#parent(at)) if (at.id === id) return true;
    return false;
  }

  /** The node that a child of this one matches under then: markers above it may have moved. */
  *matchParentBelow(parent: Node): ReadProgram<NodeId> {
    for (let at = parent; ; ) {
      const above: Node | null = isMessageKind(at.kind) ? null : yield* this.#parent(at);
      if (above === null) return at.id;
      at = above;
    }
  }

  /** Goes on to the tree after one more step. `node` is what {@link anyNode} gives for it, where it has one. */
  apply(step: Step, node: Node | null): void {
    switch (step.type) {
      case 'remove':
        if (node?.parentId != null) this.#leave(node.parentId, node.position);
        return this.#change(node, { removedIn: beingRemoved });
      case 'restore':
        return this.#restore(step, node);
      case 'move':
        return this.#move(step, node);
      case 'replace':
        return this.#change(node, step.after);
      case 'annotate':
        return this.#change(node, { meta: applyPatch(node?.meta ?? {}, step.after) });
      case 'regroup':
        return this.#change(node, { groupId: step.after });
      case 'bookmark':
        this.#bookmarks.set(step.nodeId, step.after);
        return;
      case 'attributes':
        this.#attributes = applyPatch(this.#attributes, step.after);
        return;
      case 'insert':
      case 'select':
        return;
    }
  }

  /** Remembers which version wrote what a node will say. */
  setContentVersion(id: NodeId, version: number): void {
    this.#change(this.#nodes.get(id) ?? null, { contentIn: version });
  }

  #change(node: Node | null, to: Partial<Node>): void {
    if (node !== null) this.#nodes.set(node.id, { ...node, ...to });
  }

  /**
   * Which of these subtrees a node will go with, or null if it stays. They are planned to go; what planned moves take
   * out of them stays, and what they take in goes.
   */
  *removedWith(id: NodeId, tops: ReadonlySet<NodeId>): ReadProgram<NodeId | null> {
    if (this.moved.size === 0) {
      let top: NodeId | null = null;
      for (const one of tops) if (yield* ask('isAncestorOrSelf', { id: one, below: id })) top = one;
      return top;
    }
    let at = id;
    for (let turns = 0; turns <= this.moved.size; turns++) {
      const met = yield* nearestAncestor(at, (one) => tops.has(one) || this.moved.has(one));
      if (met === null || tops.has(met)) return met;
      at = (yield* this.anyNode(met))?.parentId ?? this.#row.rootId;
    }
    return null;
  }

  #restore(step: RestoreStep, node: Node | null): void {
    if (node === null || node.parentId === null) return;
    const position = step.position ?? node.position;
    this.#change(node, { removedIn: null, position });
    const together = this.#restored.get(step.version) ?? new Set();
    together.add(node.id);
    this.#restored.set(step.version, together);
    this.#enter(node.parentId, position, node.id);
  }

  #move({ to }: MoveStep, node: Node | null): void {
    if (node === null || node.parentId === null) return;
    this.#leave(node.parentId, node.position);
    const { parentId, position, groupId } = to;
    // One that comes back below others stands for itself now, and what hangs on it comes back with it.
    if (node.removedIn !== null) this.#restored.get(node.removedIn)?.add(node.id);
    this.#change(node, { parentId, position, groupId, removedIn: null });
    this.#enter(parentId, position, node.id);
    this.moved.add(node.id);
  }

  #leave(parentId: NodeId, position: string): void {
    this.#places.set(placeKey(parentId, position), null);
  }

  #enter(parentId: NodeId, position: string, id: NodeId): void {
    this.#places.set(placeKey(parentId, position), id);
    const given = this.#given.get(parentId) ?? [];
    given.push(position);
    this.#given.set(parentId, given);
  }
}

/** The nearest node that fits, from a node upwards, itself included; null if there is none. */
export function* nearestAncestor(from: NodeId, fits: (id: NodeId) => boolean): ReadProgram<NodeId | null> {
  let live = from;
  // What lies in the trash is on no path: up by hand to the first node that lives.
  for (let node = yield* ask('anyNode', { id: live }); node?.removedIn != null && node.parentId !== null; ) {
    if (fits(live)) return live;
    live = node.parentId;
    node = yield* ask('anyNode', { id: live });
  }
  for (let limit = 4; ; limit *= 4) {
    const { nodes, complete } = yield* ask('path', { to: live, limit });
    for (let index = nodes.length - 1; index >= 0; index--) {
      const id = nodes[index]?.id;
      if (id !== undefined && fits(id)) return id;
    }
    if (complete) return null;
  }
}

function placeKey(parentId: NodeId, position: string): string {
  return `${parentId} ${position}`;
}
