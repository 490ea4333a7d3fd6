import { defineCommand, optionalArgument, optionalValueArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { moveToNode } from '../move-to-node.ts';
import { findPreviousPrompt } from '../previous-prompt.ts';

export const branchHereCommand = defineCommand({
  name: 'branch-here',
  summary: 'Starts a new branch from an earlier message; by default from before your last message.',
  parameters: {
    node: optionalArgument('node', 'Where the new branch starts; by default at your last message.'),
    summarize: optionalValueArgument('Add a summary of the branch that you leave, with an optional focus.'),
  },
  examples: [
    { line: '/branch-here', about: 'edit your last message and send it again' },
    {
      line: '/branch-here 3 --summarize',
      about: 'continue from the third message, with a summary of the branch you leave',
    },
  ],
  questions: ['How do I branch inside a chat?', 'How do I ask my last question differently?'],
  async run(scope, { node, summarize }) {
    const target = node === undefined ? await findPreviousPrompt(scope) : await findCommandPosition(scope, node);
    return moveToNode(scope, { event: 'branch', target, summarize });
  },
});
