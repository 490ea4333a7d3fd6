/** Earlier versions of a tree, and the acts that undo and redo find in its log. */
export { newestActStart, newestRedoable, newestUndoable, redoableAct, undoableAct } from '../acts.ts';
export { fromRows, rewind } from '../rewind.ts';
