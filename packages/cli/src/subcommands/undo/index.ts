import { runUndoOrRedo } from '../../undo-or-redo.ts';
import { defineSubcommand } from '../contract.ts';

export const undo = defineSubcommand({
  name: 'undo',
  summary: 'undo your last change, in any chat or in one',
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
  examples: ['coppice undo', 'coppice undo last', 'coppice undo last --force'],
  run: (given, at) => runUndoOrRedo('undo', given, at),
});
