import { formats, type ImportReport } from '@coppice/content/formats';
import type { FileSource, ImportTarget } from '@coppice/server/importing';
import type { CliContext } from '../../cli-context.ts';
import { inputFiles } from '../../input-files.ts';
import type { Output } from '../../output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { oneLine } from '../../terminal/strip-control-sequences.ts';
import { defineSubcommand } from '../contract.ts';

const readable = formats.filter((format) => format.reader !== undefined).map((format) => format.name);

export const importFrom = defineSubcommand({
  name: 'import',
  summary: 'import conversations from other programs',
  group: 'Manage',
  begins: true,
  arguments: [
    { name: 'files', summary: 'files, folders or archives; - for standard input', many: true, completes: 'file' },
  ],
  options: [
    {
      name: 'format',
      value: 'name',
      summary: `format (default: detected): ${readable.join(', ')}`,
      completes: readable,
    },
    { name: 'scope', value: 'name', summary: 'account or file that the ids belong to, if they are not unique' },
    { name: 'strict', summary: 'import nothing if a file has problems' },
    { name: 'dry-run', summary: 'report only; import nothing' },
  ],
  examples: [
    'coppice import conversations.zip --dry-run',
    'coppice import ~/exports',
    'cat chat.json | coppice import -',
  ],
  async run(given, at) {
    const { importFiles } = await import('@coppice/server/importing');
    const { output, host } = at;
    const [format, scope] = ['format', 'scope'].map(given.optional);
    const reports: ImportReport[] = [];
    const lines: string[] = [];
    for (const word of given.many('files')) {
      const files = await inputFiles(word, at);
      const progress = createProgress(output, 'bytes');
      try {
        const events = importFiles(await targetOf(at, files), files, {
          actor: at.context().actor,
          strict: given.flag('strict'),
          dryRun: given.flag('dry-run'),
          signal: host.signal,
          ...(format === undefined ? {} : { format }),
          ...(scope === undefined ? {} : { scope }),
        });
        for await (const event of events) {
          if (event.type === 'progress')
            progress.tell(event.bytes, event.total === null ? null : Math.max(0, event.total - event.bytes));
          if (event.type !== 'report') continue;
          reports.push(event.report);
          lines.push(...importReportLines(word, event.report, output));
        }
      } finally {
        progress.end();
      }
    }
    return { data: { reports }, lines };
  },
});

// Less than this is in before a thread is there.
const worthThread = 1024 * 1024;

/** A thread of its own keeps the terminal, and whoever stops it, from waiting for a long conversation. */
async function targetOf(at: CliContext, files: readonly FileSource[]): Promise<ImportTarget> {
  const { allowsConcurrentOpen } = await import('@coppice/server/importing');
  const [store, url] = [await at.store(), await at.storeUrl()];
  const { readOnly } = await store.info();
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const aside = bytes >= worthThread && !readOnly && allowsConcurrentOpen(url);
  return { store, ...(aside ? { thread: { url, owner: store.owner } } : {}) };
}

const shown = 20;

function importReportLines(word: string, report: ImportReport, output: Output): string[] {
  const { style } = output;
  const { conversations, records, findings, counts, attachments } = report;
  const row = (what: string, { read, stored, merged, rejected }: ImportReport['records']) =>
    `  ${what.padEnd(14)}${[read, stored, merged, rejected].map((count) => String(count).padStart(10)).join('')}`;
  const worth = findings.filter((finding) => finding.severity !== 'note');
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  return [
    `${style.strong(oneLine(word, 60))}  ${report.format}${report.dryRun ? style.warn('  nothing was stored') : ''}`,
    style.quiet(
      `  ${''.padEnd(14)}${['read', 'stored', 'merged', 'rejected'].map((name) => name.padStart(10)).join('')}`,
    ),
    row('conversations', conversations),
    row('records', records),
    ...(attachments > 0 ? [`  ${attachments} attachments`] : []),
    ...worth.slice(0, shown).map((finding) => style.warn(`  ${oneLine(finding.message, output.columns - 4)}`)),
    ...(sum > Math.min(shown, worth.length) ? [style.quiet(`  ${sum} findings in all; --json lists them.`)] : []),
  ];
}
