import { isAppError } from '../errors.ts';
import type { Plan, PlanContext } from '../plan/context.ts';
import type { Command, ResultOf } from '../plan/index.ts';
import type { Read, ReadName, ReadProgram } from '../reads.ts';
import { planCommand, type RunContext } from '../run.ts';
import type { Step } from '../steps/types.ts';
import type { CommandOutcome } from '../store.ts';
import { expectSteps } from './expect-steps.ts';
import { createPlanContext } from './plan-context.ts';
import type { TestTree } from './test-tree.ts';

/** Yields the reads of a program and appends each to `asked`. */
export function* recordReads<T>(reading: ReadProgram<T>, asked: Read[]): ReadProgram<T> {
  let step = reading.next();
  while (!step.done) {
    asked.push(step.value);
    step = reading.next(yield step.value);
  }
  return step.value;
}

/** A plan that was not committed, and the reads that it needed. */
export interface PlannedCommand {
  readonly plan: Plan<unknown>;
  readonly asked: readonly ReadName[];
}

/** Plans a command without committing it. */
export async function planWithoutCommit(
  fixture: TestTree,
  command: Command,
  given: Partial<PlanContext> = {},
): Promise<PlannedCommand> {
  const asked: Read[] = [];
  const context = { ...createPlanContext(command.treeId, 7), ...given };
  const plan = await fixture.store.read(command.treeId, () => recordReads(planCommand(command, context), asked));
  return { plan, asked: asked.map((read) => read.ask) };
}

/** Runs a command and checks its steps with {@link expectSteps}. */
export async function runAndCheck<C extends Command>(
  fixture: TestTree,
  command: C,
  context: Partial<RunContext> = {},
): Promise<CommandOutcome<ResultOf<C['type']>>> {
  const before = fixture.tree;
  const outcome = await fixture.run(command, context);
  if (outcome.commit === null && fixture.tree !== before)
    throw new Error(`${command.type} changed the tree without a commit.`);
  if (outcome.commit !== null) expectSteps(before, outcome.commit.steps);
  return outcome;
}

/**
 * Returns the error code of a refused command, and checks that the tree is still the same object. All refusals except a
 * version conflict must come from the plan, because stores that write rows do not apply steps to a tree value.
 */
export async function refusalOf(
  fixture: TestTree,
  command: Command,
  context: Partial<RunContext> = {},
): Promise<string> {
  const before = fixture.tree;
  const code = await fixture.refusal(command, context);
  if (fixture.tree !== before) throw new Error(`The refused ${command.type} changed the tree.`);
  if (code === 'tree/version-conflict') return code;
  const { actor = 'me', isId } = context;
  const plan = planWithoutCommit(fixture, command, isId === undefined ? { actor } : { actor, isId });
  const refused = await plan.then(
    () => 'nothing',
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );
  if (refused !== code) throw new Error(`${command.type} was refused with ${code}, its plan with ${refused}.`);
  return code;
}

/** Returns the step types of a commit in order; an empty list if nothing was committed. */
export function stepTypesOf(outcome: { readonly commit: { readonly steps: readonly Step[] } | null }): string[] {
  return (outcome.commit?.steps ?? []).map((step) => step.type);
}
