/** Formats a conversation as text for a summary, in portions that fit the model. */
import { blockDefinitionOf, estimateTokens } from '@coppice/content';
import { isText, isToolUse, type Message } from '@coppice/core';
import { pairTools } from '@coppice/core/context';
import { waitForNextTask } from '../event-loop.ts';
import { clipMiddle, clipTokens } from './clip.ts';

/** How much of a single message is included, in UTF-16 code units. */
export interface TranscriptLimits {
  readonly text: number;
  readonly toolResult: number;
}

const speakers = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool result' } as const;

/** Formats each message as one text, in order; no message is left out. */
export function buildTranscript(messages: readonly Message[], limits: TranscriptLimits): readonly string[] {
  const names = toolNamesIn(messages);
  return messages.map((message, index) => {
    const { role } = message;
    if (role === 'tool') {
      const text = message.content.map((block) => blockDefinitionOf(block).toText(block)).join('\n');
      return `[${speakers.tool}: ${names.get(index) ?? 'unknown tool'}] ${escapeDelimiters(clipMiddle(text, limits.toolResult))}`;
    }
    const lines: string[] = [];
    let text = '';
    for (const block of message.content) {
      // Reasoning is left out, because a summary would report it as decisions.
      if (block.type === 'thinking') continue;
      if (isToolUse(block))
        lines.push(`[Assistant calls ${block.name}] ${clipMiddle(JSON.stringify(block.parameters), 600)}`);
      else
        text +=
          block.type === 'text'
            ? blockDefinitionOf(block).toText(block)
            : `\n${blockDefinitionOf(block).toText(block)}`;
    }
    if (text.trim() !== '' || lines.length === 0)
      lines.unshift(
        `[${speakers[role]}] ${clipMiddle(text.trim() === '' ? '(nothing that can be read)' : text.trim(), limits.text)}`,
      );
    return escapeDelimiters(lines.join('\n'));
  });
}

function toolNamesIn(messages: readonly Message[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const pairs of pairTools(messages).calls.values())
    for (const { call, result } of pairs) if (result !== null) names.set(result, call.name);
  return names;
}

// Replaces the delimiters of the prompt, so that quoted text cannot end the quotation and inject instructions.
function escapeDelimiters(text: string): string {
  return text.replace(/<(?=\/?(?:conversation|earlier-summary|focus)\b)/gi, '‹');
}

/** How large portions may be, and how many there should be. */
export interface TranscriptPortionLimits {
  /** The most tokens per portion. */
  readonly tokens: number;
  /** The intended number of portions. If three times as many are not enough, there is no summary by a model. */
  readonly passes: number;
  readonly toolResult: number;
}

const textLimits = [24_000, 6_000, 1_500, 400, 120] as const;

// A token is assumed to have at most this many characters. A text that is too long even by this measure is not
// formatted at all.
const longestToken = 8;

/**
 * Splits a conversation into as few portions as possible; every message is in one of them. If there are too many,
 * messages are shortened more. Returns null if that is not enough.
 */
export async function splitTranscriptIntoPortions(
  messages: readonly Message[],
  { tokens, passes, toolResult }: TranscriptPortionLimits,
): Promise<readonly string[] | null> {
  const lengths = messages.map(roughLength);
  for (const text of textLimits) {
    const most = text === textLimits.at(-1) ? 3 * passes : passes;
    let length = 0;
    for (const one of lengths) length += Math.min(one, text);
    if (length / longestToken > tokens * most) continue;
    const portions = await packPortions(
      buildTranscript(messages, { text, toolResult: Math.min(toolResult, text) }),
      tokens,
    );
    if (portions.length <= most) return portions;
  }
  return null;
}

function roughLength({ role, content }: Message): number {
  let length = 0;
  // Tool calls and results do not count, because they are shortened in any case.
  for (const block of content) length += role !== 'tool' && isText(block) ? block.text.length : 0;
  return length;
}

// Estimating megabytes takes long. After this many characters other work may run.
const charactersPerTurn = 200_000;

async function packPortions(entries: readonly string[], tokens: number): Promise<string[]> {
  const portions: string[] = [];
  let open: string[] = [];
  let taken = 0;
  let done = 0;
  for (const entry of entries) {
    done += entry.length;
    if (done > charactersPerTurn) {
      done = 0;
      await waitForNextTask();
    }
    const whole = estimateTokens(entry);
    const fitting = whole > tokens ? clipTokens(entry, tokens) : entry;
    const size = (fitting === entry ? whole : estimateTokens(fitting)) + 2;
    if (open.length > 0 && taken + size > tokens) {
      portions.push(open.join('\n\n'));
      open = [];
      taken = 0;
    }
    open.push(fitting);
    taken += size;
  }
  if (open.length > 0) portions.push(open.join('\n\n'));
  return portions;
}
