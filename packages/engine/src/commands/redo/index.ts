import { defineCommand, flagArgument } from '../define.ts';
import { undoOrRedoActs } from '../reverse.ts';

/** Does again what you took back last, unless you did something since. */
export const redo = defineCommand({
  name: 'redo',
  summary: 'Does again what you took back last, unless you did something since.',
  parameters: { force: flagArgument('Also where others went on from it since: what they added goes to the trash.') },
  examples: [
    { line: '/redo', about: 'brings it back' },
    { line: '/redo --force', about: 'also where somebody else has gone on from it' },
  ],
  run: (scope, { force }) => undoOrRedoActs(scope, 'redo', force),
});
