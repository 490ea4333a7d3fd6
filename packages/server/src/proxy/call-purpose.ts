/** Detects whether an agent's call is a turn of its work, or a side call such as a title or a summary. */
import { isText, type Message } from '@coppice/core';
import type { ParsedRequest } from './exchange.ts';
import type { CallOrigin } from './session-of-call.ts';

/** `compaction` is a summary that replaces the history; `side` is a title, a topic or a similar call. */
export type CallPurpose = 'turn' | 'side' | 'compaction';

// The texts with which Claude Code, Codex, opencode, pi and Gemini CLI request a summary of the whole session.
const compactionRequest =
  /context checkpoint compaction|your task is to create a detailed summary of|context summarization (?:agent|assistant)|create (?:a new|an updated) anchored summary|detailed (?:prompt|summary) for continuing our conversation|summarizes internal chat history|distilling chat history into a structured|structured context checkpoint summary/i;
// The system prompts with which Gemini CLI chooses a model, detects loops and repairs edits.
const helperPrompt =
  /\btask routing AI\b|\bdiagnostic agent that determines whether\b|\bexpert code-editing assistant\b/i;
// The texts with which Gemini CLI asks who speaks next, and for a line about a session.
const helperRequest =
  /^\s*Analyze \*only\* the content and structure of your immediately preceding response|^\s*Summarize the user's primary intent or goal in this conversation in ONE sentence/i;
// The system prompts and messages with which programs request a title or a topic.
const titlePrompt =
  /\btitle generator\b|\bgenerate (?:a|an)\b.{0,60}\btitle\b|\bnew conversation topic\b|\bsummarize this (?:coding )?(?:conversation|session) in (?:under|less than|at most)\b/i;
const titleRequest =
  /^\s*(?:please )?(?:generate|write) a (?:\w+,? ){0,3}title for this (?:conversation|chat|session)\b/i;

// Only this many characters are searched, because instructions are at the beginning of a prompt.
const searchedLength = 4_000;

function textOf(message: Message | undefined): string {
  return message?.content.map((block) => (isText(block) ? block.text.slice(0, searchedLength) : '')).join('\n') ?? '';
}

/** Detects the purpose of a call by its texts. A call with tools is never a request for a title. */
export function detectCallPurpose(asked: ParsedRequest, origin: Pick<CallOrigin, 'compacts'>): CallPurpose {
  if (origin.compacts === true) return 'compaction';
  const last = asked.history.findLast(({ role }) => role === 'user');
  const request = textOf(last);
  const prompt = (asked.systemPrompt ?? '').slice(0, searchedLength);
  // Claude Code sends its tools so that the prompt cache matches, but forbids their use.
  if (compactionRequest.test(request)) return 'compaction';
  if (asked.tools.length > 0) return 'turn';
  if (compactionRequest.test(prompt)) return 'compaction';
  const isSide = [titlePrompt, helperPrompt].some((pattern) => pattern.test(prompt));
  return isSide || titleRequest.test(request) || helperRequest.test(request) ? 'side' : 'turn';
}

/** Returns the last user messages of a side call. The history before them is part of the session already. */
export function findNewestUserMessages(history: readonly Message[]): readonly Message[] {
  const before = history.findLastIndex(({ role }) => role !== 'user');
  const own = history.slice(before + 1);
  return own.length > 0 ? own : history.slice(-1);
}
