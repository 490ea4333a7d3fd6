import { defineCommand, flagArgument, optionArgument, optionalArgument } from '../define.ts';
import { commandError } from '../errors.ts';
import { findCommandPosition } from '../find-node.ts';
import { goTo } from '../go-to.ts';
import { previousPrompt } from '../previous-prompt.ts';

/** Goes back and takes a summary of what is left along. */
export const pop = defineCommand({
  name: 'pop',
  summary: 'Goes back to before your last message, or a node, and keeps a summary of what was done since.',
  parameters: {
    node: optionalArgument('node', 'Where to go back to; your last message if not given.'),
    focus: optionArgument('text', 'What the summary is to dwell on.'),
    plain: flagArgument('Leaves no summary.'),
  },
  examples: [
    { line: '/pop', about: 'ends a side trip: back to before it, with what it came to' },
    { line: '/pop 4 --focus the tests that failed', about: 'the same from further up' },
    { line: '/pop --plain', about: 'goes back and takes nothing along' },
  ],
  async run(scope, { node, focus, plain }) {
    if (plain && focus !== undefined)
      throw commandError('command/bad-arguments', 'A summary that is not wanted has no focus: --plain or --focus.');
    const target = node === undefined ? await previousPrompt(scope) : await findCommandPosition(scope, node);
    return goTo(scope, { event: 'branch', target, summarize: plain ? undefined : (focus ?? '') });
  },
});
