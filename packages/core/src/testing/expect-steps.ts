import { type Applied, apply, applyOrThrow } from '../apply.ts';
import { checkTree } from '../check.ts';
import { valueOf } from '../errors.ts';
import { treeFromJson, treeToJson } from '../json.ts';
import type { Bookmark, Node } from '../node.ts';
import { fromRows } from '../rewind.ts';
import { applyPatch, type RowChange } from '../rows.ts';
import { invert, parseSteps, stepsToJson } from '../steps/index.ts';
import type { Step } from '../steps/types.ts';
import { allBookmarks, allNodes, type Tree, type TreeRow } from '../tree.ts';

/**
 * A tree as what undo must restore: versions rise and visit marks stay, and a node that was inserted and taken back
 * lies in the trash; all else counts.
 */
export function essence(tree: Tree): unknown {
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

/** Freezes plain data all the way down, so that writing to it throws. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null || Object.isFrozen(at)) continue;
    Object.freeze(at);
    for (const inner of Object.values(at)) open.push(inner);
  }
  return value;
}

/** Carries row changes out on plain rows, as a store does, without the tree value. */
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
  const below = (id: string, through: (node: Node) => boolean): Node[] => {
    const found: Node[] = [];
    const open = [id];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const node = rows.get(at);
      if (node === undefined) continue;
      found.push(node);
      if (through(node)) for (const child of rows.values()) if (child.parentId === at) open.push(child.id);
    }
    return found;
  };
  for (const change of changes) {
    if (change.op === 'added') {
      rows.set(change.node.id, change.node);
      if (change.node.parentId === null) now = { ...now, rootId: change.node.id };
    }
    if (change.op === 'written') set(change.nodeId, { ...change.content, contentIn: change.version });
    if (change.op === 'grouped') set(change.nodeId, { groupId: change.groupId });
    if (change.op === 'annotated')
      set(change.nodeId, { meta: applyPatch(rows.get(change.nodeId)?.meta ?? {}, change.set) });
    if (change.op === 'attributed') now = { ...now, attributes: applyPatch(now.attributes, change.set) };
    if (change.op === 'pointed') now = { ...now, activeNodeId: change.nodeId };
    if (change.op === 'bookmarked') {
      if (change.bookmark === null) bookmarks.delete(change.nodeId);
      else bookmarks.set(change.nodeId, change.bookmark);
    }
    if (change.op === 'placed') {
      const { parentId, position, groupId, matchParent } = change.to;
      set(change.nodeId, { parentId, position, groupId });
      for (const node of below(change.nodeId, (one) => one.kind !== 'message')) set(node.id, { matchParent });
    }
    if (change.op === 'removed') {
      const live = below(change.nodeId, (node) => node.removedIn === null).filter((node) => node.removedIn === null);
      for (const node of live) set(node.id, { removedIn: change.version });
    }
    if (change.op === 'restored') {
      const back = below(change.nodeId, (node) => node.removedIn === change.removedIn).filter(
        (node) => node.removedIn === change.removedIn,
      );
      for (const node of back) set(node.id, { removedIn: null });
      if (change.position !== null) set(change.nodeId, { position: change.position });
    }
  }
  const { version, structureVersion, nextSeq, updatedAt } = after;
  return fromRows(
    { ...now, version, structureVersion, nextSeq, updatedAt },
    [...rows.values()],
    [...bookmarks.values()],
  );
}

/**
 * The one way to test a change of a tree. Applies the steps and checks also that the input is untouched, that every
 * invariant holds, that the inverse restores the tree and its inverse brings the change back, that steps and tree
 * survive JSON, and that the row changes alone give the same tree.
 */
export function expectSteps(before: Tree, steps: readonly Step[]): Applied {
  const was = JSON.stringify(treeToJson(before));
  deepFreeze(steps);
  const applied = valueOf(apply(before, steps));
  const { tree, changes } = applied;
  fail('The input changed.', JSON.parse(was), treeToJson(before));
  fail(
    'An invariant is broken.',
    checkTree(tree).filter((finding) => finding.severity === 'error'),
    [],
  );
  if (before.version > 0) {
    const back = applyOrThrow(tree, invert(steps, tree.version)).tree;
    fail('The inverse does not restore the tree.', essence(back), essence(before));
    const inverse = invert(steps, tree.version);
    const again = applyOrThrow(back, invert(inverse, back.version)).tree;
    fail('The inverse of the inverse does not bring the change back.', essence(again), essence(tree));
    const replayed = replayRows(before, allNodes(before), allBookmarks(before), changes, tree);
    fail('The row changes give another tree.', essence(replayed), essence(tree));
  }
  fail('The steps do not survive JSON.', valueOf(parseSteps(stepsToJson(steps))), stepsToJson(steps));
  fail(
    'The tree does not survive JSON.',
    treeToJson(valueOf(treeFromJson(JSON.parse(JSON.stringify(treeToJson(tree)))))),
    treeToJson(tree),
  );
  return applied;
}
