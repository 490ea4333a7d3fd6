import { ask, type ReadProgram, type TreeRow } from '@coppice/core';
import { silhouetteOf } from '@coppice/core/tree';
import { addTitlesFromFirstWords } from '../../first-words.ts';
import { formatTreeLine, formatTreeListHeading, modelNameOf, type TreeListColumns } from '../../printing.ts';
import { createIdShortener } from '../../short-ids.ts';
import { buildCommandLine } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const ls = defineSubcommand({
  name: 'ls',
  summary: 'list chats, most recent first',
  group: 'Read',
  arguments: [{ name: 'title', summary: 'part of the title', optional: true }],
  options: [
    { name: 'project', value: 'name', summary: 'only chats of this project' },
    { name: 'folder', value: 'name', summary: 'only chats in this folder' },
    { name: 'tag', value: 'name', summary: 'only chats with this tag' },
    { name: 'pinned', summary: 'only pinned chats' },
    { name: 'trashed', summary: 'list the trash instead' },
    { name: 'limit', short: 'n', value: 'count', summary: 'number of chats (default 50)' },
    { name: 'cursor', value: 'text', summary: 'continue an earlier list' },
  ],
  examples: ['coppice ls', 'coppice ls recipes --limit 5', 'coppice ls --trashed --json'],
  async run(given, at) {
    const store = await at.store();
    const [title, project, folder, tag, cursor] = ['title', 'project', 'folder', 'tag', 'cursor'].map(given.optional);
    const page = await store.trees({
      limit: given.count('limit', 1) ?? 50,
      ...(title === undefined ? {} : { title }),
      ...(project === undefined ? {} : { project }),
      ...(folder === undefined ? {} : { folder }),
      ...(tag === undefined ? {} : { tag }),
      ...(cursor === undefined ? {} : { cursor }),
      ...(given.flag('pinned') ? { pinned: true } : {}),
      ...(given.flag('trashed') ? { trashed: true } : {}),
    });
    const short = createIdShortener(page.items.map((row) => row.id));
    const lines: string[] = [];
    const head = formatTreeListHeading(at.output);
    if (head !== null && at.output.screen !== null && page.items.length > 0) lines.push(head);
    // `--json` does not print these columns, so they are not read.
    for (const row of at.options.json ? [] : await addTitlesFromFirstWords(store, page.items))
      lines.push(
        formatTreeLine(
          row,
          at.output,
          short(row.id),
          head === null ? undefined : await store.read(row.id, () => readFigures(row)),
        ),
      );
    const { style } = at.output;
    const isPart = [title, project, folder, tag, cursor].some((each) => each !== undefined) || given.flag('pinned');
    if (page.items.length === 0) {
      const begin = buildCommandLine(at, 'coppice chat');
      const how = begin === null ? '' : ` Start one with ${begin}.`;
      const none = given.flag('trashed') ? 'The trash is empty.' : `There are no chats yet.${how}`;
      lines.push(style.quiet(isPart ? 'No chat matches.' : none));
    }
    if (page.cursor !== null) lines.push(style.quiet(`There are more. Add --cursor ${page.cursor}`));
    return { data: page, lines };
  },
});

// Counting reads every link of a tree. Above this size a list of fifty trees would take seconds.
const maxCounted = 2_000;
// The last reply is among the last messages of the branch, before a question or a tool result.
const lastMessages = 4;

function* readFigures({ rootId, activeNodeId, nextSeq }: TreeRow): ReadProgram<TreeListColumns> {
  const last = activeNodeId === null ? [] : (yield* ask('path', { to: activeNodeId, limit: lastMessages })).nodes;
  const model = last.map(modelNameOf).findLast((name) => name !== null) ?? '';
  if (nextSeq > maxCounted) return { messages: `~${nextSeq - 1}`, branches: '', model };
  const { messages, branches } = silhouetteOf(yield* ask('links', {}), rootId, activeNodeId);
  return { messages: String(messages), branches: String(branches), model };
}
