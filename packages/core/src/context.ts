/** From a path to what is in force for the next call, entry by entry, with the reason why each is there. */
import { estimateTokens, type TokenEstimate, usageOf, type Weighed } from './budget.ts';
import { branchSummaryMessage, type ContextWords, contextWords, summaryMessage } from './context-marks.ts';
import type { NodeId } from './ids.ts';
import { type Message, type MessageKit, textMessage, textOf } from './message.ts';
import type { Node } from './node.ts';
import { ask, type Reading } from './reads.ts';

export * from './budget.ts';
export * from './context-marks.ts';
export * from './request.ts';
export { pairTools, type ToolPair, type ToolPairs } from './tool-pairs.ts';

/** Why an entry is in force. A `summary` is a compaction's and stands for all that was before. */
export type ContextKind = 'system-prompt' | 'message' | 'summary' | 'branch-summary' | 'injected';

/** One message that a model sees, and where it comes from. */
export interface ContextEntry extends Weighed {
  /** Null for the system prompt, which belongs to the tree. */
  readonly nodeId: NodeId | null;
  readonly kind: ContextKind;
  /** As the model sees it: summaries are wrapped. */
  readonly message: Message;
}

/** Something about a context that its reader should know; nothing is left out or changed without one. */
export interface ContextFlag {
  /**
   * - `nothing-kept`: the compaction names no first kept node, so nothing before it is in force but its summary;
   * - `kept-off-path`: it names one that does not lie above it, with the same effect.
   */
  readonly code: 'nothing-kept' | 'kept-off-path';
  readonly nodeId: NodeId;
}

/** The compaction in force. */
export interface CompactionInForce {
  readonly nodeId: NodeId;
  /** Its summary as it is stored, without marks. */
  readonly summary: string;
}

/** What is in force for the next call. */
export interface Context {
  readonly entries: readonly ContextEntry[];
  readonly compaction: CompactionInForce | null;
  readonly flags: readonly ContextFlag[];
  /** The entries' own estimates added up. */
  readonly tokens: number;
  /** What they take by {@link estimateTokens}. */
  readonly estimate: TokenEstimate;
}

/** What {@link contextOf} is told beside the path. */
export interface ContextOptions {
  readonly systemPrompt?: string | undefined;
  readonly kit: Pick<MessageKit, 'tokens'>;
  readonly words?: ContextWords;
}

/**
 * What a model sees at the end of a path. After a compaction: its summary, the nodes from its first kept one on, and
 * what follows. The cost follows the part in force, not the whole path. A path may begin late if {@link holdsContext}.
 */
export function contextOf(path: readonly Node[], options: ContextOptions): Context {
  const { kit, words = contextWords } = options;
  const entries: ContextEntry[] = [];
  const flags: ContextFlag[] = [];
  if (options.systemPrompt !== undefined && options.systemPrompt !== '') {
    const message = textMessage('system', options.systemPrompt);
    entries.push({ nodeId: null, kind: 'system-prompt', message, tokens: kit.tokens(message), reported: null });
  }
  const at = lastCompaction(path);
  const marker = path[at];
  let compaction: CompactionInForce | null = null;
  let start = 0;
  if (marker !== undefined && marker.message !== null) {
    const message = summaryMessage(marker.message, words);
    entries.push({ nodeId: marker.id, kind: 'summary', message, tokens: kit.tokens(message), reported: null });
    compaction = { nodeId: marker.id, summary: textOf(marker.message) };
    const kept = firstKept(path, at);
    if (kept === undefined)
      flags.push({
        code: marker.marker?.firstKept === undefined ? 'nothing-kept' : 'kept-off-path',
        nodeId: marker.id,
      });
    start = kept ?? at + 1;
  }
  for (let index = start; index < path.length; index++) {
    const node = path[index];
    const entry = node === undefined ? undefined : entryOf(node, index > at, kit, words);
    if (entry !== undefined) entries.push(entry);
  }
  let tokens = 0;
  for (const entry of entries) tokens += entry.tokens;
  return { entries, compaction, flags, tokens, estimate: estimateTokens(entries) };
}

/** The last compaction that is not excluded; an excluded one is as if it had never been made. */
function lastCompaction(path: readonly Node[]): number {
  return path.findLastIndex((node) => node.kind === 'compaction' && node.meta.excluded !== true);
}

/** Where the part begins that the compaction at an index keeps; undefined if it keeps nothing that lies above it. */
function firstKept(path: readonly Node[], at: number): number | undefined {
  const id = path[at]?.marker?.firstKept;
  if (id === undefined) return undefined;
  for (let index = at - 1; index >= 0; index--) if (path[index]?.id === id) return index;
  return undefined;
}

function entryOf(
  node: Node,
  measured: boolean,
  kit: Pick<MessageKit, 'tokens'>,
  words: ContextWords,
): ContextEntry | undefined {
  const { id, kind, message } = node;
  if (message === null || node.meta.excluded === true) return undefined;
  if (kind === 'branch-summary') {
    const shown = branchSummaryMessage(message, words);
    return { nodeId: id, kind, message: shown, tokens: kit.tokens(shown), reported: null };
  }
  if (kind !== 'message' && kind !== 'injected') return undefined;
  return { nodeId: id, kind, message, tokens: node.tokens, reported: measured ? reportedWith(node) : null };
}

// Only a finished reply counts: what is reported with one cut short covers part of it. A picked one was measured on the
// path that it comes from.
function reportedWith(node: Node): number | null {
  if (node.kind !== 'message' || node.role !== 'assistant' || node.status !== 'success') return null;
  if (node.meta.pickedFrom !== undefined) return null;
  return usageOf(node)?.totalTokens || null;
}

/**
 * Whether a stretch that does not begin at a first turn reaches up far enough for {@link contextOf} to give what it
 * would give for the whole path.
 */
export function holdsContext(stretch: readonly Node[]): boolean {
  const at = lastCompaction(stretch);
  if (at < 0) return false;
  return stretch[at]?.marker?.firstKept === undefined || firstKept(stretch, at) !== undefined;
}

/** Reads as much of the path to a node as is in force, in growing stretches, so that a long history is not read for it. */
export function* readContextPath(to: NodeId): Reading<readonly Node[]> {
  for (let limit = 64; ; limit *= 4) {
    const stretch = yield* ask('path', { to, limit });
    if (stretch.complete || stretch.nodes.length < limit || holdsContext(stretch.nodes)) return stretch.nodes;
  }
}
