import { ask, type DeleteCommand, type NodeId, readDeleteImpact, type TreeRow } from '@coppice/core';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { readChatName } from '../../first-words.ts';
import { findNodeInTree, findTree } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { buildCommandLine, formatCountedNoun, runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { chatArgument, defineSubcommand, type SubcommandOutput } from '../contract.ts';

export const rm = defineSubcommand({
  name: 'rm',
  summary: 'delete a chat or messages (they can be restored)',
  group: 'Write',
  arguments: [
    chatArgument,
    {
      name: 'messages',
      summary: 'messages to delete (default: the whole chat)',
      optional: true,
      many: true,
      completes: 'node',
    },
  ],
  options: [
    { name: 'cascade', summary: 'also delete all messages below (default: they move up)' },
    { name: 'group', summary: 'delete all replies of the same group' },
    { name: 'dry-run', summary: 'show what would be deleted; delete nothing' },
  ],
  examples: ['coppice rm last @', 'coppice rm last 01890c2e --cascade --dry-run', 'coppice rm "Old notes"'],
  async run(given, at) {
    const row = await findTree(at, given.text('chat'));
    const ids: NodeId[] = [];
    for (const word of given.many('messages')) ids.push(await findNodeInTree(at, row, word));
    const mode = given.flag('cascade') ? 'cascade' : 'splice';
    if (given.flag('group') && (ids.length !== 1 || given.flag('cascade')))
      throw makeUsageError('--group needs exactly one message and no --cascade.');
    if (given.flag('dry-run')) return wouldGo(row, ids, mode, at);
    if (ids.length === 0) {
      const name = await readChatName(await at.store(), row);
      const outcome = await runTreeChange(at, { type: 'delete-tree', treeId: row.id });
      const line = buildCommandLine(at, `coppice restore ${shortenId(row.id)}`);
      const back = line === null ? [] : [at.output.style.quiet(`Restore it with ${line}.`)];
      return {
        ...toChangeOutput(outcome, '', at),
        lines: [`Moved "${toOneLine(name, 60)}" to the trash.`, ...back],
      };
    }
    const [only] = ids;
    const outcome =
      given.flag('group') && only !== undefined
        ? await runTreeChange(at, { type: 'delete-group', treeId: row.id, nodeId: only })
        : await runTreeChange(at, { type: 'delete', treeId: row.id, nodeIds: ids, mode });
    const { removed, activeNodeId } = outcome.result;
    return toChangeOutput(
      outcome,
      `Deleted ${formatCountedNoun(removed.length, 'message')}; you are at ${activeNodeId === null ? 'the beginning' : shortenId(activeNodeId)}.`,
      at,
    );
  },
});

async function wouldGo(
  row: TreeRow,
  nodeIds: readonly NodeId[],
  mode: NonNullable<DeleteCommand['mode']>,
  at: CliContext,
): Promise<SubcommandOutput> {
  const store = await at.store();
  if (nodeIds.length === 0) {
    const count = (await store.read(row.id, () => ask('count', { of: row.rootId }))) - 1;
    return {
      data: { treeId: row.id, count },
      lines: [`This would delete the chat with ${formatCountedNoun(count, 'message')}.`],
    };
  }
  const { now, newId, kit, actor } = at.context();
  const command = { type: 'delete', treeId: row.id, nodeIds, mode } as const;
  const impact = await store.read(row.id, () =>
    readDeleteImpact(command, { treeId: row.id, now: now(), newId, kit, actor, stale: false }),
  );
  const { style } = at.output;
  return {
    data: { treeId: row.id, ...impact },
    lines: [
      `${formatCountedNoun(impact.count, 'message')} would be deleted.`,
      ...impact.bookmarks.map((mark) => style.quiet(`Bookmarked: ${toOneLine(mark.title, 60)}`)),
      ...(impact.pending.length > 0
        ? [style.warn('A reply in this branch is still being written. Stop it first.')]
        : []),
    ],
  };
}
