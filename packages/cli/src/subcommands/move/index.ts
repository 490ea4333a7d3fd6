import { moveToTree } from '@coppice/core';
import { findNodeInTree, findTarget, findTree } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const move = defineSubcommand({
  name: 'move',
  summary: 'move a branch to another parent or chat',
  group: 'Write',
  arguments: [
    chatArgument,
    { name: 'message', summary: 'first message of the branch', completes: 'node' },
    { name: 'parent', summary: 'new parent, or root for the beginning', completes: 'node' },
  ],
  options: [
    {
      name: 'before',
      value: 'message',
      summary: 'place the branch before this message of the same parent (default: last)',
      completes: 'node',
    },
    { name: 'to', value: 'chat', summary: 'chat of the new parent, if it is another one', completes: 'tree' },
  ],
  examples: ['coppice move last 01890c2e root', 'coppice move last 01890c2e @ --to Bread'],
  async run(given, at) {
    const store = await at.store();
    const { treeId, row, nodeId } = await findTarget(at, given.text('chat'), given.text('message'));
    const other = given.optional('to');
    if (other !== undefined) {
      const target = await findTree(at, other);
      const parentId = await findNodeInTree(at, target, given.text('parent'));
      const moved = await moveToTree(
        store,
        { from: { treeId, nodeId }, to: { treeId: target.id, parentId } },
        at.context(),
      );
      return toChangeOutput(
        moved,
        `Moved the branch to ${shortenId(target.id)}, as ${shortenId(moved.result.nodeId)}.`,
        at,
      );
    }
    const before = given.optional('before');
    const outcome = await runTreeChange(at, {
      type: 'move',
      treeId,
      nodeId,
      parentId: await findNodeInTree(at, row, given.text('parent')),
      ...(before === undefined ? {} : { before: await findNodeInTree(at, row, before) }),
    });
    return toChangeOutput(outcome, `Moved ${shortenId(outcome.result.nodeId)}.`, at);
  },
});
