/** Summarises commits for a history list. */
import type { Commit, CommitSummary } from '@coppice/core';

/** Returns a commit with the number of its steps of each type, instead of the steps. */
export function summarizeCommit(commit: Commit): CommitSummary {
  const counts = new Map<string, number>();
  for (const { type } of commit.steps) counts.set(type, (counts.get(type) ?? 0) + 1);
  const { version, actId, actor, at, kind, structural } = commit;
  return { version, actId, actor, at, kind, structural, steps: Object.fromEntries(counts) };
}
