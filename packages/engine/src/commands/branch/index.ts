import { copyTo } from '../copy.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';
import { previousPrompt } from '../previous-prompt.ts';

/** Goes back to try something else, in a conversation of its own. */
export const branch = defineCommand({
  name: 'branch',
  summary: 'Goes back to try something else, in a new conversation or file that holds the way there and nothing else.',
  parameters: { node: optionalArgument('node', 'Where the new one goes on; before your last message if not given.') },
  examples: [
    { line: '/branch', about: 'takes your last message back, to be said otherwise elsewhere' },
    { line: '/branch 3', about: 'goes on from the third node of the last list' },
  ],
  async run(scope, { node }) {
    const target = node === undefined ? await previousPrompt(scope) : await findCommandPosition(scope, node);
    return copyTo(scope, { target, takeBack: true, whole: false });
  },
});
