/** A conversation as text for somebody who is to sum it up, in portions that they can read. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { blockDefinitionOf, estimateTokens } from '@coppice/content';
import { isText, isToolUse, type Message } from '@coppice/core';
import { pairTools } from '@coppice/core/context';
import { clip, clipTokens } from './clip.ts';

/** How much is shown of a single message, in code units. */
export interface TranscriptLimits {
  readonly text: number;
  readonly toolResult: number;
}

const speakers = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool result' } as const;

/** One entry per message, in order; none is left out, however little it says. */
export function transcriptOf(messages: readonly Message[], limits: TranscriptLimits): readonly string[] {
  const names = toolNamesIn(messages);
  return messages.map((message, index) => {
    const { role } = message;
    if (role === 'tool') {
      const said = message.content.map((block) => blockDefinitionOf(block).toText(block)).join('\n');
      return `[${speakers.tool}: ${names.get(index) ?? 'unknown tool'}] ${fencedText(clip(said, limits.toolResult))}`;
    }
    const lines: string[] = [];
    let text = '';
    for (const block of message.content) {
      // Reasoning is not what was agreed on, and would be read as if it were.
      if (block.type === 'thinking') continue;
      if (isToolUse(block))
        lines.push(`[Assistant calls ${block.name}] ${clip(JSON.stringify(block.parameters), 600)}`);
      else
        text +=
          block.type === 'text'
            ? blockDefinitionOf(block).toText(block)
            : `\n${blockDefinitionOf(block).toText(block)}`;
    }
    if (text.trim() !== '' || lines.length === 0)
      lines.unshift(
        `[${speakers[role]}] ${clip(text.trim() === '' ? '(nothing that can be read)' : text.trim(), limits.text)}`,
      );
    return fencedText(lines.join('\n'));
  });
}

function toolNamesIn(messages: readonly Message[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const pairs of pairTools(messages).calls.values())
    for (const { call, result } of pairs) if (result !== null) names.set(result, call.name);
  return names;
}

// What is quoted cannot close the quotation and go on in our name.
function fencedText(text: string): string {
  return text.replace(/<(?=\/?(?:conversation|earlier-summary|focus)\b)/gi, '‹');
}

/** How much a reader takes at a time and how often. */
export interface Portions {
  /** Tokens at a time. */
  readonly tokens: number;
  /** The most times; three times as many before giving up. */
  readonly passes: number;
  readonly toolResult: number;
}

const textLimits = [24_000, 6_000, 1_500, 400, 120] as const;

// No text has fewer tokens than this many characters apiece; what is too long by this count need not be written out.
const longestToken = 8;

/**
 * The conversation in as few portions as it takes, every message in one of them. Where that would be too many, more is
 * left out of each message; null where not even that helps.
 */
export async function portionsOf(
  messages: readonly Message[],
  { tokens, passes, toolResult }: Portions,
): Promise<readonly string[] | null> {
  const lengths = messages.map(roughLength);
  for (const text of textLimits) {
    const most = text === textLimits.at(-1) ? 3 * passes : passes;
    let length = 0;
    for (const one of lengths) length += Math.min(one, text);
    if (length / longestToken > tokens * most) continue;
    const portions = await packPortions(
      transcriptOf(messages, { text, toolResult: Math.min(toolResult, text) }),
      tokens,
    );
    if (portions.length <= most) return portions;
  }
  return null;
}

function roughLength({ role, content }: Message): number {
  let length = 0;
  // Results of tools and calls are cut anyway.
  for (const block of content) length += role !== 'tool' && isText(block) ? block.text.length : 0;
  return length;
}

// Estimating megabytes takes a while, in which streams and timers of the same process want their turn.
const atAStretch = 200_000;

async function packPortions(entries: readonly string[], tokens: number): Promise<string[]> {
  const portions: string[] = [];
  let open: string[] = [];
  let taken = 0;
  let done = 0;
  for (const entry of entries) {
    done += entry.length;
    if (done > atAStretch) {
      done = 0;
      await nextTurn();
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
