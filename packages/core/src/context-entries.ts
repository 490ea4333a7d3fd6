/** What a path gives to a context, node by node, and which part of it is in force. */
import type { TokenCount } from './budget.ts';
import { branchSummaryMessage, type ContextTexts, contextTexts, summaryMessage } from './context-wrappers.ts';
import type { NodeId } from './ids.ts';
import { type Message, type MessageKit, textMessage, textOf } from './message.ts';
import type { Node } from './node.ts';
import type { PathMeta } from './reads.ts';

/** Why an entry is in force. A `summary` is a compaction's and stands for all that was before. */
export type ContextKind = 'system-prompt' | 'message' | 'summary' | 'branch-summary' | 'injected';

/** One message that a model sees, and where it comes from. */
export interface ContextEntry extends TokenCount {
  /** Null for the system prompt, which belongs to the tree. */
  readonly nodeId: NodeId | null;
  readonly kind: ContextKind;
  /** As the model sees it: summaries are wrapped. */
  readonly message: Message;
  /** The node whose text goes on here, where a split or an edit by prefix cut it; the two are joined with nothing. */
  readonly continues?: NodeId;
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
export interface ActiveCompaction {
  readonly nodeId: NodeId;
  /** Its summary as it is stored, without marks. */
  readonly summary: string;
}

/** Which part of a path is in force. */
export interface ActiveRange {
  /** Where its compaction stands; below zero where there is none. */
  readonly at: number;
  /** Where what is said word by word begins. */
  readonly start: number;
  readonly flag: ContextFlag | null;
}

/** Which part of a path is in force; told by what is noted on it alone. */
export function activeRange(path: readonly PathMeta[]): ActiveRange {
  const at = lastCompaction(path);
  const marker = path[at];
  if (marker === undefined) return { at, start: 0, flag: null };
  const kept = firstKept(path, at);
  if (kept !== undefined) return { at, start: kept, flag: null };
  const code = marker.marker?.firstKept === undefined ? 'nothing-kept' : 'kept-off-path';
  return { at, start: at + 1, flag: { code, nodeId: marker.id } };
}

/** A compaction as it is in force. */
export function compactionOf(node: Node | undefined): ActiveCompaction | null {
  return node === undefined ? null : { nodeId: node.id, summary: node.message === null ? '' : textOf(node.message) };
}

/** What stands before all else that a model sees: the system prompt, and the summary of the compaction in force. */
export function contextHead(
  systemPrompt: string | undefined,
  compaction: Node | undefined,
  kit: Pick<MessageKit, 'tokens'>,
  words: ContextTexts = contextTexts,
): ContextEntry[] {
  const head: ContextEntry[] = [];
  const push = (nodeId: NodeId | null, kind: ContextKind, message: Message) =>
    head.push({ nodeId, kind, message, tokens: kit.tokens(message), reported: null });
  if (systemPrompt !== undefined && systemPrompt !== '')
    push(null, 'system-prompt', textMessage('system', systemPrompt));
  if (compaction?.message != null) push(compaction.id, 'summary', summaryMessage(compaction.message, words));
  return head;
}

/** The last compaction that is not excluded; an excluded one is as if it had never been made. */
export function lastCompaction(path: readonly PathMeta[]): number {
  return path.findLastIndex((node) => node.kind === 'compaction' && node.meta.excluded !== true);
}

/** Where the part begins that the compaction at an index keeps; undefined if it keeps nothing that lies above it. */
export function firstKept(path: readonly PathMeta[], at: number): number | undefined {
  const id = path[at]?.marker?.firstKept;
  if (id === undefined) return undefined;
  for (let index = at - 1; index >= 0; index--) if (path[index]?.id === id) return index;
  return undefined;
}

/** Whether a node gives something to a context, unless a compaction stands for it. */
export function isMessageEntry({ kind, meta }: Pick<PathMeta, 'kind' | 'meta'>): boolean {
  return (kind === 'message' || kind === 'injected' || kind === 'branch-summary') && meta.excluded !== true;
}

/** What a node gives to a context, with the usage that was reported with it and still holds. Undefined where nothing. */
export function contextEntry(
  node: Node,
  reported: number | null,
  kit: Pick<MessageKit, 'tokens'>,
  words: ContextTexts = contextTexts,
): ContextEntry | undefined {
  const { id, kind, message } = node;
  if (message === null || node.meta.excluded === true) return undefined;
  if (kind === 'branch-summary') {
    const shown = branchSummaryMessage(message, words);
    return { nodeId: id, kind, message: shown, tokens: kit.tokens(shown), reported: null };
  }
  if (kind !== 'message' && kind !== 'injected') return undefined;
  return { nodeId: id, kind, message, tokens: node.tokens, reported };
}
