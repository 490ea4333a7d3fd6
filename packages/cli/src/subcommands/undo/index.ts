import { runUndoOrRedo } from '../../undo-or-redo.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const undo = defineSubcommand({
  name: 'undo',
  summary: 'undo your last change, in any chat or in one',
  group: 'Undo',
  arguments: [{ ...chatArgument, optional: true }],
  options: [{ name: 'force', summary: 'even if others made changes since; their additions move to the trash' }],
  examples: ['coppice undo', 'coppice undo last', 'coppice undo last --force'],
  run: (given, at) => runUndoOrRedo('undo', given, at),
});
