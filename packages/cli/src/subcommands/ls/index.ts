import { commandLineFor } from '../../changing.ts';
import { treeLine } from '../../printing.ts';
import { defineSubcommand } from '../contract.ts';

export const ls = defineSubcommand({
  name: 'ls',
  summary: 'list conversations, most recent first',
  group: 'Read',
  arguments: [{ name: 'title', summary: 'part of the title', optional: true }],
  options: [
    { name: 'project', value: 'name', summary: 'only conversations of this project' },
    { name: 'folder', value: 'name', summary: 'only conversations in this folder' },
    { name: 'tag', value: 'name', summary: 'only conversations with this tag' },
    { name: 'pinned', summary: 'only pinned conversations' },
    { name: 'trashed', summary: 'list the trash instead' },
    { name: 'limit', short: 'n', value: 'count', summary: 'number of conversations (default 50)' },
    { name: 'cursor', value: 'text', summary: 'continue an earlier list' },
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
      lines.push(style.quiet(isPart ? 'No conversation matches.' : none));
    }
    if (page.cursor !== null) lines.push(style.quiet(`There are more. Add --cursor ${page.cursor}`));
    return { data: page, lines };
  },
});
