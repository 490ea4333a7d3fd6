/** Runs the tool calls of a reply and stores their results as messages. */

import { storeInlineMessages } from '@coppice/content';
import { isMalformedToolUse } from '@coppice/content/wires';
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
import { maskMessage } from '../config/mask-keys.ts';
import { listConfiguredKeys } from '../config/secret.ts';
import type { FinishReason } from '../providers/contract.ts';
import type { Approve, ToolErrorCode, ToolResult } from '../tools/contract.ts';
import type { TurnEvent, WrittenReply } from './contract.ts';
import { makeGenerateError } from './errors.ts';
import { makeTurnRunContext, type TurnServices } from './turn-services.ts';

/** How many rounds of tools and calls a turn has used so far. */
export interface ToolUsage {
  rounds: number;
  calls: number;
}

/** The turn that the tool calls belong to, and the tools that may run. */
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
  readonly used: ToolUsage;
}

export function toolCallsOf(reply: WrittenReply): readonly ToolUseBlock[] {
  return reply.message?.content.filter(isToolUse) ?? [];
}

/**
 * Runs the calls of a reply concurrently, stores the results as one chain in the order of the calls, and returns the
 * last node. Calls of a reply that was cut off get an error and do not run, because their arguments may look complete
 * and still be truncated. Beyond a limit no call runs, each gets an error as its result, and `generate/tool-limit` is
 * thrown. Every call has a result, because providers refuse a conversation without one.
 */
export async function runTools(
  services: TurnServices,
  round: ToolRound,
  emit: (event: TurnEvent) => void,
): Promise<NodeId> {
  const calls = toolCallsOf(round.reply);
  const { used } = round;
  used.rounds++;
  used.calls += calls.length;
  const over = exceededLimit(services, used);
  const cut = cutOffReason(round.reply.finishReason);
  const answered =
    over !== null
      ? calls.map((call) => refusedResult(call, over.message))
      : cut !== null
        ? calls.map((call) => refusedResult(call, cut, 'tool/cut-off'))
        : await Promise.all(calls.map((call) => answerToolCall(services, round, call, emit)));
  const keys = listConfiguredKeys();
  const results = answered.map((result) => ({ ...result, message: maskMessage(result.message, keys) }));
  for (const { callId, name, message, error } of results)
    emit({ type: 'tool-result', nodeId: round.reply.nodeId, callId, name, message, isError: error !== null });
  const last = await storeResult(services, round, results, emit);
  if (over !== null) throw over;
  return last;
}

function exceededLimit(services: TurnServices, used: ToolUsage) {
  const { rounds, calls } = services.limits;
  if (used.rounds > rounds)
    return makeGenerateError(
      'generate/tool-limit',
      `The turn has already used ${rounds} rounds of tools; this call did not run.`,
      {
        limit: 'rounds',
        rounds,
      },
    );
  if (used.calls > calls)
    return makeGenerateError('generate/tool-limit', `The turn may call tools ${calls} times; this call did not run.`, {
      limit: 'calls',
      calls,
    });
  return null;
}

/** Returns why the calls of a reply with this finish reason must not run; null if the reply is complete. */
function cutOffReason(finishReason: FinishReason | null): string | null {
  switch (finishReason) {
    case 'length':
      return 'The reply was cut off by the token limit, so this call may be incomplete and was not run. Call the tool again with shorter arguments, or in several steps.';
    case 'content-filter':
    case 'refusal':
      return 'The provider held the rest of the reply back, so this call may be incomplete and was not run.';
    case 'other':
      return 'The provider did not finish the reply, so this call may be incomplete and was not run.';
    default:
      return null;
  }
}

type AnsweredCall = Omit<ToolResult, 'error'> & { readonly error: string | null };

async function answerToolCall(
  services: TurnServices,
  round: ToolRound,
  call: ToolUseBlock,
  emit: (event: TurnEvent) => void,
): Promise<AnsweredCall> {
  const { treeId, reply, signal, active, approve } = round;
  if (services.tools === null) return refusedResult(call, `There is no tool ${JSON.stringify(call.name)}.`);
  const { id, name, parameters } = call;
  try {
    return await services.tools.call(
      { id, name, parameters, ...(isMalformedToolUse(call) ? { malformed: call.malformed } : {}) },
      {
        signal,
        active,
        approve,
        place: { store: services.store, treeId, nodeId: reply.nodeId },
        onStart: () => emit({ type: 'tool-start', nodeId: reply.nodeId, callId: id, name }),
      },
    );
  } catch (thrown) {
    // The registry never throws, but another tool source may; the turn continues.
    return refusedResult(call, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function refusedResult(call: ToolUseBlock, why: string, error: ToolErrorCode = 'tool/failed'): AnsweredCall {
  const text = error === 'tool/failed' ? `Error: ${why}` : `Error (${error}): ${why}`;
  const message = { ...textMessage('tool', text), tool_call_id: call.id };
  return { callId: call.id, name: call.name, message, error, truncated: false, elapsedMs: 0 };
}

async function storeResult(
  services: TurnServices,
  round: ToolRound,
  results: readonly AnsweredCall[],
  emit: (event: TurnEvent) => void,
): Promise<NodeId> {
  const { treeId, reply, select } = round;
  const toolMessages = results.map((result) => ({ message: result.message, meta: { source: sourceOfResult(result) } }));
  const messages = await storeInlineMessages(toolMessages, services.store.blobs);
  await services.yieldToEventLoop();
  const { result } = await run(
    services.store,
    { type: 'append', treeId, parentId: reply.nodeId, messages, merge: false, select },
    makeTurnRunContext(services, round.actId, round.actor),
  );
  let parentId = reply.nodeId;
  for (const nodeId of result.added) {
    emit({ type: 'node', nodeId, parentId, role: 'tool', status: 'success' });
    parentId = nodeId;
  }
  return result.nodeId;
}

function sourceOfResult({ name, origin, error, truncated, elapsedMs }: AnsweredCall): JsonObject {
  return {
    type: 'tool_result',
    tool_name: name,
    ...(origin === undefined ? {} : { origin: { ...origin } }),
    ...(error === null ? {} : { error }),
    ...(truncated ? { truncated } : {}),
    elapsedMs,
  };
}
