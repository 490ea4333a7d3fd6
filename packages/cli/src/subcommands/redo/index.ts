import { runUndoOrRedo } from '../../undo-or-redo.ts';
import { defineSubcommand } from '../contract.ts';

export const redo = defineSubcommand({
  name: 'redo',
  summary: 'redo what you undid last, in any chat or the one you name',
  group: 'Undo',
  arguments: [
    {
      name: 'chat',
      summary: 'id or a part of it, title, or last for the most recent',
      optional: true,
      completes: 'tree',
    },
  ],
  options: [{ name: 'force', summary: 'even if others changed it since; what they added goes to the trash' }],
  examples: ['coppice redo', 'coppice redo last', 'coppice redo last --force'],
  run: (given, at) => runUndoOrRedo('redo', given, at),
});
