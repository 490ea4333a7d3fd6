/** The first part of a turn: what is said, and where the replies go. */
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
import { maskMessage } from '../config/mask-message.ts';
import { heldKeys } from '../config/secret.ts';
import type { GenerateOptions, TurnEvent, TurnStart, WrittenReply } from './contract.ts';
import { generateError } from './errors.ts';
import { requestedId } from './request-id.ts';
import { commandContext, type Room, seenBy } from './room.ts';
import type { Ground, TurnState } from './state.ts';

/** A turn from its beginning on. */
export interface Work {
  readonly room: Room;
  readonly start: TurnStart;
  readonly options: GenerateOptions;
  readonly actId: ActId;
  readonly signal: AbortSignal;
  /** Stops the turn as its user would. */
  readonly stop: () => void;
  readonly emit: (event: TurnEvent) => void;
  /** The replies of the newest round. */
  seen: readonly WrittenReply[];
  /** What the rounds share; null until the first of them. */
  state: TurnState | null;
}

/** Says what is to be said and finds where the replies go. */
export async function begin(work: Work, actor: string): Promise<Ground> {
  const { start } = work;
  switch (start.type) {
    case 'send':
      return { type: 'below', parentId: await say(work, start, actor) };
    case 'reply':
      return { type: 'below', parentId: start.parentId };
    case 'regenerate':
      return { type: 'again', nodeId: start.nodeId, parentId: await promptAbove(work, start.nodeId, actor) };
    case 'continue':
      return cutShort(work, start.nodeId);
  }
}

async function say(work: Work, start: Extract<TurnStart, { type: 'send' }>, actor: string): Promise<NodeId> {
  const { room, options, actId, emit } = work;
  const { treeId, parentId } = start;
  const asked = await room.events.ask('append', { treeId, parentId: parentId ?? null, messages: start.messages });
  const { requestId } = options;
  // With ids by the request, a retry finds its message also where the user has gone on since.
  const keys = heldKeys();
  const messages = asked.messages.map((item, index) => {
    // A history that is sent again holds keys as the model said them, and is stored with their masks.
    const message = maskMessage(item.message, keys);
    return item.id !== undefined || requestId === undefined
      ? { ...item, message }
      : { ...item, message, id: requestedId(treeId, requestId, 'message', index) };
  });
  await room.breathe();
  const isRetry = requestId !== undefined && (await isThere(room, treeId, messages.at(-1)?.id));
  const { result } = await run(
    room.store,
    {
      type: 'append',
      treeId,
      messages,
      // A retry does not take the user back to a message that was answered since.
      select: options.select !== false && !isRetry,
      merge: start.merge !== false,
      ...(asked.parentId === null ? {} : { parentId: asked.parentId }),
    },
    { ...commandContext(room, actId, actor), ...seenBy(options) },
  );
  if (result.added.length === 0 && result.reused.length === 0)
    return refuse('message/blank', 'There is nothing in the message to answer.', {});
  const heads = await room.store.read(treeId, function* () {
    const found: (NodeHead | null)[] = [];
    for (const id of result.added) found.push(yield* ask('head', { id }));
    return found;
  });
  for (const head of heads)
    if (head !== null && head.parentId !== null && head.role !== 'root')
      emit({ type: 'node', nodeId: head.id, parentId: head.parentId, role: head.role, status: head.status });
  await room.events.tell('append', { treeId, ...result });
  return result.nodeId;
}

async function isThere(room: Room, treeId: TreeId, id: string | undefined): Promise<boolean> {
  if (id === undefined) return false;
  return (await room.store.read(treeId, () => ask('head', { id: nodeId(id) }))) !== null;
}

/** The prompt that a regeneration would answer, found by its own planner without committing anything. */
async function promptAbove({ room, start }: Work, below: NodeId, actor: string): Promise<NodeId> {
  const { kit, newId, clock } = room;
  const { treeId } = start;
  const { result } = await room.store.read(treeId, () =>
    planners.regenerate(
      { type: 'regenerate', treeId, nodeId: below, replies: [{}] },
      { treeId, now: clock.now(), newId, kit, actor, stale: false },
    ),
  );
  return result.promptId;
}

async function cutShort({ room, start }: Work, id: NodeId): Promise<Ground> {
  const node = await room.store.read(start.treeId, () => ask('node', { id }));
  if (node === null || node.parentId === null)
    return refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
  if (node.status === 'pending')
    return refuse('tree/pending', `A reply is still being written into ${id}: wait for it or stop it.`, { nodeId: id });
  const { message, parentId } = node;
  if (message === null || node.role !== 'assistant' || node.status === 'success')
    throw generateError('generate/not-continuable', `The node ${id} is no reply that was cut short.`, { nodeId: id });
  if (hasToolUse(message))
    throw generateError(
      'generate/not-continuable',
      `The reply ${id} was cut short at a call of a tool: regenerate it instead.`,
      { nodeId: id },
    );
  return { type: 'into', nodeId: id, parentId, before: isBlank(message) ? null : message };
}
