import { change, changed, counted, redoLine } from '../../changing.ts';
import { findTree, lastTree } from '../../place.ts';
import { defineSubcommand } from '../contract.ts';

export const undo = defineSubcommand({
  name: 'undo',
  summary: 'take back the last thing you did to a tree',
  group: 'Take back',
  arguments: [{ name: 'tree', summary: 'id, beginning of an id, title, or last', optional: true, completes: 'tree' }],
  options: [{ name: 'force', summary: 'also over what others did since; what they added goes to the trash' }],
  examples: ['coppice undo last', 'coppice undo last --force'],
  async run(given, at) {
    const row = await findTree(at, given.optional('tree') ?? lastTree);
    const outcome = await change(at, { type: 'undo', treeId: row.id, force: given.flag('force') });
    const { act, activeNodeId } = outcome.result;
    return changed(
      outcome,
      `Took back ${counted(act.commits.length)} of ${row.id}; you are at ${activeNodeId ?? 'the beginning'}.`,
      at,
      redoLine,
    );
  },
});
