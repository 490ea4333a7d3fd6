import { type Node, run } from '@coppice/core';
import type { BranchSummary, CommandScope } from '../contract.ts';
import { defineCommand, flagArgument, optionArgument, requiredArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { countOf, describeNode } from '../format.ts';
import { forkPointOf } from '../go-to.ts';

/** Brings a side branch back. */
export const merge = defineCommand({
  name: 'merge',
  summary: 'Brings another branch back to the one you are on: as a summary, or as its messages.',
  parameters: {
    node: requiredArgument('node', 'The end of the branch that is brought back.'),
    messages: flagArgument('Copies its messages since the fork instead of summing them up.'),
    focus: optionArgument('text', 'What the summary is to dwell on.'),
  },
  examples: [
    { line: '/merge 2', about: 'adds a summary of the second branch of the list' },
    { line: '/merge 2 --messages', about: 'copies what that branch has and this one has not' },
  ],
  async run(scope, { node, messages, focus }) {
    if (messages && focus !== undefined)
      throw commandError('command/bad-arguments', 'Messages are copied as they are: --messages or --focus.');
    const tip = await findNodeByName(scope, node);
    const { store, treeId, activeNodeId, rootId } = scope;
    const summary = messages ? null : await summariseMerge(scope, tip, focus);
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
    const how = messages ? `as ${countOf(result.added.length, 'message')}` : 'as a summary';
    return {
      said: `Brought the branch that ends with ${describeNode(tip)} back, ${how}.`,
      undo: '/undo',
      data: { nodeId: result.nodeId, added: result.added, mergedFrom: tip.id },
      place: { treeId, activeNodeId: result.nodeId },
    };
  },
});

async function summariseMerge(
  scope: CommandScope,
  tip: Node,
  focus: string | undefined,
): Promise<BranchSummary | null> {
  const { store, treeId, activeNodeId, signal } = scope;
  const above = activeNodeId === null ? null : await store.read(treeId, () => forkPointOf(tip.id, activeNodeId));
  if (above === tip.id)
    throw commandError('command/bad-arguments', `${describeNode(tip)} is on the branch you are on already.`, {
      nodeId: tip.id,
    });
  return scope.summarize({ store, treeId, above, leaf: tip.id, focus, signal });
}
