import { findTarget } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const join = defineSubcommand({
  name: 'join',
  summary: 'join a message with the next one (the reverse of split)',
  group: 'Write',
  arguments: [chatArgument, { name: 'message', summary: 'first of the two messages', completes: 'node' }],
  examples: ['coppice join last @~1'],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const outcome = await runTreeChange(at, { type: 'join', treeId, nodeId });
    return toChangeOutput(outcome, `The joined message is ${shortenId(outcome.result.nodeId)}.`, at);
  },
});
