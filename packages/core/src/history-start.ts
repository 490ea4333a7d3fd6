/** Shortening the log of a tree, and errors for reads that need commits from before its beginning. */
import { AppError, refusalKinds } from './errors.ts';
import type { TreeId } from './ids.ts';
import { ask, type Commit, type ReadProgram } from './reads.ts';

/** The oldest commit in the log of a tree whose earlier commits were deleted. */
export interface HistoryStart {
  readonly version: number;
  /** The time of that commit. */
  readonly at: number;
}

/** The fields of a commit that decide whether it may be deleted from the log. */
export type TrimmableCommit = Pick<Commit, 'version' | 'actId' | 'kind' | 'at'>;

/**
 * Returns the first version to keep in a log if commits before a time are deleted. The newest commit always stays, and
 * so does every commit of an act that has a later commit, because an act can only be undone completely. `latest` is the
 * highest version that may be returned, for example because a share link shows the version before it.
 */
export function findTrimVersion(
  log: readonly TrimmableCommit[],
  before: number,
  latest = Number.POSITIVE_INFINITY,
): number {
  const first = log[0]?.version ?? 1;
  const recent = log.findIndex((commit) => commit.at >= before || commit.version >= latest);
  let start = recent === -1 ? log.length - 1 : recent;
  const starts = new Map<string, number>();
  // An undo inverts everything before it, so a redo needs only the undo itself.
  for (const [index, { actId, kind }] of log.entries())
    if (kind === 'undo' || !starts.has(actId)) starts.set(actId, index);
  for (let index = log.length - 1; index >= start && index >= 0; index--)
    start = Math.min(start, starts.get(log[index]?.actId ?? '') ?? start);
  return log[start]?.version ?? first;
}

/**
 * Throws `history/trimmed` if commits directly after a version are missing from the log that was read after it. The
 * newest commit is never deleted, so a log without a commit is complete.
 */
export function assertLogComplete(treeId: TreeId, since: number, commits: readonly Commit[]): void {
  const [first] = commits;
  if (first === undefined || first.version <= Math.max(0, since) + 1) return;
  const start = describeHistoryStart(first);
  throw new AppError({
    code: 'history/trimmed',
    kind: refusalKinds['history/trimmed'],
    message: `Version ${since} is no longer available: the history begins on ${start.begins} with version ${start.version}.`,
    data: { treeId, ...start },
  });
}

/** Returns where the log of the current tree begins; null if no commit was deleted from it. */
export function* readHistoryStart(): ReadProgram<HistoryStart | null> {
  const [first] = yield* ask('log', { since: 0, limit: 1 });
  return first === undefined || first.version <= 1 ? null : { version: first.version, at: first.at };
}

/** Returns the data of an error about the beginning of the history: its version, time and, in ISO form, its date. */
export function describeHistoryStart({ version, at }: HistoryStart): HistoryStart & { readonly begins: string } {
  return { version, at, begins: formatIsoDate(at) };
}

const dayMs = 86_400_000;

/** Formats a time as `2026-11-18` in UTC. Core has no clock and therefore no Date. */
function formatIsoDate(at: number): string {
  // Years begin in March here, so that the leap day is the last day of its year, and eras have 400 years.
  const days = Math.floor(at / dayMs) + 719_468;
  const era = Math.floor(days / 146_097);
  const ofEra = days - era * 146_097;
  const years = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const march = Math.floor((5 * ofYear + 2) / 153);
  const month = march < 10 ? march + 3 : march - 9;
  const day = ofYear - Math.floor((153 * march + 2) / 5) + 1;
  const year = years + era * 400 + (month <= 2 ? 1 : 0);
  const pad = (value: number, length: number) => String(value).padStart(length, '0');
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}
