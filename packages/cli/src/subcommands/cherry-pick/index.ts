import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { formatCountedNoun, runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const cherryPick = defineSubcommand({
  name: 'cherry-pick',
  summary: 'copy messages to the end of the active branch',
  group: 'Write',
  arguments: [
    { name: 'chat', summary: 'chat to copy into', completes: 'tree' },
    { name: 'message', summary: 'message to copy, or the first of several', completes: 'node' },
  ],
  options: [
    { name: 'to', value: 'message', summary: 'last message to copy', completes: 'node' },
    { name: 'from', value: 'chat', summary: 'chat to copy from, if it is another one', completes: 'tree' },
  ],
  examples: ['coppice cherry-pick last 01890c2e', 'coppice cherry-pick last 01890c2e --to 01890c2f'],
  async run(given, at) {
    const row = await findTree(at, given.text('chat'));
    const other = given.optional('from');
    const source = other === undefined ? row : await findTree(at, other);
    const to = given.optional('to');
    const outcome = await runTreeChange(at, {
      type: 'cherry-pick',
      treeId: row.id,
      nodeId: await findNodeInTree(at, source, given.text('message')),
      ...(to === undefined ? {} : { to: await findNodeInTree(at, source, to) }),
      ...(source.id === row.id ? {} : { from: source.id }),
    });
    return toChangeOutput(
      outcome,
      `Copied ${formatCountedNoun(outcome.result.added.length, 'message')}; you are at ${shortenId(outcome.result.nodeId)}.`,
      at,
    );
  },
});
