import type { Json } from '@coppice/core';
import type { ReadEvent, ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { isJsonObject } from '../fields.ts';
import { readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding } from '../findings.ts';
import type { ImportInput, InputFile, InputSample, SampleFile } from '../input.ts';
import { buildNonObjectFinding } from '../structure-findings.ts';
import { CodexEventCollector, isCodexThreadEvent } from './events.ts';
import { CodexSession, isEarlyRolloutHeader, isRolloutLine } from './session.ts';

function isCodexFile({ lines, json }: Pick<SampleFile, 'lines' | 'json'>): boolean {
  const [first] = lines.length === 0 ? [json] : lines;
  return isRolloutLine(first) || isEarlyRolloutHeader(first) || isCodexThreadEvent(first);
}

/** Returns 0.93 if the first line of a file looks like Codex, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some(isCodexFile) ? 0.93 : 0;
}

async function* readCodexFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  let reading: CodexSession | CodexEventCollector | undefined;
  let count = 0;
  for await (const record of readLineRecords(file)) {
    if (++count % 1000 === 0) yield { type: 'pause' };
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place, path, findings } = record;
    reading ??= begin(value, file, options);
    if (reading === undefined)
      yield {
        type: 'finding',
        finding: buildFinding('import/other-format', 'loss', place, buildFindingDetail('not-a-codex-line'), 1),
      };
    else if (isJsonObject(value)) reading.add(value, Number(path[0] ?? 0), findings);
    else yield { type: 'finding', finding: buildNonObjectFinding(place) };
  }
  if (reading === undefined) return;
  if (reading instanceof CodexSession && reading.isEmpty)
    for (const one of reading.findings) yield { type: 'finding', finding: one };
  else yield { type: 'tree', tree: reading.tree() };
}

/** Returns a collector for the rest of the file; undefined if the line does not belong to Codex. */
function begin(value: Json, file: InputFile, options: ReadOptions): CodexSession | CodexEventCollector | undefined {
  if (isCodexThreadEvent(value)) return new CodexEventCollector(file.name);
  return isRolloutLine(value) || isEarlyRolloutHeader(value) ? new CodexSession(file.name, options) : undefined;
}

/** Reads rollouts and streams of events, one per file. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(input, isCodexFile, (file) => readCodexFile(file, options));
}
