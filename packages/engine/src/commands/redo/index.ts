import { defineCommand, flagArgument } from '../define.ts';
import { undoOrRedoActs } from '../undo-or-redo.ts';

export const redoCommand = defineCommand({
  name: 'redo',
  summary: 'Redoes what you undid last, unless you changed something since.',
  parameters: { force: flagArgument('Do it even if others continued from it; their messages are moved to the trash.') },
  examples: [
    { line: '/redo', about: 'redo the last undone change' },
    { line: '/redo --force', about: 'even if others continued from it' },
  ],
  questions: ['How do I redo what I undid?'],
  run: (scope, { force }) => undoOrRedoActs(scope, 'redo', force),
});
