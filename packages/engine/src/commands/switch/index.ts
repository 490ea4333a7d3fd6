import { bareOptionArgument, defineCommand, flagArgument, requiredArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { goTo } from '../go-to.ts';

/** Goes to a branch. */
export const switchTo = defineCommand({
  name: 'switch',
  summary: 'Goes to a node. A message of yours is taken back: you are above it, and its text is there to be changed.',
  parameters: {
    node: requiredArgument('node', 'Where to go.'),
    exact: flagArgument('Goes to the very node, also if it is a message of yours.'),
    summarize: bareOptionArgument('Leaves a summary of the branch that you leave, with a focus if you name one.'),
  },
  examples: [
    { line: '/switch 2', about: 'goes to the second branch of the list that was shown last' },
    { line: '/switch "the oak" --summarize what failed', about: 'goes to a label and takes along what was learnt' },
  ],
  run: async (scope, { node, exact, summarize }) =>
    goTo(scope, { event: 'switch', target: await findCommandPosition(scope, node), exact, summarize }),
});
