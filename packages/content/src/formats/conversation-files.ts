// Reads files of programs that store each conversation as one JSON value: alone in a file, in a list, or under a key.
import type { Json, JsonObject } from '@coppice/core';
import type { FormatReader, ImportedTree, ReadEvent, ReadOptions } from './contract.ts';
import { isJsonObject } from './fields.ts';
import { readDocumentRecords, readLineRecords } from './file-records.ts';
import { detailOf } from './finding-details.ts';
import { buildFinding, type FindingSeverity, type ImportFinding } from './findings.ts';
import { type ImportInput, type InputFile, isLineFile, isMediaFile, readSample, type SampleFile } from './input.ts';
import type { JsonPathPattern } from './split-json.ts';

/** The layout of a program's files, and a function that converts a conversation to a tree. */
export interface ConversationFiles {
  /** The confidence with which a file that contains a conversation is detected, from 0 to 1. */
  readonly confidence: number;
  /** The paths of conversations inside a document. The document itself may always be a conversation. */
  readonly paths: readonly JsonPathPattern[];
  /** Whether there may be one conversation per line. */
  readonly lines?: boolean;
  /** Whether a value is a conversation of this program. Must be false for those of other programs. */
  readonly isConversation: (value: Json | undefined) => value is JsonObject;
  /** Whether a document belongs to the program, even if its beginning contains no conversation. */
  readonly isDocument?: (json: JsonObject) => boolean;
  /** The severity of the finding for a value at these paths that is not a conversation; a loss by default. */
  readonly otherwise?: FindingSeverity;
  readonly tree: (
    conversation: JsonObject,
    place: string,
    findings: readonly ImportFinding[],
    options: ReadOptions,
  ) => ImportedTree;
}

const sampled = 20;

/** Returns the values of a document that match a pattern; at most twenty of each list or object. */
export function findValuesByPath(json: Json | undefined, pattern: JsonPathPattern): readonly (Json | undefined)[] {
  let found: readonly (Json | undefined)[] = [json];
  for (const key of pattern)
    found = found
      .flatMap((value): readonly (Json | undefined)[] => {
        if (key === '*') return Array.isArray(value) ? value.slice(0, sampled) : [];
        if (!isJsonObject(value)) return [];
        return key === '{}' ? Object.values(value).slice(0, sampled) : Object.hasOwn(value, key) ? [value[key]] : [];
      })
      .slice(0, sampled);
  return found;
}

/** Whether the beginning of a file contains a conversation of a program. */
export function hasConversation(
  files: ConversationFiles,
  { json, lines }: Pick<SampleFile, 'json' | 'lines'>,
): boolean {
  const { isConversation, paths } = files;
  if (isConversation(json)) return true;
  if (isJsonObject(json) && files.isDocument?.(json) === true) return true;
  if (files.lines === true && lines.length > 0 && lines.every((line) => isConversation(line))) return true;
  return paths.some((path) => findValuesByPath(json, path).some((value) => isConversation(value)));
}

/** Yields the conversations of one file, and findings for values that are none. */
export async function* readConversationFile(
  file: InputFile,
  files: ConversationFiles,
  options: ReadOptions,
): AsyncGenerator<ReadEvent> {
  const { isConversation, tree, paths, otherwise = 'loss' } = files;
  const inLines = files.lines === true && (await isLineFile(file));
  for await (const record of inLines ? readLineRecords(file) : readDocumentRecords(file, paths)) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isConversation(record.value)) yield { type: 'tree', tree: tree(record.value, record.place, [], options) };
    } else if (isConversation(record.value))
      yield { type: 'tree', tree: tree(record.value, record.place, record.findings, options) };
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', otherwise, record.place, detailOf('not-a-conversation'), 1),
      };
  }
}

/** Reads each file of an input that belongs to a program, and reports the other files as skipped. */
export async function* readProgramFiles(
  input: ImportInput,
  isOwn: (sample: SampleFile) => boolean,
  read: (file: InputFile) => AsyncIterable<ReadEvent>,
): AsyncGenerator<ReadEvent> {
  for (const file of input.files) {
    const [sample] = isMediaFile(file.name) ? [] : (await readSample({ files: [file] })).files;
    // If the input is a single file, it is read even if its beginning is damaged.
    if (input.files.length === 1 || (sample !== undefined && isOwn(sample))) yield* read(file);
    else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  }
}

/** Creates a reader for a program whose files {@link ConversationFiles} describes. */
export function createConversationReader(files: ConversationFiles): FormatReader {
  const isOwn = (sample: SampleFile) => hasConversation(files, sample);
  return {
    detect: ({ files: samples }) => (samples.some(isOwn) ? files.confidence : 0),
    read: (input, options) => readProgramFiles(input, isOwn, (file) => readConversationFile(file, files, options)),
  };
}
