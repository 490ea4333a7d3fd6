import { ask, treeId as asTreeId, run } from '@coppice/core';
import { defineCommand, optionArgument, optionalArgument, requiredArgument } from '../define.ts';
import { findNodeByName } from '../find-node.ts';
import { countOf, describeNode } from '../format.ts';

/** Copies messages to where the view is. */
export const cherryPick = defineCommand({
  name: 'cherry-pick',
  summary: 'Copies a message, or a range of a branch, to the end of the branch you are on.',
  parameters: {
    node: requiredArgument('node', 'The message, or the first of the range.'),
    to: optionalArgument('node', 'The last of the range, below the first.'),
    from: optionArgument('tree', 'The tree to pick from; this one if not given.'),
  },
  examples: [
    { line: '/cherry-pick 2', about: 'says what the second node says again here' },
    { line: '/cherry-pick 3f9a51c0 8d24e7b1', about: 'copies a range, named by the ends of its ids' },
  ],
  async run(scope, { node, to, from }) {
    const { store, treeId, activeNodeId, rootId } = scope;
    const source = from === undefined ? undefined : asTreeId(from.trim());
    const first = await findNodeByName(scope, node, source);
    const last = to === undefined ? undefined : await findNodeByName(scope, to, source);
    const { result } = await run(
      store,
      {
        type: 'cherry-pick',
        treeId,
        nodeId: first.id,
        parentId: activeNodeId ?? rootId,
        ...(last === undefined ? {} : { to: last.id }),
        ...(source === undefined ? {} : { from: source }),
      },
      scope.running(),
    );
    const picked = await store.read(treeId, () => ask('node', { id: result.nodeId }));
    const what = last === undefined ? describeNode(picked ?? first) : countOf(result.added.length, 'message');
    return {
      said: `Copied ${what} to the end of this branch.`,
      undo: '/undo',
      data: { nodeId: result.nodeId, added: result.added, from: { treeId: source ?? treeId, nodeId: first.id } },
      place: { treeId, activeNodeId: result.nodeId },
    };
  },
});
