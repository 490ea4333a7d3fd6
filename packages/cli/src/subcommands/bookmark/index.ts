import { ask } from '@coppice/core';
import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const bookmark = defineSubcommand({
  name: 'bookmark',
  summary: 'list, set, rename or remove bookmarks',
  group: 'Write',
  arguments: [
    chatArgument,
    { name: 'message', summary: 'message to bookmark', optional: true, completes: 'node' },
    { name: 'title', summary: 'bookmark name; other commands accept it in place of an id', optional: true, many: true },
  ],
  options: [{ name: 'remove', summary: 'remove the bookmark' }],
  examples: ['coppice bookmark last', 'coppice bookmark last @ plan-b', 'coppice bookmark last plan-b --remove'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.text('chat'));
    const node = given.optional('message');
    if (node === undefined) {
      const { bookmarks } = await store.read(row.id, () => ask('subtreeInfo', { of: row.rootId }));
      const { style } = at.output;
      const lines = bookmarks.map((each) => `${toOneLine(each.title, 60)}  ${style.quiet(shortenId(each.nodeId))}`);
      return { data: { treeId: row.id, bookmarks }, lines: lines.length > 0 ? lines : [style.quiet('No bookmarks.')] };
    }
    const nodeId = await findNodeInTree(at, row, node);
    const words = given.many('title').join(' ');
    const title = given.flag('remove') ? null : words === '' ? 'Bookmark' : words;
    const outcome = await runTreeChange(at, { type: 'bookmark', treeId: row.id, nodeId, title });
    return toChangeOutput(
      outcome,
      title === null ? 'Removed the bookmark.' : `Bookmarked ${shortenId(nodeId)} as ${toOneLine(title, 60)}.`,
      at,
    );
  },
});
