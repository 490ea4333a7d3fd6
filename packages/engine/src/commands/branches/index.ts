import { ask, type Node, type NodeId, type ReadProgram, type TopologyNode } from '@coppice/core';
import { previewOf } from '@coppice/core/tree';
import type { CommandScope } from '../contract.ts';
import { defineCommand, optionArgument } from '../define.ts';
import { quoteBeginning, stripControlCharacters } from '../format.ts';
import {
  makeAgeValue,
  makeCommandListing,
  makeCommandReport,
  makeCountValue,
  makePhrase,
  makeSpeakerPhrase,
  type PhraseLine,
} from '../phrases.ts';

/** A branch of the list, identified by its last node. */
export interface BranchListEntry {
  readonly nodeId: NodeId;
  readonly role: TopologyNode['role'];
  readonly kind: TopologyNode['kind'];
  readonly status: TopologyNode['status'];
  readonly preview: string;
  readonly label: string | null;
  readonly createdAt: number;
  /** The number of messages on the whole path, and (`own`) the number since the last fork. */
  readonly messages: number;
  readonly own: number;
  /** Whether the view is on this branch. */
  readonly current: boolean;
}

export const branchesCommand = defineCommand({
  name: 'branches',
  summary: 'Lists the branches of the chat, newest first, and marks the current one.',
  parameters: { limit: optionArgument('count', 'The maximum number of branches; 20 by default.') },
  examples: [
    { line: '/branches', about: 'list branches with numbers for /switch, /merge and other commands' },
    { line: '/branches --limit 100', about: 'list up to 100 branches' },
  ],
  questions: ['How do I list the branches of this chat?', 'Which branches does this chat have?'],
  async run(scope, { limit = 20 }) {
    const { rows, total } = await scope.store.read(scope.treeId, () => readBranches(scope, limit));
    const left = total - rows.length;
    const did =
      total < 2
        ? makePhrase(total === 0 ? 'no-branch' : 'one-branch')
        : left > 0
          ? makePhrase('branches-newest', { count: total, shown: rows.length })
          : makePhrase('branches', { count: total });
    const width = String(rows.length).length;
    return {
      ...makeCommandReport(did),
      data: { branches: rows, total },
      list: rows.map((row) => row.nodeId),
      ...makeCommandListing(
        rows.map((row, index) => [`${String(index + 1).padStart(width)}. `, ...branchLine(row, scope.now())]),
      ),
    };
  },
});

function branchLine(
  { kind, role, preview, label, status, createdAt, messages, own, current }: BranchListEntry,
  now: number,
): PhraseLine {
  const all = makeCountValue(messages, 'message');
  const name = label === null ? '' : ` [${stripControlCharacters(label)}]`;
  return [
    current ? '* ' : '  ',
    makeSpeakerPhrase({ kind, role, status }),
    `${name}${preview === '' ? '' : ` ${quoteBeginning(preview)}`} · `,
    own < messages
      ? makePhrase('messages-on-branch-own', { messages: all, own })
      : makePhrase('messages-on-branch', { messages: all }),
    // Entries of session files may have no timestamp.
    ...(createdAt === 0 ? [] : [' · ', makePhrase('age', { age: makeAgeValue(now - createdAt) })]),
  ];
}

function* readBranches(scope: CommandScope, limit: number): ReadProgram<{ rows: BranchListEntry[]; total: number }> {
  const { rootId, activeNodeId } = scope;
  const nodes = yield* ask('topology', { of: rootId });
  const { bookmarks } = yield* ask('subtreeInfo', { of: rootId });
  const labels = new Map<NodeId, string>(bookmarks.map((mark) => [mark.nodeId, mark.title]));
  const current = activeNodeId === null ? null : yield* ask('lastVisited', { from: activeNodeId });
  const shown: Node[] = [...(yield* ask('leaves', { limit }))];
  if (current !== null && !shown.some((node) => node.id === current)) {
    const here = yield* ask('node', { id: current });
    // The current branch is always listed; it replaces the oldest one if the list is full.
    if (here !== null) shown.splice(Math.min(shown.length, limit - 1), 1, here);
  }
  const counts = countMessages(nodes, rootId);
  const rows: BranchListEntry[] = [];
  for (const node of shown) {
    const { id, role, kind, status, createdAt } = node;
    const { messages = 0, own = 0 } = counts.get(id) ?? {};
    // The 1 claims a child, because the preview of a leaf would be the title that a model chose, not its text.
    const preview = previewOf(node, 1);
    const label = labels.get(id) ?? null;
    rows.push({ nodeId: id, role, kind, status, preview, label, createdAt, messages, own, current: id === current });
  }
  return { rows, total: nodes.filter((node) => !node.hasChildren).length };
}

/**
 * Counts, for each node, the messages on the path to it and those since the last fork. Walks from the root down, so
 * that each node is visited once.
 */
function countMessages(nodes: readonly TopologyNode[], rootId: NodeId) {
  const below = new Map<string, TopologyNode[]>();
  for (const node of nodes) {
    const siblings = below.get(node.parentId);
    if (siblings === undefined) below.set(node.parentId, [node]);
    else siblings.push(node);
  }
  const counts = new Map<string, { readonly messages: number; readonly own: number }>();
  const waiting: string[] = [rootId];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const above = counts.get(id) ?? { messages: 0, own: 0 };
    const children = below.get(id) ?? [];
    for (const child of children) {
      const one = child.kind === 'message' ? 1 : 0;
      counts.set(child.id, { messages: above.messages + one, own: (children.length > 1 ? 0 : above.own) + one });
      waiting.push(child.id);
    }
  }
  return counts;
}
