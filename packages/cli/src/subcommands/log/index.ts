import type { CommitSummary, HistoryStart, Store, TreeId } from '@coppice/core';
import { type ActSummary, describeLoggedAct, groupLogByAct } from '../../describe-act.ts';
import { formatLocalTime } from '../../printing.ts';
import { findTree, lastTreeName } from '../../resolve-target.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { widthOf } from '../../terminal/width.ts';
import { wrapLines } from '../../terminal/wrap.ts';
import { chatArgument, defineSubcommand } from '../contract.ts';

export const log = defineSubcommand({
  name: 'log',
  summary: 'list the changes of a chat, newest first',
  group: 'Read',
  paged: true,
  arguments: [{ ...chatArgument, optional: true }],
  options: [
    { name: 'limit', short: 'n', value: 'count', summary: 'number of changes (default 50)' },
    { name: 'before', value: 'version', summary: 'only changes before this version' },
  ],
  examples: ['coppice log last', 'coppice log last --limit 10 --json'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(at, given.optional('chat') ?? lastTreeName);
    const before = given.count('before');
    const acts = await readActs(store, row.id, given.count('limit', 1) ?? 50, before);
    const commits = acts.flatMap((act) => act.commits);
    const { style, columns } = at.output;
    const lines = acts.map((act) => {
      const { version, actor, at: when } = act.newest;
      const what = describeLoggedAct(act);
      const number = String(version).padStart(5);
      const about = `${formatLocalTime(when)}  ${toOneLine(actor, 20)}`;
      const head = `${style.strong(number)}  ${style.quiet(formatLocalTime(when))}  ${toOneLine(actor, 20)}`;
      // A line that is too long continues below with an indentation, because a terminal would break it anywhere.
      const indent = ' '.repeat(number.length + 2);
      if (widthOf(`${number}  ${about}  ${what}`) <= columns) return `${head}  ${what}`;
      return [head, ...wrapLines(what, columns - indent.length).map((line) => `${indent}${line}`)].join('\n');
    });
    if (lines.length === 0) lines.push(style.quiet('No earlier changes.'));
    const begins = await findDeletedBefore(store, row.id, commits.at(-1));
    if (begins !== null)
      lines.push(style.quiet(`The history begins on ${formatLocalTime(begins.at)}. Older changes were deleted.`));
    return { data: { treeId: row.id, version: row.version, commits, begins }, lines };
  },
});

/** Reads the newest acts of a tree. An act is one change for the user, however many commits it has. */
async function readActs(
  store: Store,
  treeId: TreeId,
  limit: number,
  before: number | undefined,
): Promise<readonly ActSummary[]> {
  const commits: CommitSummary[] = [];
  for (let from = before; ; from = commits.at(-1)?.version) {
    const page = await store.history(treeId, { limit, ...(from === undefined ? {} : { before: from }) });
    for (const commit of page) commits.push(commit);
    const acts = groupLogByAct(commits);
    // An act is complete once a commit of an older act follows.
    if (page.length < limit || acts.length > limit) return acts.slice(0, limit);
  }
}

/** Returns where the history begins if older commits were deleted; null if none were deleted or older ones follow. */
async function findDeletedBefore(
  store: Store,
  treeId: TreeId,
  oldest: CommitSummary | undefined,
): Promise<HistoryStart | null> {
  if (oldest === undefined || oldest.version <= 1) return null;
  const { version, at } = oldest;
  const older = await store.history(treeId, { before: version, limit: 1 });
  return older.length === 0 ? { version, at } : null;
}
