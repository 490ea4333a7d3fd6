// Divides a tree into branches without forks, for outlines and pages.
import type { Message, Node } from '@coppice/core';
import { lastCharacterBoundary, truncateToLine } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';
import type { ExportedTree } from './contract.ts';
import { groupExportedNodesByParent } from './exporting.ts';

/** A run of messages without a fork inside, from a fork (or the first message) to the next fork or leaf. */
export interface ExportBranch {
  /** The number of the branch, from 1, in reading order. Each branch comes directly before its sub-branches. */
  readonly number: number;
  /** The number of the branch from which this branch forks; 0 for a branch that starts at the root. */
  readonly from: number;
  /** The number of forks above. */
  readonly depth: number;
  readonly nodes: readonly Node[];
  /** Whether the active node is in this branch or below it. */
  readonly current: boolean;
}

/**
 * Returns the branches of a tree depth first, siblings in order. Iterative, because forks may be as deep as the tree.
 */
export function listExportBranches(tree: ExportedTree): readonly ExportBranch[] {
  const children = groupExportedNodesByParent(tree);
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  const path = new Set<string>();
  for (let at = tree.activeNodeId === null ? undefined : byId.get(tree.activeNodeId); at !== undefined; ) {
    path.add(at.id);
    at = at.parentId === null ? undefined : byId.get(at.parentId);
  }
  const branches: ExportBranch[] = [];
  const first = tree.nodes.filter((node) => node.parentId === null || !byId.has(node.parentId));
  first.sort((a, b) => (a.position < b.position ? -1 : 1));
  const stack = first.reverse().map((node) => ({ node, from: 0, depth: 0 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const nodes: Node[] = [next.node];
    let below = children.get(next.node.id) ?? [];
    while (below.length === 1) {
      const [only] = below;
      if (only === undefined) break;
      nodes.push(only);
      below = children.get(only.id) ?? [];
    }
    const number = branches.length + 1;
    branches.push({ number, from: next.from, depth: next.depth, nodes, current: path.has(next.node.id) });
    for (const node of [...below].reverse()) stack.push({ node, from: number, depth: next.depth + 1 });
  }
  return branches;
}

/** Returns the beginning of a message as one line of at most `most` code units, with an ellipsis if it is longer. */
export function buildMessagePreview(message: Message | null, most = 80): string {
  let text = '';
  for (const block of message?.content ?? []) {
    const said = blockDefinitionOf(block).toText(block);
    text += `${said.slice(0, lastCharacterBoundary(said, most * 4))} `;
    if (text.length > most * 4) break;
  }
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= most) return line === '' ? '(nothing)' : line;
  return `${truncateToLine(line, most)}…`;
}

/** Returns the author of a node as an exported page shows it. */
export function formatSpeaker(node: Node): string {
  if (node.kind === 'compaction') return 'Summary of what came before';
  if (node.kind === 'branch-summary') return 'Summary of a branch';
  if (node.kind === 'injected') return 'Injected';
  const { source } = node.meta;
  const named = source === undefined ? undefined : (source.model_name ?? source.tool_name);
  const model = typeof named === 'string' && named !== 'unknown' ? ` · ${named}` : '';
  const roles = { user: 'User', assistant: `Assistant${model}`, tool: `Tool${model}`, system: 'System', root: '' };
  return roles[node.role];
}
