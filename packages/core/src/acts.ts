/** Which acts of an actor can be taken back or brought back, told from a tree's log. */
import { isUndoable } from './commit.ts';
import type { ActId } from './ids.ts';
import type { Commit } from './reads.ts';

/** An act and the commits that taking it back or bringing it back has to turn round, oldest first. */
export interface ActCommits {
  readonly actId: ActId;
  readonly commits: readonly Commit[];
}

/** An actor's newest act that is not undone, or the one named, from a log in the order of its versions. */
export function undoableAct(log: readonly Commit[], actor: string, actId?: ActId): ActCommits | null {
  // Walking back, the first commit met of an act is its last one, and says whether it is undone.
  const last = new Map<ActId, Commit>();
  const acts = new Map<ActId, readonly Commit[]>();
  for (let at = log.length - 1; at >= 0; at--) {
    const commit = log[at];
    if (commit === undefined || !isUndoable(commit.steps)) continue;
    const id = commit.actId;
    if (!last.has(id)) last.set(id, commit);
    if (commit.actor !== actor || (actId !== undefined && id !== actId) || last.get(id)?.kind === 'undo') continue;
    const commits = acts.get(id) ?? isActDone(log, id);
    acts.set(id, commits);
    // An act is as new as its beginning: a reply may end long after whoever asked for it did something else.
    if (firstCommit(commits, actor) === commit) return { actId: id, commits };
  }
  return null;
}

/** What an act did since it was last taken back: bringing it back is one commit for all it did before. */
function isActDone(log: readonly Commit[], actId: ActId): Commit[] {
  const own = log.filter((commit) => commit.actId === actId && commit.version > 1);
  return own.slice(own.findLastIndex((commit) => commit.kind === 'undo') + 1);
}

function firstCommit(commits: readonly Commit[], actor: string): Commit | undefined {
  return commits.find((one) => one.actor === actor && isUndoable(one.steps));
}

/** An actor's newest undone act, or the one named, unless the actor began something since. */
export function redoableAct(log: readonly Commit[], actor: string, actId?: ActId): ActCommits | null {
  const met = new Set<ActId>();
  for (let at = log.length - 1; at >= 0; at--) {
    const commit = log[at];
    if (commit === undefined || !isUndoable(commit.steps)) continue;
    const newest = !met.has(commit.actId);
    met.add(commit.actId);
    if (commit.actor !== actor) continue;
    // The end of a reply that was asked for before is no next act.
    if (commit.kind === 'do' && (firstCommit(isActDone(log, commit.actId), actor) ?? commit).version >= commit.version)
      return null;
    if (commit.kind === 'undo' && newest && (actId === undefined || commit.actId === actId))
      return { actId: commit.actId, commits: [commit] };
  }
  return null;
}

/** An actor's newest act in one tree, for finding the newest over all trees. */
export interface NewestActIn {
  readonly actId: ActId;
  /** The commit that says how new it is: where the act began, or where it was taken back. */
  readonly commit: Commit;
}

/**
 * The act of an actor that an undo without a tree would take back if this tree were the only one. Unlike
 * {@link undoableAct} it counts the making of the tree.
 */
export function newestUndoable(log: readonly Commit[], actor: string): NewestActIn | null {
  const found = undoableAct(log, actor);
  const [made] = log;
  if (found !== null) {
    const commit = firstCommit(found.commits, actor);
    return commit === undefined ? null : { actId: found.actId, commit };
  }
  if (made === undefined || made.actor !== actor || !isUndoable(made.steps)) return null;
  const last = log.findLast((commit) => commit.actId === made.actId && isUndoable(commit.steps));
  return last?.kind === 'undo' ? null : { actId: made.actId, commit: made };
}

/** The act of an actor that a redo without a tree would bring back if this tree were the only one. */
export function newestRedoable(log: readonly Commit[], actor: string): NewestActIn | null {
  const found = redoableAct(log, actor);
  const commit = found?.commits[0];
  return found === null || commit === undefined ? null : { actId: found.actId, commit };
}

/** The newest commit with which an actor began something in a tree, the making of it included: what clears redo. */
export function newestBeginning(log: readonly Commit[], actor: string): Commit | null {
  for (let at = log.length - 1; at >= 0; at--) {
    const commit = log[at];
    if (commit === undefined || commit.actor !== actor || commit.kind !== 'do' || !isUndoable(commit.steps)) continue;
    if ((firstCommit(isActDone(log, commit.actId), actor) ?? commit).version >= commit.version) return commit;
  }
  return null;
}
