import { copyTo } from '../copy.ts';
import { defineCommand, optionalArgument } from '../define.ts';
import { findCommandPosition } from '../find-node.ts';

/** Goes on from a node in a conversation of its own. */
export const fork = defineCommand({
  name: 'fork',
  summary:
    'Goes on after a node in a new conversation or file, the way to it included; without one, from where you are. A message of yours is taken back.',
  parameters: {
    node: optionalArgument(
      'node',
      'The last node that comes along, or the message of yours to say otherwise; where you are if not given.',
    ),
  },
  examples: [
    { line: '/fork', about: 'the same thread again, to go another way with' },
    { line: '/fork "the oak"', about: 'the thread up to the node with that label' },
  ],
  async run(scope, { node }) {
    const target = await findCommandPosition(scope, node ?? '@here');
    // One's own place is gone on from as it is, also where the last word was one's own.
    return copyTo(scope, { target, takeBack: target?.id !== scope.activeNodeId, whole: false });
  },
});
