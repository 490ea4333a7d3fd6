import { AppError } from '@coppice/core';
import { readChatName } from '../../first-words.ts';
import { findDeletedNode, findTree, lastTreeName } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { buildCommandLine, runTreeChange, toChangeOutput } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const restore = defineSubcommand({
  name: 'restore',
  summary: 'restore a deleted chat or message, or an earlier version',
  group: 'Undo',
  arguments: [
    {
      name: 'chat',
      summary: 'id or a part of it, title, or last; without a message, last is the one deleted last',
      completes: 'tree',
    },
    { name: 'message', summary: 'deleted message, as listed by coppice trash', optional: true },
  ],
  options: [
    {
      name: 'at',
      value: 'version',
      summary: 'go back to this version of the chat, as a new change that can be undone',
    },
  ],
  examples: ['coppice restore last', 'coppice restore 01890c2e', 'coppice restore last --at 12'],
  async run(given, at) {
    const store = await at.store();
    const word = given.text('chat');
    const version = given.count('at');
    const node = given.optional('message');
    const whole = version === undefined && node === undefined;
    // `last` means the last deleted tree, not the last changed one.
    const deleted =
      whole && word === lastTreeName ? (await store.trees({ trashed: true, limit: 1 })).items[0] : undefined;
    if (whole && word === lastTreeName && deleted === undefined) {
      const lists = buildCommandLine(at, 'coppice trash <chat>');
      const hint = lists === null ? '' : ` To list the deleted messages of a chat, run ${lists}.`;
      const message = `There is no deleted chat to restore.${hint}`;
      throw new AppError({ code: 'tree/unknown-tree', kind: 'not-found', message });
    }
    const row = deleted ?? (await findTree(at, word));
    if (version !== undefined) {
      const outcome = await runTreeChange(at, { type: 'restore-version', treeId: row.id, version });
      return toChangeOutput(outcome, `Returned to version ${version}.`, at);
    }
    if (node !== undefined) {
      const nodeId = await findDeletedNode(at, row, node);
      return toChangeOutput(
        await runTreeChange(at, { type: 'restore', treeId: row.id, nodeId }),
        `Restored ${shortenId(nodeId)}.`,
        at,
      );
    }
    const restored = await runTreeChange(at, { type: 'restore-tree', treeId: row.id });
    const name = toOneLine(await readChatName(store, row), 60);
    return toChangeOutput(restored, `Restored "${name}".`, at);
  },
});
