import { change, changed } from '../../changing.ts';
import { findNodeIn, findTree } from '../../place.ts';
import { defineSubcommand } from '../contract.ts';

export const restore = defineSubcommand({
  name: 'restore',
  summary: 'bring back a tree, a node with what went with it, or a whole version',
  group: 'Take back',
  arguments: [
    { name: 'tree', summary: 'id, beginning of an id, title, or last', completes: 'tree' },
    { name: 'node', summary: 'the removed node, as coppice trash lists it', optional: true },
  ],
  options: [{ name: 'at', value: 'version', summary: 'makes the tree again what it was then, as a new change' }],
  examples: ['coppice restore 01890c2e', 'coppice restore last --at 12'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(store, given.text('tree'));
    const version = given.count('at');
    const node = given.optional('node');
    if (version !== undefined) {
      const outcome = await change(at, { type: 'restore-version', treeId: row.id, version });
      return changed(outcome, `The tree is as it was at version ${version}.`, at);
    }
    if (node !== undefined) {
      const nodeId = await findNodeIn(store, row, node);
      return changed(await change(at, { type: 'restore', treeId: row.id, nodeId }), `Brought back ${nodeId}.`, at);
    }
    return changed(await change(at, { type: 'restore-tree', treeId: row.id }), 'The tree is back.', at);
  },
});
