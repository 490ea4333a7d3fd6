import { refuse } from '../errors.ts';
import { describeHistoryStart, readHistoryStart } from '../history-start.ts';
import type { ActId, NodeId, TreeId } from '../ids.ts';
import { type ActRecord, ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import { buildSelectSteps, type Plan, type PlanContext, type Planner, requireTree, toPlan } from './context.ts';
import { planDeleteTree } from './create.ts';
import { findNextActive } from './delete.ts';
import { invertAct } from './invert-act.ts';
import type { TreeOverlay } from './tree-overlay.ts';

/** Undoes the actor's newest act that is not undone. */
export interface UndoCommand {
  readonly type: 'undo';
  readonly treeId: TreeId;
  /**
   * Whether to remove also nodes that other users added below the act's nodes since, and to overwrite their changes.
   */
  readonly force?: boolean;
  /** The act to undo, for example one that changed two trees; defaults to the newest act. */
  readonly actId?: ActId;
}

/** Redoes the act that the actor undid last, unless the actor has started another act since. */
export interface RedoCommand {
  readonly type: 'redo';
  readonly treeId: TreeId;
  readonly force?: boolean;
  readonly actId?: ActId;
}

/** The act that was undone or redone, and the active node afterwards. */
export interface ReversalResult {
  readonly act: ActRecord;
  readonly activeNodeId: NodeId | null;
}

/** Undoes all commits of an act with one inverse commit. */
export const planUndo: Planner<UndoCommand, ReversalResult> = function* (command, context) {
  return yield* undoPlan(command, context, yield* ask('undoable', resolveRequestedAct(command, context.actor)));
};

/** Redoes an act by inverting the commit that undid it. */
export const planRedo: Planner<RedoCommand, ReversalResult> = function* (command, context) {
  return yield* undoPlan(command, context, yield* ask('redoable', resolveRequestedAct(command, context.actor)));
};

/**
 * Undoes the creation of a tree: the tree is moved to the trash, and redo restores it. Refused while the actor has
 * another act to undo in the tree. Also refused if other users added messages, unless forced.
 */
export function* undoTreeCreation(
  actId: ActId,
  force: boolean,
  context: PlanContext,
): ReadProgram<Plan<ReversalResult>> {
  const row = yield* requireTree(context);
  const { actor } = context;
  if ((yield* ask('undoable', { actor })) !== null || (yield* ask('redoable', { actor, actId })) !== null)
    refuse('undo/nothing', 'You have no change to undo here.', { treeId: row.id });
  const added = yield* ask('addedByOthers', { of: row.rootId, versions: [1], since: 1, without: [] });
  if (added.length > 0 && !force)
    refuseConflicts(
      actId,
      added.map((node) => node.id),
    );
  const { steps } = yield* planDeleteTree({ type: 'delete-tree', treeId: row.id }, context);
  const act: ActRecord = { actId, commits: [], elsewhere: [], purged: false };
  const result: ReversalResult = { act, activeNodeId: row.activeNodeId };
  return { ...toPlan(steps.length === 0 ? [emptyStep] : steps, result), reverses: { kind: 'undo', actId } };
}

// An act without remaining effects is still recorded as undone. Otherwise it would block all earlier acts.
const emptyStep: Step = { type: 'attributes', after: {}, before: {} };

function refuseConflicts(actId: ActId, by: readonly string[]): never {
  return refuse(
    'undo/overtaken',
    `Other users changed this since: ${by.slice(0, 5).join(', ')}. Use force to discard their changes.`,
    { actId, by },
  );
}

export function resolveRequestedAct(
  command: UndoCommand | RedoCommand,
  actor: string,
): { readonly actor: string; readonly actId: ActId | undefined } {
  return { actor, actId: command.actId };
}

function* undoPlan(command: UndoCommand | RedoCommand, context: PlanContext, act: ActRecord | null) {
  const { type: verb } = command;
  const force = command.force === true;
  const row = yield* requireTree(context);
  if (act === null) return yield* refuseNothingLeft(verb, row.id);
  if (act.purged)
    return refuse('undo/purged', `This ${verb} is no longer possible: the contents it would restore were purged.`, {
      actId: act.actId,
    });
  const { steps, removedRoots, ahead, conflicts } = yield* invertAct(act, { force, row, actor: context.actor });
  if (conflicts.length > 0 && !force) refuseConflicts(act.actId, conflicts);
  const moves = yield* restoreActive(act, row, removedRoots, ahead, steps);
  const done = steps.length === 0 ? [emptyStep, ...moves] : [...steps, ...moves];
  const active = moves[0] === undefined ? row.activeNodeId : moves[0].after;
  const reverses = { kind: verb, actId: act.actId };
  return { ...toPlan<ReversalResult>(done, { act, activeNodeId: active }), reverses };
}

/** Refuses because the actor has no act left; names the beginning of the history if older commits were deleted. */
function* refuseNothingLeft(verb: 'undo' | 'redo', treeId: TreeId): ReadProgram<never> {
  const start = yield* readHistoryStart();
  const nothing = `You have no change to ${verb} in this chat`;
  if (start === null) return refuse('undo/nothing', `${nothing}.`, { treeId });
  const data = describeHistoryStart(start);
  return refuse('undo/nothing', `${nothing}: the history begins on ${data.begins}.`, { treeId, ...data });
}

/** Selects the node that was active before the act, if the active node has not changed since the act or is removed. */
function* restoreActive(
  act: ActRecord,
  row: TreeRow,
  removedRoots: ReadonlySet<NodeId>,
  ahead: TreeOverlay,
  steps: readonly Step[],
) {
  const { activeNodeId: active } = row;
  const selects = act.commits.flatMap((commit) => commit.steps.filter((step) => step.type === 'select'));
  const first = selects[0];
  const last = selects.at(-1);
  const goes = active === null ? null : yield* ahead.removedWith(active, removedRoots);
  if (first !== undefined && (last?.after === active || goes !== null || active === null)) {
    const target = first.before;
    if (
      target === null
        ? yield* isEmptied(row, removedRoots, ahead, steps)
        : yield* staysActive(target, removedRoots, ahead)
    )
      return buildSelectSteps(row, target);
  }
  if (goes === null && active !== null) return [];
  const home = goes === null ? row.rootId : ((yield* ahead.anyNode(goes))?.parentId ?? row.rootId);
  const leaf = yield* findNextActive(row, home, [...removedRoots]);
  return buildSelectSteps(row, leaf ?? (yield* restoredNodes(steps, removedRoots, ahead)));
}

function* isEmptied(
  row: TreeRow,
  removedRoots: ReadonlySet<NodeId>,
  ahead: TreeOverlay,
  steps: readonly Step[],
): ReadProgram<boolean> {
  if ((yield* restoredNodes(steps, removedRoots, ahead)) !== null) return false;
  for (const { id } of yield* ask('children', { of: row.rootId }))
    if (!removedRoots.has(id) && (yield* ahead.removedWith(id, removedRoots)) === null) return false;
  return true;
}

function* staysActive(id: NodeId, removedRoots: ReadonlySet<NodeId>, ahead: TreeOverlay): ReadProgram<boolean> {
  return (yield* ahead.node(id)) !== null && (yield* ahead.removedWith(id, removedRoots)) === null;
}

/** Returns the first node that these steps restore or move and that stays live; null if no step does. */
function* restoredNodes(
  steps: readonly Step[],
  removedRoots: ReadonlySet<NodeId>,
  ahead: TreeOverlay,
): ReadProgram<NodeId | null> {
  for (const step of steps)
    if ((step.type === 'restore' || step.type === 'move') && (yield* staysActive(step.nodeId, removedRoots, ahead)))
      return step.nodeId;
  return null;
}
