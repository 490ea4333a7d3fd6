import { defineCommand, flagArgument } from '../define.ts';
import { undoOrRedoActs } from '../undo-or-redo.ts';

export const undoCommand = defineCommand({
  name: 'undo',
  summary: 'Undoes your last change, even after a restart.',
  parameters: { force: flagArgument('Do it even if others continued from it; their messages are moved to the trash.') },
  examples: [
    { line: '/undo', about: 'undo your last change' },
    { line: '/undo --force', about: 'even if others continued from it' },
  ],
  questions: ['How do I undo in a chat?', 'Can I undo after a restart?'],
  run: (scope, { force }) => undoOrRedoActs(scope, 'undo', force),
});
