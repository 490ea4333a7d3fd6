import { moveToTree } from '@coppice/core';
import { printChange, runTreeChange } from '../../changing.ts';
import { findNodeIn, findTarget, findTree } from '../../resolve-target.ts';
import { defineSubcommand } from '../contract.ts';

export const move = defineSubcommand({
  name: 'move',
  summary: 'hang a branch somewhere else, also in another tree',
  group: 'Write',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the top of the branch', completes: 'node' },
    { name: 'parent', summary: 'where it hangs from then on; root for a first turn', completes: 'node' },
  ],
  options: [
    {
      name: 'before',
      value: 'node',
      summary: 'the variant that it comes to stand before; last if not given',
      completes: 'node',
    },
    { name: 'to', value: 'tree', summary: 'the tree that the parent is in, if it is another one', completes: 'tree' },
  ],
  examples: ['coppice move last 01890c2e root', 'coppice move last 01890c2e @ --to Bread'],
  async run(given, at) {
    const store = await at.store();
    const { treeId, row, nodeId } = await findTarget(at, given.text('tree'), given.text('node'));
    const other = given.optional('to');
    if (other !== undefined) {
      const target = await findTree(at, other);
      const parentId = await findNodeIn(at, target, given.text('parent'));
      const moved = await moveToTree(
        store,
        { from: { treeId, nodeId }, to: { treeId: target.id, parentId } },
        at.context(),
      );
      return printChange(moved, `The branch is in ${target.id} now, as ${moved.result.nodeId}.`, at);
    }
    const before = given.optional('before');
    const outcome = await runTreeChange(at, {
      type: 'move',
      treeId,
      nodeId,
      parentId: await findNodeIn(at, row, given.text('parent')),
      ...(before === undefined ? {} : { before: await findNodeIn(at, row, before) }),
    });
    return printChange(outcome, `Moved ${outcome.result.nodeId}.`, at);
  },
});
