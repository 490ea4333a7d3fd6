// Rows of the tables `topic` and `message`, as SQLite tools print them in JSON: a list, one row per line, or both
// tables in one document. The rows of a topic may be anywhere, so they are collected in batches, as in backups.
import type { Json, JsonObject } from '@coppice/core';
import { parseFiniteJson } from '../../finite-json.ts';
import { type Attachment, AttachmentFiles, buildAttachmentBlock } from '../attachments.ts';
import type { ImportedNode, ImportedTree, ReadEvent } from '../contract.ts';
import { checkTime, getFilledText, isJsonObject, listAt, numberAt, objectAt, parseAnyTime } from '../fields.ts';
import { type FileRecord, readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, isJsonLinesFile, readSample, type SampleFile } from '../input.ts';
import { checkRootCount } from '../structure-findings.ts';
import { splitUiMessage } from '../ui-messages.ts';
import { cherryStatus } from './message.ts';

const patterns = [['*'], ['message', '*'], ['topic', '*'], ['messages', '*'], ['topics', '*']];
const batchBytes = 32 * 1024 * 1024;

function isMessageRow(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.topic_id === 'string' && 'parent_id' in value && 'data' in value;
}

function isTopicRow(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.id === 'string' && 'active_node_id' in value;
}

/** Whether the beginning of a file contains rows of either table. */
export function hasTableRows({ json, lines }: Pick<SampleFile, 'json' | 'lines'>): boolean {
  return hasRows(lines.length > 1 ? [...lines] : json);
}

function hasRows(json: Json | undefined): boolean {
  const lists = isJsonObject(json)
    ? [listAt(json, 'message'), listAt(json, 'topic')]
    : [Array.isArray(json) ? json : []];
  return lists.some((list) => list.slice(0, 20).some((one) => isMessageRow(one) || isTopicRow(one)));
}

async function* recordsOfTable(file: InputFile): AsyncGenerator<FileRecord> {
  yield* (await isJsonLinesFile(file)) ? readLineRecords(file) : readDocumentRecords(file, patterns);
}

/** Parses a column that contains JSON as text. An object is returned unchanged; any other value gives undefined. */
function columnOf(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const read = parseFiniteJson(value);
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the id of a file: the last part of its name or URL, without the extension. */
export function extractFileId(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.[A-Za-z0-9]+$/, '');
}

interface CherryRow {
  readonly record: JsonObject;
  readonly place: string;
  readonly findings: readonly ImportFinding[];
}

function rowSource(row: JsonObject): JsonObject | undefined {
  if (row.role === 'user') return { type: 'user' };
  const id = getFilledText(row, 'model_id');
  if (id === undefined) return undefined;
  const [provider = '', ...rest] = id.split('::');
  const usage = columnOf(row.stats);
  return {
    type: 'model',
    ...(rest.length === 0 ? {} : { provider }),
    model_name: rest.length === 0 ? id : rest.join('::'),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Where the conversion of rows finds files, and where it puts blobs and findings. */
interface RowContext {
  readonly files: AttachmentFiles;
  readonly blobs: Map<string, Attachment>;
  readonly findings: ImportFinding[];
}

/** Replaces file URLs of the original machine by the attachment files of the input. */
async function withFiles(message: JsonObject, place: string, around: RowContext): Promise<JsonObject> {
  const content: Json[] = [];
  for (const block of listAt(message, 'content')) {
    const url = isJsonObject(block) ? (getFilledText(objectAt(block, 'source'), 'url') ?? '') : '';
    const own = url === '' || /^(?:https?|data|blob):/i.test(url) ? undefined : extractFileId(url);
    const found = own === undefined ? undefined : await around.files.find(own);
    if (own !== undefined && found === undefined)
      around.findings.push(buildFinding('import/attachment-missing', 'note', place, own.slice(0, 80)));
    if (found !== undefined) around.blobs.set(found.hash, found);
    content.push(
      found === undefined || !isJsonObject(block) ? block : buildAttachmentBlock(found, getFilledText(block, 'name')),
    );
  }
  return { ...message, content };
}

/** Returns the nodes of a row. Calls, results and later content form a chain. */
async function nodesOfRow(
  { record, place }: CherryRow,
  roots: ReadonlySet<string>,
  around: RowContext,
): Promise<ImportedNode[]> {
  const { findings } = around;
  const id = getFilledText(record, 'id') ?? place;
  const named = getFilledText(record, 'parent_id');
  let parent = named === undefined || roots.has(named) ? null : named;
  const createdAt = parseAnyTime(record.created_at);
  for (const one of checkTime(record.created_at, createdAt, place)) findings.push(one);
  const data = columnOf(record.data);
  if (data === undefined)
    findings.push(buildFinding('import/message-unreadable', 'repair', place, buildFindingDetail('data-not-json')));
  const role = getFilledText(record, 'role') ?? 'assistant';
  const ranges = splitUiMessage({ role, parts: [...listAt(data ?? {}, 'parts')] }, id);
  const source = rowSource(record);
  const status = cherryStatus(record);
  const group = numberAt(record, 'siblings_group_id') ?? 0;
  const last = Math.max(0, ranges.length - 1);
  const nodes: ImportedNode[] = [];
  for (let part = 0; part <= last; part++) {
    const { message: said = null, meta = {} } = ranges[part] ?? {};
    const message = said === null ? null : await withFiles(said, place, around);
    const own = part === last ? id : `${id}/${part}`;
    const byTool = message?.role === 'tool';
    nodes.push({
      externalId: own,
      parentExternalId: parent,
      message,
      records: part === last ? 1 : 0,
      place,
      meta: byTool || source === undefined ? meta : { ...meta, source },
      ...(part === last ? { record } : {}),
      ...(part === 0 && group > 0 ? { group: String(group) } : {}),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...(part === last && status !== undefined ? { status } : {}),
      ...(typeof record.deleted_at === 'number' ? { removed: true } : {}),
    });
    parent = own;
  }
  return nodes;
}

async function treeOfRows(
  id: string,
  rows: readonly CherryRow[],
  topic: JsonObject | undefined,
  files: AttachmentFiles,
): Promise<ImportedTree> {
  const findings: ImportFinding[] = [];
  const around = { files, findings, blobs: new Map<string, Attachment>() };
  const nodes: ImportedNode[] = [];
  const isRoot = ({ record }: CherryRow) => record.role === 'root';
  const roots = rows.filter(isRoot);
  const rootIds = new Set(roots.map(({ record }) => getFilledText(record, 'id') ?? ''));
  for (const row of rows) {
    for (const one of row.findings) findings.push(one);
    if (!isRoot(row)) for (const node of await nodesOfRow(row, rootIds, around)) nodes.push(node);
  }
  const loose = rows.filter((row) => !isRoot(row) && getFilledText(row.record, 'parent_id') === undefined).length;
  for (const one of checkRootCount(roots.length + loose, `topic ${id}`, 'repair')) findings.push(one);
  const title = getFilledText(topic ?? {}, 'name');
  const active = getFilledText(topic ?? {}, 'active_node_id');
  const createdAt = parseAnyTime(topic?.created_at);
  const updatedAt = parseAnyTime(topic?.updated_at);
  return {
    externalId: id,
    scope: '',
    ...(title === undefined ? {} : { title }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    nodes,
    ...(active === undefined ? {} : { activeExternalId: rootIds.has(active) ? null : active }),
    record: {
      ...(topic === undefined ? {} : { topic }),
      ...(roots.length === 0 ? {} : { roots: roots.map(({ record }) => record) }),
    },
    ownRecords: roots.length,
    ...(around.blobs.size === 0 ? {} : { blobs: [...around.blobs.values()] }),
    ...(typeof topic?.deleted_at === 'number' ? { trashed: true } : {}),
    place: rows[0]?.place ?? id,
    findings,
  };
}

/** Divides topic ids into batches whose rows fit into memory. */
function batchesOf(sizes: ReadonlyMap<string, number>): Set<string>[] {
  const batches: Set<string>[] = [];
  let held = Number.POSITIVE_INFINITY;
  for (const [id, size] of sizes) {
    if (held + size > batchBytes) {
      batches.push(new Set());
      held = 0;
    }
    batches.at(-1)?.add(id);
    held += size;
  }
  return batches;
}

/**
 * Reads rows: a first pass finds the topics and their sizes, the next passes build the trees. Files without rows are
 * attachments.
 */
export async function* readCherryRows({ files }: ImportInput): AsyncGenerator<ReadEvent> {
  const tables: InputFile[] = [];
  const others: InputFile[] = [];
  for (const file of files) {
    const [sample] = (await readSample({ files: [file] })).files;
    (files.length === 1 || (sample !== undefined && hasTableRows(sample)) ? tables : others).push(file);
  }
  const beside = new AttachmentFiles(others, (name) => [extractFileId(name)]);
  yield* readTables(tables, beside);
  for (const name of beside.unused)
    yield { type: 'finding', finding: buildFinding('import/attachment-unused', 'note', name) };
}

async function* readTables(files: readonly InputFile[], beside: AttachmentFiles): AsyncGenerator<ReadEvent> {
  const topics = new Map<string, JsonObject>();
  const sizes = new Map<string, number>();
  for (const file of files)
    for await (const record of recordsOfTable(file)) {
      if (record.type === 'finding') yield record;
      if (record.type !== 'record') continue;
      const { value, place } = record;
      if (isMessageRow(value)) {
        const topic = getFilledText(value, 'topic_id') ?? '';
        sizes.set(topic, (sizes.get(topic) ?? 0) + record.bytes);
      } else if (isTopicRow(value)) topics.set(getFilledText(value, 'id') ?? '', value);
      else
        yield {
          type: 'finding',
          finding: buildFinding('import/skipped', 'loss', place, buildFindingDetail('not-a-message-row'), 1),
        };
    }
  for (const id of topics.keys()) if (!sizes.has(id)) sizes.set(id, 0);
  for (const batch of batchesOf(sizes)) {
    yield { type: 'pause' };
    const rows = new Map<string, CherryRow[]>([...batch].map((id) => [id, []]));
    for (const file of files)
      for await (const record of recordsOfTable(file)) {
        if (record.type !== 'record' || !isMessageRow(record.value)) continue;
        const { value, place, findings } = record;
        rows.get(getFilledText(value, 'topic_id') ?? '')?.push({ record: value, place, findings });
      }
    for (const [id, own] of rows) yield { type: 'tree', tree: await treeOfRows(id, own, topics.get(id), beside) };
  }
}
