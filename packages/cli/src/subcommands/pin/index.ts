import { titleOrUntitled } from '../../printing.ts';
import { findTree } from '../../resolve-target.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
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
    return toChangeOutput(outcome, `${isPinned ? 'Pinned' : 'Unpinned'} "${toOneLine(titleOrUntitled(row), 60)}".`, at);
  },
});
