/** What a call of an agent is for: a turn of its work, or something beside it, such as a title or a summary. */
import { isText, type Message } from '@coppice/core';
import type { ParsedRequest } from './exchange.ts';
import type { CallOrigin } from './session-of-call.ts';

/** `compaction`: a summary that replaces the history; `side`: a title, a topic and the like. */
export type CallPurpose = 'turn' | 'side' | 'compaction';

// How programs ask for a summary of the whole session: Claude Code, Codex, opencode, pi, Gemini CLI.
const compactionRequest =
  /context checkpoint compaction|your task is to create a detailed summary of|context summarization (?:agent|assistant)|create (?:a new|an updated) anchored summary|detailed (?:prompt|summary) for continuing our conversation|summarizes internal chat history|distilling chat history into a structured|structured context checkpoint summary/i;
// The system prompts with which Gemini CLI chooses a model, looks for loops and repairs edits.
const helperPrompt =
  /\btask routing AI\b|\bdiagnostic agent that determines whether\b|\bexpert code-editing assistant\b/i;
// With these words it asks who speaks next, and for a line about a session.
const helperRequest =
  /^\s*Analyze \*only\* the content and structure of your immediately preceding response|^\s*Summarize the user's primary intent or goal in this conversation in ONE sentence/i;
// The system prompts and the messages with which programs ask for a title or a topic.
const titlePrompt =
  /\btitle generator\b|\bgenerate (?:a|an)\b.{0,60}\btitle\b|\bnew conversation topic\b|\bsummarize this (?:coding )?(?:conversation|session) in (?:under|less than|at most)\b/i;
const titleRequest =
  /^\s*(?:please )?(?:generate|write) a (?:\w+,? ){0,3}title for this (?:conversation|chat|session)\b/i;

// Instructions stand at the beginning.
const looksAt = 4_000;

function textOf(message: Message | undefined): string {
  return message?.content.map((block) => (isText(block) ? block.text.slice(0, looksAt) : '')).join('\n') ?? '';
}

/** The purpose of a call by what it says; a program that sends tools asks for a title only by mistake. */
export function detectCallPurpose(asked: ParsedRequest, origin: Pick<CallOrigin, 'compacts'>): CallPurpose {
  if (origin.compacts === true) return 'compaction';
  const last = asked.history.findLast(({ role }) => role === 'user');
  const request = textOf(last);
  const prompt = (asked.systemPrompt ?? '').slice(0, looksAt);
  // Claude Code sends its tools along, so that the prompt cache matches, and forbids their use.
  if (compactionRequest.test(request)) return 'compaction';
  if (asked.tools.length > 0) return 'turn';
  if (compactionRequest.test(prompt)) return 'compaction';
  const isSide = [titlePrompt, helperPrompt].some((pattern) => pattern.test(prompt));
  return isSide || titleRequest.test(request) || helperRequest.test(request) ? 'side' : 'turn';
}

/** What a side call asks in its own words: the history before it is the session's, which has it already. */
export function newestUserMessages(history: readonly Message[]): readonly Message[] {
  const before = history.findLastIndex(({ role }) => role !== 'user');
  const own = history.slice(before + 1);
  return own.length > 0 ? own : history.slice(-1);
}
