import { AppError } from '@coppice/core';
import { commandLineFor, printChange, runTreeChange } from '../../changing.ts';
import { findNodeIn, findTree, lastTree } from '../../resolve-target.ts';
import { defineSubcommand } from '../contract.ts';

export const restore = defineSubcommand({
  name: 'restore',
  summary: 'bring back a tree, a node with what went with it, or a whole version',
  group: 'Take back',
  arguments: [
    {
      name: 'tree',
      summary: 'id, beginning of an id, title, or last: alone, the tree that was deleted last',
      completes: 'tree',
    },
    { name: 'node', summary: 'the removed node, as coppice trash lists it', optional: true },
  ],
  options: [{ name: 'at', value: 'version', summary: 'makes the tree again what it was then, as a new change' }],
  examples: ['coppice restore last', 'coppice restore 01890c2e', 'coppice restore last --at 12'],
  async run(given, at) {
    const store = await at.store();
    const word = given.text('tree');
    const version = given.count('at');
    const node = given.optional('node');
    const whole = version === undefined && node === undefined;
    // Of the trees that can be brought back, the last one is meant, not one that is there.
    const deleted = whole && word === lastTree ? (await store.trees({ trashed: true, limit: 1 })).items[0] : undefined;
    if (whole && word === lastTree && deleted === undefined) {
      const lists = commandLineFor(at, 'coppice trash <tree>');
      const hint = lists === null ? '' : ` For what was removed from one, ${lists} lists it.`;
      const message = `There is no deleted tree to bring back.${hint}`;
      throw new AppError({ code: 'tree/unknown-tree', kind: 'not-found', message });
    }
    const row = deleted ?? (await findTree(at, word));
    if (version !== undefined) {
      const outcome = await runTreeChange(at, { type: 'restore-version', treeId: row.id, version });
      return printChange(outcome, `The tree is as it was at version ${version}.`, at);
    }
    if (node !== undefined) {
      const nodeId = await findNodeIn(at, row, node);
      return printChange(
        await runTreeChange(at, { type: 'restore', treeId: row.id, nodeId }),
        `Brought back ${nodeId}.`,
        at,
      );
    }
    return printChange(await runTreeChange(at, { type: 'restore-tree', treeId: row.id }), 'The tree is back.', at);
  },
});
