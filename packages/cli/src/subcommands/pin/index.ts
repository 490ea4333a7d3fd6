import { printChange, runTreeChange } from '../../changing.ts';
import { titleText } from '../../printing.ts';
import { findTree } from '../../resolve-target.ts';
import { oneLine } from '../../terminal/strip-control-sequences.ts';
import { defineSubcommand } from '../contract.ts';

export const pin = defineSubcommand({
  name: 'pin',
  summary: 'pin a chat to the top of the page’s list, or unpin it',
  group: 'Write',
  arguments: [{ name: 'chat', summary: 'id or a part of it, title, or last for the most recent', completes: 'tree' }],
  options: [{ name: 'remove', summary: 'unpin it' }],
  examples: ['coppice pin last', 'coppice pin last --remove'],
  async run(given, at) {
    const row = await findTree(at, given.text('chat'));
    const isPinned = !given.flag('remove');
    const outcome = await runTreeChange(at, {
      type: 'attributes',
      treeId: row.id,
      set: { pinned: isPinned ? true : null },
    });
    return printChange(outcome, `${isPinned ? 'Pinned' : 'Unpinned'} "${oneLine(titleText(row), 60)}".`, at);
  },
});
