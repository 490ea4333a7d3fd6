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

/** Lets a model inspect its own conversation: the branches and its current position. */
export const introspectTool = defineTool({
  name: 'introspect',
  description:
    'Looks at this conversation, which is a tree with branches: an overview of it, or a list of all its messages with their first words.',
  sideEffects: false,
  parameters: {
    type: 'object',
    properties: {
      level: {
        type: 'string',
        enum: ['overview', 'all'],
        description: 'overview (the default) counts and names what there is; all lists every message of every branch.',
      },
    },
    additionalProperties: false,
  },
  run({ level }, { place }) {
    if (place === undefined) throw makeToolError('tool/failed', 'There is no conversation to inspect.');
    const { store, treeId, nodeId } = place;
    return store.read(treeId, () => describeTree(treeId, nodeId, level === 'all'));
  },
});

// To keep the overview short, only this many branches and bookmarks are listed; the rest is counted.
const most = 20;

function* describeTree(treeId: TreeId, here: NodeId, all: boolean): ReadProgram<string> {
  const row = yield* readTree(treeId);
  const nodes = yield* ask('topology', { of: row.rootId });
  const { bookmarks } = yield* ask('subtreeInfo', { of: row.rootId });
  const way = new Set<string>();
  for (const node of (yield* ask('path', { to: here })).nodes) way.add(node.id);
  // Numbers instead of ids: they are shorter, and models copy them correctly.
  const numbers = new Map<string, number>(nodes.map((node, index) => [node.id, index + 1]));
  const called = new Map<string, string>(bookmarks.map((mark) => [mark.nodeId, mark.title]));
  const lines = [...treeOverview(row, nodes, way), ...markedLine(bookmarks, numbers)];
  if (!all) {
    const turns = nodes.filter((node) => node.parentId === row.rootId);
    lines.push('', 'Beginnings:', ...listNodes(turns, (node) => outlineLine(node, numbers, way, called)));
    return lines.join('\n');
  }
  lines.push('', 'Messages (number < the one it follows; * on the way to here):');
  for (const node of nodes) lines.push(outlineLine(node, numbers, way, called));
  return lines.join('\n');
}

function treeOverview(row: TreeRow, nodes: readonly TopologyNode[], way: ReadonlySet<string>): string[] {
  const { title, autoTitle, systemPrompt } = row.attributes;
  const leaves = nodes.filter((node) => !node.hasChildren).length;
  const forks = nodes.filter((node) => node.childCount > 1).length;
  const name = title ?? autoTitle;
  return [
    ...(name === undefined ? [] : [`Title: ${name}`]),
    `System prompt: ${systemPrompt === undefined || systemPrompt === '' ? 'none' : `${systemPrompt.length} characters`}`,
    `Messages: ${nodes.length} in all, ${way.size} on the way to here`,
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
  way: ReadonlySet<string>,
  called: ReadonlyMap<string, string>,
): string {
  const above = numbers.get(node.parentId);
  const status = node.status === 'success' ? '' : ` (${node.status})`;
  const bookmark = called.get(node.id);
  return [
    `#${numbers.get(node.id) ?? '?'}`,
    above === undefined ? '' : ` < #${above}`,
    way.has(node.id) ? ' *' : '',
    ` ${node.kind === 'message' ? node.role : node.kind}${status}`,
    bookmark === undefined ? '' : ` [${bookmark}]`,
    `: ${node.preview}`,
  ].join('');
}
