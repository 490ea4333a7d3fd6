import { refusal, refuse } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { ask, type NodeLink, type ReadProgram } from '../reads.ts';
import { buildRowUpdate, type RowChange } from '../rows.ts';
import { findAnyNode } from '../tree.ts';
import type { CommitMarks, SelectStep, Step, StepCheck, StepKind } from './types.ts';

/**
 * Changes the active node. Null is allowed only if the tree is empty after the commit. A removed node is allowed only
 * if the same commit restores it, as the inverse of a delete does.
 */
export const selectStepKind: StepKind<SelectStep> = {
  type: 'select',
  structural: false,
  rows: ({ after }, { marks }) => {
    const top = marks?.top ?? null;
    const mark = top === null ? undefined : marks?.children.get(top);
    const rows: RowChange[] = [{ op: 'tree', activeNodeId: after }];
    if (top !== null && mark !== undefined) rows.push(buildRowUpdate(top, { lastChildId: mark }));
    return rows;
  },
  follow: ({ after }, { active, marks }) =>
    marks != null || after === null || after === active ? null : marksOfSelection(active ?? null, after),
  invert: ({ after, before }) => ({ type: 'select', after: before, before: after }),
};

/**
 * Returns the visit marks of a commit that inserts children or siblings of the active node, or starts a tree, and
 * selects an inserted node. The new rows are written with their marks, so nothing is read. Returns null if the path
 * must be read. `parentOfActive` is passed if it is known.
 */
export function visitMarksOfInserts(
  steps: readonly Step[],
  active: NodeId | null,
  parentOfActive: NodeId | null,
): CommitMarks | null {
  const parents = new Map<NodeId, NodeId | null>();
  let to: NodeId | null = null;
  for (const step of steps) {
    if (step.type === 'insert') parents.set(step.node.id, step.node.parentId);
    else if (step.type === 'move') return null;
    else if (step.type === 'select') {
      if (to !== null || step.after === null) return null;
      to = step.after;
    }
  }
  const children = new Map<NodeId, NodeId>();
  let at = to;
  // The visit marks above the active node are already correct, and so are those above its parent.
  while (at !== active && (at === null || at !== parentOfActive)) {
    const parent: NodeId | null | undefined = at === null ? undefined : parents.get(at);
    if (at === null || parent === undefined) return null;
    if (parent !== null) {
      // An id that is its own ancestor is refused where it is inserted. The walk must end before.
      if (children.has(parent)) return null;
      children.set(parent, at);
    }
    at = parent;
  }
  return { children, top: at };
}

const firstStride = 8;

/**
 * Returns the visit marks of the path to a node; null if one of the paths is a cycle. Visit marks above the fork between
 * the path to the old active node and the new path are already correct, so both paths are read upwards in growing pieces
 * until they meet.
 */
export function* readVisitMarks(active: NodeId | null, to: NodeId): ReadProgram<RowChange[] | null> {
  const path = new AncestorWalk(to);
  const old = new AncestorWalk(active);
  for (let stride = firstStride; ; stride *= 2) {
    if (!(yield* path.climb(stride)) || !(yield* old.climb(stride))) return null;
    const fork = path.links.findIndex(({ id }) => old.ids.has(id));
    if (fork === -1 && !(path.done && old.done)) continue;
    const links = fork === -1 ? path.links : path.links.slice(0, fork + 1);
    return links.slice(1).flatMap((parent, index): RowChange[] => {
      const child = links[index];
      return child === undefined || parent.lastChildId === child.id
        ? []
        : [buildRowUpdate(parent.id, { lastChildId: child.id })];
    });
  }
}

function* marksOfSelection(active: NodeId | null, to: NodeId): ReadProgram<RowChange[]> {
  const marks = yield* readVisitMarks(active, to);
  return marks ?? refuseCycleAbove(to);
}

/** Throws for a path that never reaches the root. */
export function refuseCycleAbove(id: NodeId): never {
  return refuse('store/damaged', `A message above ${id} is its own ancestor: coppice fsck --repair fixes this.`, {
    nodeId: id,
  });
}

/** Whether a node is on the path to another one, which may be the node itself. The path is read up to the node. */
export function* isOnPathTo(to: NodeId, id: NodeId): ReadProgram<boolean> {
  const path = new AncestorWalk(to);
  for (let stride = firstStride; !path.ids.has(id) && !path.done; stride *= 2)
    if (!(yield* path.climb(stride))) return false;
  return path.ids.has(id);
}

/** A path from a node up to the root, read piece by piece. Removed nodes are included. */
export class AncestorWalk {
  readonly links: NodeLink[] = [];
  readonly ids = new Set<NodeId>();
  #next: NodeId | null;

  constructor(from: NodeId | null) {
    this.#next = from;
  }

  get done(): boolean {
    return this.#next === null;
  }

  /** Reads the next ancestors. Returns false if one of them was read before, so that the path is a cycle. */
  *climb(limit: number): ReadProgram<boolean> {
    if (this.#next === null) return true;
    const found = yield* ask('ancestors', { of: this.#next, limit });
    for (const link of found) {
      if (this.ids.has(link.id)) return false;
      this.links.push(link);
      this.ids.add(link.id);
    }
    this.#next = found.at(-1)?.parentId ?? null;
    return true;
  }
}

/** Returns why the step cannot be applied, or null. */
export const checkSelect: StepCheck<SelectStep> = (tree, { after }) => {
  if (after === null) return null;
  const node = findAnyNode(tree, after);
  if (node === undefined)
    return refusal('tree/unknown-node', `There is no message ${after} to select.`, { nodeId: after });
  if (node.kind === 'root')
    return refusal('tree/root-protected', 'The beginning of a chat cannot be selected: choose a message.', {
      nodeId: after,
    });
  return null;
};
