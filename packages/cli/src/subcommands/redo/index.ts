import { runUndoOrRedo } from '../../undo-or-redo.ts';
import { defineSubcommand } from '../contract.ts';

export const redo = defineSubcommand({
  name: 'redo',
  summary: 'redo the change that you undid last, in any chat or in one',
  group: 'Undo',
  arguments: [
    {
      name: 'chat',
      summary: 'id or a part of it, title, or last for the most recent',
      optional: true,
      completes: 'tree',
    },
  ],
  options: [{ name: 'force', summary: 'even if others made changes since; their additions move to the trash' }],
  examples: ['coppice redo', 'coppice redo last', 'coppice redo last --force'],
  run: (given, at) => runUndoOrRedo('redo', given, at),
});
