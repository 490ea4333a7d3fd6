/**
 * The children of a node in stored order, as a persistent B-tree over their positions. Insert, delete, lookup and the
 * nth child cost O(log n), so an append to 50,000 siblings does not copy a list.
 */

import type { NodeId } from './ids.ts';
import { insertAt } from './insert-at.ts';

const width = 32;

/** A child and its position. */
interface Child {
  readonly position: string;
  readonly id: NodeId;
}
/** Most nodes have one child, so a leaf is a plain list, which takes less memory than an object with lists. */
type ListLeaf = readonly Child[];
interface Inner {
  readonly count: number;
  /** The first position of each branch, for the binary search. */
  readonly firsts: readonly string[];
  readonly branches: readonly ChildList[];
}

/** The children of a node, ordered by position; immutable. */
export type ChildList = ListLeaf | Inner;

/** A list without children. */
export const emptyChildList: ChildList = [];

function isLeaf(order: ChildList): order is ListLeaf {
  return !('branches' in order);
}

export function childListSize(order: ChildList): number {
  return isLeaf(order) ? order.length : order.count;
}

function firstPosition(order: ChildList): string {
  return (isLeaf(order) ? order[0]?.position : order.firsts[0]) ?? '';
}

/** Returns the last index of a leaf whose position is not above the given one, or -1. */
function floorInLeaf(leaf: ListLeaf, position: string): number {
  let low = 0;
  let high = leaf.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((leaf[mid]?.position ?? '') <= position) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

/** Returns the last index of a list of first positions that is not above the given position, or -1. */
function floorIndex(firsts: readonly string[], position: string): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((firsts[mid] ?? '') <= position) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

function replaceSlot<T>(list: readonly T[], at: number, items: readonly T[]): T[] {
  return list.toSpliced(at, 1, ...items);
}

function innerList(branches: readonly ChildList[]): Inner {
  let count = 0;
  for (const branch of branches) count += childListSize(branch);
  return { count, firsts: branches.map(firstPosition), branches };
}

/** Returns the list with a child inserted at a free position. */
export function insertChild(order: ChildList, position: string, id: NodeId): ChildList {
  const parts = insertInto(order, position, id);
  return parts.length === 1 ? (parts[0] ?? emptyChildList) : innerList(parts);
}

// The recursion is bounded by the height of the B-tree.
function insertInto(order: ChildList, position: string, id: NodeId): readonly ChildList[] {
  if (isLeaf(order)) {
    const at = floorInLeaf(order, position) + 1;
    const leaf = insertAt(order, at, { position, id });
    if (leaf.length <= width) return [leaf];
    // Children are mostly added at the end, so a full leaf stays full and the new child starts the next leaf.
    const cut = at === width ? width : width >> 1;
    return [leaf.slice(0, cut), leaf.slice(cut)];
  }
  const at = Math.max(0, floorIndex(order.firsts, position));
  const parts = insertInto(order.branches[at] ?? emptyChildList, position, id);
  const branches = replaceSlot(order.branches, at, parts);
  if (branches.length <= width) {
    return [{ count: order.count + 1, firsts: replaceSlot(order.firsts, at, parts.map(firstPosition)), branches }];
  }
  const cut = at === width - 1 ? width : width >> 1;
  return [innerList(branches.slice(0, cut)), innerList(branches.slice(cut))];
}

/** Returns the list without the child at a position; the same list if no child has this position. */
export function deleteChild(order: ChildList, position: string): ChildList {
  return deleteFromList(order, position) ?? emptyChildList;
}

function deleteFromList(order: ChildList, position: string): ChildList | null {
  if (isLeaf(order)) {
    const at = floorInLeaf(order, position);
    if (order[at]?.position !== position) return order;
    return order.length === 1 ? null : replaceSlot(order, at, []);
  }
  const at = floorIndex(order.firsts, position);
  const branch = order.branches[at];
  if (branch === undefined) return order;
  const left = deleteFromList(branch, position);
  if (left === branch) return order;
  const branches = replaceSlot(order.branches, at, left === null ? [] : [left]);
  return branches.length === 1 ? (branches[0] ?? null) : innerList(branches);
}

export function childAtPosition(order: ChildList, position: string): NodeId | undefined {
  let at = order;
  while (!isLeaf(at)) {
    const next = at.branches[floorIndex(at.firsts, position)];
    if (next === undefined) return undefined;
    at = next;
  }
  const child = at[floorInLeaf(at, position)];
  return child?.position === position ? child.id : undefined;
}

/** Returns how many children come before a position. */
export function indexOfPosition(order: ChildList, position: string): number {
  let rank = 0;
  let at = order;
  while (!isLeaf(at)) {
    const index = Math.max(0, floorIndex(at.firsts, position));
    for (let i = 0; i < index; i++) rank += childListSize(at.branches[i] ?? emptyChildList);
    at = at.branches[index] ?? emptyChildList;
  }
  const index = floorInLeaf(at, position);
  return rank + (at[index]?.position === position ? index : index + 1);
}

export function childAtIndex(order: ChildList, index: number): Child | undefined {
  let rest = index;
  let at = order;
  if (index < 0 || index >= childListSize(order)) return undefined;
  while (!isLeaf(at)) {
    let next: ChildList = emptyChildList;
    for (const branch of at.branches) {
      next = branch;
      const size = childListSize(branch);
      if (rest < size) break;
      rest -= size;
    }
    at = next;
  }
  return at[rest];
}

/** Returns the position of the last child; null for an empty list. */
export function lastPosition(order: ChildList): string | null {
  return childAtIndex(order, childListSize(order) - 1)?.position ?? null;
}

/** Returns the nearest positions before and after the given position. */
export function neighbourPositions(
  order: ChildList,
  position: string,
): { readonly before: string | null; readonly after: string | null } {
  const rank = indexOfPosition(order, position);
  const held = childAtPosition(order, position) !== undefined ? 1 : 0;
  return {
    before: childAtIndex(order, rank - 1)?.position ?? null,
    after: childAtIndex(order, rank + held)?.position ?? null,
  };
}

/** Yields the children from first to last. */
export function* childListIds(order: ChildList): Generator<NodeId, void, undefined> {
  const open: ChildList[] = [order];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isLeaf(at)) for (const { id } of at) yield id;
    else for (let i = at.branches.length - 1; i >= 0; i--) open.push(at.branches[i] ?? emptyChildList);
  }
}
