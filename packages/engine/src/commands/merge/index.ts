import { type Node, run } from '@coppice/core';
import type { BranchSummary, CommandScope } from '../contract.ts';
import { defineCommand, flagArgument, optionArgument, requiredArgument } from '../define.ts';
import { makeCommandError } from '../errors.ts';
import { findNodeByName } from '../find-node.ts';
import { describeNode } from '../format.ts';
import { findForkPoint } from '../move-to-node.ts';
import { makeCommandReport, makeCountValue, makeNodeValue, makePhrase } from '../phrases.ts';

export const mergeCommand = defineCommand({
  name: 'merge',
  summary: 'Merges another branch into the current one, as a summary or as its messages.',
  parameters: {
    node: requiredArgument('node', 'The last message of the branch to merge.'),
    messages: flagArgument('Copy its messages since the fork instead of a summary.'),
    focus: optionArgument('text', 'What the summary should focus on.'),
  },
  examples: [
    { line: '/merge 2', about: 'add a summary of the second branch of the list' },
    { line: '/merge 2 --messages', about: 'copy the messages that only that branch has' },
  ],
  questions: ['How do I merge another branch in a chat?', 'How do I get the result of another branch into this one?'],
  async run(scope, { node, messages, focus }) {
    if (messages && focus !== undefined)
      throw makeCommandError(
        'command/bad-arguments',
        'Use either --messages or --focus: only a summary can have a focus.',
      );
    const named = await findNodeByName(scope, node);
    const { store, treeId, activeNodeId, rootId } = scope;
    const asked = await scope.events.ask('merge', {
      treeId,
      nodeId: named.id,
      mode: messages ? 'messages' : 'summary',
      into: activeNodeId ?? rootId,
    });
    const tip = asked.nodeId === named.id ? named : await findNodeByName(scope, asked.nodeId);
    const isCopied = asked.mode === 'messages';
    const summary = isCopied ? null : await summariseMerge(scope, tip, focus, asked.summary);
    const { result } = await run(
      store,
      {
        type: 'merge',
        treeId,
        nodeId: tip.id,
        parentId: asked.into ?? activeNodeId ?? rootId,
        mode: asked.mode,
        ...(summary === null ? {} : { summary: summary.text }),
        ...(summary?.meta === undefined ? {} : { meta: summary.meta }),
        ...(summary?.details === undefined ? {} : { details: summary.details }),
      },
      scope.running(),
    );
    await scope.events.tell('merge', { treeId, nodeId: result.nodeId, added: result.added, mergedFrom: tip.id });
    const did = isCopied
      ? makePhrase('merged-as-messages', {
          node: makeNodeValue(tip),
          messages: makeCountValue(result.added.length, 'message'),
        })
      : makePhrase('merged-as-summary', { node: makeNodeValue(tip) });
    return {
      ...makeCommandReport(did),
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
  given: string | undefined,
): Promise<BranchSummary | null> {
  if (given !== undefined) return { text: given, meta: { source: { type: 'given' } } };
  const { store, treeId, activeNodeId, signal } = scope;
  const above = activeNodeId === null ? null : await store.read(treeId, () => findForkPoint(tip.id, activeNodeId));
  if (above === tip.id)
    throw makeCommandError('command/bad-arguments', `${describeNode(tip)} is already on the current branch.`, {
      nodeId: tip.id,
    });
  return scope.summarize({ store, treeId, above, leaf: tip.id, focus, signal });
}
