/** Describes the changes of a tree: one sentence per act. */
import type { CommitSummary } from '@coppice/core';
import { formatCountedNoun } from './tree-changes.ts';

/** Consecutive commits of one act, newest first. */
export interface ActSummary {
  readonly commits: readonly CommitSummary[];
  readonly newest: CommitSummary;
}

/** Joins neighbouring commits of the same act and kind, in the order of the list. */
export function groupLogByAct(commits: readonly CommitSummary[]): readonly ActSummary[] {
  const acts: { commits: CommitSummary[]; newest: CommitSummary }[] = [];
  for (const commit of commits) {
    const last = acts.at(-1);
    if (last !== undefined && last.newest.actId === commit.actId && last.newest.kind === commit.kind)
      last.commits.push(commit);
    else acts.push({ commits: [commit], newest: commit });
  }
  return acts;
}

const phrases: readonly (readonly [step: string, phrase: (count: number) => string])[] = [
  ['insert', (count) => `added ${formatCountedNoun(count, 'message')}`],
  ['remove', (count) => (count === 1 ? 'deleted a message or branch' : `deleted ${count} messages or branches`)],
  ['restore', (count) => (count === 1 ? 'restored a message or branch' : `restored ${count} messages or branches`)],
  ['move', (count) => `moved ${formatCountedNoun(count, 'message')}`],
  ['replace', (count) => `changed ${formatCountedNoun(count, 'message')}`],
  ['bookmark', (count) => (count === 1 ? 'changed a bookmark' : `changed ${count} bookmarks`)],
  ['annotate', (count) => (count === 1 ? 'changed a title, tag or note' : `changed ${count} titles, tags or notes`)],
  ['attributes', () => 'changed the title or settings of the chat'],
];

/** Returns what an act did, for example `added 2 messages, moved 1 message`. */
export function describeLoggedAct({ commits, newest }: ActSummary): string {
  const counts = new Map<string, number>();
  for (const { steps } of commits)
    for (const [step, count] of Object.entries(steps)) counts.set(step, (counts.get(step) ?? 0) + count);
  const creates = commits.some(({ version }) => version === 1);
  // The root is inserted with the tree and is not a message.
  if (creates) counts.set('insert', (counts.get('insert') ?? 1) - 1);
  const inserted = counts.get('insert') ?? 0;
  // A reply is inserted and then filled and measured: that counts as one message, not also as changes.
  for (const step of inserted > 0 ? ['replace', 'annotate'] : [])
    counts.set(step, Math.max(0, (counts.get(step) ?? 0) - inserted));
  const done = creates ? ['created the chat'] : [];
  for (const [step, phrase] of phrases) {
    const count = counts.get(step) ?? 0;
    if (count > 0 && !(creates && step === 'attributes')) done.push(phrase(count));
  }
  const text = done.length === 0 ? 'switched to another branch' : done.join(', ');
  return newest.kind === 'do' ? text : `${newest.kind}: ${text}`;
}
