import { defineCommand, flagArgument, optionalValueArgument, requiredArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { moveToNode } from '../move-to-node.ts';

export const switchCommand = defineCommand({
  name: 'switch',
  summary: 'Moves to another message or branch. Choosing your own message puts its text back in the editor.',
  parameters: {
    node: requiredArgument('node', 'The message to move to.'),
    exact: flagArgument('Move to the message itself, even if it is your own.'),
    summarize: optionalValueArgument('Add a summary of the branch that you leave, with an optional focus.'),
  },
  examples: [
    { line: '/switch 2', about: 'switch to the second branch of the last list' },
    {
      line: '/switch "the oak" --summarize what failed',
      about: 'switch to a label, with a summary of the branch you leave',
    },
  ],
  questions: ['How do I go to another branch in a chat?', 'How do I jump to a label?'],
  run: async (scope, { node, exact, summarize }) =>
    moveToNode(scope, { event: 'switch', target: await findCommandPosition(scope, node), exact, summarize }),
});
