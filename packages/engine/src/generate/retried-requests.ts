/**
 * The ids that a retried request has in common with its first attempt, and the replies of that attempt: finished ones,
 * and those that this or another process is still writing.
 */
import { sha256Hex } from '@coppice/content';
import { ask, isToolUse, type NodeId, nodeId } from '@coppice/core';
import { followReply } from '../runs/follow.ts';
import { finishLostReply } from '../runs/recover.ts';
import type { WrittenReply } from './contract.ts';
import { readReply } from './read-reply.ts';
import type { ReplyTarget, TurnState } from './state.ts';
import { makeTurnRunContext, type TurnServices } from './turn-services.ts';

/**
 * Derives a node id from the parts of a request. The same request gives the same id in every process and after a
 * restart, so that a retry finds the nodes of the first attempt.
 */
export function deriveNodeId(...parts: readonly (string | number)[]): string {
  const hex = sha256Hex(JSON.stringify(parts));
  // The two bits that mark the variant of a UUID.
  const marked = (0x8 | (Number.parseInt(hex.charAt(16), 16) & 0x3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${marked}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Returns the id of a reply: derived from the request id if there is one, so that a retry finds the reply. A reply
 * after a compaction has another id, because the node of the failed attempt may still exist.
 */
export function makeReplyId(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
  index: number,
  compacted: boolean,
): NodeId {
  const { origin, options, treeId, round } = state;
  if (target.type === 'into') return target.nodeId;
  if (options.requestId === undefined || round > 0) return nodeId(services.newId());
  const at = origin.type === 'below' ? origin.parentId : origin.nodeId;
  return nodeId(deriveNodeId(treeId, at, options.requestId, origin.type, index, compacted ? 'compacted' : 'first'));
}

/** Waits for the replies that an earlier attempt of the same request started. Null if this is the first attempt. */
export async function findExistingReplies(
  services: TurnServices,
  state: TurnState,
  target: ReplyTarget,
): Promise<readonly WrittenReply[] | null> {
  if (state.options.requestId === undefined || target.type === 'into') return null;
  const ids = await services.store.read(state.treeId, function* () {
    const found: NodeId[] = [];
    // A reply that was generated again after a compaction takes precedence.
    for (const index of state.models.keys())
      for (const compacted of [true, false]) {
        const id = makeReplyId(services, state, target, index, compacted);
        if ((yield* ask('head', { id })) === null) continue;
        found.push(id);
        break;
      }
    return found.length === 0 ? null : found;
  });
  return ids === null ? null : Promise.all(ids.map((nodeId) => followExisting(services, state, nodeId)));
}

/**
 * Waits for the reply that an earlier attempt generated after its tool calls. Returns null if that attempt generated no
 * reply. The tools do not run again: missing results are still being computed by another process, or were lost.
 */
export async function findNextReply(
  services: TurnServices,
  state: TurnState,
  reply: WrittenReply,
): Promise<WrittenReply | null> {
  if (reply.message?.content.some(isToolUse) !== true) return null;
  const next = await services.store.read(state.treeId, function* () {
    for (let at = reply.nodeId; ; ) {
      const children = yield* ask('children', { of: at });
      // The earlier attempt may have compacted between two rounds.
      const answered = children.find((child) => child.role === 'tool' || child.kind === 'compaction');
      if (answered === undefined)
        return at === reply.nodeId ? null : children.find((child) => child.role === 'assistant');
      at = answered.id;
    }
  });
  return next ? followExisting(services, state, next.id) : null;
}

async function followExisting(services: TurnServices, state: TurnState, nodeId: NodeId): Promise<WrittenReply> {
  const { clock, limits, store } = services;
  const { treeId, signal, emit } = state;
  // Emitted before waiting, so that the caller knows the reply while it is still being written.
  const head = await store.read(treeId, () => ask('head', { id: nodeId }));
  if (head !== null && head.parentId !== null)
    emit({ type: 'node', nodeId, parentId: head.parentId, role: 'assistant', status: head.status });
  const { actor, now, newId, kit } = makeTurnRunContext(services, state.actId, state.actor);
  const { followMs: everyMs } = limits;
  const options = { clock, everyMs, ticks: services.timers(everyMs), signal };
  for await (const event of followReply(store, { treeId, nodeId }, options)) {
    if (event.type === 'text-delta') emit(event);
    if (event.type === 'error' && event.code === 'generate/lost')
      await finishLostReply({ store, actor, now, newId, kit }, treeId, nodeId, '');
  }
  const reply = await readReply(services, treeId, nodeId);
  const { parentId, status, error } = reply;
  emit({ type: 'node', nodeId, parentId, role: 'assistant', status, ...(error === null ? {} : { error }) });
  return reply;
}
