// Writes conversations completely, with a report of everything that the target format cannot store.
import { utf8Length } from '@coppice/core';
import type { ExportedTree, Format, WriteEvent, WriteOptions } from './contract.ts';
import { applyActiveSystemPrompt } from './exporting.ts';
import { type ExportReport, type FormatLoss, ReportBuilder, refuseImport } from './findings.ts';
import { restoreRecordBytes } from './move-inline-bytes.ts';

/** The events of an export: files in pieces, and the report at the end. */
export type ExportEvent =
  | Extract<WriteEvent, { readonly type: 'file' | 'text' | 'bytes' }>
  | { readonly type: 'report'; readonly report: ExportReport };

/**
 * Writes trees in a format, one at a time. The report comes last. In the report, nodes read = written + merged + left
 * out, and each loss names its tree or node.
 */
export async function* writeExport(
  format: Format,
  trees: AsyncIterable<ExportedTree>,
  options: WriteOptions,
): AsyncGenerator<ExportEvent> {
  const { writer } = format;
  if (writer === undefined)
    return refuseImport('import/no-writer', `${format.label} can be imported, but not exported.`);
  const { recordedPrompts, storesBlobs } = writer;
  const losses = new ReportBuilder<FormatLoss>((loss) => loss.what);
  const nodes = { read: 0, written: 0, merged: 0, left: 0 };
  let count = 0;
  let bytes = 0;
  async function* counted(): AsyncGenerator<ExportedTree> {
    for await (const tree of trees) {
      if (options.signal?.aborted === true) refuseImport('import/aborted', 'The export was stopped.');
      count++;
      nodes.read += tree.nodes.length;
      const whole = storesBlobs === true ? tree : await restoreRecordBytes(tree, options);
      yield recordedPrompts === true ? whole : applyActiveSystemPrompt(whole);
    }
  }
  for await (const event of writer.write(counted(), options)) {
    if (event.type === 'loss') losses.add(event.loss);
    else if (event.type === 'count') {
      nodes.written += event.written;
      nodes.merged += event.merged ?? 0;
      nodes.left += event.left ?? 0;
    } else {
      if (event.type === 'text') bytes += utf8Length(event.text);
      if (event.type === 'bytes') bytes += event.bytes.length;
      yield event;
    }
  }
  yield {
    type: 'report',
    report: { format: format.name, trees: count, nodes, bytes, losses: losses.listed, counts: losses.counts },
  };
}
