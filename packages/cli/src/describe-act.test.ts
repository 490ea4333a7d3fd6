import type { CommitSummary } from '@coppice/core';
import { actId } from '@coppice/core';
import { expect, test } from 'vitest';
import { describeLoggedAct, groupLogByAct } from './describe-act.ts';

const one = actId('0190c2e0-0000-7000-8000-000000000001');
const two = actId('0190c2e0-0000-7000-8000-000000000002');

function commit(version: number, id: typeof one, steps: Record<string, number>, kind: CommitSummary['kind'] = 'do') {
  return { version, actId: id, actor: 'me', at: 0, kind, structural: true, steps };
}

test('[O15] commits of one act are one line: a question and its reply are two messages, not a message and a change', () => {
  const acts = groupLogByAct([
    commit(5, two, { insert: 1 }, 'undo'),
    commit(4, one, { replace: 1, annotate: 1 }),
    commit(3, one, { insert: 1, select: 1 }),
    commit(2, one, { insert: 1, select: 1 }),
  ]);
  expect(acts.map(describeLoggedAct)).toEqual(['undo: added 1 message', 'added 2 messages']);
});

test('[O15] a change of the active node, an edit in place and a new tree are described differently', () => {
  expect(describeLoggedAct({ commits: [commit(2, one, { select: 1 })], newest: commit(2, one, {}) })).toBe(
    'switched to another branch',
  );
  expect(describeLoggedAct({ commits: [commit(2, one, { replace: 1 })], newest: commit(2, one, {}) })).toBe(
    'changed 1 message',
  );
  expect(
    describeLoggedAct({ commits: [commit(1, one, { insert: 1, attributes: 1 })], newest: commit(1, one, {}) }),
  ).toBe('created the chat');
});
