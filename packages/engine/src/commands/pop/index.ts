import { defineCommand, flagArgument, optionArgument, optionalArgument } from '../define.ts';
import { makeCommandError } from '../errors.ts';
import { findCommandPosition } from '../find-node.ts';
import { moveToNode } from '../move-to-node.ts';
import { findPreviousPrompt } from '../previous-prompt.ts';

export const popCommand = defineCommand({
  name: 'pop',
  summary: 'Goes back to before your last message, or to another one, and adds a summary of the branch you leave.',
  parameters: {
    node: optionalArgument('node', 'Where to move up to; by default your last message.'),
    focus: optionArgument('text', 'What the summary should focus on.'),
    plain: flagArgument('Add no summary.'),
  },
  examples: [
    { line: '/pop', about: 'leave a side branch and keep a summary of it' },
    { line: '/pop 4 --focus the tests that failed', about: 'move up further, with a focus for the summary' },
    { line: '/pop --plain', about: 'move up without a summary' },
  ],
  questions: ['How do I leave a side branch with a summary?', 'How do I return from a detour?'],
  async run(scope, { node, focus, plain }) {
    if (plain && focus !== undefined)
      throw makeCommandError(
        'command/bad-arguments',
        'Use either --plain or --focus: without a summary there is nothing to focus on.',
      );
    const target = node === undefined ? await findPreviousPrompt(scope) : await findCommandPosition(scope, node);
    return moveToNode(scope, { event: 'branch', target, summarize: plain ? undefined : (focus ?? '') });
  },
});
