import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { findTree } from '../../resolve-target.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandInput } from '../contract.ts';

const dayMs = 86_400_000;

export const trim = defineSubcommand({
  name: 'trim',
  summary: 'delete old changes from the history; chats stay as they are',
  worksOn: 'own-store',
  insteadOnServer: () =>
    'It rewrites the store of all users. Run it on the computer of the server, or name the store with --store.',
  group: 'Manage',
  arguments: [{ name: 'chat', summary: 'only this chat', optional: true, completes: 'tree' }],
  options: [
    {
      name: 'keep',
      value: 'days',
      summary: 'keep the changes of this many days (default: history.keep_days of the configuration)',
    },
  ],
  examples: ['coppice trim --keep 90', 'coppice trim last --keep 7 --json'],
  async run(given, at) {
    const keepMs = await readKeepMs(given, at);
    const store = await at.keptStore();
    const word = given.optional('chat');
    const only = word === undefined ? {} : { treeId: (await findTree(at, word)).id };
    const progress = createProgressBar(at.output, 'chats');
    const before = Date.now() - keepMs;
    const report = await store
      .trimHistory({
        ...only,
        before,
        signal: at.host.signal,
        onProgress: ({ done, total }) => progress.tell(done, total - done),
      })
      .finally(() => progress.end());
    const { style } = at.output;
    const changes = `${formatCountedNoun(report.commits, 'change')} from ${formatCountedNoun(report.trees, 'chat')}`;
    return {
      data: { before, ...report },
      lines: [
        report.commits === 0 ? 'No old changes to delete.' : `Deleted ${changes}. They can no longer be undone.`,
        ...(report.skipped === 0
          ? []
          : [style.warn(`${formatCountedNoun(report.skipped, 'chat')} could not be written and kept all changes.`)]),
      ],
    };
  },
});

/** Returns how many milliseconds to keep: the option, else the configuration. Throws if neither says so. */
async function readKeepMs(given: SubcommandInput, at: CliContext): Promise<number> {
  const days = given.count('keep');
  if (days !== undefined) return days * dayMs;
  const { keepMs } = (await at.config()).history;
  if (keepMs !== null) return keepMs;
  throw makeUsageError('Say how many days to keep, such as --keep 90, or set history.keep_days in the configuration.');
}
