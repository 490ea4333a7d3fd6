/**
 * Counts the tokens of a whole context, but reads contents only page by page, so that a branch of 30,000 messages is
 * not read.
 */
import { estimateContextTokens, type TokenCount, type TokenEstimate } from './budget.ts';
import { type ContextOptions, readContextMeta } from './context.ts';
import {
  type ActiveCompaction,
  buildContextEntry,
  buildContextHead,
  type ContextEntry,
  type ContextFlag,
  findActiveRange,
  findSystemPrompt,
  isMessageEntry,
  toActiveCompaction,
} from './context-entries.ts';
import { refuse } from './errors.ts';
import type { NodeId } from './ids.ts';
import { ask, type PathMeta, type ReadProgram } from './reads.ts';
import { findUsageReports } from './usage-reports.ts';

/** The tokens of a context by kind of entry. */
export interface ContextTokensByKind {
  readonly system: number;
  readonly summaries: number;
  readonly messages: number;
  readonly tools: number;
}

/** A page of a context: the counts cover all entries, the contents only those of the page. */
export interface ContextPage {
  /**
   * The system prompt and the summary, which every page contains, and the entries of the page. A page never starts with
   * a tool result, because the call would be missing.
   */
  readonly entries: readonly ContextEntry[];
  /** The number of entries in the whole context. */
  readonly count: number;
  /** The cursor of the previous page; null if this is the first page. */
  readonly before: NodeId | null;
  readonly shares: ContextTokensByKind;
  readonly compaction: ActiveCompaction | null;
  readonly flags: readonly ContextFlag[];
  readonly tokens: number;
  readonly estimate: TokenEstimate;
}

/** The inputs of {@link readContextPage}. */
export interface ContextPageRequest extends ContextOptions {
  readonly limit: number;
  /** The page ends before this entry; the end of the context by default. */
  readonly before?: NodeId | undefined;
}

/** Returns the start and end index of a page in the list. */
function contextPageOf(list: readonly PathMeta[], { limit, before }: ContextPageRequest): readonly [number, number] {
  // Also refuses NaN. The limit has no maximum.
  if (!(limit >= 1))
    return refuse('command/invalid', `The limit of a page must be at least 1, not ${limit}.`, { limit });
  const end = before === undefined ? list.length : list.findIndex((note) => note.id === before);
  if (end < 0)
    return refuse('tree/not-on-path', `The message ${before} is not part of this context.`, { nodeId: before ?? null });
  let begin = Math.max(0, end - limit);
  while (begin > 0 && begin < end && list[begin]?.role === 'tool') begin--;
  return [begin, end];
}

/**
 * Counts the tokens that a model sees at a node and reads one page of the entries. Only the contents of the page and of
 * summaries are read. Throws if the cursor is not in the context.
 */
export function* readContextPage(to: NodeId | null, request: ContextPageRequest): ReadProgram<ContextPage> {
  const { kit, words, systemPrompt } = request;
  const notes = to === null ? [] : yield* readContextMeta(to);
  const { at, start, flag } = findActiveRange(notes);
  const marker = notes[at];
  const list: PathMeta[] = [];
  const reports = findUsageReports(notes, systemPrompt);
  const reported = new Map<NodeId, number>();
  for (let index = start; index < notes.length; index++) {
    const note = notes[index];
    if (note === undefined || !isMessageEntry(note)) continue;
    list.push(note);
    const tokens = reports.reported.get(index);
    if (tokens !== undefined) reported.set(note.id, tokens);
  }
  const [begin, end] = contextPageOf(list, request);
  const page = list.slice(begin, end);
  const summaries = list.filter((note) => note.kind === 'branch-summary');
  const wanted = new Set((marker === undefined ? [] : [marker]).concat(summaries, page).map((note) => note.id));
  const nodes = new Map((yield* ask('nodes', { ids: [...wanted] })).map((node) => [node.id, node]));
  const read = (note: PathMeta) => {
    const node = nodes.get(note.id);
    return (node === undefined ? undefined : buildContextEntry(node, reported.get(note.id) ?? null, kit, words)) ?? [];
  };
  const compacted = marker && nodes.get(marker.id);
  const head = buildContextHead(findSystemPrompt(notes, systemPrompt, { at, start }), compacted, kit, words);
  const made = new Map(summaries.flatMap((note) => read(note)).map((entry) => [entry.nodeId, entry.tokens]));
  const weighed: TokenCount[] = [...head];
  const shares = { system: 0, summaries: 0, messages: 0, tools: 0 };
  for (const entry of head) shares[entry.kind === 'system-prompt' ? 'system' : 'summaries'] += entry.tokens;
  for (const note of list) {
    const tokens = made.get(note.id) ?? note.tokens;
    weighed.push({ tokens, reported: reported.get(note.id) ?? null });
    shares[made.has(note.id) ? 'summaries' : note.role === 'tool' ? 'tools' : 'messages'] += tokens;
  }
  return {
    entries: [...head, ...page.flatMap((note) => read(note))],
    count: weighed.length,
    before: begin === 0 ? null : (list[begin]?.id ?? null),
    shares,
    compaction: toActiveCompaction(compacted),
    flags: flag === null ? [] : [flag],
    tokens: weighed.reduce((sum, each) => sum + each.tokens, 0),
    estimate: estimateContextTokens(weighed),
  };
}
