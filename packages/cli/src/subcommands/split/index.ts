import { printChange, runTreeChange } from '../../changing.ts';
import { usageError } from '../../exit-codes.ts';
import { findTarget } from '../../resolve-target.ts';
import { defineSubcommand } from '../contract.ts';

export const split = defineSubcommand({
  name: 'split',
  summary: 'split a message in two, to branch from its middle',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'conversation: id, start of its id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'message to split', completes: 'node' },
    { name: 'position', summary: 'length of the first part, in UTF-16 code units' },
  ],
  examples: ['coppice split last @ 120'],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('tree'), given.text('node'));
    const position = given.text('position');
    if (!/^\d{1,12}$/.test(position)) throw usageError(`A position is a whole number, not ${position}.`);
    const outcome = await runTreeChange(at, { type: 'split', treeId, nodeId, position: Number(position) });
    return printChange(outcome, `Split into ${outcome.result.nodeId} and ${outcome.result.right}.`, at);
  },
});
