/** The contract of a store, and the functions that turn a plan into rows. */
export { answerFromTree } from '../answer-from-tree.ts';
export { assertNotTrashed, isStale, isUndoable, makeVersionConflictError, prepareCommit } from '../commit.ts';
export { isPurgedContent, purgedContent, purgedMessage } from '../purged-content.ts';
export { CommitRows } from '../steps/kinds.ts';
export { assertStorable } from '../steps/storable.ts';
