import { createProgressBar } from '../../terminal/progress.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const backfill = defineSubcommand({
  name: 'backfill',
  summary: 'convert chats stored as lists into trees (can be resumed)',
  worksOn: 'own-store',
  insteadOnServer: () =>
    'It rewrites the store of all users. Run it on the computer of the server, or name the store with --store.',
  group: 'Manage',
  begins: true,
  options: [{ name: 'batch', value: 'count', summary: 'chats per step (default 100)' }],
  examples: ['coppice backfill', 'coppice backfill --batch 20 --json'],
  async run(given, at) {
    const store = await at.store();
    const progress = createProgressBar(at.output, 'chats');
    let last = { done: 0, left: 0 };
    try {
      for await (const reported of store.backfill({ batch: given.count('batch') ?? 100, signal: at.host.signal })) {
        last = reported;
        progress.tell(reported.done, reported.left);
      }
    } finally {
      progress.end();
    }
    const rest = last.left === 0 ? '' : ` ${last.left} are left. Run the command again to continue.`;
    return { data: last, lines: [`Converted ${formatCountedNoun(last.done, 'chat')}.${rest}`] };
  },
});
