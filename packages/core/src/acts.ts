/** Finds the acts of an actor that can be undone or redone, from a tree's log. */
import { isUndoable } from './commit.ts';
import type { ActId } from './ids.ts';
import type { Commit } from './reads.ts';

/** An act and the commits that an undo or redo must invert, oldest first. */
export interface ActCommits {
  readonly actId: ActId;
  readonly commits: readonly Commit[];
}

/**
 * Returns the actor's newest act that is not undone, or the act with the given id; null if there is no such act. The
 * log must be in version order.
 */
export function findUndoableAct(log: readonly Commit[], actor: string, actId?: ActId): ActCommits | null {
  // Walking backwards, the first commit found of an act is its last one and shows whether the act is undone.
  const last = new Map<ActId, Commit>();
  const acts = new Map<ActId, readonly Commit[]>();
  for (let at = log.length - 1; at >= 0; at--) {
    const commit = log[at];
    if (commit === undefined || !isUndoable(commit.steps)) continue;
    const id = commit.actId;
    if (!last.has(id)) last.set(id, commit);
    if (commit.actor !== actor || (actId !== undefined && id !== actId) || last.get(id)?.kind === 'undo') continue;
    const commits = acts.get(id) ?? commitsSinceUndo(log, id);
    acts.set(id, commits);
    // The first commit decides how old an act is, because a reply may end long after its user has done something else.
    if (firstCommit(commits, actor) === commit) return { actId: id, commits };
  }
  return null;
}

/**
 * Returns the commits of an act since its last undo. The creation of the tree (version 1) is not included. A redo is
 * one commit that repeats all commits before it.
 */
function commitsSinceUndo(log: readonly Commit[], actId: ActId): Commit[] {
  const own = log.filter((commit) => commit.actId === actId && commit.version > 1);
  return own.slice(own.findLastIndex((commit) => commit.kind === 'undo') + 1);
}

function firstCommit(commits: readonly Commit[], actor: string): Commit | undefined {
  return commits.find((one) => one.actor === actor && isUndoable(one.steps));
}

/**
 * Returns the actor's newest undone act, or the act with the given id; null if the actor has started another act since.
 */
export function findRedoableAct(log: readonly Commit[], actor: string, actId?: ActId): ActCommits | null {
  const met = new Set<ActId>();
  for (let at = log.length - 1; at >= 0; at--) {
    const commit = log[at];
    if (commit === undefined || !isUndoable(commit.steps)) continue;
    const newest = !met.has(commit.actId);
    met.add(commit.actId);
    if (commit.actor !== actor) continue;
    // Finishing a reply that was requested earlier does not start a new act.
    if (
      commit.kind === 'do' &&
      (firstCommit(commitsSinceUndo(log, commit.actId), actor) ?? commit).version >= commit.version
    )
      return null;
    if (commit.kind === 'undo' && newest && (actId === undefined || commit.actId === actId))
      return { actId: commit.actId, commits: [commit] };
  }
  return null;
}

/** An actor's newest act in one tree; used to find the newest act in all trees. */
export interface NewestActOfTree {
  readonly actId: ActId;
  /** The commit that decides how old the act is: its first commit, or the commit that undid it. */
  readonly commit: Commit;
}

/**
 * Returns the act that an undo without a named tree would choose if this were the only tree. Unlike {@link
 * findUndoableAct}, it includes the creation of the tree.
 */
export function findNewestUndoable(log: readonly Commit[], actor: string): NewestActOfTree | null {
  const found = findUndoableAct(log, actor);
  const [made] = log;
  if (found !== null) {
    const commit = firstCommit(found.commits, actor);
    return commit === undefined ? null : { actId: found.actId, commit };
  }
  if (made === undefined || made.actor !== actor || !isUndoable(made.steps)) return null;
  const last = log.findLast((commit) => commit.actId === made.actId && isUndoable(commit.steps));
  return last?.kind === 'undo' ? null : { actId: made.actId, commit: made };
}

/** Returns the act that a redo without a named tree would choose if this were the only tree. */
export function findNewestRedoable(log: readonly Commit[], actor: string): NewestActOfTree | null {
  const found = findRedoableAct(log, actor);
  const commit = found?.commits[0];
  return found === null || commit === undefined ? null : { actId: found.actId, commit };
}

/**
 * Returns the newest commit that started an act of the actor, including the creation of the tree. Acts that were undone
 * before this commit cannot be redone.
 */
export function findNewestActStart(log: readonly Commit[], actor: string): Commit | null {
  for (let at = log.length - 1; at >= 0; at--) {
    const commit = log[at];
    if (commit === undefined || commit.actor !== actor || commit.kind !== 'do' || !isUndoable(commit.steps)) continue;
    if ((firstCommit(commitsSinceUndo(log, commit.actId), actor) ?? commit).version >= commit.version) return commit;
  }
  return null;
}
