import { refuse } from '@coppice/core';
import { defineCommand, optionalArgument } from '../define.ts';
import { makeCommandReport, makeCountValue, makePhrase } from '../phrases.ts';

export const compactCommand = defineCommand({
  name: 'compact',
  summary: 'Summarises older messages of this branch to free space in the context window. Nothing is deleted.',
  parameters: { focus: optionalArgument('text', 'What the summary should focus on.') },
  examples: [
    { line: '/compact', about: 'summarise older messages' },
    { line: '/compact keep the names of the files', about: 'summarise with a focus' },
  ],
  questions: ['How do I summarise older messages now?', 'How do I free space in the context window?'],
  async run(scope, { focus }) {
    const { store, treeId, activeNodeId, actor, signal } = scope;
    if (activeNodeId === null)
      return refuse('context/nothing-to-compact', 'There is nothing to compact before the first message.', { treeId });
    const request = { store, treeId, nodeId: activeNodeId, focus, actor, actId: scope.newAct(), signal };
    const { nodeId, tokensBefore, tokensAfter, summarised } = await scope.compact(request);
    return {
      ...makeCommandReport(
        makePhrase('compacted', {
          messages: makeCountValue(summarised, 'message'),
          tokens: makeCountValue(tokensAfter, 'token'),
          before: tokensBefore,
        }),
        makePhrase('nothing-deleted'),
      ),
      undo: '/undo',
      data: { nodeId, tokensBefore, tokensAfter, summarised },
      place: { treeId, activeNodeId: nodeId },
    };
  },
});
