/** Converts a context to the messages that a provider accepts. The result is never stored. */
import type { Context, ContextEntry, ContextFlag } from './context.ts';
import {
  buildMissingResultMessage,
  buildStrayResultMessage,
  type ContextTexts,
  contextTexts,
  convertSystemToUserMessage,
} from './context-wrappers.ts';
import type { NodeId } from './ids.ts';
import { isBlank, isTextOnly, type Message, textMessage, textOf } from './message.ts';
import { pairTools, type ToolPair } from './tool-pairs.ts';
import { toWellFormedMessage, toWellFormedText } from './well-formed.ts';

/** What a provider accepts in a request. */
export interface RequestCapabilities {
  /** Whether system messages are allowed inside a conversation. */
  readonly systemInPlace: boolean;
}

/** One difference between a request and the tree, so that a caller can report it. */
export interface RequestFlag {
  /**
   * - `system-as-user`: a system message is sent as a wrapped user message;
   * - `result-missing`: a call has no result and is answered with an error;
   * - `result-moved`: a result is sent directly after its call, in call order;
   * - `result-stray`: a result has no call before it, or its call already has a result; it is sent as a wrapped user
   *   message;
   * - `blank`: a blank message is left out, because providers reject it;
   * - `text-repaired`: a lone surrogate is sent as U+FFFD.
   */
  readonly code: 'system-as-user' | 'result-missing' | 'result-moved' | 'result-stray' | 'blank' | 'text-repaired';
  /** Null for the system prompt. */
  readonly nodeId: NodeId | null;
  /** The id of the affected tool call. */
  readonly callId?: string;
}

/** The part of a provider request that is built from the tree, and how it differs from the tree. */
export interface RequestMessages {
  /** The tree's system prompt, for which each provider has a separate field; null if the tree has no prompt. */
  readonly systemPrompt: string | null;
  /** The messages in order, each tool call followed by its results; not coalesced yet. */
  readonly messages: readonly Message[];
  /**
   * The indexes of messages that continue the text of the previous message; `coalesceMessages` joins them without a
   * separator.
   */
  readonly continues: ReadonlySet<number>;
  readonly flags: readonly (RequestFlag | ContextFlag)[];
}

/**
 * Builds the messages of a request. Every tool call is directly followed by its results in call order. System messages
 * that the provider does not accept are converted, lone surrogates are replaced, and blank messages are left out.
 * Differences from the tree are flagged; the context is not changed.
 */
export function buildRequestMessages(
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
  if (systemPrompt !== null && toWellFormedText(systemPrompt) !== systemPrompt) {
    flags.push({ code: 'text-repaired', nodeId: null });
    systemPrompt = toWellFormedText(systemPrompt);
  }
  const messages: Message[] = [];
  const continues = new Set<number>();
  let last: NodeId | null = null;
  const send = (message: Message, nodeId: NodeId | null, continued?: NodeId) => {
    if (continued !== undefined && continued === last) continues.add(messages.length);
    last = nodeId;
    const sent = toWellFormedMessage(message);
    if (sent !== message) flags.push({ code: 'text-repaired', nodeId });
    messages.push(sent);
  };
  const { calls, stray } = pairTools(entries.map((entry) => entry.message));
  for (const [index, { message, nodeId, continues: continued }] of entries.entries()) {
    if (message.role === 'tool') {
      // Results with a call are sent directly after their call, below.
      if (!stray.has(index)) continue;
      flags.push({ code: 'result-stray', nodeId, callId: message.tool_call_id ?? '' });
      send(buildStrayResultMessage(message, words), nodeId);
    } else if (message.role === 'system' && !capabilities.systemInPlace) {
      flags.push({ code: 'system-as-user', nodeId });
      send(convertSystemToUserMessage(message, words), nodeId);
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
      answers.push({ message: buildMissingResultMessage(call, words), nodeId, flag });
    } else {
      const { message, nodeId } = found;
      const moved: RequestFlag = { code: 'result-moved', nodeId, callId: call.id };
      answers.push(result === place ? { message, nodeId } : { message, nodeId, flag: moved });
      place++;
    }
  }
  return answers;
}

function mayMerge(message: Message): boolean {
  return (message.role === 'user' || message.role === 'assistant') && isTextOnly(message);
}

/**
 * Merges adjacent text-only messages of the same role, user or assistant, into one message with one text block. The
 * texts are joined with a blank line. They are joined directly if there is white space at the seam, or if the second
 * message continues the text of the first (its index is in `continues`), so that a split reply reads as before the
 * split. For requests only. Messages that are not merged stay the same objects; if none is merged, the same list is
 * returned.
 */
export function coalesceMessages(messages: readonly Message[], continues?: ReadonlySet<number>): readonly Message[] {
  const merged: Message[] = [];
  let first: Message | null = null;
  let texts: string[] = [];
  // The last non-empty piece. An empty piece between two questions must not join them without a blank line.
  let last = '';
  const close = () => {
    if (first !== null) merged.push(texts.length <= 1 ? first : textMessage(first.role, texts.join('')));
  };
  for (const [index, message] of messages.entries()) {
    const text = mayMerge(message) ? textOf(message) : null;
    if (first !== null && text !== null && texts.length > 0 && first.role === message.role) {
      texts.push(continues?.has(index) === true ? text : `${seamBetween(last, text)}${text}`);
      last = text === '' ? last : text;
    } else {
      close();
      first = message;
      texts = text === null ? [] : [text];
      last = text ?? '';
    }
  }
  close();
  return merged.length === messages.length ? messages : merged;
}

function seamBetween(left: string, right: string): string {
  return left === '' || right === '' || /\s$/u.test(left.slice(-1)) || /^\s/u.test(right) ? '' : '\n\n';
}
