import { findTree, lastTree } from '../../place.ts';
import { timeText } from '../../printing.ts';
import { oneLine } from '../../terminal/neutral.ts';
import { defineSubcommand } from '../contract.ts';

export const log = defineSubcommand({
  name: 'log',
  summary: 'list what was done to a tree, newest first',
  group: 'Read',
  arguments: [{ name: 'tree', summary: 'id, beginning of an id, title, or last', optional: true, completes: 'tree' }],
  options: [
    { name: 'limit', short: 'n', value: 'count', summary: 'how many; 50 if not given' },
    { name: 'before', value: 'version', summary: 'only what came before this version' },
  ],
  examples: ['coppice log last', 'coppice log last --limit 10 --json'],
  async run(given, at) {
    const store = await at.store();
    const row = await findTree(store, given.optional('tree') ?? lastTree);
    const before = given.count('before');
    const commits = await store.history(row.id, {
      limit: given.count('limit') ?? 50,
      ...(before === undefined ? {} : { before }),
    });
    const { style } = at.output;
    return {
      data: { treeId: row.id, version: row.version, commits },
      lines: commits.map(({ version, kind, steps, actor, at: when }) => {
        const done = Object.entries(steps)
          .map(([type, count]) => (count === 1 ? type : `${type} ×${count}`))
          .join(', ');
        const what = kind === 'do' ? done : `${kind}: ${done}`;
        return `${style.strong(String(version).padStart(5))}  ${style.quiet(timeText(when))}  ${oneLine(actor, 20)}  ${what}`;
      }),
    };
  },
});
