import { findPositionsAround } from '../answer-from-tree.ts';
import { applyStepRows, startDraft, type TreeDraft } from '../apply-row-change.ts';
import { childAtPosition, lastPosition } from '../child-list.ts';
import type { FieldMap } from '../decode.ts';
import { refuse } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { matchParentOfChildren, type Node } from '../node.ts';
import { subtree } from '../path.ts';
import { positionBetween } from '../position.ts';
import { inversePatch } from '../rows.ts';
import { isSameJson } from '../same-json.ts';
import { CommitRows } from '../steps/kinds.ts';
import type { Step } from '../steps/types.ts';
import { allBookmarks, bookmarkOn, childIds, childListOf, findAnyNode, findNode, type Tree } from '../tree.ts';
import { buildRestoreStep, treePositionOf } from './delete.ts';
import { buildReplacementContent } from './edit-types.ts';

/** A tree that is rewritten step by step, and the steps so far. */
export interface TreeRewrite {
  readonly draft: TreeDraft;
  readonly steps: Step[];
}

function takeStep(rewrite: TreeRewrite, step: Step): void {
  const { version, nextSeq: seq, updatedAt: at, activeNodeId } = rewrite.draft;
  const rows = new CommitRows({ version: version + 1, seq, at, steps: [step] }, activeNodeId);
  applyStepRows(rewrite.draft, rows.take(step));
  rewrite.steps.push(step);
}

/**
 * Builds the steps from a tree to an earlier state. Missing nodes are restored first, then nodes move to their old
 * parents and positions, parents first (so that no node becomes its own ancestor), and newer nodes are removed last.
 */
export function stepsBetween(now: Tree, then: Tree): TreeRewrite {
  const rewrite: TreeRewrite = { draft: startDraft(now), steps: [] };
  const wanted = subtree(then, then.rootId).filter((node) => node.parentId !== null);
  // The system prompt can change only in an empty tree: before nodes are restored, or after all nodes are removed. If
  // both states have messages and their prompts differ, all messages are removed first.
  if (hasOtherPrompt(now, then)) {
    assertNoSharedMessage(now, wanted);
    for (const id of childIds(now, now.rootId)) takeStep(rewrite, { type: 'remove', nodeId: id });
  }
  const isEmptied = childIds(rewrite.draft, now.rootId).length === 0;
  if (isEmptied) attributesTo(rewrite, then);
  for (const before of allBookmarks(now))
    if (!isSameJson(bookmarkOn(then, before.nodeId), before))
      takeStep(rewrite, { type: 'bookmark', nodeId: before.nodeId, after: null, before });
  for (const node of wanted) restoreNode(rewrite, node.id);
  for (const node of wanted) moveTo(rewrite, node);
  for (const node of subtree(rewrite.draft, now.rootId))
    if (
      node.parentId !== null &&
      findNode(then, node.id) === undefined &&
      findNode(rewrite.draft, node.id) !== undefined
    )
      takeStep(rewrite, { type: 'remove', nodeId: node.id });
  for (const node of wanted) replaceContent(rewrite, node);
  for (const after of allBookmarks(then))
    if (bookmarkOn(rewrite.draft, after.nodeId) === undefined)
      takeStep(rewrite, { type: 'bookmark', nodeId: after.nodeId, after, before: null });
  if (!isEmptied) attributesTo(rewrite, then);
  if (now.activeNodeId !== then.activeNodeId)
    takeStep(rewrite, { type: 'select', after: then.activeNodeId, before: now.activeNodeId });
  return rewrite;
}

function hasOtherPrompt(now: Tree, then: Tree): boolean {
  return then.activeNodeId !== null && now.attributes.systemPrompt !== then.attributes.systemPrompt;
}

/** Throws if a message of the earlier state is in the tree now: it would be under another system prompt. */
function assertNoSharedMessage(now: Tree, wanted: readonly Node[]): void {
  const shared = wanted.find(({ id }) => findNode(now, id) !== undefined);
  if (shared !== undefined)
    refuse(
      'tree/root-protected',
      `That version has another system prompt, and its message ${shared.id} is in the tree under the present one: delete the message first, or create another tree.`,
      { treeId: now.id, nodeId: shared.id },
    );
}

function restoreNode(rewrite: TreeRewrite, id: NodeId): void {
  const open = [id];
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const node = findAnyNode(rewrite.draft, at);
    if (node === undefined || node.removedIn === null) {
      open.pop();
      continue;
    }
    const top = removalRootOf(rewrite.draft, node);
    const parent = top.parentId === null ? undefined : findAnyNode(rewrite.draft, top.parentId);
    if (parent === undefined) return;
    if (parent.removedIn !== null) {
      open.push(parent.id);
      continue;
    }
    const position = freePosition(rewrite.draft, parent.id, top.position, top.id);
    takeStep(rewrite, buildRestoreStep(top, node.removedIn, position));
  }
}

function removalRootOf(draft: TreeDraft, from: Node): Node {
  let top = from;
  for (;;) {
    const parent = top.parentId === null ? undefined : findAnyNode(draft, top.parentId);
    if (parent === undefined || parent.removedIn !== from.removedIn) return top;
    top = parent;
  }
}

/**
 * Returns the position if it is free, else the next free one. A position of a removed child is not free: the node gets
 * its position before it is restored, and databases keep the positions of nodes that were removed together unique.
 */
function freePosition(draft: TreeDraft, parentId: NodeId, position: string, id: NodeId): string {
  const there = childAtPosition(childListOf(draft, parentId), position);
  if (there === undefined || there === id) return position;
  return positionBetween(position, findPositionsAround(draft, parentId, position).after);
}

function moveTo(rewrite: TreeRewrite, node: Node): void {
  const here = findNode(rewrite.draft, node.id);
  const { parentId } = node;
  if (here === undefined || parentId === null) return;
  if (here.parentId === parentId && here.position === node.position) {
    if (here.groupId !== node.groupId)
      takeStep(rewrite, { type: 'regroup', nodeId: node.id, after: node.groupId, before: here.groupId });
    return;
  }
  const parent = findNode(rewrite.draft, parentId);
  if (parent === undefined) return;
  vacate(rewrite, parent, node.position);
  const to = { parentId, position: node.position, groupId: node.groupId, matchParent: matchParentOfChildren(parent) };
  takeStep(rewrite, { type: 'move', nodeId: node.id, to, from: treePositionOf(here) });
}

/**
 * Moves the node at a needed position to the end of its siblings. A later step moves that node to its own position or
 * removes it.
 */
function vacate(rewrite: TreeRewrite, parent: Node, position: string): void {
  const order = childListOf(rewrite.draft, parent.id);
  const there = childAtPosition(order, position);
  const node = there === undefined ? undefined : findNode(rewrite.draft, there);
  if (node === undefined) return;
  const from = treePositionOf(node);
  const last = lastPosition(order);
  takeStep(rewrite, { type: 'move', nodeId: node.id, to: { ...from, position: positionBetween(last, null) }, from });
}

function replaceContent(rewrite: TreeRewrite, node: Node): void {
  const here = findNode(rewrite.draft, node.id);
  if (here?.message == null || node.message === null) return;
  const before = buildReplacementContent(here, here.message);
  const after = buildReplacementContent(node, node.message);
  // The reply was pending in that version. No run would finish it now, so its current content is kept.
  const content = after.status === 'pending' ? before : after;
  if (!isSameJson(content, before))
    takeStep(rewrite, { type: 'replace', nodeId: node.id, after: content, before, since: here.contentIn });
  const patch = patchTo(here.meta, node.meta);
  if (Object.keys(patch).length > 0)
    takeStep(rewrite, { type: 'annotate', nodeId: node.id, after: patch, before: inversePatch(here.meta, patch) });
}

function patchTo(now: object, then: object): FieldMap {
  // Reads entries instead of properties, because `__proto__` is an ordinary key.
  const old = new Map<string, unknown>(Object.entries(now));
  const wanted = new Map<string, unknown>(Object.entries(then));
  const changed = [...new Set([...old.keys(), ...wanted.keys()])].filter(
    (key) => !isSameJson(old.get(key), wanted.get(key)),
  );
  return Object.fromEntries(changed.map((key) => [key, wanted.get(key) ?? null]));
}

function attributesTo(rewrite: TreeRewrite, then: Tree): void {
  const now = rewrite.draft.attributes;
  // The restored state does not include whether the tree is in the trash.
  const { trashedAt: _, ...after } = patchTo(now, then.attributes);
  if (Object.keys(after).length > 0) takeStep(rewrite, { type: 'attributes', after, before: inversePatch(now, after) });
}
