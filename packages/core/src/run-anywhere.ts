/** Undo and redo where no tree is named: the caller's newest act in any tree. */
import { isAppError, refuse } from './errors.ts';
import type { ActId, TreeId } from './ids.ts';
import type { PlanContext } from './plan/context.ts';
import { type ReversalResult, undoMaking } from './plan/undo.ts';
import { type Outcome, type RunContext, run } from './run.ts';
import type { NewestAct, Store } from './store-services.ts';

/** Takes back the caller's newest act in any tree, or brings back the one that was taken back last. */
export interface ReverseAnywhere {
  readonly type: 'undo' | 'redo';
  /** As for an undo in a tree: takes along what others added since. */
  readonly force?: boolean;
  /**
   * Called with the act before it is taken back, so that a reply that still runs can be stopped. It is called again if
   * somebody else took the act back meanwhile and another one is the newest.
   */
  readonly before?: (act: { readonly treeId: TreeId; readonly actId: ActId }) => Promise<void>;
}

/**
 * Undo or redo over all trees of the store's owner, deleting and restoring a tree included. The outcome names the tree.
 * Taking back the making of a tree puts it into the trash. Refuses `undo/nothing` where nothing of the caller is left.
 */
export async function runAnywhere(
  store: Store,
  { type, force = false, before }: ReverseAnywhere,
  context: Omit<RunContext, 'expectedVersion' | 'onConflict'>,
): Promise<Outcome<ReversalResult>> {
  let tried = '';
  for (;;) {
    const act = await store.newestAct(context.actor, type === 'undo' ? 'undoable' : 'redoable');
    if (act === null) return refuse('undo/nothing', `There is nothing of yours to ${type}.`);
    const { treeId, actId } = act;
    await before?.({ treeId, actId });
    try {
      if (type === 'undo' && act.madeTree) return await takeBackMaking(store, act, force, context);
      return await run(store, { type, treeId, force, actId }, context);
    } catch (error) {
      // Two callers at once find the same act; the second one takes the next.
      if (!isAppError(error) || error.code !== 'undo/nothing' || tried === `${treeId} ${actId}`) throw error;
      tried = `${treeId} ${actId}`;
    }
  }
}

async function takeBackMaking(
  store: Store,
  { treeId, actId }: NewestAct,
  force: boolean,
  context: RunContext,
): Promise<Outcome<ReversalResult>> {
  const at = context.now();
  const planContext: PlanContext = { ...context, treeId, now: at, stale: false };
  const changed = await store.change(treeId, () => undoMaking(actId, force, planContext), {
    actor: context.actor,
    actId,
    at,
    additive: false,
  });
  return { ...changed, treeId, actId };
}
