import type { NodeId } from '../ids.ts';
import type { Content, Node } from '../node.ts';
import { type ActRecord, ask, type Commit, type ReadProgram } from '../reads.ts';
import { applyPatch, inversePatch } from '../rows.ts';
import { sameJson } from '../same-json.ts';
import { stepKind } from '../steps/kinds.ts';
import type { BookmarkStep, MoveStep, RegroupStep, ReplaceStep, RestoreStep, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import { assertNotPending, refusePendingNode } from './context.ts';
import { restoreStep, treePositionOf } from './delete.ts';
import { contentOfEdit } from './edit-types.ts';
import { nearestAncestor, TreeOverlay } from './tree-overlay.ts';

/** The inverse of an act, fitted to what the tree is now. */
export interface InvertedAct {
  readonly steps: readonly Step[];
  /** The tops of what goes. */
  readonly tops: ReadonlySet<NodeId>;
  /** The tree after the steps. */
  readonly ahead: TreeOverlay;
  /** What others built on the act or changed of it since; nothing may be committed then unless it is forced. */
  readonly overtaken: readonly string[];
}

/** What a reversal is fitted to. */
export interface InvertOptions {
  readonly force: boolean;
  readonly row: TreeRow;
  readonly actor: string;
}

/** A reversal in the making. */
interface InvertWork extends InvertOptions {
  readonly ahead: TreeOverlay;
  readonly steps: Step[];
  readonly overtaken: string[];
  /** Bookmarks and groups that others changed since: they stay as they are, unless nothing else is left of the act. */
  readonly kept: string[];
  readonly tops: Set<NodeId>;
  /** The act's last version. */
  readonly newest: number;
  /** Whether a group got members since, by parent and number. */
  readonly groups: Map<string, boolean>;
}

/** What an act did, by what its inverse has to know. */
interface ActEffects {
  readonly versions: ReadonlySet<number>;
  readonly newest: number;
  readonly inserted: ReadonlyMap<NodeId, Content | null>;
  readonly restored: ReadonlySet<NodeId>;
  readonly moved: ReadonlySet<NodeId>;
  /** Removals that the act itself took back again, as `node version`. */
  readonly cancelled: ReadonlySet<string>;
}

/** The steps that take an act back, newest first, each fitted to what the ones before it leave. */
export function* invertAct(act: ActRecord, fitting: InvertOptions): ReadProgram<InvertedAct> {
  const effects = effectsOf(act);
  const overtaken: string[] = [];
  const tops = yield* removedRootsOf(effects, fitting, overtaken);
  const work: InvertWork = {
    ...fitting,
    ahead: new TreeOverlay(fitting.row),
    steps: [],
    overtaken,
    kept: [],
    tops,
    newest: effects.newest,
    groups: new Map(),
  };
  for (const commit of [...act.commits].reverse())
    for (const step of [...commit.steps].reverse()) yield* invertStep(work, effects, commit, step);
  const marks = yield* bookmarkRemovals(work);
  const steps = [...marks, ...(yield* dropObsolete(work, new Set(marks.map(({ nodeId }) => nodeId))))];
  if (steps.length === 0) for (const what of work.kept) overtaken.push(what);
  return { steps, tops, ahead: work.ahead, overtaken };
}

/** The steps but for those on what is gone by then, and those on bookmarks of what goes. */
function* dropObsolete(work: InvertWork, unmarked: ReadonlySet<NodeId>): ReadProgram<Step[]> {
  const kept: Step[] = [];
  const gone = new Set<NodeId>();
  for (const step of work.steps) {
    const marks = step.type === 'bookmark';
    const late =
      marks || (gone.size > 0 && (step.type === 'regroup' || step.type === 'annotate' || step.type === 'replace'));
    if (marks && unmarked.has(step.nodeId)) continue;
    if (late && (yield* work.ahead.removedWith(step.nodeId, marks ? work.tops : gone)) !== null) continue;
    if (step.type === 'remove') gone.add(step.nodeId);
    kept.push(step);
  }
  return kept;
}

function effectsOf(act: ActRecord): ActEffects {
  const versions = new Set(act.commits.map((commit) => commit.version));
  const inserted = new Map<NodeId, Content | null>();
  const removed = new Set<string>();
  const cancelled = new Set<string>();
  const restored = new Set<NodeId>();
  const moved = new Set<NodeId>();
  for (const { steps, version } of act.commits)
    for (const step of steps) {
      if (step.type === 'insert') {
        const { id, message } = step.node;
        inserted.set(id, message && contentOfEdit(step.node, message));
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

/** The tops of what the act brought into the tree and what still lives: one remove each takes all of it. */
function* removedRootsOf(effects: ActEffects, { actor }: InvertOptions, overtaken: string[]): ReadProgram<Set<NodeId>> {
  const live = new Map<NodeId, NodeId>();
  for (const id of new Set([...effects.inserted.keys(), ...effects.restored])) {
    const node = yield* ask('node', { id });
    if (node === null || node.parentId === null) continue;
    const written = effects.inserted.get(id);
    if (
      written != null &&
      written.status !== 'pending' &&
      !effects.versions.has(node.contentIn) &&
      !describeConflict(node, written)
    )
      overtaken.push(`the text of ${id}`);
    live.set(id, node.parentId);
  }
  // What the act moved in, as a split does, it takes out again before its own nodes go.
  const out = new Set([...effects.moved].filter((id) => !effects.inserted.has(id)));
  const tops = yield* withoutNested(live, out);
  const versions = [...effects.versions];
  const { newest } = effects;
  const back: NodeId[] = [];
  for (const top of tops) {
    // Below what was inserted everything else is a stranger; below what was restored, what came since.
    const restored = !effects.inserted.has(top);
    if (restored) back.push(top);
    const without = [...out].filter((id) => id !== top);
    for (const one of yield* ask('addedByOthers', { of: top, versions, since: restored ? newest : 0, without }))
      overtaken.push(`${one.id} below ${top}`);
  }
  if (back.length > 0) yield* changedBelow(back, newest, actor, overtaken);
  return tops;
}

/**
 * Those of the nodes, given with their parents, that no other of them takes along. One above does not if what lies
 * between moves out.
 */
function* withoutNested(live: ReadonlyMap<NodeId, NodeId>, out: ReadonlySet<NodeId>): ReadProgram<Set<NodeId>> {
  if (live.size === 0) return new Set();
  if (out.size === 0) return new Set(yield* ask('withoutDescendants', { ids: [...live.keys()] }));
  const tops = new Set<NodeId>();
  for (const [id, parentId] of live) {
    if (out.has(id)) tops.add(id);
    const above = live.has(parentId)
      ? parentId
      : yield* nearestAncestor(parentId, (one) => live.has(one) || out.has(one));
    if (above === null || !live.has(above)) tops.add(id);
  }
  return tops;
}

/** Whether a node says what an act left there. Ending a reply that the act left pending is no change of it. */
function describeConflict(node: Node, content: Content): boolean {
  if (node.message === null) return false;
  return sameJson(contentOfEdit(node, node.message), { ...content, status: endedReplies(content.status) });
}

/** Nobody writes on a reply that is brought back as it was while it was being written. */
function endedReplies(status: Node['status']): Node['status'] {
  return status === 'pending' ? 'interrupted' : status;
}

/**
 * What others moved, restored or rewrote below nodes that an act restored. Such nodes are older than the act, so that
 * only the log tells who has been there since.
 */
function* changedBelow(tops: readonly NodeId[], since: number, actor: string, overtaken: string[]): ReadProgram<void> {
  const touched = new Map<NodeId, MoveStep | RestoreStep | ReplaceStep>();
  for (const commit of yield* ask('log', { since }))
    for (const step of commit.actor === actor ? [] : commit.steps)
      if ((step.type === 'move' || step.type === 'restore' || step.type === 'replace') && !touched.has(step.nodeId))
        touched.set(step.nodeId, step);
  for (const [id, step] of touched) {
    const node = yield* ask('node', { id });
    // Removed and restored since is as it was; so is a text that is what it was.
    if (node === null || (step.type === 'restore' && step.version > since)) continue;
    if (step.type === 'replace' && describeConflict(node, step.before)) continue;
    for (const top of tops) {
      if (!(yield* ask('isAncestorOrSelf', { id: top, below: id }))) continue;
      if (step.type === 'move' && (yield* ask('isAncestorOrSelf', { id: top, below: step.from.parentId }))) continue;
      overtaken.push(step.type === 'replace' ? `the text of ${id}` : `${id} below ${top}`);
    }
  }
}

function applyStep(work: InvertWork, step: Step, node: Node | null): void {
  work.ahead.apply(step, node);
  work.steps.push(step);
}

function* isRemoved(work: InvertWork, id: NodeId): ReadProgram<boolean> {
  return work.tops.size > 0 && (yield* work.ahead.removedWith(id, work.tops)) !== null;
}

/** Bookmarks go with what goes, in front, so that doing it again finds the nodes there when it sets them. */
function* bookmarkRemovals(work: InvertWork): ReadProgram<BookmarkStep[]> {
  const marks: BookmarkStep[] = [];
  for (const top of work.tops) {
    const inside = yield* ask('subtreeInfo', { of: top });
    for (const id of inside.pending) if (yield* isRemoved(work, id)) refusePendingNode([id]);
    for (const before of inside.bookmarks)
      if (yield* isRemoved(work, before.nodeId))
        marks.push({ type: 'bookmark', nodeId: before.nodeId, after: null, before });
  }
  return marks;
}

function* invertStep(work: InvertWork, effects: ActEffects, commit: Commit, step: Step): ReadProgram<void> {
  if (step.type === 'insert') return yield* removeInserted(work, step.node.id);
  if (step.type === 'select') return;
  // What the act brought in goes as it is: its own texts, notes and places are not turned back first.
  if ('nodeId' in step && effects.inserted.has(step.nodeId)) return;
  if (step.type === 'remove' && effects.cancelled.has(`${step.nodeId} ${commit.version}`)) return;
  if (step.type === 'restore') {
    if (!effects.cancelled.has(`${step.nodeId} ${step.version}`)) yield* removeInserted(work, step.nodeId);
    return;
  }
  const inverse = stepKind(step).invert(step, commit.version);
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
      const node = yield* requireLive(work, inverse.nodeId);
      if (node === null) return;
      const now = inversePatch(node.meta, inverse.before);
      if (!sameJson(now, inverse.before)) work.overtaken.push(`the notes of ${node.id}`);
      return applyStep(work, { ...inverse, before: now }, node);
    }
    case 'regroup':
      return yield* rebaseRegroup(work, inverse);
    case 'bookmark': {
      const before = yield* work.ahead.bookmark(inverse.nodeId);
      const changed = !sameJson(before, inverse.before);
      if (changed) work.kept.push(`the bookmark on ${inverse.nodeId}`);
      if (changed && !work.force) return;
      if (inverse.after !== null && (yield* work.ahead.node(inverse.nodeId)) === null) return;
      return applyStep(work, { ...inverse, before }, null);
    }
    case 'attributes': {
      const now = inversePatch(work.ahead.attributes, inverse.before);
      if (!sameJson(now, inverse.before)) work.overtaken.push('the attributes of the tree');
      if (!sameJson(applyPatch(work.ahead.attributes, inverse.after), work.ahead.attributes))
        applyStep(work, { ...inverse, before: now }, null);
      return;
    }
    case 'insert':
    case 'remove':
    case 'select':
      return;
  }
}

function* removeInserted(work: InvertWork, id: NodeId): ReadProgram<void> {
  const top = work.tops.has(id);
  // Gone now, and back by a step before this one: what restores a version brings back more than it wants, and takes
  // the rest away again.
  if (!top && ((yield* ask('node', { id })) !== null || (yield* work.ahead.node(id)) === null)) return;
  work.tops.add(id);
  applyStep(work, { type: 'remove', nodeId: id }, yield* work.ahead.anyNode(id));
}

/** A node that the act changed. Where someone else took it away, that overtakes. */
function* requireLive(work: InvertWork, id: NodeId): ReadProgram<Node | null> {
  const node = yield* work.ahead.node(id);
  if (node === null) work.overtaken.push(`${id}, which is gone`);
  return node;
}

/** Whether something can hang on a node then. */
function* canHoldChild(work: InvertWork, id: NodeId): ReadProgram<Node | null> {
  const parent = yield* work.ahead.node(id);
  // Only by force does a reversal take along what others hung there.
  return parent === null || (work.force && (yield* isRemoved(work, id))) ? null : parent;
}

function* rebaseRestore(work: InvertWork, step: RestoreStep): ReadProgram<void> {
  const { nodeId, version: first } = step;
  const node = yield* work.ahead.anyNode(nodeId);
  // Someone brought it back already, which is what was wanted.
  if (node === null || node.parentId === null || (yield* work.ahead.node(nodeId)) !== null) return;
  const version = node.removedIn ?? first;
  const since = version > first ? yield* ask('log', { since: first }) : [];
  // The actor's own removal is one that took back that it had been restored.
  if (since.some((commit) => commit.version === version && commit.actor !== work.actor))
    work.overtaken.push(`${nodeId}, which was deleted again`);
  if ((yield* canHoldChild(work, node.parentId)) === null) {
    work.overtaken.push(`${node.parentId}, which ${nodeId} hung on`);
    return;
  }
  const position = yield* work.ahead.freePlace(node.parentId, node.position, nodeId);
  applyStep(work, restoreStep(node, version, position), node);
  // Taking back that several removals were restored takes all of them out at once: what had gone before goes again.
  for (const { steps } of since)
    for (const one of steps)
      if (one.type === 'restore' && one.version < first) {
        const back = yield* work.ahead.node(one.nodeId);
        if (back?.removedIn === version) applyStep(work, { type: 'remove', nodeId: back.id }, back);
      }
}

function* rebaseMove(work: InvertWork, step: MoveStep): ReadProgram<void> {
  const node = yield* requireLive(work, step.nodeId);
  if (node === null) return;
  const from = treePositionOf(node);
  if (from.parentId !== step.from.parentId || from.position !== step.from.position)
    work.overtaken.push(`the place of ${node.id}`);
  const parent = yield* canHoldChild(work, step.to.parentId);
  if (parent === null || (yield* work.ahead.above(node.id, from.parentId, parent))) {
    work.overtaken.push(`${step.to.parentId}, which ${node.id} hung on`);
    return;
  }
  const position = yield* work.ahead.freePlace(parent.id, step.to.position, node.id);
  const to = { ...step.to, position, matchParent: yield* work.ahead.matchParentBelow(parent) };
  applyStep(work, { type: 'move', nodeId: node.id, to, from }, node);
}

function* rebaseReplace(work: InvertWork, step: ReplaceStep): ReadProgram<void> {
  const node = yield* requireLive(work, step.nodeId);
  if (node === null || node.message === null) return;
  assertNotPending(node);
  if (node.contentIn !== step.since && !describeConflict(node, step.before))
    work.overtaken.push(`the text of ${node.id}`);
  const after = { ...step.after, status: endedReplies(step.after.status) };
  applyStep(work, { ...step, after, before: contentOfEdit(node, node.message), since: node.contentIn }, node);
}

function* rebaseRegroup(work: InvertWork, step: RegroupStep): ReadProgram<void> {
  const node = yield* work.ahead.node(step.nodeId);
  if (node === null || node.groupId === step.after) return;
  const changed = node.groupId !== step.before || (step.after === 0 && (yield* groupGrew(work, node)));
  if (changed) work.kept.push(`the group of ${node.id}`);
  if (!changed || work.force) applyStep(work, { ...step, before: node.groupId }, node);
}

/** Whether others made more variants for the group of a node since: then it stays in it. */
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
