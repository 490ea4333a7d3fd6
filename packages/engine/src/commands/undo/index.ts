import { defineCommand, flagArgument } from '../define.ts';
import { undoOrRedoActs } from '../reverse.ts';

/** Takes back what you did last, also over a restart. */
export const undo = defineCommand({
  name: 'undo',
  summary: 'Takes back what you did last, also over a restart.',
  parameters: { force: flagArgument('Also where others went on from it since: what they added goes to the trash.') },
  examples: [
    { line: '/undo', about: 'takes your last act back' },
    { line: '/undo --force', about: 'also where somebody else has gone on from it' },
  ],
  run: (scope, { force }) => undoOrRedoActs(scope, 'undo', force),
});
