import { printChange, runTreeChange } from '../../changing.ts';
import { usageError } from '../../exit-codes.ts';
import { textFrom } from '../../input-text.ts';
import { findTarget } from '../../resolve-target.ts';
import { defineSubcommand } from '../contract.ts';

export const edit = defineSubcommand({
  name: 'edit',
  summary: 'say a message differently: a new variant beside it, and the old branch stays',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the message', completes: 'node' },
    { name: 'words', summary: 'the new text; standard input if there is none', optional: true, many: true },
  ],
  options: [
    { name: 'in-place', summary: 'saves only: the same node, its old text kept in the history' },
    { name: 'prefix', summary: 'splits at the first difference, so that what is equal stays shared' },
  ],
  examples: ['coppice edit last @ "A better question"', 'coppice edit last @ --in-place "Without the typo"'],
  async run(given, at) {
    if (given.flag('in-place') && given.flag('prefix')) throw usageError('--in-place and --prefix exclude each other.');
    const { treeId, nodeId } = await findTarget(at, given.text('tree'), given.text('node'));
    const content = await textFrom(given.many('words'), at);
    const mode = given.flag('in-place') ? 'in-place' : given.flag('prefix') ? 'prefix' : 'branch';
    const outcome = await runTreeChange(at, { type: 'edit', treeId, nodeId, content, mode });
    return printChange(outcome, `The text is in ${outcome.result.nodeId}.`, at);
  },
});
