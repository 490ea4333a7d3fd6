/** Runs one turn, from the appended message to the last reply. */
import { actId as asActId, type NodeId } from '@coppice/core';
import { allowListeners } from '#platform/system';
import { requireReadyModel } from '../providers/index.ts';
import { keepTurnEvents } from '../runs/turn-events.ts';
import { createTurnApprovals, type TurnApprovals } from './approvals.ts';
import { createBroadcast, deltaPacking } from './broadcast.ts';
import { readReplyCombination, restoreReplyCombination } from './combine.ts';
import { assertMessageFits, compactAfterTurn } from './compact-if-needed.ts';
import type { GenerateOptions, ReplyRound, Turn, TurnEnd, TurnEvent, TurnStart, WrittenReply } from './contract.ts';
import { makeGenerateError, replyErrorFromThrown, toGenerateError } from './errors.ts';
import { resolveReplyTarget, type TurnContext } from './resolve-reply-target.ts';
import { findExistingReplies, findNextReply } from './retried-requests.ts';
import { runTools, type ToolUsage, toolCallsOf } from './run-tools.ts';
import type { ReplyTarget, TurnState } from './state.ts';
import { createLinkedController, stopKindOf, TurnStopReason } from './stop.ts';
import { assertGenerateOptions } from './turn-options.ts';
import { expectedVersionOf, type TurnServices } from './turn-services.ts';
import { withToolRun } from './with-tool-run.ts';
import { makeStopError } from './write-reply.ts';
import { writeReplyRound } from './write-reply-round.ts';

/** A turn, with the controls that only the generator uses. */
export interface RunningTurn extends Turn {
  /** Returns whether this turn writes or wrote the node. */
  writes(nodeId: NodeId): boolean;
  readonly approvals: TurnApprovals;
  /** Resolves when the events that other processes can read are stored; never rejects. */
  readonly kept: Promise<void>;
  stop(why: TurnStopReason): void;
}

/** Starts a turn and returns immediately. Errors appear in its events and promises. */
export function startTurn(services: TurnServices, start: TurnStart, options: GenerateOptions): RunningTurn {
  const actId = asActId(options.actId ?? services.newId());
  const broadcast = createBroadcast<TurnEvent>(deltaPacking);
  const { controller, unlink } = createLinkedController(options.signal);
  // Every reply and tool call adds a listener; without this, Node would warn about a leak.
  allowListeners(controller.signal, services.limits.replies + services.limits.calls + 16);
  const written = new Set<NodeId>();
  const emit = (event: TurnEvent) => {
    if (event.type === 'node' && event.status === 'pending') written.add(event.nodeId);
    broadcast.push(event);
  };
  const over = new AbortController();
  services.clock
    .wait(services.limits.turnMs, over.signal)
    .then(() => controller.abort(new TurnStopReason('deadline')), ignoreFailure);
  const abort = () => controller.abort(new TurnStopReason('abort'));
  const { signal } = controller;
  const approvals = createTurnApprovals(emit);
  const work: TurnContext = {
    services,
    start,
    options,
    actId,
    signal,
    stop: abort,
    emit,
    approvals,
    seen: [],
    state: null,
  };
  const { treeId } = start;
  const kept = services.sharesTurns()
    ? keepTurnEvents(services, { actId, treeId, stop: abort }, broadcast.read())
    : null;
  const first = firstRound(work, kept?.started ?? Promise.resolve());
  const done = finishTurn(work, first).then((end) => {
    over.abort();
    unlink();
    broadcast.push(end);
    broadcast.close();
    return end;
  });
  // Prevents an unhandled rejection for callers that read only the events.
  first.catch(ignoreFailure);
  return {
    actId,
    treeId,
    first,
    done,
    events: (from) => broadcast.read(from),
    decide: approvals.decide,
    abort,
    stop: (why) => controller.abort(why),
    writes: (nodeId) => written.has(nodeId),
    approvals,
    kept: kept?.done ?? Promise.resolve(),
  };
}

function ignoreFailure(): void {
  // The turn's last event reports the failure.
}

/** Waits for all rounds and returns the event that ends the turn. Never rejects. */
async function finishTurn(work: TurnContext, first: Promise<ReplyRound>): Promise<TurnEnd> {
  const { services, start } = work;
  let failure: TurnEnd | null = null;
  try {
    for (let round = await first; ; round = await round.next) if (round.next === undefined) break;
  } catch (thrown) {
    failure = { type: 'error', nodeIds: work.seen.map((reply) => reply.nodeId), ...replyErrorFromThrown(thrown) };
  }
  const nodeIds = work.seen.map((reply) => reply.nodeId);
  const failed = work.seen.filter((reply) => reply.status !== 'success');
  if (nodeIds.length > 0)
    await services.events.tell('generate', {
      treeId: start.treeId,
      nodeIds,
      failed: failed.map((reply) => reply.nodeId),
    });
  if (failure !== null) return failure;
  if (work.state !== null) await compactAfterTurn(services, work.state, work.seen);
  const [broken] = failed;
  // A turn with several replies succeeds if one of them does.
  if (broken === undefined || broken.error === null || failed.length < nodeIds.length) return { type: 'end', nodeIds };
  return { type: 'error', nodeIds, ...broken.error };
}

async function firstRound(work: TurnContext, shared: Promise<void>): Promise<ReplyRound> {
  const { services, start, options, actId, signal, stop, emit } = work;
  const actor = options.actor ?? services.actor;
  assertGenerateOptions(services, options, start);
  // Checked before anything is written, because an unknown model or tool is an error of the caller.
  const { models } = resolveModelsAndTools(services, options.models, options);
  for (const model of models) requireReadyModel(model);
  if (start.type === 'send') await assertMessageFits(services, start, models, signal);
  const combination =
    start.type === 'combine'
      ? await readReplyCombination(services, start)
      : start.type === 'continue'
        ? await restoreReplyCombination(services, start)
        : null;
  const target = await resolveReplyTarget(work, actor);
  const revised = await services.events.ask('generate', {
    treeId: start.treeId,
    parentId: target.parentId,
    models: options.models,
    tools: options.tools ?? [],
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
  });
  const wanted: GenerateOptions = {
    ...options,
    models: revised.models,
    tools: revised.tools,
    temperature: revised.temperature,
    maxTokens: revised.maxTokens,
  };
  assertGenerateOptions(services, wanted, start);
  throwIfStopped(signal);
  const state: TurnState = {
    treeId: start.treeId,
    actId,
    actor,
    options: wanted,
    expects: start.type === 'send' ? {} : expectedVersionOf(options),
    origin: target,
    ...resolveModelsAndTools(services, wanted.models, wanted),
    combination,
    signal,
    stop,
    emit,
    compacted: false,
    attached: false,
    round: 0,
    spent: { usd: 0, tokens: 0 },
    reported: new Set(),
  };
  work.state = state;
  // Other servers see the reply as soon as it is inserted, and then look for the events.
  await shared;
  return runRound(work, state, target, { rounds: 0, calls: 0 });
}

function throwIfStopped(signal: AbortSignal): void {
  const kind = stopKindOf(signal);
  if (kind !== null) throw toGenerateError(makeStopError(kind));
}

function resolveModelsAndTools(services: TurnServices, models: readonly string[], options: GenerateOptions) {
  const { n = 1, tools = [], fallbackModel } = options;
  if (tools.length > 0 && services.tools === null)
    throw makeGenerateError('generate/invalid', 'No tools are available here.', { tools });
  return {
    // The models in order, each repeated for its variants.
    models: models.flatMap((name) => new Array<string>(n).fill(name)).map((name) => services.model(name)),
    fallback: fallbackModel === undefined ? null : services.model(fallbackModel),
    tools: tools.length === 0 ? [] : (services.tools?.specs(tools) ?? []),
  };
}

async function runRound(
  work: TurnContext,
  state: TurnState,
  target: ReplyTarget,
  used: ToolUsage,
): Promise<ReplyRound> {
  const there = state.round > 0 ? null : await findExistingReplies(work.services, state, target);
  const replies = there ?? (await writeReplyRound(work.services, state, target));
  work.seen = replies;
  if (there !== null || state.attached) return followOtherAttempt(work, state, replies);
  const [only] = replies;
  if (replies.length !== 1 || only?.status !== 'success' || state.tools.length === 0) return { replies };
  if (toolCallsOf(only).length === 0) return { replies };
  const next = roundAfterTools(work, state, only, used);
  // Prevents an unhandled rejection; the turn's last event reports the failure.
  next.catch(ignoreFailure);
  return { replies, next };
}

/** Waits for the replies that another attempt of the request writes. */
async function followOtherAttempt(
  work: TurnContext,
  state: TurnState,
  replies: readonly WrittenReply[],
): Promise<ReplyRound> {
  const [only] = replies;
  const next = replies.length === 1 && only !== undefined ? await findNextReply(work.services, state, only) : null;
  if (next === null) return { replies };
  work.seen = [next];
  return { replies, next: followOtherAttempt(work, state, [next]) };
}

async function roundAfterTools(
  work: TurnContext,
  state: TurnState,
  reply: WrittenReply,
  used: ToolUsage,
): Promise<ReplyRound> {
  const { treeId, actId, actor, options, signal, emit } = state;
  const round = {
    treeId,
    actId,
    actor,
    reply,
    active: state.tools.map((tool) => tool.name),
    approve: work.approvals.approver(options.approve, reply.nodeId),
    select: options.select !== false,
    signal,
    used,
  };
  const last = await withToolRun(work.services, state, reply, work.approvals, () =>
    runTools(work.services, round, emit),
  );
  throwIfStopped(signal);
  state.round++;
  // The next call of a long tool loop may have to compact again.
  state.compacted = false;
  return runRound(work, state, { type: 'below', parentId: last }, used);
}
