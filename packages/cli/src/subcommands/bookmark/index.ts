import { ask } from '@coppice/core';
import { printChange, runTreeChange } from '../../changing.ts';
import { findNodeIn, findTree } from '../../resolve-target.ts';
import { oneLine } from '../../terminal/strip-control-sequences.ts';
import { defineSubcommand } from '../contract.ts';

export const bookmark = defineSubcommand({
  name: 'bookmark',
  summary: 'list the bookmarks of a tree, or set, retitle or take away one',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the node to mark', optional: true, completes: 'node' },
    { name: 'title', summary: 'the name; also names the node in other commands', optional: true, many: true },
  ],
  options: [{ name: 'remove', summary: 'takes the bookmark away' }],
  examples: ['coppice bookmark last', 'coppice bookmark last @ plan-b', 'coppice bookmark last plan-b --remove'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.text('tree'));
    const node = given.optional('node');
    if (node === undefined) {
      const { bookmarks } = await store.read(row.id, () => ask('subtreeInfo', { of: row.rootId }));
      const { style } = at.output;
      const lines = bookmarks.map((each) => `${oneLine(each.title, 60)}  ${style.quiet(each.nodeId)}`);
      return { data: { treeId: row.id, bookmarks }, lines: lines.length > 0 ? lines : [style.quiet('No bookmarks.')] };
    }
    const nodeId = await findNodeIn(at, row, node);
    const words = given.many('title').join(' ');
    const title = given.flag('remove') ? null : words === '' ? 'Bookmark' : words;
    const outcome = await runTreeChange(at, { type: 'bookmark', treeId: row.id, nodeId, title });
    return printChange(outcome, title === null ? 'Taken away.' : `Marked ${nodeId} as ${oneLine(title, 60)}.`, at);
  },
});
