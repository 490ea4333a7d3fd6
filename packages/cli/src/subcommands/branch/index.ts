import { findTarget } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const branch = defineSubcommand({
  name: 'branch',
  summary: 'go back to a message; the next message starts a new branch',
  group: 'Write',
  arguments: [chatArgument, { name: 'message', summary: 'message to continue from', completes: 'node' }],
  options: [{ name: 'summary', value: 'text', summary: 'add this summary of the branch that you leave' }],
  examples: ['coppice branch last @~2', 'coppice branch last @~2 --summary "Tried rye; too sour."'],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const summary = given.optional('summary');
    const outcome = await runTreeChange(at, {
      type: 'branch',
      treeId,
      nodeId,
      ...(summary === undefined ? {} : { summary }),
    });
    return toChangeOutput(outcome, `The next message goes below ${shortenId(outcome.result.nodeId)}.`, at);
  },
});
