/** Undo and redo without a named tree: the caller's newest act in any tree. */
import { isAppError, refuse } from './errors.ts';
import type { ActId, TreeId } from './ids.ts';
import type { PlanContext } from './plan/context.ts';
import { type ReversalResult, undoTreeCreation } from './plan/undo.ts';
import { type RunContext, run } from './run.ts';
import type { CommandOutcome } from './store.ts';
import type { NewestAct, Store } from './store-services.ts';

/** The options of {@link undoOrRedoAnywhere}. */
export interface UndoOrRedoOptions {
  readonly type: 'undo' | 'redo';
  /** Whether to remove also nodes that other users added since, like `force` of an undo in one tree. */
  readonly force?: boolean;
  /**
   * Called with the act before it is undone, so that a running reply can be stopped. Called again with the next act if
   * another caller undid the first one meanwhile.
   */
  readonly before?: (act: { readonly treeId: TreeId; readonly actId: ActId }) => Promise<void>;
}

/**
 * Undoes the caller's newest act in any tree of the store's owner, or redoes the last undone act. Deleting and
 * restoring trees are acts as well. The outcome names the tree. Undoing the creation of a tree moves it to the trash.
 * Refuses with `undo/nothing` if the caller has no act left.
 */
export async function undoOrRedoAnywhere(
  store: Store,
  { type, force = false, before }: UndoOrRedoOptions,
  context: Omit<RunContext, 'expectedVersion' | 'onConflict'>,
): Promise<CommandOutcome<ReversalResult>> {
  if (store.elsewhere !== undefined) {
    const outcome = await store.elsewhere.reverse(type, force);
    return { ...outcome, result: outcome.result as ReversalResult };
  }
  let tried = '';
  for (;;) {
    const act = await store.newestAct(context.actor, type === 'undo' ? 'undoable' : 'redoable');
    if (act === null) return refuse('undo/nothing', `You have no change to ${type}.`);
    const { treeId, actId } = act;
    await before?.({ treeId, actId });
    try {
      if (type === 'undo' && act.madeTree) return await undoCreation(store, act, force, context);
      return await run(store, { type, treeId, force, actId }, context);
    } catch (error) {
      // Two concurrent callers may find the same act; the second one continues with the next act.
      if (!isAppError(error) || error.code !== 'undo/nothing' || tried === `${treeId} ${actId}`) throw error;
      tried = `${treeId} ${actId}`;
    }
  }
}

async function undoCreation(
  store: Store,
  { treeId, actId }: NewestAct,
  force: boolean,
  context: RunContext,
): Promise<CommandOutcome<ReversalResult>> {
  const at = context.now();
  const planContext: PlanContext = { ...context, treeId, now: at, stale: false };
  const changed = await store.change(treeId, () => undoTreeCreation(actId, force, planContext), {
    actor: context.actor,
    actId,
    at,
    additive: false,
  });
  return { ...changed, treeId, actId };
}
