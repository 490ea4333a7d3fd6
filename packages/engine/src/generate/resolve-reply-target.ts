/** The first part of a turn: appends the messages and decides where the replies are added. */

import { storeInlineMessages } from '@coppice/content';
import {
  type ActId,
  ask,
  hasToolUse,
  isBlank,
  type NodeHead,
  type NodeId,
  nodeId,
  planners,
  refuse,
  run,
  type TreeId,
} from '@coppice/core';
import { maskMessage } from '../config/mask-keys.ts';
import { listConfiguredKeys } from '../config/secret.ts';
import type { TurnApprovals } from './approvals.ts';
import type { GenerateOptions, TurnEvent, TurnStart, WrittenReply } from './contract.ts';
import { makeGenerateError } from './errors.ts';
import { deriveNodeId } from './retried-requests.ts';
import type { ReplyTarget, TurnState } from './state.ts';
import { expectedVersionOf, makeTurnRunContext, type TurnServices } from './turn-services.ts';

/** The state of a turn before and during its rounds. */
export interface TurnContext {
  readonly services: TurnServices;
  readonly start: TurnStart;
  readonly options: GenerateOptions;
  readonly actId: ActId;
  readonly signal: AbortSignal;
  /** Stops the turn as if the user had stopped it. */
  readonly stop: () => void;
  readonly emit: (event: TurnEvent) => void;
  readonly approvals: TurnApprovals;
  /** The replies of the newest round. */
  seen: readonly WrittenReply[];
  /** The state that the rounds share; null before the first round. */
  state: TurnState | null;
}

/** Appends the messages of the turn and returns where its replies are added. */
export async function resolveReplyTarget(work: TurnContext, actor: string): Promise<ReplyTarget> {
  const { start } = work;
  switch (start.type) {
    case 'send':
      return { type: 'below', parentId: await appendMessages(work, start, actor) };
    case 'reply':
      return { type: 'below', parentId: start.parentId };
    case 'regenerate':
      return { type: 'again', nodeId: start.nodeId, parentId: await promptAboveReply(work, start.nodeId, actor) };
    case 'combine': {
      // `readReplyCombination` has checked that `nodeIds` has at least two items.
      const [first = nodeId('')] = start.nodeIds;
      return { type: 'again', nodeId: first, parentId: await promptAboveReply(work, first, actor) };
    }
    case 'continue':
      return continueTarget(work, start.nodeId);
  }
}

async function appendMessages(
  work: TurnContext,
  start: Extract<TurnStart, { type: 'send' }>,
  actor: string,
): Promise<NodeId> {
  const { services, options, actId, emit } = work;
  const { treeId, parentId } = start;
  const revised = await services.events.ask('append', { treeId, parentId: parentId ?? null, messages: start.messages });
  const { requestId } = options;
  // Ids derived from the request let a retry find its message even if the chat has continued.
  const keys = listConfiguredKeys();
  const masked = revised.messages.map((item, index) => {
    // A resent history may contain keys, for example because the model repeated one; they are stored masked.
    const message = maskMessage(item.message, keys);
    return item.id !== undefined || requestId === undefined
      ? { ...item, message }
      : { ...item, message, id: deriveNodeId(treeId, requestId, 'message', index) };
  });
  const messages = await storeInlineMessages(masked, services.store.blobs);
  await services.yieldToEventLoop();
  const isRetry = requestId !== undefined && (await isInTree(services, treeId, messages.at(-1)?.id));
  const { result } = await run(
    services.store,
    {
      type: 'append',
      treeId,
      messages,
      // A retry must not move the user back to a message that was answered meanwhile.
      select: options.select !== false && !isRetry,
      merge: start.merge !== false,
      ...(revised.parentId === null ? {} : { parentId: revised.parentId }),
    },
    { ...makeTurnRunContext(services, actId, actor), ...expectedVersionOf(options) },
  );
  if (result.added.length === 0 && result.reused.length === 0)
    return refuse('message/blank', 'There is nothing in the message to answer.', {});
  const heads = await services.store.read(treeId, function* () {
    const found: (NodeHead | null)[] = [];
    for (const id of result.added) found.push(yield* ask('head', { id }));
    return found;
  });
  for (const head of heads)
    if (head !== null && head.parentId !== null && head.role !== 'root')
      emit({ type: 'node', nodeId: head.id, parentId: head.parentId, role: head.role, status: head.status });
  await services.events.tell('append', { treeId, ...result });
  return result.nodeId;
}

async function isInTree(services: TurnServices, treeId: TreeId, id: string | undefined): Promise<boolean> {
  if (id === undefined) return false;
  return (await services.store.read(treeId, () => ask('head', { id: nodeId(id) }))) !== null;
}

/** Returns the prompt that a regeneration answers, determined by a dry run of core's planner. */
async function promptAboveReply({ services, start }: TurnContext, below: NodeId, actor: string): Promise<NodeId> {
  const { kit, newId, clock } = services;
  const { treeId } = start;
  const { result } = await services.store.read(treeId, () =>
    planners.regenerate(
      { type: 'regenerate', treeId, nodeId: below, replies: [{}] },
      { treeId, now: clock.now(), newId, kit, actor, stale: false },
    ),
  );
  return result.promptId;
}

async function continueTarget({ services, start }: TurnContext, id: NodeId): Promise<ReplyTarget> {
  const node = await services.store.read(start.treeId, () => ask('node', { id }));
  if (node === null || node.parentId === null)
    return refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
  if (node.status === 'pending')
    return refuse('tree/pending', `A reply is still being written into ${id}: wait for it or stop it.`, { nodeId: id });
  const { message, parentId } = node;
  if (message === null || node.role !== 'assistant' || node.status === 'success')
    throw makeGenerateError(
      'generate/not-continuable',
      `The message ${id} is not a reply that was cut off, so it cannot be continued.`,
      { nodeId: id },
    );
  if (hasToolUse(message))
    throw makeGenerateError(
      'generate/not-continuable',
      `The reply ${id} was cut short at a call of a tool: regenerate it instead.`,
      { nodeId: id },
    );
  return { type: 'into', nodeId: id, parentId, before: isBlank(message) ? null : message };
}
