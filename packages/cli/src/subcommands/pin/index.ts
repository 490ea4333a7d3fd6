import { readChatName } from '../../first-words.ts';
import { findTree } from '../../resolve-target.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const pin = defineSubcommand({
  name: 'pin',
  summary: 'pin a chat to the top of the page’s list, or unpin it',
  group: 'Write',
  arguments: [chatArgument],
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
    const name = toOneLine(await readChatName(await at.store(), row), 60);
    return toChangeOutput(outcome, `${isPinned ? 'Pinned' : 'Unpinned'} "${name}".`, at);
  },
});
