// Reads backups, in which one list contains the blocks of all topics. A first pass records the blocks and the size of
// each topic. Then topics are read in batches whose blocks fit into memory, one pass each. A backup of usual size takes
// two passes.
import type { Json, JsonObject } from '@coppice/core';
import { parseFiniteJson } from '../../finite-json.ts';
import { AttachmentFiles } from '../attachments.ts';
import type { ReadEvent, ReadOptions } from '../contract.ts';
import { decodeUtf8 } from '../decode.ts';
import { getFilledText, getTexts, isJsonObject, listAt, objectAt, textAt } from '../fields.ts';
import { type FileRecord, readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, readFirstBytes } from '../input.ts';
import { parsePartialJson } from '../partial-json.ts';
import { extractFileId } from './rows.ts';
import { type CherryTopicMeta, cherryTopicToTree } from './topic.ts';

const patterns = [
  ['indexedDB', 'topics', '*'],
  ['indexedDB', 'message_blocks', '*'],
  ['indexedDB', '*'],
];
const batchBytes = 32 * 1024 * 1024;

type BackupScan = Extract<FileRecord, { type: 'record' }>;

/** Returns the topic of a record: an element of a table, or in the first version an entry with a certain key. */
function cherryTopic(record: BackupScan): JsonObject | undefined {
  if (!isJsonObject(record.value) || record.pattern === 1) return undefined;
  if (record.pattern === 0) return record.value;
  const key = getFilledText(record.value, 'key');
  if (key?.startsWith('topic:') !== true || !isJsonObject(record.value.value)) return undefined;
  const topic = record.value.value;
  return 'id' in topic ? topic : { ...topic, id: key.slice(6) };
}

function parseJsonText(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    const value = parseFiniteJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/**
 * Reads names and prompts of topics from a JSON text inside the document. Other settings contain API keys and are not
 * read.
 */
function readTopicMeta(document: Json | undefined): ReadonlyMap<string, CherryTopicMeta> {
  const notes = new Map<string, CherryTopicMeta>();
  const storage = isJsonObject(document) ? objectAt(document, 'localStorage') : {};
  const state = parseJsonText(textAt(parseJsonText(textAt(storage, 'persist:cherry-studio')), 'assistants'));
  for (const assistant of [...listAt(state, 'assistants'), state.defaultAssistant ?? null]) {
    if (!isJsonObject(assistant)) continue;
    for (const topic of listAt(assistant, 'topics')) {
      const id = isJsonObject(topic) ? getFilledText(topic, 'id') : undefined;
      if (!isJsonObject(topic) || id === undefined || notes.has(id)) continue;
      notes.set(id, { topic, systemPrompt: getFilledText(topic, 'prompt') ?? getFilledText(assistant, 'prompt') });
    }
  }
  return notes;
}

/** What the first pass finds out: the topics, the sizes of their blocks, and their names and prompts. */
class BackupSurvey {
  /** The block ids and the size of each topic, in topic order. */
  readonly topics: { readonly blocks: readonly string[]; readonly bytes: number }[] = [];
  readonly sizes = new Map<string, number>();
  readonly findings: ImportFinding[] = [];
  notes: ReadonlyMap<string, CherryTopicMeta> = new Map();

  add(record: FileRecord): void {
    if (record.type === 'finding') this.findings.push(record.finding);
    else if (record.type === 'rest') this.notes = readTopicMeta(record.value);
    else if (record.pattern === 1) this.#block(record);
    else {
      const topic = cherryTopic(record);
      if (topic !== undefined) this.topics.push({ blocks: namedBlocks(topic), bytes: record.bytes });
      else if (record.pattern === 0)
        this.findings.push(
          buildFinding('import/record-unreadable', 'loss', record.place, buildFindingDetail('not-a-topic'), 1),
        );
    }
  }

  #block(record: BackupScan): void {
    const id = isJsonObject(record.value) ? getFilledText(record.value, 'id') : undefined;
    for (const one of record.findings) this.findings.push(one);
    if (id === undefined)
      this.findings.push(
        buildFinding('import/record-unreadable', 'loss', record.place, buildFindingDetail('block-without-id'), 1),
      );
    else if (this.sizes.has(id))
      this.findings.push(
        buildFinding('import/duplicate-id', 'loss', record.place, buildFindingDetail('block', id.slice(0, 80)), 1),
      );
    else this.sizes.set(id, record.bytes);
  }

  /** Divides the topics into batches by size; returns the index after the last topic of each batch. */
  batches(): number[] {
    const ends: number[] = [];
    let held = 0;
    for (const [index, { blocks, bytes }] of this.topics.entries()) {
      let size = bytes;
      for (const id of blocks) size += this.sizes.get(id) ?? 0;
      if (held > 0 && held + size > batchBytes) {
        ends.push(index);
        held = 0;
      }
      held += size;
    }
    ends.push(this.topics.length);
    return ends;
  }

  unused(): number {
    const used = new Set<string>();
    for (const { blocks } of this.topics) for (const id of blocks) used.add(id);
    let count = 0;
    for (const id of this.sizes.keys()) if (!used.has(id)) count++;
    return count;
  }
}

function namedBlocks(topic: JsonObject): string[] {
  const ids: string[] = [];
  for (const message of listAt(topic, 'messages'))
    if (isJsonObject(message)) for (const id of getTexts(message, 'blocks')) ids.push(id);
  return ids;
}

async function* readBatch(
  file: InputFile,
  from: number,
  to: number,
  survey: BackupSurvey,
  files: AttachmentFiles,
): AsyncGenerator<ReadEvent> {
  const wanted = new Set<string>();
  for (const topic of survey.topics.slice(from, to)) for (const id of topic.blocks) wanted.add(id);
  const blocks = new Map<string, JsonObject>();
  const topics: { readonly topic: JsonObject; readonly record: BackupScan }[] = [];
  let number = 0;
  for await (const record of readDocumentRecords(file, patterns)) {
    if (record.type !== 'record') continue;
    if (record.pattern === 1) {
      const id = isJsonObject(record.value) ? getFilledText(record.value, 'id') : undefined;
      if (id !== undefined && wanted.has(id) && isJsonObject(record.value) && !blocks.has(id))
        blocks.set(id, record.value);
      continue;
    }
    const topic = cherryTopic(record);
    if (topic === undefined) continue;
    if (number >= from && number < to) topics.push({ topic, record });
    number++;
  }
  for (const { topic, record } of topics) {
    const note = survey.notes.get(textAt(topic, 'id') ?? '');
    yield {
      type: 'tree',
      tree: await cherryTopicToTree(topic, record.place, record.findings, { blocks, files, note }),
    };
  }
}

async function* readBackup(file: InputFile, files: AttachmentFiles): AsyncGenerator<ReadEvent> {
  const survey = new BackupSurvey();
  for await (const record of readDocumentRecords(file, patterns)) {
    survey.add(record);
    if (survey.findings.length > 0)
      for (const one of survey.findings.splice(0)) yield { type: 'finding', finding: one };
  }
  const unused = survey.unused();
  if (unused > 0)
    yield {
      type: 'finding',
      finding: buildFinding(
        'import/skipped',
        'note',
        `${file.name}.indexedDB.message_blocks`,
        buildFindingDetail('blocks-without-message', unused),
        unused,
      ),
    };
  yield { type: 'pause' };
  let from = 0;
  for (const to of survey.batches()) {
    yield* readBatch(file, from, to, survey, files);
    from = to;
  }
}

/** Reads backups. The other files of the input are attachments, which are found by the ids in their names. */
export async function* read(
  input: ImportInput,
  _options: ReadOptions,
  isBackup: (json: Json | undefined) => boolean,
): AsyncGenerator<ReadEvent> {
  const backups: InputFile[] = [];
  const others: InputFile[] = [];
  for (const file of input.files) {
    const known =
      input.files.length === 1 || isBackup(parsePartialJson(decodeUtf8((await readFirstBytes(file)).head).text));
    (known ? backups : others).push(file);
  }
  const files = new AttachmentFiles(others, (name) => [extractFileId(name)]);
  for (const backup of backups) yield* readBackup(backup, files);
  for (const name of files.unused)
    yield { type: 'finding', finding: buildFinding('import/attachment-unused', 'note', name) };
}
