import type { NodeId } from '../ids.ts';
import type { ContentFields, Node } from '../node.ts';
import { type ActRecord, ask, type Commit, type ReadProgram } from '../reads.ts';
import { applyPatch, inversePatch } from '../rows.ts';
import { isSameJson } from '../same-json.ts';
import { stepKindOf } from '../steps/kinds.ts';
import type {
  AttributesStep,
  BookmarkStep,
  MoveStep,
  RegroupStep,
  ReplaceStep,
  RestoreStep,
  Step,
} from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import { assertNotPending, refusePendingReplies } from './context.ts';
import { buildRestoreStep, treePositionOf } from './delete.ts';
import { buildReplacementContent } from './edit-types.ts';
import { findNearestAncestorOrSelf, TreeOverlay } from './tree-overlay.ts';

/** The steps that invert an act, adapted to later changes of the tree. */
export interface InvertedAct {
  readonly steps: readonly Step[];
  /** The roots of the subtrees that are removed. */
  readonly removedRoots: ReadonlySet<NodeId>;
  /** The tree as it will be after the steps. */
  readonly ahead: TreeOverlay;
  /** Later changes of other users that conflict with the undo. Nothing is committed then, unless the undo is forced. */
  readonly conflicts: readonly string[];
}

/** Whether to overwrite changes of other users, the current tree row, and the actor of the undo. */
export interface InvertOptions {
  readonly force: boolean;
  readonly row: TreeRow;
  readonly actor: string;
}

/** The state while {@link invertAct} builds its steps. */
interface InvertWork extends InvertOptions {
  readonly ahead: TreeOverlay;
  readonly steps: Step[];
  readonly conflicts: string[];
  /**
   * Bookmarks and groups that other users changed since. Undo leaves them unchanged; they are conflicts only if nothing
   * else of the act remains to be undone.
   */
  readonly kept: string[];
  readonly removedRoots: Set<NodeId>;
  /** The version of the act's last commit. */
  readonly newest: number;
  /** Caches whether a group got new members after the act, by parent and group number. */
  readonly groups: Map<string, boolean>;
}

/** The effects of an act that are needed to invert it. */
interface ActEffects {
  readonly versions: ReadonlySet<number>;
  readonly newest: number;
  readonly inserted: ReadonlyMap<NodeId, ContentFields | null>;
  readonly restored: ReadonlySet<NodeId>;
  readonly moved: ReadonlySet<NodeId>;
  /** Removals that the act itself restored, as `node id, space, version`. */
  readonly cancelled: ReadonlySet<string>;
}

/** Builds the steps that undo an act, newest first. Each step is adapted to the result of the steps before it. */
export function* invertAct(act: ActRecord, fitting: InvertOptions): ReadProgram<InvertedAct> {
  const effects = effectsOf(act);
  const conflicts: string[] = [];
  const removedRoots = yield* removedRootsOf(effects, fitting, conflicts);
  const work: InvertWork = {
    ...fitting,
    ahead: new TreeOverlay(fitting.row),
    steps: [],
    conflicts,
    kept: [],
    removedRoots,
    newest: effects.newest,
    groups: new Map(),
  };
  for (const commit of [...act.commits].reverse())
    for (const step of [...commit.steps].reverse()) yield* invertStep(work, effects, commit, step);
  const marks = yield* bookmarkRemovals(work);
  const steps = [...marks, ...(yield* dropObsolete(work, new Set(marks.map(({ nodeId }) => nodeId))))];
  if (steps.length === 0) for (const what of work.kept) conflicts.push(what);
  return { steps, removedRoots, ahead: work.ahead, conflicts };
}

/** Drops steps on nodes that no longer exist, and steps on bookmarks of removed nodes. */
function* dropObsolete(work: InvertWork, unmarked: ReadonlySet<NodeId>): ReadProgram<Step[]> {
  const kept: Step[] = [];
  const removedIds = new Set<NodeId>();
  for (const step of work.steps) {
    const marks = step.type === 'bookmark';
    const late =
      marks ||
      (removedIds.size > 0 && (step.type === 'regroup' || step.type === 'annotate' || step.type === 'replace'));
    if (marks && unmarked.has(step.nodeId)) continue;
    if (late && (yield* work.ahead.removedWith(step.nodeId, marks ? work.removedRoots : removedIds)) !== null) continue;
    if (step.type === 'remove') removedIds.add(step.nodeId);
    kept.push(step);
  }
  return kept;
}

function effectsOf(act: ActRecord): ActEffects {
  const versions = new Set(act.commits.map((commit) => commit.version));
  const inserted = new Map<NodeId, ContentFields | null>();
  const removed = new Set<string>();
  const cancelled = new Set<string>();
  const restored = new Set<NodeId>();
  const moved = new Set<NodeId>();
  for (const { steps, version } of act.commits)
    for (const step of steps) {
      if (step.type === 'insert') {
        const { id, message } = step.node;
        inserted.set(id, message && buildReplacementContent(step.node, message));
      }
      if (step.type === 'replace' && inserted.has(step.nodeId)) inserted.set(step.nodeId, step.after);
      if (step.type === 'remove') removed.add(`${step.nodeId} ${version}`);
      if (step.type === 'move') moved.add(step.nodeId);
      if (step.type !== 'restore') continue;
      const pair = `${step.nodeId} ${step.version}`;
      if (removed.has(pair)) cancelled.add(pair);
      else restored.add(step.nodeId);
    }
  const newest = act.commits.at(-1)?.version ?? 0;
  return { versions, newest, inserted, restored, moved, cancelled };
}

/**
 * Returns the roots of the live subtrees that the act inserted or restored. One remove step for each root removes them
 * all.
 */
function* removedRootsOf(effects: ActEffects, { actor }: InvertOptions, conflicts: string[]): ReadProgram<Set<NodeId>> {
  const live = new Map<NodeId, NodeId>();
  for (const id of new Set([...effects.inserted.keys(), ...effects.restored])) {
    const node = yield* ask('node', { id });
    if (node === null || node.parentId === null) continue;
    const written = effects.inserted.get(id);
    if (
      written != null &&
      written.status !== 'pending' &&
      !effects.versions.has(node.contentIn) &&
      !hasContent(node, written)
    )
      conflicts.push(`the text of ${id}`);
    live.set(id, node.parentId);
  }
  // Nodes that the act moved below an inserted node, as a split does, are moved out before the inserted node is
  // removed.
  const out = new Set([...effects.moved].filter((id) => !effects.inserted.has(id)));
  const removedRoots = yield* withoutNested(live, out);
  const versions = [...effects.versions];
  const { newest } = effects;
  const back: NodeId[] = [];
  for (const top of removedRoots) {
    // Below an inserted node, every other node was added by other users. Below a restored node, only nodes newer than
    // the act were.
    const restored = !effects.inserted.has(top);
    if (restored) back.push(top);
    const without = [...out].filter((id) => id !== top);
    for (const one of yield* ask('addedByOthers', { of: top, versions, since: restored ? newest : 0, without }))
      conflicts.push(`${one.id} below ${top}`);
  }
  if (back.length > 0) yield* changedBelow(back, newest, actor, conflicts);
  return removedRoots;
}

/**
 * Returns the nodes without an ancestor in the map. An ancestor does not count if a node between the two is moved out.
 */
function* withoutNested(live: ReadonlyMap<NodeId, NodeId>, out: ReadonlySet<NodeId>): ReadProgram<Set<NodeId>> {
  if (live.size === 0) return new Set();
  if (out.size === 0) return new Set(yield* ask('withoutDescendants', { ids: [...live.keys()] }));
  const removedRoots = new Set<NodeId>();
  for (const [id, parentId] of live) {
    if (out.has(id)) removedRoots.add(id);
    const above = live.has(parentId)
      ? parentId
      : yield* findNearestAncestorOrSelf(parentId, (one) => live.has(one) || out.has(one));
    if (above === null || !live.has(above)) removedRoots.add(id);
  }
  return removedRoots;
}

/**
 * Whether the node still has the content that the act wrote. A pending reply that has finished since counts as
 * unchanged.
 */
function hasContent(node: Node, content: ContentFields): boolean {
  if (node.message === null) return false;
  return isSameJson(buildReplacementContent(node, node.message), { ...content, status: endIfPending(content.status) });
}

/** A restored reply cannot be pending, because no run is writing it. */
function endIfPending(status: Node['status']): Node['status'] {
  return status === 'pending' ? 'interrupted' : status;
}

/**
 * Finds nodes that other users moved, restored or edited below the nodes that an act restored. These nodes are older
 * than the act, so only the log shows that they changed.
 */
function* changedBelow(
  removedRoots: readonly NodeId[],
  since: number,
  actor: string,
  conflicts: string[],
): ReadProgram<void> {
  const touched = new Map<NodeId, MoveStep | RestoreStep | ReplaceStep>();
  for (const commit of yield* ask('log', { since }))
    for (const step of commit.actor === actor ? [] : commit.steps)
      if ((step.type === 'move' || step.type === 'restore' || step.type === 'replace') && !touched.has(step.nodeId))
        touched.set(step.nodeId, step);
  for (const [id, step] of touched) {
    const node = yield* ask('node', { id });
    // A node that was removed and restored since is unchanged, and so is a node with its old text.
    if (node === null || (step.type === 'restore' && step.version > since)) continue;
    if (step.type === 'replace' && hasContent(node, step.before)) continue;
    for (const top of removedRoots) {
      if (!(yield* ask('isAncestorOrSelf', { id: top, below: id }))) continue;
      if (step.type === 'move' && (yield* ask('isAncestorOrSelf', { id: top, below: step.from.parentId }))) continue;
      conflicts.push(step.type === 'replace' ? `the text of ${id}` : `${id} below ${top}`);
    }
  }
}

function applyStep(work: InvertWork, step: Step, node: Node | null): void {
  work.ahead.apply(step, node);
  work.steps.push(step);
}

function* isRemoved(work: InvertWork, id: NodeId): ReadProgram<boolean> {
  return (yield* work.ahead.removedWith(id, work.removedRoots)) !== null;
}

/**
 * Removes the bookmarks of removed nodes first. Redo runs in reverse order, so it restores the nodes before it sets
 * their bookmarks.
 */
function* bookmarkRemovals(work: InvertWork): ReadProgram<BookmarkStep[]> {
  const marks = new Map<NodeId, BookmarkStep>();
  const tops = new Set(work.removedRoots);
  // Nodes that this undo moves below a removed node are not below it yet.
  for (const step of work.steps)
    if (step.type === 'move' && (yield* isRemoved(work, step.nodeId))) tops.add(step.nodeId);
  for (const top of tops) {
    const inside = yield* ask('subtreeInfo', { of: top });
    for (const id of inside.pending) if (yield* isRemoved(work, id)) refusePendingReplies([id]);
    for (const before of inside.bookmarks)
      if (yield* isRemoved(work, before.nodeId))
        marks.set(before.nodeId, { type: 'bookmark', nodeId: before.nodeId, after: null, before });
  }
  return [...marks.values()];
}

function* invertStep(work: InvertWork, effects: ActEffects, commit: Commit, step: Step): ReadProgram<void> {
  if (step.type === 'insert') return yield* removeInserted(work, step.node.id);
  if (step.type === 'select') return;
  // Nodes that the act inserted are removed in their current state; changes to them need no inverse.
  if ('nodeId' in step && effects.inserted.has(step.nodeId)) return;
  if (step.type === 'remove' && effects.cancelled.has(`${step.nodeId} ${commit.version}`)) return;
  if (step.type === 'restore') {
    if (!effects.cancelled.has(`${step.nodeId} ${step.version}`)) yield* removeInserted(work, step.nodeId);
    return;
  }
  const inverse = stepKindOf(step).invert(step, commit.version);
  switch (inverse.type) {
    case 'restore':
      return yield* rebaseRestore(work, inverse);
    case 'move':
      return yield* rebaseMove(work, inverse);
    case 'replace':
      yield* rebaseReplace(work, inverse);
      if (step.type === 'replace') work.ahead.setContentVersion(step.nodeId, step.since);
      return;
    case 'annotate': {
      const node = yield* findLiveOrConflict(work, inverse.nodeId);
      if (node === null) return;
      const now = inversePatch(node.meta, inverse.before);
      if (!isSameJson(now, inverse.before)) work.conflicts.push(`the notes of ${node.id}`);
      return applyStep(work, { ...inverse, before: now }, node);
    }
    case 'regroup':
      return yield* rebaseRegroup(work, inverse);
    case 'bookmark': {
      const before = yield* work.ahead.bookmark(inverse.nodeId);
      const changed = !isSameJson(before, inverse.before);
      if (changed) work.kept.push(`the bookmark on ${inverse.nodeId}`);
      if (changed && !work.force) return;
      if (inverse.after !== null && (yield* work.ahead.node(inverse.nodeId)) === null) return;
      return applyStep(work, { ...inverse, before }, null);
    }
    case 'attributes':
      return yield* rebaseAttributes(work, inverse);
    case 'insert':
    case 'remove':
    case 'select':
      return;
  }
}

function* rebaseAttributes(work: InvertWork, inverse: AttributesStep): ReadProgram<void> {
  let { after, before } = inverse;
  // The prompt cannot change once messages were written under it. Undo may change it only if it removes all messages.
  if (Object.hasOwn(after, 'systemPrompt') && !(yield* becomesEmpty(work))) {
    const [{ systemPrompt: _, ...otherAfter }, { systemPrompt: __, ...otherBefore }] = [after, before];
    [after, before] = [otherAfter, otherBefore];
    work.conflicts.push('the system prompt, under which messages were written');
  }
  const now = inversePatch(work.ahead.attributes, before);
  if (!isSameJson(now, before)) work.conflicts.push('the attributes of the chat');
  if (!isSameJson(applyPatch(work.ahead.attributes, after), work.ahead.attributes))
    applyStep(work, { ...inverse, after, before: now }, null);
}

/** Whether the removals so far leave no message in the tree. */
function* becomesEmpty({ row, removedRoots }: InvertWork): ReadProgram<boolean> {
  if (row.activeNodeId === null) return true;
  return (yield* ask('children', { of: row.rootId })).every(({ id }) => removedRoots.has(id));
}

function* removeInserted(work: InvertWork, id: NodeId): ReadProgram<void> {
  const top = work.removedRoots.has(id);
  // The node is removed at this point and restored by an earlier step of this plan: restoring a version restores more
  // nodes than needed and removes the others again.
  if (!top && ((yield* ask('node', { id })) !== null || (yield* work.ahead.node(id)) === null)) return;
  work.removedRoots.add(id);
  applyStep(work, { type: 'remove', nodeId: id }, yield* work.ahead.anyNode(id));
}

/** Returns a node that the act changed. If other users removed it, records a conflict and returns null. */
function* findLiveOrConflict(work: InvertWork, id: NodeId): ReadProgram<Node | null> {
  const node = yield* work.ahead.node(id);
  if (node === null) work.conflicts.push(`${id}, which was removed`);
  return node;
}

/** Returns the node if it can be a parent after the steps so far, else null. */
function* findUsableParent(work: InvertWork, id: NodeId): ReadProgram<Node | null> {
  const parent = yield* work.ahead.node(id);
  // Only a forced undo removes nodes below which other users added some; any other undo is refused before.
  return parent === null || (work.force && (yield* isRemoved(work, id))) ? null : parent;
}

function* rebaseRestore(work: InvertWork, step: RestoreStep): ReadProgram<void> {
  const { nodeId, version: first } = step;
  const node = yield* work.ahead.anyNode(nodeId);
  // The node is already restored, which is the intended result.
  if (node === null || node.parentId === null || (yield* work.ahead.node(nodeId)) !== null) return;
  const version = node.removedIn ?? first;
  const since = version > first ? yield* ask('log', { since: first }) : [];
  // A removal by the same actor is the undo of a restore, not a conflict.
  if (since.some((commit) => commit.version === version && commit.actor !== work.actor))
    work.conflicts.push(`${nodeId}, which was deleted again`);
  if ((yield* findUsableParent(work, node.parentId)) === null) {
    work.conflicts.push(`${node.parentId}, the parent of ${nodeId}`);
    return;
  }
  const position = yield* work.ahead.findFreePosition(node.parentId, node.position, nodeId);
  applyStep(work, buildRestoreStep(node, version, position), node);
  // Undoing a restore of several removals removed all nodes under one version. Nodes that had been removed earlier are
  // removed again.
  for (const { steps } of since)
    for (const one of steps)
      if (one.type === 'restore' && one.version < first) {
        const back = yield* work.ahead.node(one.nodeId);
        if (back?.removedIn === version) applyStep(work, { type: 'remove', nodeId: back.id }, back);
      }
}

function* rebaseMove(work: InvertWork, step: MoveStep): ReadProgram<void> {
  const node = yield* findLiveOrConflict(work, step.nodeId);
  if (node === null) return;
  const from = treePositionOf(node);
  if (from.parentId !== step.from.parentId || from.position !== step.from.position)
    work.conflicts.push(`the position of ${node.id}`);
  const parent = yield* findUsableParent(work, step.to.parentId);
  if (parent === null || (yield* work.ahead.isAncestorOrSelf(node.id, from.parentId, parent))) {
    work.conflicts.push(`${step.to.parentId}, the parent of ${node.id}`);
    return;
  }
  const position = yield* work.ahead.findFreePosition(parent.id, step.to.position, node.id);
  const to = { ...step.to, position, matchParent: yield* work.ahead.matchParentOfChildren(parent) };
  applyStep(work, { type: 'move', nodeId: node.id, to, from }, node);
}

function* rebaseReplace(work: InvertWork, step: ReplaceStep): ReadProgram<void> {
  const node = yield* findLiveOrConflict(work, step.nodeId);
  if (node === null || node.message === null) return;
  assertNotPending(node);
  if (node.contentIn !== step.since && !hasContent(node, step.before)) work.conflicts.push(`the text of ${node.id}`);
  const after = { ...step.after, status: endIfPending(step.after.status) };
  applyStep(work, { ...step, after, before: buildReplacementContent(node, node.message), since: node.contentIn }, node);
}

function* rebaseRegroup(work: InvertWork, step: RegroupStep): ReadProgram<void> {
  const node = yield* work.ahead.node(step.nodeId);
  if (node === null || node.groupId === step.after) return;
  const changed = node.groupId !== step.before || (step.after === 0 && (yield* groupGrew(work, node)));
  if (changed) work.kept.push(`the group of ${node.id}`);
  if (!changed || work.force) applyStep(work, { ...step, before: node.groupId }, node);
}

/** Whether other users added variants to the node's group since. Then the node stays in the group. */
function* groupGrew(work: InvertWork, node: Node): ReadProgram<boolean> {
  if (node.parentId === null) return false;
  const group = `${node.parentId} ${node.groupId}`;
  const known = work.groups.get(group);
  if (known !== undefined) return known;
  const { parentId, groupId } = node;
  const children = yield* ask('children', { of: parentId });
  const found = children.some((child) => child.groupId === groupId && child.addedIn > work.newest);
  work.groups.set(group, found);
  return found;
}
