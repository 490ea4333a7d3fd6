import { ask, type NodeId, type Reading } from '@coppice/core';
import type { CommandScope } from '../contract.ts';
import { choice, defineCommand, maybe, option } from '../define.ts';
import { findPlace } from '../find-node.ts';
import { type Outline, type OutlineFilter, outlineFilters, outlineOf, renderOutline } from '../outline.ts';
import { counted } from '../say.ts';

/** The conversation as an outline. */
export const tree = defineCommand({
  name: 'tree',
  summary: 'Shows the conversation as an outline: where branches begin, fork and end, and where you are.',
  parameters: {
    node: maybe('node', 'Shows what is below this node only.'),
    filter: choice('What is shown; folded if not given.', outlineFilters),
    limit: option('count', 'The most lines; 200 if not given.'),
  },
  examples: [
    { line: '/tree', about: 'the shape of it, long stretches folded' },
    { line: '/tree --filter user', about: 'what you asked, on every branch' },
    { line: '/tree "the oak" --filter all', about: 'everything below a label' },
  ],
  async run(scope, { node, filter = 'folded', limit = 200 }) {
    const from = node === undefined ? null : await findPlace(scope, node);
    const { outline, total } = await scope.store.read(scope.treeId, () =>
      readOutline(scope, from?.id ?? scope.rootId, filter, limit),
    );
    const { entries, left } = outline;
    const where = from === null ? 'in the conversation' : 'from there on';
    const cut = left > 0 ? ` ${counted(left, 'line')} did not fit: name a node, or a --limit.` : '';
    return {
      said: `${counted(total, 'node')} ${where}, ${counted(entries.length, 'line')} shown.${cut}`,
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
): Reading<{ readonly outline: Outline; readonly total: number }> {
  const nodes = yield* ask('topology', { of: from });
  const { bookmarks } = yield* ask('inside', { of: rootId });
  const labels = new Map<NodeId, string>(bookmarks.map((mark) => [mark.nodeId, mark.title]));
  return { outline: outlineOf({ nodes, labels, current: activeNodeId, filter, limit }), total: nodes.length };
}
