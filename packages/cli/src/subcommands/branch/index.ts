import { printChange, runTreeChange } from '../../changing.ts';
import { findTarget } from '../../resolve-target.ts';
import { defineSubcommand } from '../contract.ts';

export const branch = defineSubcommand({
  name: 'branch',
  summary: 'grow from a node: the next message goes below it',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the node to grow from', completes: 'node' },
  ],
  options: [{ name: 'summary', value: 'text', summary: 'leaves a summary of the branch that is left' }],
  examples: ['coppice branch last @~2', 'coppice branch last @~2 --summary "Tried rye; too sour."'],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('tree'), given.text('node'));
    const summary = given.optional('summary');
    const outcome = await runTreeChange(at, {
      type: 'branch',
      treeId,
      nodeId,
      ...(summary === undefined ? {} : { summary }),
    });
    return printChange(outcome, `The next message grows from ${outcome.result.nodeId}.`, at);
  },
});
