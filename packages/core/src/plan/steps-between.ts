import type { Fields } from '../decode.ts';
import type { NodeId } from '../ids.ts';
import { type Draft, draftOf, land } from '../land.ts';
import { matchParentBelow, type Node } from '../node.ts';
import { lastPosition, orderAt, orderGet, orderRank } from '../order.ts';
import { subtree } from '../path.ts';
import { positionBetween } from '../position.ts';
import { unpatch } from '../rows.ts';
import { sameJson } from '../same-json.ts';
import { kindOf } from '../steps/kinds.ts';
import type { Step } from '../steps/types.ts';
import { allBookmarks, bookmarkOn, findAnyNode, findNode, orderOf, type Tree } from '../tree.ts';
import { placeOf, restoring } from './delete.ts';
import { contentOf } from './editing.ts';

/** A tree on its way back, and the steps taken so far. */
export interface Way {
  readonly draft: Draft;
  readonly steps: Step[];
}

function take(way: Way, step: Step): void {
  const landing = { version: way.draft.version + 1, seq: way.draft.nextSeq, at: way.draft.updatedAt };
  for (const change of kindOf(step).rows(step, landing)) land(way.draft, change);
  way.steps.push(step);
}

/**
 * The steps from a tree to an earlier state of the same tree. What is missing comes back, what is there moves to its
 * old place from the top down (so nothing ever hangs below itself), and only then goes what was not there.
 */
export function stepsBetween(now: Tree, then: Tree): Way {
  const way: Way = { draft: draftOf(now), steps: [] };
  const wanted = subtree(then, then.rootId).filter((node) => node.parentId !== null);
  for (const before of allBookmarks(now))
    if (!sameJson(bookmarkOn(then, before.nodeId), before))
      take(way, { type: 'bookmark', nodeId: before.nodeId, after: null, before });
  for (const node of wanted) bringBack(way, node.id);
  for (const node of wanted) placeAs(way, node);
  for (const node of subtree(way.draft, now.rootId))
    if (node.parentId !== null && findNode(then, node.id) === undefined && findNode(way.draft, node.id) !== undefined)
      take(way, { type: 'remove', nodeId: node.id });
  for (const node of wanted) writeAs(way, node);
  for (const after of allBookmarks(then))
    if (bookmarkOn(way.draft, after.nodeId) === undefined)
      take(way, { type: 'bookmark', nodeId: after.nodeId, after, before: null });
  attributesAs(way, then);
  if (now.activeNodeId !== then.activeNodeId)
    take(way, { type: 'select', after: then.activeNodeId, before: now.activeNodeId });
  return way;
}

function bringBack(way: Way, id: NodeId): void {
  const open = [id];
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const node = findAnyNode(way.draft, at);
    if (node === undefined || node.removedIn === null) {
      open.pop();
      continue;
    }
    const top = removalTop(way.draft, node);
    const parent = top.parentId === null ? undefined : findAnyNode(way.draft, top.parentId);
    if (parent !== undefined && parent.removedIn !== null) {
      open.push(parent.id);
      continue;
    }
    const position = freePlace(way.draft, top.parentId, top.position, top.id);
    take(way, restoring(top, node.removedIn, position));
  }
}

function removalTop(draft: Draft, from: Node): Node {
  let top = from;
  for (;;) {
    const parent = top.parentId === null ? undefined : findAnyNode(draft, top.parentId);
    if (parent === undefined || parent.removedIn !== from.removedIn) return top;
    top = parent;
  }
}

function freePlace(draft: Draft, parentId: NodeId | null, position: string, id: NodeId): string {
  const order = orderOf(draft, parentId ?? '');
  const there = orderGet(order, position);
  if (there === undefined || there === id) return position;
  return positionBetween(position, orderAt(order, orderRank(order, position) + 1)?.position ?? null);
}

function placeAs(way: Way, node: Node): void {
  const here = findNode(way.draft, node.id);
  const { parentId } = node;
  if (here === undefined || parentId === null) return;
  if (here.parentId === parentId && here.position === node.position) {
    if (here.groupId !== node.groupId)
      take(way, { type: 'regroup', nodeId: node.id, after: node.groupId, before: here.groupId });
    return;
  }
  const parent = findNode(way.draft, parentId);
  if (parent === undefined) return;
  stepAside(way, parent, node.position);
  const to = { parentId, position: node.position, groupId: node.groupId, matchParent: matchParentBelow(parent) };
  take(way, { type: 'move', nodeId: node.id, to, from: placeOf(here) });
}

/** Whoever stands at a place that another had is to go elsewhere, or to go altogether: it waits behind its siblings. */
function stepAside(way: Way, parent: Node, position: string): void {
  const order = orderOf(way.draft, parent.id);
  const there = orderGet(order, position);
  const node = there === undefined ? undefined : findNode(way.draft, there);
  if (node === undefined) return;
  const from = placeOf(node);
  const last = lastPosition(order);
  take(way, { type: 'move', nodeId: node.id, to: { ...from, position: positionBetween(last, null) }, from });
}

function writeAs(way: Way, node: Node): void {
  const here = findNode(way.draft, node.id);
  if (here?.message == null || node.message === null) return;
  const before = contentOf(here, here.message);
  const after = contentOf(node, node.message);
  // A reply that was still being written then has no one to end it now.
  const settled = after.status === 'pending' ? before : after;
  if (!sameJson(settled, before))
    take(way, { type: 'replace', nodeId: node.id, after: settled, before, since: here.contentIn });
  const patch = patchTo(here.meta, node.meta);
  if (Object.keys(patch).length > 0)
    take(way, { type: 'annotate', nodeId: node.id, after: patch, before: unpatch(here.meta, patch) });
}

function patchTo(now: object, then: object): Fields {
  // By entries, not by lookup: `__proto__` is an ordinary key.
  const old = new Map<string, unknown>(Object.entries(now));
  const wanted = new Map<string, unknown>(Object.entries(then));
  const changed = [...new Set([...old.keys(), ...wanted.keys()])].filter(
    (key) => !sameJson(old.get(key), wanted.get(key)),
  );
  return Object.fromEntries(changed.map((key) => [key, wanted.get(key) ?? null]));
}

function attributesAs(way: Way, then: Tree): void {
  const now = way.draft.attributes;
  // Whether the tree lies in the trash is no part of what it said.
  const { trashedAt: _, ...after } = patchTo(now, then.attributes);
  if (Object.keys(after).length > 0) take(way, { type: 'attributes', after, before: unpatch(now, after) });
}
