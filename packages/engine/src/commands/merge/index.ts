import { type Node, run } from '@coppice/core';
import type { BranchSummary, CommandScope } from '../contract.ts';
import { defineCommand, flag, needed, option } from '../define.ts';
import { commandError } from '../errors.ts';
import { findNode } from '../find-node.ts';
import { forkOf } from '../go-to.ts';
import { counted, named } from '../say.ts';

/** Brings a side branch back. */
export const merge = defineCommand({
  name: 'merge',
  summary: 'Brings another branch back to the one you are on: as a summary, or as its messages.',
  parameters: {
    node: needed('node', 'The end of the branch that is brought back.'),
    messages: flag('Copies its messages since the fork instead of summing them up.'),
    focus: option('text', 'What the summary is to dwell on.'),
  },
  examples: [
    { line: '/merge 2', about: 'adds a summary of the second branch of the list' },
    { line: '/merge 2 --messages', about: 'copies what that branch has and this one has not' },
  ],
  async run(scope, { node, messages, focus }) {
    if (messages && focus !== undefined)
      throw commandError('command/bad-arguments', 'Messages are copied as they are: --messages or --focus.');
    const tip = await findNode(scope, node);
    const { store, treeId, activeNodeId, rootId } = scope;
    const summary = messages ? null : await summed(scope, tip, focus);
    const { result } = await run(
      store,
      {
        type: 'merge',
        treeId,
        nodeId: tip.id,
        parentId: activeNodeId ?? rootId,
        ...(messages ? { mode: 'messages' } : {}),
        ...(summary === null ? {} : { summary: summary.text }),
        ...(summary?.meta === undefined ? {} : { meta: summary.meta }),
        ...(summary?.details === undefined ? {} : { details: summary.details }),
      },
      scope.running(),
    );
    const how = messages ? `as ${counted(result.added.length, 'message')}` : 'as a summary';
    return {
      said: `Brought the branch that ends with ${named(tip)} back, ${how}.`,
      undo: '/undo',
      data: { nodeId: result.nodeId, added: result.added, mergedFrom: tip.id },
      place: { treeId, activeNodeId: result.nodeId },
    };
  },
});

async function summed(scope: CommandScope, tip: Node, focus: string | undefined): Promise<BranchSummary | null> {
  const { store, treeId, activeNodeId, signal } = scope;
  const above = activeNodeId === null ? null : await store.read(treeId, () => forkOf(tip.id, activeNodeId));
  if (above === tip.id)
    throw commandError('command/bad-arguments', `${named(tip)} is on the branch you are on already.`, {
      nodeId: tip.id,
    });
  return scope.summarize({ store, treeId, above, leaf: tip.id, focus, signal });
}
