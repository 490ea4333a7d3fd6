/**
 * The rows of the context screen: messages in the context, excluded messages in their place, and what a summary
 * replaces.
 */
import { type ContextAnswer, type LoadedBranch, loadedPath, replySourceOf } from '@coppice/client';
import { type ContextEntry, isToolUse, type Node } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { plainTextOf } from '../thread/rows.ts';
import { isEntryOnEveryPage } from './use-next-context.ts';

export interface ContextTableRow {
  readonly key: string;
  /** Null for an excluded message. */
  readonly entry: ContextEntry | null;
  readonly node: Node | undefined;
  readonly tokens: number;
  /** The number of older messages that a summary replaces; null if the server did not count them. */
  readonly folded: number | null;
}

const ordinary = { folded: 0 } as const;

/** The loaded entries, with excluded messages in their place, and the older messages as one row. */
export function buildContextRows(answer: ContextAnswer, part: LoadedBranch): readonly ContextTableRow[] {
  const path = loadedPath(part);
  const inForce = new Map(answer.entries.map((entry) => [entry.nodeId, entry]));
  const rows: ContextTableRow[] = [];
  for (const entry of answer.entries)
    if (entry.kind === 'system-prompt')
      rows.push({ key: 'system', entry, node: undefined, tokens: entry.tokens, ...ordinary });
  // A message above the loaded page may be in the context, so it is not shown as excluded.
  const from = answer.before === null ? 0 : path.findIndex((node) => node.id === answer.before);
  const after: ContextTableRow[] = [];
  const seen = new Set<string>();
  let folded = 0;
  for (const node of path.slice(Math.max(0, from))) {
    const entry = inForce.get(node.id);
    if (entry !== undefined && isEntryOnEveryPage(entry)) continue;
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
    if (!isEntryOnEveryPage(entry) && entry.nodeId !== null && !seen.has(entry.nodeId))
      rows.push({ key: entry.nodeId, entry, node: part.nodes.get(entry.nodeId), tokens: entry.tokens, ...ordinary });
  return [...rows, ...after];
}

/** Returns the author of a row: a role, a model, or what kind of summary it is. */
export function authorOfContextRow(row: ContextTableRow): string {
  const { entry, node } = row;
  if (entry?.kind === 'system-prompt') return t('system');
  if (entry?.kind === 'summary') return t('compaction');
  if (entry?.kind === 'branch-summary') return t('mergedShort');
  const role = entry?.message.role ?? node?.role;
  if (role === 'user') return t('you');
  if (role === 'tool') return t('toolResult');
  return (node === undefined ? null : replySourceOf(node.meta).model) ?? t('model');
}

/** The text of a row: that of the message, or its tool calls. */
export function textOfContextRow({ entry, node }: ContextTableRow): string {
  // The wrapper text around a summary is only for the model.
  if (entry === null || (entry.kind !== 'message' && node !== undefined)) return node?.text ?? '';
  const words = plainTextOf(entry.message);
  if (words !== '') return words;
  const calls = entry.message.content.filter(isToolUse);
  if (calls.length > 0) return calls.map((call) => `${call.name} ${JSON.stringify(call.parameters)}`).join(', ');
  return entry.message.content.map((block) => block.type).join(', ');
}
