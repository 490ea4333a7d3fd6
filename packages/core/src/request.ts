/** From what is in force to what a provider takes. Nothing here is stored. */
import type { Context, ContextEntry, ContextFlag } from './context.ts';
import {
  type ContextTexts,
  contextTexts,
  missingResultMessage,
  strayResultMessage,
  systemAsUserMessage,
} from './context-wrappers.ts';
import type { NodeId } from './ids.ts';
import { isBlank, type Message, textOf } from './message.ts';
import { pairTools, type ToolPair } from './tool-pairs.ts';
import { wellFormedMessage, wellFormedText } from './well-formed.ts';

/** What a provider can take. */
export interface RequestCapabilities {
  /** Whether system messages may stand inside a conversation. */
  readonly systemInPlace: boolean;
}

/** Where the request says something else than the tree does. */
export interface RequestFlag {
  /**
   * - `system-as-user`: a system message goes as a marked user message;
   * - `result-missing`: a call has no result and is answered with an error;
   * - `result-moved`: a result goes directly after its call, in call order;
   * - `result-stray`: a result has no call before it, or its call is answered already, and goes as a marked user message;
   * - `blank`: a message that says nothing is left out, since providers refuse it;
   * - `text-repaired`: a lone surrogate goes as U+FFFD.
   */
  readonly code: 'system-as-user' | 'result-missing' | 'result-moved' | 'result-stray' | 'blank' | 'text-repaired';
  /** Null for the system prompt. */
  readonly nodeId: NodeId | null;
  /** The tool call that it is about. */
  readonly callId?: string;
}

/** What goes to a provider. */
export interface RequestMessages {
  /** The tree's prompt, which each provider takes in a place of its own; null if there is none. */
  readonly systemPrompt: string | null;
  /** In order, each tool call followed by its results; not coalesced yet. */
  readonly messages: readonly Message[];
  /** The indexes of messages that go on with the text of the one before; `coalesce` joins them with nothing. */
  readonly continues: ReadonlySet<number>;
  readonly flags: readonly (RequestFlag | ContextFlag)[];
}

/**
 * The messages of a request: every tool call directly followed by its results in call order, system messages where the
 * provider takes them, no lone surrogate, nothing blank. What differs from the tree is flagged; the context is not changed.
 */
export function requestMessages(
  context: Pick<Context, 'entries' | 'flags'>,
  capabilities: RequestCapabilities,
  words: ContextTexts = contextTexts,
): RequestMessages {
  const flags: (RequestFlag | ContextFlag)[] = [...context.flags];
  const entries: ContextEntry[] = [];
  let systemPrompt: string | null = null;
  for (const entry of context.entries) {
    if (entry.message.role !== 'tool' && isBlank(entry.message)) flags.push({ code: 'blank', nodeId: entry.nodeId });
    else if (entry.kind === 'system-prompt') systemPrompt = textOf(entry.message);
    else entries.push(entry);
  }
  if (systemPrompt !== null && wellFormedText(systemPrompt) !== systemPrompt) {
    flags.push({ code: 'text-repaired', nodeId: null });
    systemPrompt = wellFormedText(systemPrompt);
  }
  const messages: Message[] = [];
  const continues = new Set<number>();
  let last: NodeId | null = null;
  const send = (message: Message, nodeId: NodeId | null, continued?: NodeId) => {
    if (continued !== undefined && continued === last) continues.add(messages.length);
    last = nodeId;
    const sent = wellFormedMessage(message);
    if (sent !== message) flags.push({ code: 'text-repaired', nodeId });
    messages.push(sent);
  };
  const { calls, stray } = pairTools(entries.map((entry) => entry.message));
  for (const [index, { message, nodeId, continues: continued }] of entries.entries()) {
    if (message.role === 'tool') {
      // Any other result is sent with its call.
      if (!stray.has(index)) continue;
      flags.push({ code: 'result-stray', nodeId, callId: message.tool_call_id ?? '' });
      send(strayResultMessage(message, words), nodeId);
    } else if (message.role === 'system' && !capabilities.systemInPlace) {
      flags.push({ code: 'system-as-user', nodeId });
      send(systemAsUserMessage(message, words), nodeId);
    } else {
      send(message, nodeId, continued);
      const answers = answersTo(index, calls.get(index) ?? [], entries, words);
      for (const answer of answers) {
        if (answer.flag !== undefined) flags.push(answer.flag);
        send(answer.message, answer.nodeId);
      }
    }
  }
  return { systemPrompt, messages, continues, flags };
}

interface CallAnswer {
  readonly message: Message;
  readonly nodeId: NodeId | null;
  readonly flag?: RequestFlag;
}

function answersTo(
  calling: number,
  pairs: readonly ToolPair[],
  entries: readonly ContextEntry[],
  words: ContextTexts,
): CallAnswer[] {
  const answers: CallAnswer[] = [];
  let place = calling + 1;
  for (const { call, result } of pairs) {
    const found = result === null ? undefined : entries[result];
    if (found === undefined) {
      const nodeId = entries[calling]?.nodeId ?? null;
      const flag: RequestFlag = { code: 'result-missing', nodeId, callId: call.id };
      answers.push({ message: missingResultMessage(call, words), nodeId, flag });
    } else {
      const { message, nodeId } = found;
      const moved: RequestFlag = { code: 'result-moved', nodeId, callId: call.id };
      answers.push(result === place ? { message, nodeId } : { message, nodeId, flag: moved });
      place++;
    }
  }
  return answers;
}
