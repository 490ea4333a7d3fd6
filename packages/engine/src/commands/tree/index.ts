import { ask, type NodeId, type ReadProgram } from '@coppice/core';
import type { CommandScope } from '../contract.ts';
import { choiceOption, defineCommand, optionArgument, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import {
  buildCommandOutline,
  type CommandOutline,
  type OutlineFilter,
  outlineFilters,
  renderOutlineLines,
} from '../outline.ts';
import { makeCommandListing, makeCommandReport, makeCountValue, makePhrase } from '../phrases.ts';

export const treeCommand = defineCommand({
  name: 'tree',
  summary: 'Shows the chat as an outline: where branches begin, fork and end, and the current message.',
  parameters: {
    node: optionalArgument('node', 'Show only what is below this message.'),
    filter: choiceOption('What to show; folded by default.', outlineFilters),
    limit: optionArgument('count', 'The maximum number of lines; 200 by default.'),
  },
  examples: [
    { line: '/tree', about: 'show the outline, with long runs folded' },
    { line: '/tree --filter user', about: 'show your messages on all branches' },
    { line: '/tree "the oak" --filter all', about: 'show everything below a label' },
  ],
  questions: ['How do I see the outline of a chat?', 'How do I see all branches at once in a chat?'],
  async run(scope, { node, filter = 'folded', limit = 200 }) {
    const from = node === undefined ? null : await findCommandPosition(scope, node);
    const { outline, total } = await scope.store.read(scope.treeId, () =>
      readOutline(scope, from?.id ?? scope.rootId, filter, limit),
    );
    const { entries, left } = outline;
    const counts = { nodes: makeCountValue(total, 'node'), lines: makeCountValue(entries.length, 'line') };
    const cut = left > 0 ? [makePhrase('lines-not-shown', { lines: makeCountValue(left, 'line') })] : [];
    return {
      ...makeCommandReport(makePhrase(from === null ? 'nodes-in-conversation' : 'nodes-from-there', counts), ...cut),
      data: { ...outline, filter, total },
      list: entries.map((entry) => entry.nodeId),
      ...makeCommandListing(renderOutlineLines(outline)),
    };
  },
});

function* readOutline(
  { rootId, activeNodeId }: CommandScope,
  from: NodeId,
  filter: OutlineFilter,
  limit: number,
): ReadProgram<{ readonly outline: CommandOutline; readonly total: number }> {
  const nodes = yield* ask('topology', { of: from });
  const { bookmarks } = yield* ask('subtreeInfo', { of: rootId });
  const labels = new Map<NodeId, string>(bookmarks.map((mark) => [mark.nodeId, mark.title]));
  return { outline: buildCommandOutline({ nodes, labels, current: activeNodeId, filter, limit }), total: nodes.length };
}
