import { makeUsageError } from '../../exit-codes.ts';
import { findTree } from '../../resolve-target.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const rename = defineSubcommand({
  name: 'rename',
  summary: 'change the title of a chat',
  group: 'Write',
  arguments: [chatArgument, { name: 'title', summary: 'new title', optional: true, many: true }],
  options: [{ name: 'remove', summary: 'remove your title and show the automatic one again' }],
  examples: ['coppice rename last Sourdough for beginners', 'coppice rename last --remove'],
  async run(given, at) {
    const row = await findTree(at, given.text('chat'));
    const words = given.many('title').join(' ').trim();
    if (given.flag('remove') === (words !== ''))
      throw makeUsageError('Give a new title, or use --remove to remove the current one.');
    const title = given.flag('remove') ? null : words;
    const outcome = await runTreeChange(at, { type: 'attributes', treeId: row.id, set: { title } });
    return toChangeOutput(outcome, title === null ? 'Removed the title.' : `Renamed to "${toOneLine(title, 60)}".`, at);
  },
});
