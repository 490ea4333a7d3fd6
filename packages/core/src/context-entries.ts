/** Converts the nodes of a path to context entries, and decides which part of the path the model sees. */
import type { TokenCount } from './budget.ts';
import { buildBranchSummaryMessage, buildSummaryMessage, type ContextTexts, contextTexts } from './context-wrappers.ts';
import type { NodeId } from './ids.ts';
import { type Message, type MessageKit, textMessage, textOf } from './message.ts';
import type { Node } from './node.ts';
import type { PathMeta } from './reads.ts';

/** Why an entry is in the context. A `summary` belongs to a compaction and replaces everything before it. */
export type ContextEntryKind = 'system-prompt' | 'message' | 'summary' | 'branch-summary' | 'injected';

/** One message that a model sees, and the node it comes from. */
export interface ContextEntry extends TokenCount {
  /** Null for the system prompt, which belongs to the tree. */
  readonly nodeId: NodeId | null;
  readonly kind: ContextEntryKind;
  /** The message as the model sees it; summaries are wrapped. */
  readonly message: Message;
  /**
   * The node whose text this entry continues, after a split or an edit by prefix. Both texts are joined without a
   * separator.
   */
  readonly continues?: NodeId;
}

/** A note that a compaction keeps no earlier message, so that a caller can tell the user. */
export interface ContextFlag {
  /**
   * - `nothing-kept`: the compaction names no first kept node, so its summary replaces everything before it;
   * - `kept-off-path`: the first kept node is not above the compaction, with the same effect.
   */
  readonly code: 'nothing-kept' | 'kept-off-path';
  readonly nodeId: NodeId;
}

/** The last compaction of the path: the model sees its summary instead of the messages before it. */
export interface ActiveCompaction {
  readonly nodeId: NodeId;
  /** The summary as stored, without its wrapper. */
  readonly summary: string;
}

/** The part of a path that the model sees in full, as indexes. */
export interface ActiveRange {
  /** The index of the compaction; -1 without a compaction. */
  readonly at: number;
  /** The index where full messages start. */
  readonly start: number;
  readonly flag: ContextFlag | null;
}

/** Returns the part of a path that the model sees. Needs only metadata. */
export function findActiveRange(path: readonly PathMeta[]): ActiveRange {
  const at = indexOfLastCompaction(path);
  const marker = path[at];
  if (marker === undefined) return { at, start: 0, flag: null };
  const kept = indexOfFirstKept(path, at);
  if (kept !== undefined) return { at, start: kept, flag: null };
  const code = marker.marker?.firstKept === undefined ? 'nothing-kept' : 'kept-off-path';
  return { at, start: at + 1, flag: { code, nodeId: marker.id } };
}

export function toActiveCompaction(node: Node | undefined): ActiveCompaction | null {
  return node === undefined ? null : { nodeId: node.id, summary: node.message === null ? '' : textOf(node.message) };
}

/** Returns the recorded prompt nearest to the end of a path; undefined if no node from index `from` on has one. */
export function findNearestRecordedPrompt(path: readonly Pick<PathMeta, 'meta'>[], from = 0): string | undefined {
  for (let index = path.length - 1; index >= from; index--) {
    const recorded = path[index]?.meta.recordedPrompt;
    if (recorded !== undefined) return recorded;
  }
  return undefined;
}

/**
 * Returns the system prompt at the end of a path: the nearest recorded prompt, else the tree's. Only nodes that are
 * still sent and the compaction are searched. The path above the compaction may be missing, and the compaction has the
 * recorded prompt of the messages that it replaces.
 */
export function findSystemPrompt(
  path: readonly Pick<PathMeta, 'meta'>[],
  systemPrompt: string | undefined,
  { at, start }: Pick<ActiveRange, 'at' | 'start'> = { at: -1, start: 0 },
): string | undefined {
  return findNearestRecordedPrompt(path, at < 0 ? start : Math.min(at, start)) ?? systemPrompt;
}

/** Builds the first entries of a context: the system prompt, and the summary of the compaction. */
export function buildContextHead(
  systemPrompt: string | undefined,
  compaction: Node | undefined,
  kit: Pick<MessageKit, 'tokens'>,
  words: ContextTexts = contextTexts,
): ContextEntry[] {
  const head: ContextEntry[] = [];
  const push = (nodeId: NodeId | null, kind: ContextEntryKind, message: Message) =>
    head.push({ nodeId, kind, message, tokens: kit.tokens(message), reported: null });
  if (systemPrompt !== undefined && systemPrompt !== '')
    push(null, 'system-prompt', textMessage('system', systemPrompt));
  if (compaction?.message != null) push(compaction.id, 'summary', buildSummaryMessage(compaction.message, words));
  return head;
}

/** Returns the index of the last compaction that is not excluded; -1 without one. */
export function indexOfLastCompaction(path: readonly PathMeta[]): number {
  return path.findLastIndex((node) => node.kind === 'compaction' && node.meta.excluded !== true);
}

/** Returns the index of the first node that a compaction keeps; undefined if it keeps no node above it. */
export function indexOfFirstKept(path: readonly PathMeta[], at: number): number | undefined {
  const id = path[at]?.marker?.firstKept;
  if (id === undefined) return undefined;
  for (let index = at - 1; index >= 0; index--) if (path[index]?.id === id) return index;
  return undefined;
}

/** Whether a node adds a message to the context unless a compaction replaces it. */
export function isMessageEntry({ kind, meta }: Pick<PathMeta, 'kind' | 'meta'>): boolean {
  return (kind === 'message' || kind === 'injected' || kind === 'branch-summary') && meta.excluded !== true;
}

/**
 * Builds the context entry of a node, with its reported usage if that is still valid; undefined if the node adds no
 * message.
 */
export function buildContextEntry(
  node: Node,
  reported: number | null,
  kit: Pick<MessageKit, 'tokens'>,
  words: ContextTexts = contextTexts,
): ContextEntry | undefined {
  const { id, kind, message } = node;
  if (message === null || node.meta.excluded === true) return undefined;
  if (kind === 'branch-summary') {
    const shown = buildBranchSummaryMessage(message, words);
    return { nodeId: id, kind, message: shown, tokens: kit.tokens(shown), reported: null };
  }
  if (kind !== 'message' && kind !== 'injected') return undefined;
  return { nodeId: id, kind, message, tokens: node.tokens, reported };
}
