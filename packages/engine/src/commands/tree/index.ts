import { ask, type NodeId, type ReadProgram } from '@coppice/core';
import type { CommandScope } from '../contract.ts';
import { choiceArgumentOf, defineCommand, optionArgument, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { type CommandOutline, commandOutline, type OutlineFilter, outlineFilters, outlineLines } from '../outline.ts';
import { counted, listing, phrase, report } from '../phrases.ts';

/** Shows the chat as an outline. */
export const tree = defineCommand({
  name: 'tree',
  summary: 'Shows the chat as an outline: where branches begin, fork and end, and the current message.',
  parameters: {
    node: optionalArgument('node', 'Show only what is below this message.'),
    filter: choiceArgumentOf('What to show; folded by default.', outlineFilters),
    limit: optionArgument('count', 'The maximum number of lines; 200 by default.'),
  },
  examples: [
    { line: '/tree', about: 'show the outline, with long runs folded' },
    { line: '/tree --filter user', about: 'show your messages on all branches' },
    { line: '/tree "the oak" --filter all', about: 'show everything below a label' },
  ],
  async run(scope, { node, filter = 'folded', limit = 200 }) {
    const from = node === undefined ? null : await findCommandPosition(scope, node);
    const { outline, total } = await scope.store.read(scope.treeId, () =>
      readOutline(scope, from?.id ?? scope.rootId, filter, limit),
    );
    const { entries, left } = outline;
    const counts = { nodes: counted(total, 'node'), lines: counted(entries.length, 'line') };
    const cut = left > 0 ? [phrase('lines-not-shown', { lines: counted(left, 'line') })] : [];
    return {
      ...report(phrase(from === null ? 'nodes-in-conversation' : 'nodes-from-there', counts), ...cut),
      data: { ...outline, filter, total },
      list: entries.map((entry) => entry.nodeId),
      ...listing(outlineLines(outline)),
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
