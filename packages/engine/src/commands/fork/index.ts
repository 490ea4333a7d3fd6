import { copyChatAndContinue } from '../copy.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';

export const forkCommand = defineCommand({
  name: 'fork',
  summary:
    'Copies the branch up to a message into a new chat or file and continues there. Choosing your own message puts its text back in the editor.',
  parameters: {
    node: optionalArgument('node', 'The last message to copy, or your message to edit; by default the current one.'),
  },
  examples: [
    { line: '/fork', about: 'copy the current branch' },
    { line: '/fork "the oak"', about: 'copy the branch up to a label' },
  ],
  questions: ['How do I copy a branch into a new chat?', 'How do I fork a chat?'],
  async run(scope, { node }) {
    const target = await findCommandPosition(scope, node ?? '@here');
    // From the current position the whole path is copied, even if it ends with the user's own message.
    return copyChatAndContinue(scope, { target, takeBack: target?.id !== scope.activeNodeId, whole: false });
  },
});
