import { isToolUse, type Message, type ToolUseBlock } from './message.ts';

/** One call and where in the list its result stands; null if there is none. */
export interface ToolPair {
  readonly call: ToolUseBlock;
  readonly result: number | null;
}

/** The calls of a list of messages with their results, and the results that answer none. */
export interface ToolPairs {
  /** By the index of the calling message, in call order. */
  readonly calls: ReadonlyMap<number, readonly ToolPair[]>;
  /** Indexes of tool messages without a call before them, or whose call is answered already. */
  readonly stray: ReadonlySet<number>;
}

/**
 * Finds the result of every tool call. A result belongs to the nearest call before it with its id that is not answered
 * yet, wherever it stands: some models count their calls anew in every turn, so an id alone names nothing.
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
