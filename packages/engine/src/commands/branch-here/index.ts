import { bareOptionArgument, defineCommand, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { goTo } from '../go-to.ts';
import { previousPrompt } from '../previous-prompt.ts';

/** Goes back to try something else, in the same tree. */
export const branchHere = defineCommand({
  name: 'branch-here',
  summary: 'Goes back to try something else from a node; without one, from before your last message.',
  parameters: {
    node: optionalArgument('node', 'Where the new branch begins; your last message if not given.'),
    summarize: bareOptionArgument('Leaves a summary of the branch that you leave, with a focus if you name one.'),
  },
  examples: [
    { line: '/branch-here', about: 'takes your last message back, to be said otherwise' },
    { line: '/branch-here 3 --summarize', about: 'goes on from the third node, knowing what came of the rest' },
  ],
  async run(scope, { node, summarize }) {
    const target = node === undefined ? await previousPrompt(scope) : await findCommandPosition(scope, node);
    return goTo(scope, { event: 'branch', target, summarize });
  },
});
