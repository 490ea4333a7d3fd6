/** The only way from a command to a commit. */
import { type ActId, actId as asActId, type TreeId } from './ids.ts';
import type { MessageKit } from './message.ts';
import type { Plan, PlanContext } from './plan/context.ts';
import { additive, type Command, type CommandType, planners, type ResultOf } from './plan/index.ts';
import type { Reversed } from './plan/undo.ts';
import type { Reading } from './reads.ts';
import type { Changed, TreeStore } from './store.ts';

/** Who acts, as part of what, and the clock, ids and message kit that core has none of itself. */
export interface RunContext {
  readonly actor: string;
  /** All commits of one user action share it; a fresh one if not given. */
  readonly actId?: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly kit: MessageKit;
  readonly expectedVersion?: number;
  readonly onConflict?: 'branch';
  readonly isId?: (text: string) => boolean;
}

/** What came of a command. */
export interface Outcome<R> extends Changed<R> {
  readonly treeId: TreeId;
  readonly actId: ActId;
}

/** The planner of a command, given its context: what a store drives inside its lock. */
export function planOf(command: Command, context: PlanContext): Reading<Plan<unknown>> {
  // The planner's parameter is the command of its own type, which a lookup by that type cannot show the compiler.
  const planner = planners[command.type] as (command: Command, context: PlanContext) => Reading<Plan<unknown>>;
  return planner(command, context);
}

/**
 * Runs a command: plans it inside the store's lock and commits the steps. Rejects with an AppError that carries the
 * refusal's code; then nothing was written. A command that changes nothing is acknowledged without a commit.
 */
export async function run<C extends Command>(
  store: TreeStore,
  command: C,
  context: RunContext,
): Promise<Outcome<ResultOf<C['type']>>> {
  const act = asActId(context.actId ?? context.newId());
  const at = context.now();
  const change = (one: Command, treeId: TreeId) =>
    store.change(treeId, ({ stale }) => planOf(one, planContext(treeId, at, context, stale)), {
      actor: context.actor,
      actId: act,
      at,
      additive: additive.has(one.type as CommandType),
      ...(context.expectedVersion === undefined || treeId !== command.treeId
        ? {}
        : { expectedVersion: context.expectedVersion }),
      ...(context.onConflict === undefined ? {} : { onConflict: context.onConflict }),
    });
  if (command.type === 'undo' || command.type === 'redo') await preflight(store, command, context, at);
  const changed = await change(command, command.treeId);
  const result = changed.result as ResultOf<C['type']>;
  if (command.type === 'undo' || command.type === 'redo') {
    const { act: reversed } = changed.result as Reversed;
    for (const treeId of reversed.elsewhere) await change({ ...command, treeId, actId: reversed.actId }, treeId);
  }
  return {
    treeId: command.treeId,
    actId: changed.commit?.actId ?? act,
    result,
    commit: changed.commit,
    version: changed.version,
  };
}

function planContext(treeId: TreeId, at: number, context: RunContext, stale: boolean): PlanContext {
  const { actor, newId, kit, isId } = context;
  return { treeId, now: at, newId, kit, actor, stale, ...(isId === undefined ? {} : { isId }) };
}

/** An act over two trees is taken back in both or in none: what another tree would refuse is found out first. */
async function preflight(
  store: TreeStore,
  command: Extract<Command, { type: 'undo' | 'redo' }>,
  context: RunContext,
  at: number,
): Promise<void> {
  const dry = (one: Command, treeId: TreeId) =>
    store.read(treeId, () => planOf(one, planContext(treeId, at, context, false)));
  const { result } = await dry(command, command.treeId);
  const { act } = result as Reversed;
  for (const treeId of act.elsewhere) await dry({ ...command, treeId, actId: act.actId }, treeId);
}

/** A branch that goes to another tree. */
export interface Transplant {
  readonly from: { readonly treeId: TreeId; readonly nodeId: Parameters<typeof planners.graft>[0]['from']['nodeId'] };
  readonly to: { readonly treeId: TreeId; readonly parentId: Parameters<typeof planners.graft>[0]['parentId'] };
}

/** Moves a branch to another tree: a copy there, then a removal here, two commits of one act, the copy first. */
export async function transplant(
  store: TreeStore,
  { from, to }: Transplant,
  context: RunContext,
): Promise<Outcome<ResultOf<'graft'>>> {
  const actId = context.actId ?? context.newId();
  const { expectedVersion: _, ...plain } = context;
  const copied = await run(
    store,
    { type: 'graft', treeId: to.treeId, from, parentId: to.parentId, select: true },
    { ...context, actId },
  );
  await run(
    store,
    { type: 'delete', treeId: from.treeId, nodeIds: [from.nodeId], mode: 'cascade' },
    { ...plain, actId },
  );
  return copied;
}
