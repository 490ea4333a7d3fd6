/** Writes summaries without a model, from quoted questions and answers. */
import { estimateTokens } from '@coppice/content';
import { isText, isToolUse, type Message, textOf } from '@coppice/core';
import { clipTokens, firstLineOf } from './clip.ts';

/** The messages to extract from, and the limits. */
export interface ExtractionInput {
  readonly messages: readonly Message[];
  readonly previous?: string | null;
  readonly focus?: string | undefined;
  readonly maxTokens: number;
  /** Whether the messages are the first part of a turn; headings are then one level lower. */
  readonly isPrefix?: boolean;
}

const lineLength = 240;
const since = '## Since then';

/** Returns the most important lines of a conversation, under the headings that a model would use. Never blank. */
export function extractSummary({ messages, previous, focus, maxTokens, isPrefix = false }: ExtractionInput): string {
  const earlier = previous?.trim() ?? '';
  if (earlier !== '') return updateSummary(earlier, messages, focus, maxTokens);
  const questions = messages.filter((message) => message.role === 'user' && hasWords(message));
  const answered = messages.filter((message) => message.role === 'assistant' && hasWords(message));
  const context = [...linesAboutFocus(messages, focus), ...toolsUsed(messages)].map(bullet);
  const parts: ExtractPart[] = isPrefix
    ? [
        { heading: '### The request', lines: questions.slice(0, 3).map(lineOfMessage) },
        { heading: '### Done so far', lines: answered, keep: 'newest' },
        { heading: '### Needed for the rest', lines: context },
      ]
    : [
        { heading: '## Goal', lines: questions.slice(0, 1).map(lineOfMessage) },
        { heading: '## Progress', lines: [] },
        { heading: '### Done', lines: questions.slice(1, -1), keep: 'newest' },
        { heading: '### In progress', lines: questions.slice(1).slice(-1) },
        { heading: '## Key decisions', lines: answered.slice(-8), keep: 'newest' },
        { heading: '## Critical context', lines: context },
      ];
  const text = joinParts(parts, maxTokens);
  return text === '' ? `${isPrefix ? '###' : '##'} Goal\n${describeTextlessMessages(messages)}` : text;
}

function describeTextlessMessages(messages: readonly Message[]): string {
  return `${messages.length} ${messages.length === 1 ? 'message' : 'messages'} without words.`;
}

function bullet(line: string): string {
  return `- ${line}`;
}

function hasWords(message: Message): boolean {
  return message.content.some((block) => isText(block) && /\S/.test(block.text));
}

function lineOfMessage(message: Message): string {
  return firstLineOf(textOf(message), lineLength);
}

function toolsUsed(messages: readonly Message[]): string[] {
  const counts = new Map<string, number>();
  for (const message of messages)
    for (const block of message.content)
      if (isToolUse(block)) counts.set(block.name, (counts.get(block.name) ?? 0) + 1);
  const named = [...counts].slice(0, 20).map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  return named.length === 0 ? [] : [`Tools called: ${named.join(', ')}`];
}

const mostMentions = 8;
const furthestBack = 2_000;

/** Returns the newest lines that contain a word of the focus. */
function linesAboutFocus(messages: readonly Message[], focus: string | undefined): string[] {
  const words = (focus?.toLowerCase().match(/[\p{L}\p{N}_./-]{3,}/gu) ?? []).slice(0, 20);
  if (words.length === 0) return [];
  const found = new Set<string>();
  const end = Math.max(0, messages.length - furthestBack);
  for (let at = messages.length - 1; at >= end && found.size < mostMentions; at--) {
    const message = messages[at];
    if (message === undefined) continue;
    for (const line of textOf(message).slice(0, 20_000).split('\n')) {
      const small = line.toLowerCase();
      if (found.size < mostMentions && words.some((word) => small.includes(word)))
        found.add(firstLineOf(line, lineLength));
    }
  }
  return [...found].reverse();
}

/** Returns the earlier summary with a section for the newer messages; the next update extends that section. */
function updateSummary(
  earlier: string,
  messages: readonly Message[],
  focus: string | undefined,
  maxTokens: number,
): string {
  const at = earlier.lastIndexOf(`${since}\n`);
  const before =
    at === -1
      ? []
      : earlier
          .slice(at + since.length)
          .trim()
          .split('\n');
  const base = clipTokens((at === -1 ? earlier : earlier.slice(0, at)).trim(), Math.floor(maxTokens * 0.6));
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant').filter(hasWords);
  const news = [...said, ...[...linesAboutFocus(messages, focus), ...toolsUsed(messages)].map(bullet)];
  const lines = [...before.filter((line) => line.startsWith('- ') && !line.startsWith(leftOutMark)), ...news];
  const space = maxTokens - estimateTokens(base);
  const rest = joinParts(
    [
      {
        heading: since,
        lines: lines.length === 0 ? [bullet(describeTextlessMessages(messages))] : lines,
        keep: 'newest',
        shown: formatNewerMessage,
      },
    ],
    space,
  );
  return [base, rest].filter((part) => part !== '').join('\n\n');
}

/** Formats a newer message as one line with its role. */
function formatNewerMessage(message: Message): string {
  return bullet(`${message.role === 'user' ? 'Asked' : 'Answered'}: ${lineOfMessage(message)}`);
}

interface ExtractPart {
  readonly heading: string;
  /** Lines, or messages that are formatted only if their line fits. */
  readonly lines: readonly (string | Message)[];
  readonly shown?: (message: Message) => string;
  /** Which lines are kept if not all fit; by default the first. */
  readonly keep?: 'newest';
}

const leftOutMark = '- (earlier:';

/** Joins the parts that have lines; each gets an equal share of the space. */
function joinParts(parts: readonly ExtractPart[], maxTokens: number): string {
  const speaking = parts.filter((part, index) => part.lines.length > 0 || hasFilledSubheading(parts, index));
  const counted = speaking.filter((part) => part.lines.length > 0).length;
  let space = Math.max(40, maxTokens - 8 * speaking.length);
  let open = counted;
  const texts: string[] = [];
  for (const { heading, lines, keep, shown = (message: Message) => bullet(lineOfMessage(message)) } of speaking) {
    if (lines.length === 0) {
      texts.push(heading);
      continue;
    }
    const share = Math.floor(space / Math.max(1, open));
    const kept: string[] = [];
    let taken = 0;
    for (let at = 0; at < lines.length; at++) {
      const next = (keep === 'newest' ? lines[lines.length - 1 - at] : lines[at]) ?? '';
      const line = typeof next === 'string' ? next : shown(next);
      const size = estimateTokens(line) + 1;
      if (kept.length > 0 && taken + size > share) break;
      kept.push(line);
      taken += size;
    }
    space -= taken;
    open--;
    if (keep === 'newest') kept.reverse();
    const missing = lines.length - kept.length;
    const note = missing === 0 ? [] : [`${leftOutMark} ${missing} more, left out)`];
    texts.push([heading, ...(keep === 'newest' ? [...note, ...kept] : [...kept, ...note])].join('\n'));
  }
  return texts.join('\n\n');
}

/** Returns whether a heading without lines has a subheading with lines. */
function hasFilledSubheading(parts: readonly ExtractPart[], index: number): boolean {
  const level = (heading: string) => heading.indexOf(' ');
  const own = level(parts[index]?.heading ?? '');
  for (const part of parts.slice(index + 1)) {
    if (level(part.heading) <= own) return false;
    if (part.lines.length > 0) return true;
  }
  return false;
}
