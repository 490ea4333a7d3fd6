import { copyChatAndContinue } from '../copy.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { findPreviousPrompt } from '../previous-prompt.ts';

export const branchCommand = defineCommand({
  name: 'branch',
  summary: 'Continues from an earlier message in a new chat or file that contains only the path to it.',
  parameters: {
    node: optionalArgument('node', 'The message to continue from; by default the one before your last message.'),
  },
  examples: [
    { line: '/branch', about: 'edit your last message in a new chat' },
    { line: '/branch 3', about: 'continue from the third message of the last list' },
  ],
  questions: ['How do I continue an earlier message in a new chat?', 'How do I start a separate chat from here?'],
  async run(scope, { node }) {
    const target = node === undefined ? await findPreviousPrompt(scope) : await findCommandPosition(scope, node);
    return copyChatAndContinue(scope, { target, takeBack: true, whole: false });
  },
});
