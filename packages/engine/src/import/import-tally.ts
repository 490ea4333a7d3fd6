/** Collects the counts and findings of an import for its report. */
import {
  buildFinding,
  type ImportFinding,
  type ImportReport,
  type RepairedTree,
  ReportBuilder,
  type StorableTree,
} from '@coppice/content/formats';
import type { AppError, ImportResult } from '@coppice/core';

/** How many conversations or records were read, stored, merged and rejected. */
class Count {
  read = 0;
  stored = 0;
  merged = 0;
  rejected = 0;

  get tally() {
    const { read, stored, merged, rejected } = this;
    return { read, stored, merged, rejected };
  }
}

/** The counts and findings of one import, from which its report is made. */
export class ImportTally {
  readonly conversations = new Count();
  readonly records = new Count();
  readonly findings = new ReportBuilder<ImportFinding>((one) => one.code);
  /** The format of the current input file. */
  format = '';
  /** The formats of all files that contained conversations. */
  readonly formats = new Set<string>();
  bytes = 0;
  attachments = 0;
  first: ImportFinding | undefined;
  troubles = 0;

  /** Adds a finding that belongs to no conversation, and counts its rejected records. */
  addOutsideFinding(found: ImportFinding): void {
    this.note(found);
    this.records.read += found.rejected;
    this.records.rejected += found.rejected;
  }

  note(found: ImportFinding): void {
    this.findings.add(found);
    if (found.severity === 'note') return;
    this.first ??= found;
    this.troubles++;
  }

  /** Counts a conversation, its records and its findings. */
  open(tree: RepairedTree): void {
    this.formats.add(this.format);
    this.conversations.read++;
    this.records.read += tree.records;
    this.records.merged += tree.merged;
    this.records.rejected += tree.rejected;
    for (const found of tree.findings) this.note(found);
  }

  stored(tree: RepairedTree, { sources, parts }: StorableTree, result: ImportResult): void {
    if (result.created) this.conversations.stored++;
    else this.conversations.merged++;
    const own = tree.ownRecords ?? 0;
    if (result.created) this.records.stored += own;
    else this.records.merged += own;
    const counted = (ids: readonly string[]) => ids.filter((id) => (sources.get(id)?.records ?? 0) > 0).length;
    this.records.stored += counted(result.added);
    this.records.merged += counted(result.present) + parts;
    const left = counted(result.left);
    this.records.rejected += left;
    if (result.left.length > 0)
      this.note({
        code: 'import/parent-removed',
        severity: 'note',
        place: tree.place,
        message: `${tree.place}: ${result.left.length} new messages continue messages that were deleted here, and were left out.`,
        data: { detail: `${result.left.length} messages` },
        rejected: left,
      });
  }

  /** Reports a conversation that is in the trash, with nothing new in it. */
  inTrash(tree: RepairedTree): void {
    this.note(buildFinding('import/in-trash', 'note', tree.place));
  }

  /** Counts a conversation that the store refused as a whole. */
  refused(tree: RepairedTree, error: AppError): void {
    this.conversations.rejected++;
    let rest = tree.ownRecords ?? 0;
    for (const node of tree.nodes) if (node.records > 0) rest++;
    this.records.rejected += rest;
    const trashed = error.code === 'tree/read-only';
    this.note({
      code: trashed ? 'import/in-trash' : 'import/refused',
      severity: trashed ? 'note' : 'loss',
      place: tree.place,
      message: `${tree.place}: ${error.message}`,
      data: { refusal: { code: error.code, message: error.message, data: JSON.parse(JSON.stringify(error.data)) } },
      rejected: rest,
    });
  }

  /** Returns a progress event; `total` is the size of the input in bytes, if it is known. */
  progress(total: number | null) {
    const { bytes, conversations, records } = this;
    return { type: 'progress', bytes, total, conversations: conversations.read, records: records.read } as const;
  }

  report(strict: boolean, dryRun: boolean): ImportReport {
    return {
      format: this.formats.size === 0 ? this.format : [...this.formats].join(', '),
      conversations: this.conversations.tally,
      records: this.records.tally,
      attachments: this.attachments,
      bytes: this.bytes,
      strict,
      dryRun,
      findings: this.findings.listed,
      counts: this.findings.counts,
    };
  }
}
