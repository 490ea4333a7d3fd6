/** Finds the newest act of an actor over all trees of a store. */
import type { Commit, NewestAct, NewestActOfTree } from '@coppice/core';
import { findNewestActStart, findNewestRedoable, findNewestUndoable } from '@coppice/core/history';
import { loadSlotIfReadable } from './lists.ts';
import { indexInLog, type TreeSlot } from './tree-slot.ts';
import type { TreeState } from './tree-state.ts';

const none = Number.NEGATIVE_INFINITY;

interface Candidate extends NewestActOfTree {
  readonly slot: TreeSlot;
}

/**
 * Returns the newest act of an actor in any tree. Trees are searched in the order of their last change and only while
 * the next tree could contain a newer act, so usually one or two trees are loaded. Commits are compared by time, then
 * by the order in which this process received them.
 */
export async function findNewestAct(
  state: TreeState,
  owner: string,
  actor: string,
  which: 'undoable' | 'redoable',
): Promise<NewestAct | null> {
  let best: Candidate | null = null;
  let begun: { readonly commit: Commit; readonly slot: TreeSlot } | null = null;
  const slots = [...state.slotsOf(owner)].sort((a, b) => b.row.updatedAt - a.row.updatedAt || b.sequence - a.sequence);
  for (const slot of slots) {
    if (Math.max(best?.commit.at ?? none, begun?.commit.at ?? none) > slot.row.updatedAt) break;
    const loadedSlot = await loadSlotIfReadable(state, owner, slot.id);
    if (loadedSlot === null) continue;
    const log = loadedSlot.log.slice(0, indexInLog(loadedSlot.log, loadedSlot.tree.version + 1));
    const found = which === 'undoable' ? findNewestUndoable(log, actor) : findNewestRedoable(log, actor);
    if (found !== null && (best === null || isNewer({ ...found, slot }, best))) best = { ...found, slot };
    const first = which === 'redoable' ? findNewestActStart(log, actor) : null;
    if (first !== null && (begun === null || isNewer({ commit: first, slot }, begun))) begun = { commit: first, slot };
  }
  if (best === null || (begun !== null && isNewer(begun, best))) return null;
  return { treeId: best.slot.id, actId: best.actId, madeTree: best.commit.version === 1 };
}

type Placed = Pick<Candidate, 'commit' | 'slot'>;

function isNewer(one: Placed, other: Placed): boolean {
  if (one.commit.at !== other.commit.at) return one.commit.at > other.commit.at;
  if (one.slot === other.slot) return one.commit.version > other.commit.version;
  return sequenceOf(one) > sequenceOf(other);
}

/**
 * Returns the change number of a commit. A commit from before the store was opened gets the number of its tree's first
 * change.
 */
function sequenceOf({ commit, slot }: Placed): number {
  return slot.sequences.get(commit.version) ?? 0;
}
