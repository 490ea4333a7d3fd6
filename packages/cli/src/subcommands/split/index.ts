import { printChange, runTreeChange } from '../../changing.ts';
import { usageError } from '../../exit-codes.ts';
import { findTarget } from '../../resolve-target.ts';
import { defineSubcommand } from '../contract.ts';

export const split = defineSubcommand({
  name: 'split',
  summary: 'cut a message in two, so that a branch can grow from its middle',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the message', completes: 'node' },
    { name: 'position', summary: 'how many UTF-16 code units the left part has' },
  ],
  examples: ['coppice split last @ 120'],
  async run(given, at) {
    const { treeId, nodeId } = await findTarget(at, given.text('tree'), given.text('node'));
    const position = given.text('position');
    if (!/^\d{1,12}$/.test(position)) throw usageError(`A position is a whole number, not ${position}.`);
    const outcome = await runTreeChange(at, { type: 'split', treeId, nodeId, position: Number(position) });
    return printChange(outcome, `The left part is ${outcome.result.nodeId}, the rest ${outcome.result.right}.`, at);
  },
});
