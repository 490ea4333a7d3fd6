import type { PurgeReport, Store, TreeId, TreeRow } from '@coppice/core';
import type { CliContext } from '../../cli-context.ts';
import { addTitlesFromFirstWords } from '../../first-words.ts';
import { formatListItem, formatLocalTime, formatTreeLine } from '../../printing.ts';
import { findDeletedNode, findTree } from '../../resolve-target.ts';
import { shortenId } from '../../short-ids.ts';
import { createProgressBar } from '../../terminal/progress.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandOutput } from '../contract.ts';

export const trash = defineSubcommand({
  name: 'trash',
  summary: 'list deleted chats and messages, or delete them permanently',
  group: 'Undo',
  arguments: [
    {
      name: 'chat',
      summary: 'chat whose deleted messages to list (default: deleted chats)',
      optional: true,
      completes: 'tree',
    },
    { name: 'message', summary: 'with --purge: only this deleted message', optional: true },
  ],
  options: [{ name: 'purge', summary: 'delete permanently; this cannot be undone' }],
  examples: ['coppice trash', 'coppice trash last', 'coppice trash 01890c2e --purge'],
  async run(given, at) {
    const store = await at.store();
    const word = given.optional('chat');
    if (word === undefined) return trashedTrees(at, given.flag('purge'));
    const row = await findTree(at, word);
    if (given.flag('purge')) {
      const node = given.optional('message');
      if (node === undefined && row.attributes.trashedAt !== undefined) {
        const report = await store.purgeTree(row.id);
        return {
          data: { treeId: row.id, purged: true, ...report },
          lines: ['Deleted the chat permanently.', ...remainderLines(report)],
        };
      }
      const what = node === undefined ? { upTo: row.version } : { nodeId: await findDeletedNode(at, row, node) };
      const report = await store.purge(row.id, what);
      return {
        data: { treeId: row.id, ...report },
        lines: [`Deleted ${formatCountedNoun(report.nodes, 'message')} permanently.`, ...remainderLines(report)],
      };
    }
    const items = await store.trash(row.id);
    const { style } = at.output;
    const lines = items.map((item) =>
      formatListItem(shortenId(item.nodeId), `${formatLocalTime(item.at)}  ${item.count}`, item.preview, '', at.output),
    );
    return {
      data: { treeId: row.id, items },
      lines: lines.length > 0 ? lines : [style.quiet('No deleted messages.')],
    };
  },
});

async function trashedTrees(at: CliContext, purge: boolean): Promise<SubcommandOutput> {
  const store = await at.store();
  const items: TreeRow[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Store['trees']>> = await store.trees({
      trashed: true,
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const row of page.items) items.push(row);
    cursor = page.cursor;
  } while (cursor !== null);
  const reports = purge ? await purgeAll(store, items, at) : [];
  const { style } = at.output;
  // Purged chats cannot be read any more.
  const named = purge || at.options.json ? items : await addTitlesFromFirstWords(store, items);
  const lines = named.map((row) => formatTreeLine(row, at.output));
  if (lines.length === 0) lines.push(style.quiet('The trash is empty.'));
  else if (purge) lines.push(style.quiet('Deleted permanently.'));
  const report = mergeReports(reports, new Set(items.map((row) => row.id)));
  for (const line of remainderLines(report)) lines.push(line);
  return { data: { items, cursor, purged: purge, ...(purge ? report : {}) }, lines };
}

/** Describes the data that a purge could not delete, one sentence per reason. */
function remainderLines({ copies, waitingAttachments, uncleared }: PurgeReport): string[] {
  const lines = copies.map(
    ({ treeId, title, nodes }) =>
      `${formatCountedNoun(nodes, 'message')} ${nodes === 1 ? 'is' : 'are'} also in ${title === null ? shortenId(treeId) : `"${title}" (${shortenId(treeId)})`}.`,
  );
  if (waitingAttachments > 0)
    lines.push(
      `${formatCountedNoun(waitingAttachments, 'attachment')} ${waitingAttachments === 1 ? 'was' : 'were'} uploaded again less than an hour ago and not sent yet: deleted later.`,
    );
  for (const file of uncleared)
    lines.push(`Another process is reading ${file}: purged text is overwritten once it has finished.`);
  return lines;
}

/** Merges the reports of several purges; copies in trees that were purged too are left out. */
function mergeReports(reports: readonly PurgeReport[], purged: ReadonlySet<TreeId>): PurgeReport {
  const copies = new Map<TreeId, PurgeReport['copies'][number]>();
  for (const copy of reports.flatMap((report) => report.copies)) {
    const nodes = (copies.get(copy.treeId)?.nodes ?? 0) + copy.nodes;
    if (!purged.has(copy.treeId)) copies.set(copy.treeId, { ...copy, nodes });
  }
  const total = (count: (report: PurgeReport) => number) => reports.reduce((sum, report) => sum + count(report), 0);
  return {
    nodes: total((report) => report.nodes),
    contents: total((report) => report.contents),
    copies: [...copies.values()],
    waitingAttachments: total((report) => report.waitingAttachments),
    uncleared: reports[reports.length - 1]?.uncleared ?? [],
  };
}

async function purgeAll(store: Store, items: readonly TreeRow[], at: CliContext): Promise<PurgeReport[]> {
  const reports: PurgeReport[] = [];
  const progress = createProgressBar(at.output, 'trees');
  try {
    for (const [done, row] of items.entries()) {
      progress.tell(done, items.length - done);
      at.host.signal.throwIfAborted();
      reports.push(await store.purgeTree(row.id));
    }
  } finally {
    progress.end();
  }
  return reports;
}
