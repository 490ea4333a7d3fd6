import { runUndoOrRedo } from '../../undo-or-redo.ts';
import { defineSubcommand } from '../contract.ts';

export const undo = defineSubcommand({
  name: 'undo',
  summary: 'undo your last change, in any chat or the one you name',
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
  examples: ['coppice undo', 'coppice undo last', 'coppice undo last --force'],
  run: (given, at) => runUndoOrRedo('undo', given, at),
});
