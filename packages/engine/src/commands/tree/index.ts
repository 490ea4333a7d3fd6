import { ask, type NodeId, type ReadProgram } from '@coppice/core';
import type { CommandScope } from '../contract.ts';
import { choiceArgumentOf, defineCommand, optionArgument, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { countOf } from '../format.ts';
import { type CommandOutline, commandOutline, type OutlineFilter, outlineFilters, renderOutline } from '../outline.ts';

/** The conversation as an outline. */
export const tree = defineCommand({
  name: 'tree',
  summary: 'Shows the conversation as an outline: where branches begin, fork and end, and where you are.',
  parameters: {
    node: optionalArgument('node', 'Shows what is below this node only.'),
    filter: choiceArgumentOf('What is shown; folded if not given.', outlineFilters),
    limit: optionArgument('count', 'The most lines; 200 if not given.'),
  },
  examples: [
    { line: '/tree', about: 'the shape of it, long stretches folded' },
    { line: '/tree --filter user', about: 'what you asked, on every branch' },
    { line: '/tree "the oak" --filter all', about: 'everything below a label' },
  ],
  async run(scope, { node, filter = 'folded', limit = 200 }) {
    const from = node === undefined ? null : await findCommandPosition(scope, node);
    const { outline, total } = await scope.store.read(scope.treeId, () =>
      readOutline(scope, from?.id ?? scope.rootId, filter, limit),
    );
    const { entries, left } = outline;
    const where = from === null ? 'in the conversation' : 'from there on';
    const cut = left > 0 ? ` ${countOf(left, 'line')} did not fit: name a node, or a --limit.` : '';
    return {
      said: `${countOf(total, 'node')} ${where}, ${countOf(entries.length, 'line')} shown.${cut}`,
      data: { ...outline, filter, total },
      list: entries.map((entry) => entry.nodeId),
      text: renderOutline(outline),
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
  return { outline: commandOutline({ nodes, labels, current: activeNodeId, filter, limit }), total: nodes.length };
}
