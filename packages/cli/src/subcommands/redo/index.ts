import { change, changed, counted } from '../../changing.ts';
import { findTree, lastTree } from '../../place.ts';
import { defineSubcommand } from '../contract.ts';

export const redo = defineSubcommand({
  name: 'redo',
  summary: 'do again what was taken back last',
  group: 'Take back',
  arguments: [{ name: 'tree', summary: 'id, beginning of an id, title, or last', optional: true, completes: 'tree' }],
  options: [{ name: 'force', summary: 'also over what others did since; what they added goes to the trash' }],
  examples: ['coppice redo last', 'coppice redo last --force'],
  async run(given, at) {
    const row = await findTree(at, given.optional('tree') ?? lastTree);
    const outcome = await change(at, { type: 'redo', treeId: row.id, force: given.flag('force') });
    const { act, activeNodeId } = outcome.result;
    return changed(
      outcome,
      `Did again ${counted(act.commits.length)} of ${row.id}; you are at ${activeNodeId ?? 'the beginning'}.`,
      at,
    );
  },
});
