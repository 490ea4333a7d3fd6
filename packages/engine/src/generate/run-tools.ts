/** Between two calls of a model: the calls of tools in a reply, and their results as messages. */
import {
  type ActId,
  isToolUse,
  type JsonObject,
  type NodeId,
  run,
  type ToolUseBlock,
  type TreeId,
  textMessage,
} from '@coppice/core';
import { isMalformed } from '../providers/tool-arguments.ts';
import type { Approve, ToolResult } from '../tools/contract.ts';
import type { TurnEvent, WrittenReply } from './contract.ts';
import { generateError } from './errors.ts';
import { commandContext, type Room } from './room.ts';

/** How much a turn has used of what it may. */
export interface ToolBudget {
  rounds: number;
  calls: number;
}

/** Where tools are called. */
export interface ToolRound {
  readonly treeId: TreeId;
  readonly actId: ActId;
  readonly actor: string;
  readonly reply: WrittenReply;
  /** Names of the tools that may be called. */
  readonly active: readonly string[];
  readonly approve: Approve | undefined;
  readonly select: boolean;
  readonly signal: AbortSignal;
  readonly budget: ToolBudget;
}

/** The calls of tools in a reply. */
export function callsOf(reply: WrittenReply): readonly ToolUseBlock[] {
  return reply.message?.content.filter(isToolUse) ?? [];
}

/**
 * Runs the calls of a reply at the same time and stores their results as one chain in the order of the calls; gives its
 * last node. Past a limit nothing is run, every call is answered with an error all the same, and `generate/tool-limit`
 * is thrown: the conversation stays one that any provider takes.
 */
export async function runTools(room: Room, round: ToolRound, emit: (event: TurnEvent) => void): Promise<NodeId> {
  const calls = callsOf(round.reply);
  const { budget } = round;
  budget.rounds++;
  budget.calls += calls.length;
  const over = overLimit(room, budget);
  const results =
    over === null
      ? await Promise.all(calls.map((call) => answer(room, round, call)))
      : calls.map((call) => refusedResult(call, over.message));
  for (const { callId, name, message, error } of results)
    emit({ type: 'tool-result', nodeId: round.reply.nodeId, callId, name, message, isError: error !== null });
  const last = await store(room, round, results, emit);
  if (over !== null) throw over;
  return last;
}

function overLimit(room: Room, budget: ToolBudget) {
  const { rounds, calls } = room.limits;
  if (budget.rounds > rounds)
    return generateError(
      'generate/tool-limit',
      `The turn used tools in ${rounds} rounds already; this call was not run.`,
      {
        limit: 'rounds',
        rounds,
      },
    );
  if (budget.calls > calls)
    return generateError('generate/tool-limit', `The turn may call tools ${calls} times; this call was not run.`, {
      limit: 'calls',
      calls,
    });
  return null;
}

type Answered = Omit<ToolResult, 'error'> & { readonly error: string | null };

async function answer(room: Room, round: ToolRound, call: ToolUseBlock): Promise<Answered> {
  const { treeId, reply, signal, active, approve } = round;
  if (room.tools === null) return refusedResult(call, `There is no tool ${JSON.stringify(call.name)}.`);
  const { id, name, parameters } = call;
  try {
    return await room.tools.call(
      { id, name, parameters, ...(isMalformed(call) ? { malformed: call.malformed } : {}) },
      { signal, active, approve, place: { store: room.store, treeId, nodeId: reply.nodeId } },
    );
  } catch (thrown) {
    // The registry answers and does not throw; another source may not keep to that, and the turn goes on.
    return refusedResult(call, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function refusedResult(call: ToolUseBlock, why: string): Answered {
  const message = { ...textMessage('tool', `Error: ${why}`), tool_call_id: call.id };
  return { callId: call.id, name: call.name, message, error: 'tool/failed', truncated: false, elapsedMs: 0 };
}

async function store(
  room: Room,
  round: ToolRound,
  results: readonly Answered[],
  emit: (event: TurnEvent) => void,
): Promise<NodeId> {
  const { treeId, reply, select } = round;
  const messages = results.map((result) => ({ message: result.message, meta: { source: sourceOf(result) } }));
  await room.breathe();
  const { result } = await run(
    room.store,
    { type: 'append', treeId, parentId: reply.nodeId, messages, merge: false, select },
    commandContext(room, round.actId, round.actor),
  );
  let parentId = reply.nodeId;
  for (const nodeId of result.added) {
    emit({ type: 'node', nodeId, parentId, role: 'tool', status: 'success' });
    parentId = nodeId;
  }
  return result.nodeId;
}

function sourceOf({ name, origin, error, truncated, elapsedMs }: Answered): JsonObject {
  return {
    type: 'tool_result',
    tool_name: name,
    ...(origin === undefined ? {} : { origin: { ...origin } }),
    ...(error === null ? {} : { error }),
    ...(truncated ? { truncated } : {}),
    elapsedMs,
  };
}
