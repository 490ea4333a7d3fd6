import { makeUsageError } from '../../exit-codes.ts';
import { readChatNames } from '../../first-words.ts';
import { formatLocalTime } from '../../printing.ts';
import { findTree } from '../../resolve-target.ts';
import { isMessageRole } from '../../roles.ts';
import { shortenId } from '../../short-ids.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { widthOf } from '../../terminal/width.ts';
import { breakShellLine, buildCommandLine } from '../../tree-changes.ts';
import { defineSubcommand } from '../contract.ts';

export const search = defineSubcommand({
  name: 'search',
  summary: 'search messages in every branch',
  group: 'Read',
  arguments: [{ name: 'words', summary: 'words that must all occur, without wildcards', many: true }],
  options: [
    { name: 'tree', value: 'chat', summary: 'only in this chat', completes: 'tree' },
    { name: 'project', value: 'name', summary: 'only in this project' },
    {
      name: 'role',
      value: 'role',
      summary: 'only messages of user, assistant, tool or system',
      many: true,
      completes: ['user', 'assistant', 'tool', 'system'],
    },
    { name: 'limit', short: 'n', value: 'count', summary: 'number of results (default 20)' },
    { name: 'cursor', value: 'text', summary: 'continue an earlier search' },
  ],
  examples: ['coppice search sourdough', 'coppice search 50% discount --role user', 'coppice search tree --json'],
  async run(given, at) {
    const text = given.many('words').join(' ');
    if (text.trim() === '') throw makeUsageError('The search is empty. Give a word, or a part of one.');
    const store = await at.store();
    const [tree, project, cursor] = ['tree', 'project', 'cursor'].map(given.optional);
    const roles = given.many('role').map((role) => (isMessageRole(role) ? role : refuseRole(role)));
    const page = await store.search({
      text,
      limit: given.count('limit', 1) ?? 20,
      ...(tree === undefined ? {} : { treeId: (await findTree(at, tree)).id }),
      ...(project === undefined ? {} : { project }),
      ...(cursor === undefined ? {} : { cursor }),
      ...(roles.length === 0 ? {} : { roles }),
    });
    const { style, columns, screen } = at.output;
    // `--json` has the titles as they are stored.
    const nameOf = await readChatNames(store, at.options.json ? [] : page.items);
    const lines = page.items.map((hit) => {
      const about = `${hit.role}  ${formatLocalTime(hit.createdAt)}`;
      const where = toOneLine(nameOf(hit.treeId), Math.min(30, columns));
      const gap = widthOf(where) + 2 + widthOf(about) > columns ? '\n  ' : '  ';
      const opens = buildCommandLine(at, `coppice show ${shortenId(hit.treeId)} ${shortenId(hit.nodeId)} --through`);
      const below = opens === null ? [] : screen === null ? [opens] : breakShellLine(opens, screen - 2);
      return [
        `${style.strong(where)}${gap}${style.quiet(about)}`,
        `  ${toOneLine(hit.snippet, columns - 4)}`,
        ...below.map((line) => `  ${style.quiet(line)}`),
      ].join('\n');
    });
    if (lines.length === 0) lines.push(style.quiet('No messages found.'));
    if (page.cursor !== null) lines.push(style.quiet(`There are more. Add --cursor ${page.cursor}`));
    return { data: page, lines };
  },
});

function refuseRole(role: string): never {
  throw makeUsageError(`Unknown role ${role}. Use user, assistant, tool or system.`);
}
