/** Earlier versions of a tree, and the acts that undo and redo find in its log. */
export {
  findNewestActStart,
  findNewestRedoable,
  findNewestUndoable,
  findRedoableAct,
  findUndoableAct,
} from '../acts.ts';
export { assertLogComplete, findTrimVersion, readHistoryStart } from '../history-start.ts';
export { rewindTree, treeFromRows } from '../rewind.ts';
