import { runUndoOrRedo } from '../../undo-or-redo.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const redo = defineSubcommand({
  name: 'redo',
  summary: 'redo the change that you undid last, in any chat or in one',
  group: 'Undo',
  arguments: [{ ...chatArgument, optional: true }],
  options: [{ name: 'force', summary: 'even if others made changes since; their additions move to the trash' }],
  examples: ['coppice redo', 'coppice redo last', 'coppice redo last --force'],
  run: (given, at) => runUndoOrRedo('redo', given, at),
});
