import { copyChatAndContinue } from '../copy.ts';
import { defineCommand } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';

export const cloneCommand = defineCommand({
  name: 'clone',
  summary: 'Copies the chat with all its branches to a new chat or file and continues there.',
  parameters: {},
  examples: [{ line: '/clone', about: 'make a copy to experiment with' }],
  questions: ['How do I duplicate a whole chat?', 'How do I make a copy of a chat to experiment with?'],
  async run(scope) {
    return copyChatAndContinue(scope, {
      target: await findCommandPosition(scope, '@here'),
      takeBack: false,
      whole: true,
    });
  },
});
