import { isAppError, type NodeId, readTree, refuse, run } from '@coppice/core';
import { contextOf, estimateContextTokens, isCompactionDue } from '@coppice/core/context';
import type { CompactReason } from '../events.ts';
import type { Model } from '../providers/index.ts';
import { createTurnSummaryBudget } from './budget.ts';
import type { TurnStart, WrittenReply } from './contract.ts';
import type { Prompt } from './prompt.ts';
import { learnContextWindows } from './reply-limit.ts';
import type { ReplyTarget, TurnState } from './state.ts';
import { makeTurnRunContext, type TurnServices } from './turn-services.ts';

/** Compacts the branch, at most once per model call. Returns the new compaction; null if there is none. */
export async function compactOnce(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  model: Model,
  reason: Exclude<CompactReason, 'manual'>,
): Promise<NodeId | null> {
  // The node of a continued reply exists already; a summary below it would not be in its context.
  if (services.compact === null || state.compacted || target.type === 'into') return null;
  state.compacted = true;
  const { treeId, actId, actor, signal, options, emit } = state;
  try {
    const revised = await services.events.ask('compact', { treeId, nodeId: target.parentId, reason });
    const { nodeId, focus, summary } = revised;
    const select = options.select !== false;
    const allowance = createTurnSummaryBudget(services, state.spent);
    const wanted = { treeId, nodeId, model, reason, actId, actor, select, focus, summary, allowance, signal };
    const marker = await services.compact(wanted);
    if (marker === null) return null;
    emit({ type: 'node', nodeId: marker, parentId: nodeId, role: 'system', status: 'success' });
    await services.events.tell('compact', { treeId, nodeId: marker, reason });
    return marker;
  } catch (thrown) {
    if (isAppError(thrown) && reason !== 'after' && (thrown.kind === 'aborted' || reason === 'full')) {
      if (thrown.code !== 'context/nothing-to-compact') throw thrown;
    }
    // A failed summary does not stop the turn if compaction was only advisable, or if the turn already fails with
    // another error.
    return null;
  }
}

function windowOrInfinity({ info }: Model): number {
  return info.windowKnown ? info.window : Number.POSITIVE_INFINITY;
}

/** Returns the model with the smallest known window; unknown windows count as infinite. */
export function findSmallestWindowModel(models: readonly [Model, ...Model[]]): Model {
  return models.reduce((least, model) => (windowOrInfinity(model) < windowOrInfinity(least) ? model : least));
}

/**
 * Compacts if the context fills or nearly fills a window. Returns the node to continue from, or null if compaction was
 * only advisable and failed. Throws `context/full` if it was necessary and failed.
 */
export async function compactIfNeeded(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  nearlyFull: readonly [Prompt, ...Prompt[]],
): Promise<NodeId | null> {
  const full = nearlyFull.find((prompt) => prompt.contextFit === 'short');
  const [first, ...rest] = nearlyFull;
  const model = findSmallestWindowModel([first.model, ...rest.map((prompt) => prompt.model)]);
  const marker = await compactOnce(services, state, target, model, full === undefined ? 'due' : 'full');
  if (marker !== null || full === undefined) return marker;
  // If a compaction of this call did not free enough space, its marker is removed: a refused call must leave no nodes.
  if (target.type === 'below' && target.marker === true) await removeMarker(services, state, target.parentId);
  const { id, info } = full.model;
  return refuse(
    'context/full',
    `The chat fills the window of ${id} (${info.window} tokens): compact it, branch off earlier, or take a model with a larger window.`,
    { model: id, window: info.window },
  );
}

async function removeMarker(services: TurnServices, state: TurnState, marker: NodeId): Promise<void> {
  const { treeId, actId, actor } = state;
  await run(
    services.store,
    { type: 'delete', treeId, nodeIds: [marker], mode: 'splice' },
    makeTurnRunContext(services, actId, actor),
  );
}

/**
 * Throws if a message is larger than a model's whole window, before anything is stored. If the window is unknown, the
 * provider decides.
 */
export async function assertMessageFits(
  services: TurnServices,
  start: Extract<TurnStart, { type: 'send' }>,
  models: readonly Model[],
  signal: AbortSignal,
): Promise<void> {
  let tokens = 0;
  for (const { message } of start.messages) tokens += services.kit.tokens(message);
  await learnContextWindows(services, models, tokens, signal);
  // Most messages are small; for those nothing is read.
  const tight = models.filter(({ info }) => info.windowKnown && tokens * 2 > info.window);
  if (tight.length === 0) return;
  const { attributes } = await services.store.read(start.treeId, () => readTree(start.treeId));
  const head = contextOf([], { systemPrompt: attributes.systemPrompt, kit: services.kit });
  const { tokens: estimate } = estimateContextTokens([{ tokens: head.tokens + tokens, reported: null }]);
  const full = tight.find(({ info }) => estimate >= info.window);
  if (full !== undefined)
    refuse(
      'context/full',
      `The message takes about ${estimate} tokens, more than the window of ${full.id} (${full.info.window}): shorten it, or choose a model with a larger window.`,
      { model: full.id, window: full.info.window, tokens: estimate },
    );
}

/** After a turn, compacts the branch if the next turn would have to. Does nothing if a message was added meanwhile. */
export async function compactAfterTurn(
  services: TurnServices,
  state: TurnState,
  replies: readonly WrittenReply[],
): Promise<void> {
  const [reply] = replies;
  const [model] = state.models;
  // With several replies it is not known which one the user continues.
  if (reply === undefined || model === undefined || replies.length !== 1 || state.attached) return;
  if (reply.status !== 'success' || reply.tokens === null || state.signal.aborted) return;
  const { window, windowKnown } = model.info;
  if (!isCompactionDue(reply.tokens, windowKnown ? window : undefined)) return;
  state.compacted = false;
  await compactOnce(services, state, { type: 'below', parentId: reply.nodeId }, model, 'after');
}
