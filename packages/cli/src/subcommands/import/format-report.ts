import type { ImportReport } from '@coppice/content/formats';
import type { OutputWriter } from '../../output.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';

const shown = 20;

type ShownReport = Omit<ImportReport, 'findings'> & {
  readonly findings: readonly Pick<ImportReport['findings'][number], 'severity' | 'message'>[];
};

/** Returns the report of an import as text. */
export function formatImportReport(word: string, report: ShownReport, output: OutputWriter): string[] {
  const { style } = output;
  const { conversations, records, findings, counts, attachments } = report;
  const row = (what: string, { read, stored, merged, rejected }: ImportReport['records']) =>
    `  ${what.padEnd(14)}${[read, stored, merged, rejected].map((count) => String(count).padStart(10)).join('')}`;
  const worth = findings.filter((finding) => finding.severity !== 'note');
  const deleted = counts['import/in-trash'] ?? 0;
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  return [
    `${style.strong(toOneLine(word, 60))}  ${report.format}${report.dryRun ? style.warn('  nothing was stored') : ''}`,
    style.quiet(
      `  ${''.padEnd(14)}${['read', 'stored', 'merged', 'rejected'].map((name) => name.padStart(10)).join('')}`,
    ),
    row('chats', conversations),
    row('records', records),
    ...(attachments > 0 ? [`  ${attachments} attachments`] : []),
    ...(deleted > 0 ? [style.warn(`  ${sayDeleted(deleted)}`)] : []),
    ...worth.slice(0, shown).map((finding) => style.warn(`  ${toOneLine(finding.message, output.columns - 4)}`)),
    ...(sum > Math.min(shown, worth.length) ? [style.quiet(`  ${sum} findings in all; --json lists them.`)] : []),
  ];
}

function sayDeleted(chats: number): string {
  return chats === 1
    ? '1 chat is in the trash, and nothing was added to it. Restore it first: coppice trash'
    : `${chats} chats are in the trash, and nothing was added to them. Restore them first: coppice trash`;
}
