import { isToolUse, type Message, type ToolUseBlock } from './message.ts';

/** A call and the index of its result; null if the call has no result. */
export interface ToolPair {
  readonly call: ToolUseBlock;
  readonly result: number | null;
}

/** The calls of a list of messages with their results, and the results that belong to no call. */
export interface ToolPairs {
  /** The calls of each message, by the index of the message, in call order. */
  readonly calls: ReadonlyMap<number, readonly ToolPair[]>;
  /** The indexes of tool messages that have no call before them, or whose call already has a result. */
  readonly stray: ReadonlySet<number>;
}

/**
 * Finds the result of every tool call. Some models restart their call ids in every turn, so a result belongs to the
 * newest earlier call with its id. A second result for that call is stray.
 */
export function pairTools(messages: readonly Message[]): ToolPairs {
  const calls = new Map<number, { call: ToolUseBlock; result: number | null }[]>();
  const stray = new Set<number>();
  const open = new Map<string, { call: ToolUseBlock; result: number | null }>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const pair = open.get(message.tool_call_id ?? '');
      if (pair === undefined) stray.add(index);
      else {
        pair.result = index;
        open.delete(pair.call.id);
      }
    } else if (message.role === 'assistant') {
      const pairs: { call: ToolUseBlock; result: number | null }[] = [];
      for (const call of message.content) {
        if (!isToolUse(call)) continue;
        const pair = { call, result: null };
        pairs.push(pair);
        open.set(call.id, pair);
      }
      if (pairs.length > 0) calls.set(index, pairs);
    }
  }
  return { calls, stray };
}
