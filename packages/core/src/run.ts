/** Runs commands on a store: plans a command, commits its steps and returns the outcome. */
import { assertNotTrashed, isStale, makeVersionConflictError } from './commit.ts';
import {
  assertArgument,
  createFieldReader,
  exactObjectField,
  jsonField,
  objectField,
  oneOfField,
  optionalField,
  requiredText,
} from './decode.ts';
import { isAppError, refuse } from './errors.ts';
import { type ActId, actId as asActId, type NodeId, type TreeId } from './ids.ts';
import type { MessageKit } from './message.ts';
import { type AppendCommand, prefetchForAppend } from './plan/append.ts';
import { type CommandInput, parseCommandInput } from './plan/command-input.ts';
import type { Plan, PlanContext } from './plan/context.ts';
import type { CopyResult, GraftCommand } from './plan/copy.ts';
import { additiveCommands, type Command, type CommandOf, planners, type ResultOf } from './plan/index.ts';
import { hasUnmeasuredUsage, recordMeasuredContexts } from './plan/record-measured-contexts.ts';
import { resolveRequestedAct } from './plan/undo.ts';
import { type ActRecord, ask, type ReadProgram } from './reads.ts';
import { isStructural } from './steps/kinds.ts';
import type { ChangeResult, CommandOutcome, TreeStore } from './store.ts';

/** Who runs a command and as part of which act, with clock, id generator and message kit. */
export interface RunContext {
  readonly actor: string;
  /** The act to which the commits belong, shared by all commits of one user action; a new act by default. */
  readonly actId?: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly kit: MessageKit;
  readonly expectedVersion?: number;
  readonly onConflict?: 'branch';
  readonly isId?: (text: string) => boolean;
}

/** Returns the planner program of a command. A store runs the program while it holds its lock. */
export function planCommand(command: Command, context: PlanContext): ReadProgram<Plan<unknown>> {
  // Each planner accepts only its command type; TypeScript cannot derive that from a lookup by type.
  const planner = planners[command.type] as (command: Command, context: PlanContext) => ReadProgram<Plan<unknown>>;
  if (!Object.hasOwn(planners, command.type)) refuse('command/invalid', `There is no command ${command.type}.`);
  return planner(command, context);
}

/**
 * Runs a command: plans it while the store holds its lock, and commits the steps. Rejects with an AppError that has the
 * code of the refusal; then nothing was written. A command that changes nothing succeeds without a commit.
 */
export async function run<C extends CommandInput>(
  store: TreeStore,
  input: C,
  context: RunContext,
): Promise<CommandOutcome<ResultOf<C['type']>>> {
  const command = parseCommandInput(input);
  assertArgument('context', context, runContext);
  const { expectedVersion: expected } = context;
  // A version that is not a safe integer is refused, because no store could look it up.
  if (expected !== undefined && !Number.isSafeInteger(expected))
    refuse('command/invalid', 'The expected version is not a whole number.');
  if (store.elsewhere !== undefined) {
    const { actId, onConflict } = context;
    const outcome = await store.elsewhere.run(command, { actId, expectedVersion: expected, onConflict });
    return { ...outcome, result: outcome.result as ResultOf<C['type']> };
  }
  const call: RunCall = { store, context, act: asActId(context.actId ?? context.newId()), at: context.now() };
  const changed =
    command.type === 'undo' || command.type === 'redo'
      ? await undoOrRedo(call, command)
      : command.type === 'create'
        ? await createTree(call, command, expected)
        : await changeTree(call, command, expected);
  return {
    treeId: command.treeId,
    actId: changed.commit?.actId ?? call.act,
    result: changed.result as ResultOf<C['type']>,
    commit: changed.commit,
    version: changed.version,
    ...(changed.format === undefined ? {} : { format: changed.format }),
  };
}

const isFunction = createFieldReader((value): value is () => unknown => typeof value === 'function', 'a function');

const runContext = exactObjectField('The context', {
  actor: requiredText,
  actId: optionalField(requiredText),
  now: isFunction,
  newId: isFunction,
  kit: objectField,
  // The version is checked separately, with another error message.
  expectedVersion: jsonField,
  onConflict: optionalField(oneOfField(['branch'])),
  isId: optionalField(isFunction),
});

/**
 * Creates a tree and appends its first messages below the root, as two commits of one act. A retry adds the missing
 * messages and does not change the active node.
 */
async function createTree(
  call: RunCall,
  command: CommandOf<'create'>,
  expected: number | undefined,
): Promise<ChangeResult<unknown>> {
  const made = await changeTree(call, command, expected);
  const { treeId, created } = made.result;
  const { messages = [] } = command;
  if (messages.length === 0) return made;
  const row = await call.store.read(treeId, () => ask('tree', {}));
  const first: AppendCommand = {
    type: 'append',
    treeId,
    messages,
    select: created,
    ...(row === null ? {} : { parentId: row.rootId }),
  };
  const appended = await changeTree(call, first, undefined);
  const { added, reused } = appended.result;
  return { ...appended, commit: appended.commit ?? made.commit, result: { ...made.result, added, reused } };
}

interface RunCall {
  readonly store: TreeStore;
  readonly context: RunContext;
  readonly act: ActId;
  readonly at: number;
}

function changeTree<C extends Command>(
  { store, context, act, at }: RunCall,
  command: C,
  expected: number | undefined,
): Promise<ChangeResult<ResultOf<C['type']>>> {
  const plan = ({ stale }: { readonly stale: boolean }) =>
    // The planner matches the command; TypeScript cannot derive that from a lookup by type.
    plannerFor(command, context, at, stale, expected) as ReadProgram<Plan<ResultOf<C['type']>>>;
  return store.change(command.treeId, plan, {
    actor: context.actor,
    actId: act,
    at,
    additive: additiveCommands.has(command.type),
    prefetch: command.type === 'append' ? prefetchForAppend(command) : undefined,
    nodes: command.type === 'import' ? command.nodes.length : undefined,
    expectedVersion: expected,
    onConflict: context.onConflict,
  });
}

/**
 * Plans a command. If the tree has changed since the expected version, the nodes of the command may have been removed
 * or changed. Then the version conflict is reported with the commits since, instead of a refusal that would blame the
 * caller.
 */
function* plannerFor(
  command: Command,
  context: RunContext,
  at: number,
  stale: boolean,
  expected: number | undefined,
): ReadProgram<Plan<unknown>> {
  const { treeId } = command;
  try {
    const plan = yield* planCommand(command, { ...context, treeId, now: at, stale });
    if (!usageCommands.has(command.type) || !hasUnmeasuredUsage(plan.steps)) return plan;
    return { ...plan, steps: yield* recordMeasuredContexts(plan.steps, yield* ask('tree', {})) };
  } catch (error) {
    if (!stale || expected === undefined || !isAppError(error)) throw error;
    if (error.kind !== 'not-found' && error.kind !== 'refused') throw error;
    const row = yield* ask('tree', {});
    throw makeVersionConflictError(treeId, row?.version ?? 0, expected, yield* ask('log', { since: expected }));
  }
}

/** Commands that may add a reply with token usage. */
const usageCommands: ReadonlySet<string> = new Set(['append', 'reply', 'regenerate', 'finish', 'import', 'annotate']);

type ReverseCommand = Extract<Command, { type: 'undo' | 'redo' }>;

/**
 * Returns the act that a command undoes or redoes in its tree; null without one. With `asked`, looks for the act among
 * those that can be undone.
 */
function actOfCommand(
  { store, context }: RunCall,
  command: ReverseCommand,
  asked?: 'undoable',
): Promise<ActRecord | null> {
  const kind = asked ?? (command.type === 'undo' ? 'undoable' : 'redoable');
  return store.read(command.treeId, () => ask(kind, resolveRequestedAct(command, context.actor)));
}

/**
 * Undoes or redoes an act in every tree that it changed, in all of them or none. All parts are planned first, to find
 * refusals. Restored nodes are committed before their copies in other trees are removed.
 */
async function undoOrRedo(call: RunCall, command: ReverseCommand): Promise<ChangeResult<unknown>> {
  const { context } = call;
  const act = await actOfCommand(call, command);
  if (act === null || act.elsewhere.length === 0) return changeTree(call, command, context.expectedVersion);
  const named = { ...command, actId: act.actId };
  const parts = [await dryRun(call, named, context.expectedVersion)];
  for (const treeId of act.elsewhere) {
    const part = { ...named, treeId };
    if (!(await isDone(call, part))) parts.push(await dryRun(call, part, undefined));
  }
  let answer: ChangeResult<unknown> | undefined;
  for (const part of parts.sort((a, b) => Number(b.restores) - Number(a.restores))) {
    const own = part.command === named;
    // The expected version belongs to the named tree.
    const changed = await changeTree(call, part.command, own ? context.expectedVersion : undefined);
    if (own) answer = changed;
  }
  return answer ?? changeTree(call, named, context.expectedVersion);
}

/** Whether the act is already undone or redone in a tree, for example before a crash, or never changed that tree. */
async function isDone(call: RunCall, command: ReverseCommand): Promise<boolean> {
  if ((await actOfCommand(call, command)) !== null) return false;
  // A redo that a later act in this tree prevents does not count as done, so that the act is not redone in the other
  // trees either.
  return command.type === 'undo' || (await actOfCommand(call, command, 'undoable')) !== null;
}

async function dryRun(
  { store, context, at }: RunCall,
  command: ReverseCommand,
  expected: number | undefined,
): Promise<{ readonly command: ReverseCommand; readonly restores: boolean }> {
  const { steps } = await store.read(command.treeId, function* () {
    const row = yield* ask('tree', {});
    const plan = yield* plannerFor(command, context, at, false, undefined);
    assertNotTrashed(command.treeId, row, plan.steps);
    if (isStale(row, expected) && isStructural(plan.steps))
      throw makeVersionConflictError(
        command.treeId,
        row?.version ?? 0,
        expected ?? 0,
        yield* ask('log', { since: expected ?? 0 }),
      );
    return plan;
  });
  return { command, restores: steps.some((step) => step.type === 'restore') };
}

/** A branch and its new parent in another tree. */
export interface MoveToTreeOptions {
  readonly from: GraftCommand['from'];
  readonly to: { readonly treeId: TreeId; readonly parentId: NodeId };
}

/**
 * Moves a branch to another tree: a copy in the target and a removal in the source, as two commits of one act. Refusals
 * of the removal are found before the copy is made. The expected version is that of the target tree.
 */
export async function moveToTree(
  store: TreeStore,
  { from, to }: MoveToTreeOptions,
  context: RunContext,
): Promise<CommandOutcome<CopyResult>> {
  if (from.treeId === to.treeId)
    refuse(
      'command/invalid',
      `The message ${from.nodeId} is already in the chat ${to.treeId}: move it there instead.`,
      {
        nodeId: from.nodeId,
      },
    );
  const actId = context.actId ?? context.newId();
  const { expectedVersion: _, ...plain } = context;
  const removal = { type: 'delete', treeId: from.treeId, nodeIds: [from.nodeId], mode: 'cascade' } as const;
  await store.read(from.treeId, function* () {
    const { steps } = yield* plannerFor(removal, context, context.now(), false, undefined);
    assertNotTrashed(from.treeId, yield* ask('tree', {}), steps);
  });
  const graft = { type: 'graft', treeId: to.treeId, from, parentId: to.parentId, select: true } as const;
  const copied = await run(store, graft, { ...context, actId });
  await run(store, removal, { ...plain, actId });
  return copied;
}
