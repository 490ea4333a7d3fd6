import { refuse } from '../errors.ts';
import type { ActId, NodeId, TreeId } from '../ids.ts';
import { matchParentBelow } from '../node.ts';
import { positionBetween } from '../position.ts';
import { type ActRecord, ask, type Commit, type Reading } from '../reads.ts';
import { invert } from '../steps/index.ts';
import type { MoveStep, RestoreStep, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import { type Planner, plan, pointing, theTree } from './context.ts';
import { survivor } from './delete.ts';
import { contentOf } from './editing.ts';

/** Takes back the actor's newest act that is not undone. */
export interface UndoCommand {
  readonly type: 'undo';
  readonly treeId: TreeId;
  /** Takes along into the trash what others added below since. */
  readonly force?: boolean;
  /** This act and no other: how an act over two trees is taken back in both. */
  readonly actId?: ActId;
}

/** Does again what the actor undid last, unless the actor did something since. */
export interface RedoCommand {
  readonly type: 'redo';
  readonly treeId: TreeId;
  readonly force?: boolean;
  readonly actId?: ActId;
}

/** What was taken back or done again. */
export interface Reversed {
  readonly act: ActRecord;
  readonly activeNodeId: NodeId | null;
}

/** One inverse commit for all commits of an act. */
export const undo: Planner<UndoCommand, Reversed> = function* (command, context) {
  const act = yield* ask('undoable', named(command, context.actor));
  return yield* reversed(act, 'undo', command.force === true, yield* theTree(context));
};

/** The inverse of the last undo. */
export const redo: Planner<RedoCommand, Reversed> = function* (command, context) {
  const act = yield* ask('redoable', named(command, context.actor));
  return yield* reversed(act, 'redo', command.force === true, yield* theTree(context));
};

function named(command: UndoCommand | RedoCommand, actor: string): { readonly actor: string; readonly actId?: ActId } {
  return command.actId === undefined ? { actor } : { actor, actId: command.actId };
}

function* reversed(act: ActRecord | null, verb: 'undo' | 'redo', force: boolean, row: TreeRow) {
  if (act === null) return refuse('undo/nothing', `There is nothing of yours to ${verb}.`, { treeId: row.id });
  if (act.purged) return refuse('undo/purged', `What this ${verb} would bring back was purged.`, { actId: act.actId });
  const steps = yield* reversal(act, force, row);
  if (steps.length === 0)
    return refuse('undo/nothing', `There is nothing left of it to ${verb}.`, { actId: act.actId });
  const active = steps.reduce((at, step) => (step.type === 'select' ? step.after : at), row.activeNodeId);
  const reverses = { kind: verb, actId: act.actId };
  return { ...plan<Reversed>(steps, { act, activeNodeId: active }), reverses };
}

/** Whether two plain values say the same. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

class Overtaken {
  readonly by: string[] = [];
  add(what: string): void {
    this.by.push(what);
  }
}

/** The inverse steps of an act, fitted to what the tree is now. Refused where others built on it or changed it since. */
function* reversal(act: ActRecord, force: boolean, row: TreeRow): Reading<Step[]> {
  const overtaken = new Overtaken();
  const tops = yield* insertedTops(act, overtaken);
  const inserted = new Set(
    act.commits.flatMap(({ steps }) => steps.flatMap((step) => (step.type === 'insert' ? [step.node.id] : []))),
  );
  const steps: Step[] = [];
  for (const commit of [...act.commits].reverse())
    for (const step of invert(commit.steps, commit.version)) {
      if (step.type !== 'remove' && 'nodeId' in step && inserted.has(step.nodeId)) continue;
      for (const fitted of yield* adapted(step, commit, tops, overtaken)) steps.push(fitted);
    }
  if (overtaken.by.length > 0 && !force)
    refuse('undo/overtaken', `Others changed this since: ${overtaken.by.slice(0, 5).join(', ')}.`, {
      actId: act.actId,
      by: overtaken.by,
    });
  const marks: Step[] = [];
  for (const top of tops)
    for (const before of (yield* ask('inside', { of: top })).bookmarks) {
      const dropped = steps.some(
        (step) => step.type === 'bookmark' && step.nodeId === before.nodeId && step.after === null,
      );
      if (!dropped) marks.push({ type: 'bookmark', nodeId: before.nodeId, after: null, before });
    }
  return [...marks, ...steps, ...(yield* pointerBack(act, row, tops, steps))];
}

/** The tops of what the act inserted or restored and what still lives: one remove each takes all of it. */
function* insertedTops(act: ActRecord, overtaken: Overtaken): Reading<NodeId[]> {
  const steps = act.commits.flatMap((commit) => commit.steps);
  const grown = grownBy(act);
  const live: NodeId[] = [];
  for (const id of grown) {
    const node = yield* ask('node', { id });
    if (node === null || node.parentId === null) continue;
    if (node.status === 'pending')
      refuse('tree/pending', `A reply is still being written into ${id}: stop it first.`, { nodeId: id });
    live.push(id);
  }
  const tops = live.length === 0 ? [] : yield* ask('topmost', { ids: live });
  // What the act moved in, as a split does, it takes out again before its own nodes go.
  const without = steps.flatMap((step) => (step.type === 'move' && !grown.has(step.nodeId) ? [step.nodeId] : []));
  const versions = act.commits.map((commit) => commit.version);
  const restored = new Set(steps.flatMap((step) => (step.type === 'restore' ? [step.nodeId] : [])));
  for (const top of tops) {
    // Below what was inserted everything else is a stranger; below what was restored, what came since.
    const since = restored.has(top) ? Math.max(...versions) : 0;
    for (const stranger of yield* ask('strangers', { of: top, versions, since, without }))
      overtaken.add(`${stranger.id} below ${top}`);
  }
  return [...tops];
}

/** What the act brought into the tree: it goes as it is, and its own texts, notes and places are not turned back first. */
function grownBy(act: ActRecord): Set<NodeId> {
  const grown = new Set<NodeId>();
  for (const { steps } of act.commits)
    for (const step of steps) {
      if (step.type === 'insert') grown.add(step.node.id);
      if (step.type === 'restore') grown.add(step.nodeId);
    }
  return grown;
}

function* adapted(step: Step, commit: Commit, tops: readonly NodeId[], overtaken: Overtaken): Reading<Step[]> {
  switch (step.type) {
    case 'remove':
      return tops.includes(step.nodeId) ? [step] : [];
    case 'restore':
      return yield* fitRestore(step, overtaken);
    case 'move':
      return yield* fitMove(step, overtaken);
    case 'replace': {
      const node = yield* ask('node', { id: step.nodeId });
      if (node === null) return [];
      if (node.contentIn !== commit.version) overtaken.add(`the text of ${step.nodeId}`);
      return node.message === null ? [] : [{ ...step, before: contentOf(node, node.message), since: node.contentIn }];
    }
    case 'annotate': {
      const node = yield* ask('node', { id: step.nodeId });
      if (node === null) return [];
      const now = Object.fromEntries(Object.keys(step.before).map((key) => [key, node.meta[key] ?? null]));
      if (!same(now, step.before)) overtaken.add(`the notes of ${step.nodeId}`);
      return [{ ...step, before: now }];
    }
    case 'regroup': {
      const node = yield* ask('node', { id: step.nodeId });
      return node === null || node.groupId !== step.before ? [] : [step];
    }
    case 'bookmark': {
      const now = yield* ask('bookmark', { on: step.nodeId });
      return same(now, step.before) ? [step] : [];
    }
    case 'attributes': {
      const row = yield* ask('tree', {});
      const now = Object.fromEntries(Object.keys(step.before).map((key) => [key, row?.attributes[key] ?? null]));
      if (Object.hasOwn(step.after, 'systemPrompt')) return [];
      if (!same(now, step.before)) overtaken.add('the attributes of the tree');
      return [{ ...step, before: now }];
    }
    case 'insert':
    case 'select':
      return [];
  }
}

function* fitRestore(step: RestoreStep, overtaken: Overtaken): Reading<Step[]> {
  const node = yield* ask('anyNode', { id: step.nodeId });
  if (node === null || node.parentId === null || node.removedIn !== step.version) return [];
  const parent = yield* ask('node', { id: node.parentId });
  if (parent === null) {
    overtaken.add(`${node.parentId}, which ${node.id} hung on`);
    return [];
  }
  const position = yield* freePlace(node.parentId, node.position, node.id);
  return [
    position === node.position
      ? { type: 'restore', nodeId: step.nodeId, version: step.version }
      : { ...step, position },
  ];
}

/** A place as near as possible to one that may have been taken since. */
export function* freePlace(parentId: NodeId, position: string, id: NodeId): Reading<string> {
  const there = yield* ask('at', { of: parentId, position });
  if (there === null || there === id) return position;
  const gap = yield* ask('gap', { of: parentId, position });
  return positionBetween(position, gap.after);
}

function* fitMove(step: MoveStep, overtaken: Overtaken): Reading<Step[]> {
  const node = yield* ask('node', { id: step.nodeId });
  // Gone since, or inside what goes: the place it came from is no longer asked for.
  if (node === null || node.parentId === null) return [];
  const parent = yield* ask('anyNode', { id: step.to.parentId });
  const here = node.parentId === step.from.parentId && node.position === step.from.position;
  if (!here) overtaken.add(`the place of ${node.id}`);
  if (parent === null || (yield* ask('above', { id: node.id, below: step.to.parentId }))) {
    overtaken.add(`${step.to.parentId}, which ${node.id} hung on`);
    return [];
  }
  const position = yield* freePlace(step.to.parentId, step.to.position, node.id);
  const { parentId, groupId, matchParent } = node;
  const from = { parentId, position: node.position, groupId, matchParent: matchParent ?? parentId };
  return [{ ...step, to: { ...step.to, position, matchParent: matchParentBelow(parent) }, from }];
}

/** The pointer goes back to where the act found it, if the user is still where the act left it or that place goes. */
function* pointerBack(act: ActRecord, row: TreeRow, tops: readonly NodeId[], steps: readonly Step[]): Reading<Step[]> {
  const selects = act.commits.flatMap((commit) => commit.steps.filter((step) => step.type === 'select'));
  const first = selects[0];
  const last = selects[selects.length - 1];
  let goes: NodeId | null = null;
  for (const top of tops)
    if (row.activeNodeId !== null && (yield* ask('above', { id: top, below: row.activeNodeId }))) goes = top;
  const stayed = last?.type === 'select' && last.after === row.activeNodeId;
  if (first?.type === 'select' && (stayed || goes !== null || row.activeNodeId === null)) {
    const target = first.before;
    if (target === null ? yield* emptied(row, tops) : yield* willLive(target, tops, steps))
      return pointing(row, target);
  }
  if (goes === null && row.activeNodeId !== null) return [];
  const home = goes === null ? row.rootId : ((yield* ask('node', { id: goes }))?.parentId ?? row.rootId);
  const restored = steps.find((step) => step.type === 'restore');
  const fallback = yield* survivor(row, home, tops);
  return pointing(row, fallback ?? (restored?.type === 'restore' ? restored.nodeId : null));
}

function* emptied(row: TreeRow, tops: readonly NodeId[]): Reading<boolean> {
  const turns = yield* ask('children', { of: row.rootId });
  return turns.every((turn) => tops.includes(turn.id));
}

function* willLive(id: NodeId, tops: readonly NodeId[], steps: readonly Step[]): Reading<boolean> {
  const node = yield* ask('anyNode', { id });
  if (node === null) return false;
  if (node.removedIn === null) {
    for (const top of tops) if (yield* ask('above', { id: top, below: id })) return false;
    return true;
  }
  return steps.some((step) => step.type === 'restore' && step.version === node.removedIn);
}
