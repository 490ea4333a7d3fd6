/** Finds the newest act of an actor over all trees of a store. */
import type { Commit, NewestAct, NewestActOfTree } from '@coppice/core';
import { findNewestActStart, findNewestRedoable, findNewestUndoable } from '@coppice/core/history';
import type { InProcessState } from './in-process-state.ts';
import { loadSlotIfReadable } from './lists.ts';
import { findIndexInLog, type TreeSlot } from './tree-slot.ts';

const none = Number.NEGATIVE_INFINITY;

interface Candidate extends NewestActOfTree {
  readonly slot: TreeSlot;
}

/**
 * Returns the newest act of an actor in any tree. Trees are searched in the order of their last commit, and a tree is
 * skipped if it cannot contain a newer act, so usually one to three trees are loaded. Commits are compared by time,
 * then by the order in which this process received them. If the clock was set back between two commits, an older act
 * may be returned.
 */
export async function findNewestAct(
  state: InProcessState,
  owner: string,
  actor: string,
  which: 'undoable' | 'redoable',
): Promise<NewestAct | null> {
  let best: Candidate | null = null;
  let begun: { readonly commit: Commit; readonly slot: TreeSlot } | null = null;
  const slots = [...state.slotsOf(owner)].sort((a, b) => b.sequence - a.sequence || b.row.updatedAt - a.row.updatedAt);
  // A tree is skipped if the act is newer than `updatedAt` of the tree and than the last commit of the tree before it.
  // `updatedAt` alone ignores renames. The last commit alone tells nothing about trees whose commits have no change
  // numbers, for example in files of other programs.
  let before: Commit | undefined;
  for (const slot of slots) {
    const newest = best === null || (begun !== null && isNewer(begun, best)) ? begun : best;
    const isPast = before !== undefined && (newest?.commit === before || (newest?.commit.at ?? none) > before.at);
    if (newest !== null && isPast && newest.commit.at > slot.row.updatedAt) continue;
    const loadedSlot = await loadSlotIfReadable(state, owner, slot.id);
    if (loadedSlot === null) continue;
    const log = loadedSlot.log.slice(0, findIndexInLog(loadedSlot.log, loadedSlot.tree.version + 1));
    before = log.at(-1) ?? before;
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

/** Returns the change number of a commit; 0 for a commit that this process has read from disk, so that it is older. */
function sequenceOf({ commit, slot }: Placed): number {
  return slot.sequences.get(commit.version) ?? 0;
}
