/** Writes the replies of one round. Each run is stored before its node. */
import { ask, type Context, type JsonObject, type NewReply, type NodeId, refuse, run } from '@coppice/core';
import { limitByBudgets } from './budget.ts';
import { compactIfNeeded, compactOnce, findSmallestWindowModel } from './compact-if-needed.ts';
import type { WrittenReply } from './contract.ts';
import { buildPrompt, estimateCombinationTokens, type Prompt, readContext } from './prompt.ts';
import { learnContextWindows } from './reply-limit.ts';
import { buildStartedReplySource } from './reply-metadata.ts';
import { findExistingReplies, makeReplyId } from './retried-requests.ts';
import type { ReplyTarget, TurnState } from './state.ts';
import { makeTurnRunContext, type TurnServices } from './turn-services.ts';
import { type ReplyJob, writeReply } from './write-reply.ts';

/** Writes all replies of a round concurrently and waits until they have ended. */
export async function writeReplyRound(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
): Promise<readonly WrittenReply[]> {
  const { place, prompts } = await preparePrompts(services, state, target);
  const replies = await writeReplies(services, state, place, prompts, state.options.select !== false);
  if (state.attached || !replies.some(isOverflow)) return replies;
  return (await retryAfterOverflow(services, state, place, replies)) ?? replies;
}

/** Returns whether the provider reported a context overflow before any text. */
function isOverflow(reply: WrittenReply): boolean {
  return reply.error?.code === 'provider/context-overflow' && reply.message === null;
}

/**
 * Builds one list of prompts per reply, and compacts first if necessary. Returns the prompts and where the replies are
 * added.
 */
async function preparePrompts(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
): Promise<{ readonly place: ReplyTarget; readonly prompts: readonly (readonly [Prompt, ...Prompt[]])[] }> {
  const end = target.type === 'into' ? target.nodeId : target.parentId;
  const context = await readContext(services, state.treeId, end);
  const candidateModels = state.fallback === null ? state.models : [...state.models, state.fallback];
  await learnContextWindows(
    services,
    candidateModels,
    context.estimate.tokens + estimateCombinationTokens(state.combination),
    state.signal,
  );
  const prompts = promptsFor(state, context, target);
  const [first, ...rest] = prompts.map(([prompt]) => prompt).filter((prompt) => prompt.contextFit !== 'ok');
  if (first === undefined) return { place: target, prompts };
  const marker = await compactIfNeeded(services, state, target, [first, ...rest]);
  if (marker === null) return { place: target, prompts };
  const place: ReplyTarget = { type: 'below', parentId: marker, marker: true };
  const again = promptsFor(state, await readContext(services, state.treeId, marker), place);
  const full = again.find(([prompt]) => prompt.contextFit === 'short')?.[0];
  if (full !== undefined) await compactIfNeeded(services, state, place, [full]);
  return { place, prompts: again };
}

function promptsFor(state: TurnState, context: Context, target: ReplyTarget): (readonly [Prompt, ...Prompt[]])[] {
  const { options, tools, fallback, round, combination } = state;
  const continues = target.type === 'into' && target.before !== null;
  return state.models.map((model, index) => {
    const promptOptions = { options, tools, index, round, continues, combination };
    const first = buildPrompt(context, model, promptOptions);
    if (fallback === null || fallback.id === model.id) return [first];
    const second = buildPrompt(context, fallback, promptOptions);
    // A fallback whose window is too small for this conversation does not help.
    return second.contextFit === 'short' ? [first] : [first, second];
  });
}

async function writeReplies(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  wanted: readonly (readonly [Prompt, ...Prompt[]])[],
  select: boolean,
  /** The indexes of these replies among those of the round; by default all. */
  places: readonly number[] = wanted.map((_, index) => index),
): Promise<readonly WrittenReply[]> {
  const { prompts, release } = await limitByBudgets(services, state.spent, wanted);
  try {
    return await writeWithinBudget(services, state, target, prompts, select, places);
  } finally {
    release();
  }
}

/** Writes replies whose prompts fit the budgets. */
async function writeWithinBudget(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  prompts: readonly (readonly [Prompt, ...Prompt[]])[],
  select: boolean,
  places: readonly number[],
): Promise<readonly WrittenReply[]> {
  const jobs = prompts.map((list, index) => ({
    prompts: list,
    nodeId: makeReplyId(services, state, target, places[index] ?? index, state.compacted),
    runId: services.newId(),
  }));
  const isOurs = await startReplies(services, state, target, jobs, select).catch(async (error: unknown) => {
    await endRuns(services, jobs);
    throw error;
  });
  if (isOurs) return streamReplies(services, state, target, jobs);
  // The same request reached another process between our check and our commit; that process writes the replies.
  await endRuns(services, jobs);
  state.attached = true;
  return (
    (await findExistingReplies(services, state, target)) ??
    refuse('id/taken', 'The replies of this request were deleted meanwhile.', {})
  );
}

/** A reply to write: its node, its run and its prompts. */
type PlannedReply = Pick<ReplyJob, 'nodeId' | 'runId' | 'prompts'>;

/** Stores the runs and inserts the pending nodes; returns false if the replies of this request already exist. */
async function startReplies(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  jobs: readonly PlannedReply[],
  select: boolean,
): Promise<boolean> {
  const { treeId } = state;
  const startedAt = services.clock.now();
  // Runs are stored first: a pending node without a run would stay pending for ever after a crash in between. They are
  // stored concurrently, so that the store writes them in one commit.
  await services.yieldToEventLoop();
  await Promise.all(
    jobs.map(({ runId, nodeId, prompts }) =>
      services.store.runs.start({
        id: runId,
        treeId,
        nodeId,
        process: services.process,
        startedAt,
        data: runData(state, prompts[0]),
      }),
    ),
  );
  await services.yieldToEventLoop();
  return insertPendingReplies(services, state, target, jobs, select);
}

/** Writes replies whose pending nodes exist, concurrently, and waits for all of them. */
async function streamReplies(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  jobs: readonly PlannedReply[],
): Promise<readonly WrittenReply[]> {
  const { treeId, actId, actor, signal, stop, emit, spent, reported } = state;
  const { parentId } = target;
  for (const { nodeId, runId } of jobs)
    emit({ type: 'node', nodeId, parentId, role: 'assistant', status: 'pending', runId });
  const reopened = target.type === 'into';
  const before = target.type === 'into' ? target.before : null;
  const shared = { treeId, parentId, actId, actor, before, reopened, signal, stop, spent, reported };
  const writing = jobs.map((job) => writeReply(services, { ...job, ...shared }, emit));
  // Waits for all even if one cannot be stored, because none may write after the turn has ended.
  const outcomes = await Promise.allSettled(writing);
  return outcomes.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

async function endRuns(services: TurnServices, jobs: readonly { readonly runId: string }[]): Promise<void> {
  await Promise.all(jobs.map(({ runId }) => services.store.runs.end(runId).catch(ignoreRoundError)));
}

function ignoreRoundError(): void {
  // The caller gets the first error; a run without a node is harmless, because recovery ignores it.
}

function runData(state: TurnState, prompt: Prompt): JsonObject {
  const { actId, options, round } = state;
  return {
    actId,
    model: prompt.model.id,
    round,
    ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
  };
}

/** Inserts the pending replies, or reopens the reply to continue. Returns false if they already exist. */
async function insertPendingReplies(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  jobs: readonly { readonly nodeId: NodeId; readonly prompts: readonly [Prompt, ...Prompt[]] }[],
  select: boolean,
): Promise<boolean> {
  const { treeId } = state;
  // The caller cannot know commits of the turn itself, such as a compaction, so only the first commit expects a
  // version.
  const expects = state.round === 0 && !state.compacted ? state.expects : {};
  const context = { ...makeTurnRunContext(services, state.actId, state.actor), ...expects };
  const replies: NewReply[] = jobs.map((job) => ({
    id: job.nodeId,
    meta: { source: buildStartedReplySource(job.prompts[0]) },
  }));
  if (target.type === 'below') {
    const { parentId } = target;
    return (await run(services.store, { type: 'reply', treeId, parentId, replies, select }, context)).commit !== null;
  }
  const { nodeId } = target;
  if (target.type === 'again')
    return (
      (await run(services.store, { type: 'regenerate', treeId, nodeId, replies, select }, context)).commit !== null
    );
  const { result } = await run(services.store, { type: 'finish', treeId, nodeId, status: 'pending' }, context);
  // Two callers tried to continue the same reply; the other one writes it.
  if (!result.changed) refuse('tree/pending', `The reply ${nodeId} is already being continued.`, { nodeId });
  return true;
}

/**
 * Retries the replies whose provider reported an overflow, together below one compaction, and removes the empty
 * replies. The other replies stay where they are.
 */
async function retryAfterOverflow(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  replies: readonly WrittenReply[],
): Promise<readonly WrittenReply[] | null> {
  const { treeId, actId } = state;
  const places = [...replies.keys()].filter((index) => replies.slice(index, index + 1).some(isOverflow));
  const [first, ...rest] = places.flatMap((index) => state.models[index] ?? []);
  const marker =
    first === undefined
      ? null
      : await compactOnce(services, state, target, findSmallestWindowModel([first, ...rest]), 'overflow');
  if (marker === null) return null;
  const place: ReplyTarget = { type: 'below', parentId: marker };
  const prompts = promptsFor(state, await readContext(services, treeId, marker), place);
  const again = prompts.filter((_, index) => places.includes(index));
  // The last reply of the round becomes active, which may be one that did not overflow.
  const select = state.options.select !== false && places.at(-1) === replies.length - 1;
  const written = await writeReplies(services, state, place, again, select, places);
  // Another attempt of the request has written all replies meanwhile.
  if (state.attached) return written;
  const failed = places.flatMap((index) => replies[index]?.nodeId ?? []);
  const still = await services.store.read(treeId, function* () {
    const found: NodeId[] = [];
    for (const id of failed) if ((yield* ask('head', { id })) !== null) found.push(id);
    return found;
  });
  if (still.length > 0)
    await run(
      services.store,
      { type: 'delete', treeId, nodeIds: still, mode: 'cascade' },
      makeTurnRunContext(services, actId, state.actor),
    );
  return replies.map((reply, index) => written[places.indexOf(index)] ?? reply);
}
