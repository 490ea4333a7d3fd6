/** Summarises commits for a history list. */
import type { Commit, CommitSummary } from '@coppice/core';

/** Returns a commit without its steps, which are counted by type. */
export function summarizeCommit(commit: Commit): CommitSummary {
  const counts = new Map<string, number>();
  for (const { type } of commit.steps) counts.set(type, (counts.get(type) ?? 0) + 1);
  const { version, actId, actor, at, kind, structural } = commit;
  return { version, actId, actor, at, kind, structural, steps: Object.fromEntries(counts) };
}
