import {
  ask,
  type NodeId,
  type ReadProgram,
  readTree,
  type TopologyNode,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { defineTool } from '../define.ts';
import { makeToolError } from '../errors.ts';

/** Lets a model inspect its own chat: the branches and its current position. */
export const introspectTool = defineTool({
  name: 'introspect',
  description:
    'Describes this chat, which is a tree with branches: an overview, or a list of all its messages with their first words.',
  sideEffects: false,
  parameters: {
    type: 'object',
    properties: {
      level: {
        type: 'string',
        enum: ['overview', 'all'],
        description:
          'overview (the default) gives counts and the first messages; all lists every message of every branch.',
      },
    },
    additionalProperties: false,
  },
  run({ level }, { place }) {
    if (place === undefined)
      throw makeToolError('tool/failed', 'The tool was called outside of a chat, so there is nothing to inspect.');
    const { store, treeId, nodeId } = place;
    return store.read(treeId, () => describeTree(treeId, nodeId, level === 'all'));
  },
});

// At most this many branches and bookmarks are listed; the others are only counted, to keep the overview short.
const most = 20;

function* describeTree(treeId: TreeId, here: NodeId, all: boolean): ReadProgram<string> {
  const row = yield* readTree(treeId);
  const nodes = yield* ask('topology', { of: row.rootId });
  const { bookmarks } = yield* ask('subtreeInfo', { of: row.rootId });
  const path = new Set<string>();
  for (const node of (yield* ask('path', { to: here })).nodes) path.add(node.id);
  // Messages get numbers instead of ids, because these are shorter and models copy them correctly.
  const numbers = new Map<string, number>(nodes.map((node, index) => [node.id, index + 1]));
  const bookmarkTitles = new Map<string, string>(bookmarks.map((mark) => [mark.nodeId, mark.title]));
  const lines = [...treeOverview(row, nodes, path), ...markedLine(bookmarks, numbers)];
  if (!all) {
    const turns = nodes.filter((node) => node.parentId === row.rootId);
    lines.push('', 'First messages:', ...listNodes(turns, (node) => outlineLine(node, numbers, path, bookmarkTitles)));
    return lines.join('\n');
  }
  lines.push('', 'Messages (#number < #parent; * marks the path to the current message):');
  for (const node of nodes) lines.push(outlineLine(node, numbers, path, bookmarkTitles));
  return lines.join('\n');
}

function treeOverview(row: TreeRow, nodes: readonly TopologyNode[], path: ReadonlySet<string>): string[] {
  const { title, autoTitle, systemPrompt } = row.attributes;
  const leaves = nodes.filter((node) => !node.hasChildren).length;
  const forks = nodes.filter((node) => node.childCount > 1).length;
  const name = title ?? autoTitle;
  return [
    ...(name === undefined ? [] : [`Title: ${name}`]),
    `System prompt: ${systemPrompt === undefined || systemPrompt === '' ? 'none' : `${systemPrompt.length} characters`}`,
    `Messages: ${nodes.length} in all, ${path.size} on the path to the current message`,
    `Branches: ${leaves}, forking at ${forks} ${forks === 1 ? 'message' : 'messages'}`,
    `Tokens: about ${nodes.reduce((sum, node) => sum + node.tokens, 0)} in all`,
  ];
}

function markedLine(
  bookmarks: readonly { readonly nodeId: string; readonly title: string }[],
  numbers: ReadonlyMap<string, number>,
): string[] {
  if (bookmarks.length === 0) return [];
  return ['Bookmarks:', ...listNodes(bookmarks, (mark) => `#${numbers.get(mark.nodeId) ?? '?'} ${mark.title}`)];
}

function listNodes<T>(items: readonly T[], show: (item: T) => string): string[] {
  const shown = items.slice(0, most).map(show);
  return items.length > most ? [...shown, `… and ${items.length - most} more`] : shown;
}

function outlineLine(
  node: TopologyNode,
  numbers: ReadonlyMap<string, number>,
  path: ReadonlySet<string>,
  bookmarkTitles: ReadonlyMap<string, string>,
): string {
  const above = numbers.get(node.parentId);
  const status = node.status === 'success' ? '' : ` (${node.status})`;
  const bookmark = bookmarkTitles.get(node.id);
  return [
    `#${numbers.get(node.id) ?? '?'}`,
    above === undefined ? '' : ` < #${above}`,
    path.has(node.id) ? ' *' : '',
    ` ${node.kind === 'message' ? node.role : node.kind}${status}`,
    bookmark === undefined ? '' : ` [${bookmark}]`,
    `: ${node.preview}`,
  ].join('');
}
