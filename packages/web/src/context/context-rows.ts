/** The lines of the inspector: what is in force, what is left out in its place, and what a summary stands for. */
import { type ContextEntry, isToolUse, type Node } from '@coppice/core';
import { t } from '../i18n/index.ts';
import type { ContextAnswer } from '../state/api-types.ts';
import { type LoadedBranch, pathToNode } from '../state/loaded-branch.ts';
import { replySourceOf } from '../state/reply-source.ts';
import { plainTextOf } from '../thread/rows.ts';
import { isHead } from './use-context-answer.ts';

/** A line. */
export interface ContextTableRow {
  readonly key: string;
  /** Null for what is left out. */
  readonly entry: ContextEntry | null;
  readonly node: Node | undefined;
  readonly tokens: number;
  /** Older messages that a summary stands for; null where nobody has counted them. */
  readonly folded: number | null;
}

const ordinary = { folded: 0 } as const;

/** The entries that are read, with what is left out in its place, and the older messages as one line. */
export function rowsOfContext(answer: ContextAnswer, part: LoadedBranch): readonly ContextTableRow[] {
  const path = pathToNode(part);
  const inForce = new Map(answer.entries.map((entry) => [entry.nodeId, entry]));
  const rows: ContextTableRow[] = [];
  for (const entry of answer.entries)
    if (entry.kind === 'system-prompt')
      rows.push({ key: 'system', entry, node: undefined, tokens: entry.tokens, ...ordinary });
  // Above the page all may be in force: nothing there is told before it is read.
  const from = answer.before === null ? 0 : path.findIndex((node) => node.id === answer.before);
  const after: ContextTableRow[] = [];
  const seen = new Set<string>();
  let folded = 0;
  for (const node of path.slice(Math.max(0, from))) {
    const entry = inForce.get(node.id);
    if (entry !== undefined && isHead(entry)) continue;
    if (entry !== undefined) {
      seen.add(node.id);
      after.push({ key: node.id, entry, node, tokens: entry.tokens, ...ordinary });
    } else if (node.meta.excluded === true && node.message !== null)
      after.push({ key: node.id, entry: null, node, tokens: node.tokens, ...ordinary });
    else if (node.kind === 'message') folded++;
  }
  const summary = answer.entries.find((entry) => entry.kind === 'summary');
  if (summary !== undefined) {
    const counted = part.before === null && answer.before === null;
    if (!counted || folded > 0)
      rows.push({ key: 'folded', entry: null, node: undefined, tokens: 0, folded: counted ? folded : null });
    rows.push({
      key: summary.nodeId ?? 'summary',
      entry: summary,
      node: summary.nodeId === null ? undefined : part.nodes.get(summary.nodeId),
      tokens: summary.tokens,
      ...ordinary,
    });
  }
  for (const entry of answer.entries)
    if (!isHead(entry) && entry.nodeId !== null && !seen.has(entry.nodeId))
      rows.push({ key: entry.nodeId, entry, node: part.nodes.get(entry.nodeId), tokens: entry.tokens, ...ordinary });
  return [...rows, ...after];
}

/** Who says it. */
export function entryName(row: ContextTableRow): string {
  const { entry, node } = row;
  if (entry?.kind === 'system-prompt') return t('system');
  if (entry?.kind === 'summary') return t('compaction');
  if (entry?.kind === 'branch-summary') return t('broughtBackShort');
  const role = entry?.message.role ?? node?.role;
  if (role === 'user') return t('you');
  if (role === 'tool') return t('toolResult');
  return (node === undefined ? null : replySourceOf(node.meta).model) ?? t('model');
}

/** What a line says: the words of the message, or the calls that it makes instead. */
export function contextText({ entry, node }: ContextTableRow): string {
  // The wrapping that a model gets around a summary is for the model.
  if (entry === null || (entry.kind !== 'message' && node !== undefined)) return node?.text ?? '';
  const words = plainTextOf(entry.message);
  if (words !== '') return words;
  const calls = entry.message.content.filter(isToolUse);
  if (calls.length > 0) return calls.map((call) => `${call.name} ${JSON.stringify(call.parameters)}`).join(', ');
  return entry.message.content.map((block) => block.type).join(', ');
}
