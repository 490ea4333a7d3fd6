import { refuse } from '@coppice/core';
import { defineCommand, optionalArgument } from '../define.ts';
import { countOf } from '../format.ts';

/** Has older messages give way to a summary. */
export const compact = defineCommand({
  name: 'compact',
  summary: 'Sums up the older messages of this branch, so that the model has room again. Nothing is lost.',
  parameters: { focus: optionalArgument('text', 'What the summary is to dwell on.') },
  examples: [
    { line: '/compact', about: 'makes room' },
    { line: '/compact keep the names of the files', about: 'and says what must not get lost' },
  ],
  async run(scope, { focus }) {
    const { store, treeId, activeNodeId, actor, signal } = scope;
    if (activeNodeId === null)
      return refuse('context/nothing-to-compact', 'There is nothing to compact before the first message.', { treeId });
    const request = { store, treeId, nodeId: activeNodeId, focus, actor, actId: scope.newAct(), signal };
    const { nodeId, tokensBefore, tokensAfter, summarised } = await scope.compact(request);
    return {
      said: `${countOf(summarised, 'message')} gave way to a summary: about ${countOf(tokensAfter, 'token')} are in force, ${tokensBefore.toLocaleString('en')} were before. Nothing left the tree.`,
      undo: '/undo',
      data: { nodeId, tokensBefore, tokensAfter, summarised },
      place: { treeId, activeNodeId: nodeId },
    };
  },
});
