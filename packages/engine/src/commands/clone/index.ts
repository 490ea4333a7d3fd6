import { copyTo } from '../copy.ts';
import { defineCommand } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';

/** Copies the whole conversation. */
export const clone = defineCommand({
  name: 'clone',
  summary: 'Copies the conversation with all its branches into a new conversation or file, and goes on there.',
  parameters: {},
  examples: [{ line: '/clone', about: 'a copy to try things on' }],
  async run(scope) {
    return copyTo(scope, { target: await findCommandPosition(scope, '@here'), takeBack: false, whole: true });
  },
});
