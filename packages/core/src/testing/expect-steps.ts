import { type ApplyResult, apply, applyOrThrow } from '../apply.ts';
import { checkTree } from '../check.ts';
import { unwrapResult } from '../errors.ts';
import { treeFromJson, treeToJson } from '../json.ts';
import type { Bookmark, Node } from '../node.ts';
import { treeFromRows } from '../rewind.ts';
import { applyPatch, type RowChange } from '../rows.ts';
import { invert, parseSteps, stepsToJson } from '../steps/index.ts';
import type { Step } from '../steps/types.ts';
import { allBookmarks, allNodes, type Tree, type TreeRow } from '../tree.ts';

/**
 * Returns the part of a tree that undo must restore: everything except versions, visit marks and the trash, in which
 * undone inserts remain.
 */
export function undoableState(tree: Tree): unknown {
  const nodes = allNodes(tree).filter((node) => node.removedIn === null);
  return {
    active: tree.activeNodeId,
    attributes: sorted(tree.attributes),
    bookmarks: allBookmarks(tree),
    nodes: nodes.map(({ lastChildId: _, contentIn: __, removedIn: ___, meta, ...node }) => ({
      ...node,
      meta: sorted(meta),
    })),
  };
}

/** Returns every row of a tree, removed nodes and visit marks included, for comparison. */
export function allRowsOf(tree: Tree): unknown {
  const { activeNodeId: active, attributes } = tree;
  return { active, attributes, bookmarks: allBookmarks(tree), nodes: allNodes(tree) };
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inOrder(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? sorted(value) : value;
}

function fail(what: string, left: unknown, right: unknown): void {
  const a = JSON.stringify(left, inOrder, 1);
  const b = JSON.stringify(right, inOrder, 1);
  if (a !== b) throw new Error(`${what}\n--- one\n${a}\n--- other\n${b}`);
}

/** Freezes plain data deeply, so that writing to it throws. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null || Object.isFrozen(at)) continue;
    Object.freeze(at);
    for (const inner of Object.values(at)) open.push(inner);
  }
  return value;
}

/** Applies row changes to plain rows, as a store does, without a tree value. */
export function replayRows(
  row: TreeRow,
  before: readonly Node[],
  marks: readonly Bookmark[],
  changes: readonly RowChange[],
  after: TreeRow,
): Tree {
  const rows = new Map<string, Node>(before.map((node) => [node.id, node]));
  const bookmarks = new Map<string, Bookmark>(marks.map((mark) => [mark.nodeId, mark]));
  let now: TreeRow = row;
  const set = (id: string, change: Partial<Node>) => {
    const node = rows.get(id);
    if (node !== undefined) rows.set(id, { ...node, ...change });
  };
  const connected = (id: string, removedIn: number | null): Node[] => {
    const found: Node[] = [];
    const open = [id];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = rows.get(at);
      if (node?.removedIn !== removedIn) continue;
      found.push(node);
      for (const child of rows.values()) if (child.parentId === at) open.push(child.id);
    }
    return found;
  };
  for (const change of changes) {
    switch (change.op) {
      case 'added':
        rows.set(change.node.id, change.node);
        if (change.node.parentId === null) now = { ...now, rootId: change.node.id };
        break;
      case 'updated':
        for (const id of change.nodeIds) {
          const meta = applyPatch(rows.get(id)?.meta ?? {}, change.meta ?? {});
          set(id, { ...change.set, meta });
        }
        break;
      case 'marked':
        for (const node of connected(change.nodeId, change.from)) set(node.id, { removedIn: change.to });
        break;
      case 'bookmarked':
        if (change.bookmark === null) bookmarks.delete(change.nodeId);
        else bookmarks.set(change.nodeId, change.bookmark);
        break;
      case 'tree':
        if (change.activeNodeId !== undefined) now = { ...now, activeNodeId: change.activeNodeId };
        now = { ...now, attributes: applyPatch(now.attributes, change.attributes ?? {}) };
    }
  }
  const { version, structureVersion, nextSeq, updatedAt } = after;
  return treeFromRows(
    { ...now, version, structureVersion, nextSeq, updatedAt },
    [...rows.values()],
    [...bookmarks.values()],
  );
}

/**
 * Checks a list of steps completely: applies them and checks that the input is unchanged and that every invariant
 * holds. The inverse must restore the tree, and its inverse must apply the change again. Steps and tree must survive
 * JSON, and the row changes alone must produce the same tree.
 */
export function expectSteps(before: Tree, steps: readonly Step[]): ApplyResult {
  const was = JSON.stringify(treeToJson(before));
  deepFreeze(steps);
  const applied = unwrapResult(apply(before, steps));
  const { tree, changes } = applied;
  fail('The input changed.', JSON.parse(was), treeToJson(before));
  fail(
    'An invariant is broken.',
    checkTree(tree).filter((finding) => finding.severity === 'error'),
    [],
  );
  if (before.version > 0) {
    const back = applyOrThrow(tree, invert(steps, tree.version)).tree;
    fail('The inverse does not restore the tree.', undoableState(back), undoableState(before));
    const inverse = invert(steps, tree.version);
    const again = applyOrThrow(back, invert(inverse, back.version)).tree;
    fail('The inverse of the inverse does not bring the change back.', undoableState(again), undoableState(tree));
    const replayed = replayRows(before, allNodes(before), allBookmarks(before), changes, tree);
    fail('The row changes give another tree.', allRowsOf(replayed), allRowsOf(tree));
  }
  fail('The steps do not survive JSON.', unwrapResult(parseSteps(stepsToJson(steps))), stepsToJson(steps));
  fail(
    'The tree does not survive JSON.',
    treeToJson(unwrapResult(treeFromJson(JSON.parse(JSON.stringify(treeToJson(tree)))))),
    treeToJson(tree),
  );
  return applied;
}
