import { commandLineFor } from '../../changing.ts';
import { treeLine } from '../../printing.ts';
import { defineSubcommand } from '../contract.ts';

export const ls = defineSubcommand({
  name: 'ls',
  summary: 'list trees, last changed first',
  group: 'Read',
  arguments: [{ name: 'title', summary: 'a part of the title', optional: true }],
  options: [
    { name: 'project', value: 'name', summary: 'only trees of this project' },
    { name: 'folder', value: 'name', summary: 'only trees in this folder' },
    { name: 'tag', value: 'name', summary: 'only trees with this tag' },
    { name: 'pinned', summary: 'only pinned trees' },
    { name: 'trashed', summary: 'trees in the trash instead' },
    { name: 'limit', short: 'n', value: 'count', summary: 'how many; 50 if not given' },
    { name: 'cursor', value: 'text', summary: 'goes on where an earlier list ended' },
  ],
  examples: ['coppice ls', 'coppice ls recipes --limit 5', 'coppice ls --trashed --json'],
  async run(given, at) {
    const store = await at.store();
    const [title, project, folder, tag, cursor] = ['title', 'project', 'folder', 'tag', 'cursor'].map(given.optional);
    const page = await store.trees({
      limit: given.count('limit') ?? 50,
      ...(title === undefined ? {} : { title }),
      ...(project === undefined ? {} : { project }),
      ...(folder === undefined ? {} : { folder }),
      ...(tag === undefined ? {} : { tag }),
      ...(cursor === undefined ? {} : { cursor }),
      ...(given.flag('pinned') ? { pinned: true } : {}),
      ...(given.flag('trashed') ? { trashed: true } : {}),
    });
    const lines = page.items.map((row) => treeLine(row, at.output));
    const { style } = at.output;
    const isPart = [title, project, folder, tag, cursor].some((each) => each !== undefined) || given.flag('pinned');
    if (lines.length === 0) {
      const begin = commandLineFor(at, 'coppice append --new "Hello"');
      const how = begin === null ? '' : ` ${begin} begins a tree.`;
      const none = given.flag('trashed') ? 'The trash is empty.' : `Nothing here.${how}`;
      lines.push(style.quiet(isPart ? 'No tree fits.' : none));
    }
    if (page.cursor !== null) lines.push(style.quiet(`There is more: add --cursor ${page.cursor}`));
    return { data: page, lines };
  },
});
