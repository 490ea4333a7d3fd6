/** Builds a session's tree for display: a flat list, parents before children, with shortened texts. */
import type { SessionIndex } from '@coppice/content/sessions';
import { isToolUse, textOf, truncateToLine } from '@coppice/core';
import type { SessionStats, SessionTree, SessionTreeNode } from './contract.ts';

const previewLength = 120;

export function buildSessionTree(index: SessionIndex, leaf: number): SessionTree {
  const { file } = index;
  const path = new Set(index.path(leaf));
  const nodes: SessionTreeNode[] = [];
  const open = [...index.children(0)].reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const below = index.children(at);
    const entry = file.entryAt(at);
    const { message, kind } = index.decodedAt(at);
    nodes.push({
      uuid: file.uuidAt(at),
      parentUuid: file.uuidAt(index.parent(at)),
      type: entry.type,
      role: kind === 'message' ? message.role : null,
      preview: truncateToLine(textOf(message), previewLength),
      timestamp: entry.timestamp ?? null,
      label: index.labels.get(at)?.title ?? null,
      children: below.map((child) => file.uuidAt(child)),
      onPath: path.has(at),
    });
    for (let child = below.length - 1; child >= 0; child--) open.push(below[child] ?? at);
  }
  return { root: file.header.uuid, leaf: file.uuidAt(leaf), nodes };
}

/** Counts entries, messages and tokens of all branches. */
export function computeSessionStats(index: SessionIndex): SessionStats {
  const { file } = index;
  const count = { entries: 0, user: 0, assistant: 0, toolCalls: 0, toolResults: 0, branches: 0 };
  let [inputTokens, outputTokens] = [0, 0];
  for (let at = 1; at < file.size; at++) {
    if (!index.isLive(at)) continue;
    count.entries++;
    if (index.children(at).length === 0) count.branches++;
    if (file.typeAt(at) !== 'message') continue;
    const { message, meta } = index.decodedAt(at);
    if (message.role === 'user') count.user++;
    else if (message.role === 'tool') count.toolResults++;
    else if (message.role === 'assistant') {
      count.assistant++;
      for (const block of message.content) if (isToolUse(block)) count.toolCalls++;
    }
    const usage = meta.source?.usage;
    if (typeof usage !== 'object' || usage === null) continue;
    inputTokens += usageFigure(usage, 'inputTokens');
    outputTokens += usageFigure(usage, 'outputTokens');
  }
  return {
    path: file.path,
    id: file.header.id,
    ...count,
    labels: index.labels.size,
    inputTokens,
    outputTokens,
    warnings: file.warnings,
  };
}

function usageFigure(usage: object, key: string): number {
  const value: unknown = Object.getOwnPropertyDescriptor(usage, key)?.value;
  return typeof value === 'number' ? value : 0;
}
