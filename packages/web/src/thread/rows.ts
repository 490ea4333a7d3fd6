/** Converts a path to rows of a thread: tool results are shown in the card of their call. */
import { joinTextBlocks } from '@coppice/client';
import { isToolUse, type Message, type Node, type NodeId } from '@coppice/core';

export interface ThreadRow {
  readonly node: Node;
  readonly kind: 'message' | 'compaction' | 'brought' | 'note';
  /** Whether the row continues the turn above it, after a tool result. */
  readonly goesOn: boolean;
  /** The nodes with the results of this row's tool calls, by the id of the call. */
  readonly results: ReadonlyMap<string, Node>;
  /** The last node of the row: the message, or its last tool result. */
  readonly end: NodeId;
}

function rowKind(node: Node): ThreadRow['kind'] {
  if (node.kind === 'compaction') return 'compaction';
  if (node.kind === 'branch-summary') return 'brought';
  return node.kind === 'message' ? 'message' : 'note';
}

function callsInRow(node: Node): ReadonlySet<string> {
  const calls = new Set<string>();
  for (const block of node.message?.content ?? []) if (isToolUse(block)) calls.add(block.id);
  return calls;
}

/** Builds the rows of a path. A result without its call is a row of its own. */
export function buildThreadRows(path: readonly Node[]): readonly ThreadRow[] {
  const rows: ThreadRow[] = [];
  let results = new Map<string, Node>();
  let calls: ReadonlySet<string> = new Set();
  for (const node of path) {
    if (node.kind === 'state' || node.kind === 'root') continue;
    const call = node.message?.tool_call_id;
    const last = rows.at(-1);
    if (node.role === 'tool' && call !== undefined && calls.has(call) && last !== undefined) {
      results.set(call, node);
      rows[rows.length - 1] = { ...last, end: node.id };
      continue;
    }
    const goesOn = node.role === 'assistant' && last?.node.role === 'assistant' && last.results.size > 0;
    results = new Map();
    calls = callsInRow(node);
    rows.push({ node, kind: rowKind(node), goesOn, results, end: node.id });
  }
  return rows;
}

/** The text of a message: its text blocks joined, with their Markdown. */
export function plainTextOf(message: Message | null): string {
  return message === null ? '' : joinTextBlocks(message);
}
