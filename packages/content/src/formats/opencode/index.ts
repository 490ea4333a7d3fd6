// Sessions of opencode: the output of `opencode export`, its database, and the folder of earlier versions, which has
// sessions, messages and parts as separate files. `openForeignTables` of the stores joins the rows of the database.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat, type ReadEvent } from '../contract.ts';
import { isJsonObject, listAt, objectAt, omitKeys, textAt } from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { parseForeignJson } from '../foreign-json.ts';
import { type ImportInput, type InputFile, isMediaFile, readAllBytes, readSample, type SampleFile } from '../input.ts';
import { findSpawnedSessions, type OpencodeMessage, opencodeToTree } from './session.ts';

function isExportMessage(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof objectAt(value, 'info').role === 'string' && Array.isArray(value.parts);
}

function isExport(json: Json | undefined): boolean {
  return isJsonObject(json) && isJsonObject(json.info) && isExportMessage(listAt(json, 'messages')[0]);
}

/** Whether a document contains the sessions of a database, each like an export. */
function isDatabase(json: Json | undefined): boolean {
  if (!isJsonObject(json) || !Array.isArray(json.opencode)) return false;
  const [first] = json.opencode;
  return first === undefined || (isJsonObject(first) && isJsonObject(first.info) && Array.isArray(first.messages));
}

type Row = 'session' | 'message' | 'part';

/** Returns the kind of a file in the folder, by the prefix of its id and its references. */
function rowOf(json: Json | undefined): Row | undefined {
  if (!isJsonObject(json)) return undefined;
  const id = textAt(json, 'id') ?? '';
  if (id.startsWith('ses') && isJsonObject(json.time)) return 'session';
  if (typeof json.sessionID !== 'string') return undefined;
  if (id.startsWith('prt') && typeof json.messageID === 'string') return 'part';
  return id.startsWith('msg') && typeof json.role === 'string' ? 'message' : undefined;
}

const isOwn = ({ json }: Pick<SampleFile, 'json'>) => isExport(json) || isDatabase(json) || rowOf(json) !== undefined;

const notAMessage = (place: string): ReadEvent => ({
  type: 'finding',
  finding: buildFinding('import/other-format', 'loss', place, buildFindingDetail('not-a-message'), 1),
});

/** Yields the sessions of a database. Sub-agents come after the session whose call spawned them. */
async function* readDatabase(file: InputFile): AsyncGenerator<ReadEvent> {
  const spawns = new Map<string, string>();
  for await (const record of readDocumentRecords(file, [['opencode', '*']])) {
    if (record.type === 'finding') yield record;
    if (record.type !== 'record') continue;
    const { value, place, findings } = record;
    if (!isJsonObject(value) || !isJsonObject(value.info)) {
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'loss', place, buildFindingDetail('not-a-conversation'), 1),
      };
      continue;
    }
    const messages: OpencodeMessage[] = [];
    for (const [index, message] of listAt(value, 'messages').entries()) {
      const at = `${place}.messages[${index}]`;
      if (isExportMessage(message))
        messages.push({
          info: objectAt(message, 'info'),
          parts: listAt(message, 'parts'),
          place: at,
          findings: [],
          records: 1,
        });
      else yield notAMessage(at);
    }
    for (const [child, call] of findSpawnedSessions(messages)) spawns.set(child, call);
    yield { type: 'tree', tree: opencodeToTree(value.info, messages, place, findings, spawns) };
  }
}

async function* readExport(file: InputFile): AsyncGenerator<ReadEvent> {
  const messages: OpencodeMessage[] = [];
  const found: ImportFinding[] = [];
  for await (const record of readDocumentRecords(file, [['messages', '*']])) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isJsonObject(record.value) && isJsonObject(record.value.info) && messages.length > 0)
        yield { type: 'tree', tree: opencodeToTree(record.value.info, messages, file.name, found) };
      else if (messages.length > 0)
        yield {
          type: 'tree',
          tree: opencodeToTree({}, messages, file.name, [
            buildFinding('import/inferred', 'repair', file.name, buildFindingDetail('session')),
          ]),
        };
    } else if (isExportMessage(record.value)) {
      const { value, place, findings } = record;
      messages.push({ info: objectAt(value, 'info'), parts: listAt(value, 'parts'), place, findings, records: 1 });
    } else yield notAMessage(record.place);
  }
}

interface StoredRow {
  readonly value: JsonObject;
  readonly file: InputFile;
  readonly findings: readonly ImportFinding[];
}

async function readRow(
  file: InputFile,
): Promise<{ readonly row: StoredRow | undefined; readonly findings: readonly ImportFinding[] }> {
  const { value, findings } = parseForeignJson(await readAllBytes(file), file.name);
  return { row: isJsonObject(value) ? { value, file, findings } : undefined, findings };
}

const byId = (a: StoredRow, b: StoredRow) => ((textAt(a.value, 'id') ?? '') < (textAt(b.value, 'id') ?? '') ? -1 : 1);

function groupRowsBy(rows: readonly StoredRow[], key: string): Map<string, StoredRow[]> {
  const groups = new Map<string, StoredRow[]>();
  for (const row of rows) {
    const name = textAt(row.value, key) ?? '';
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

/** Reads the folder. Ids are ordered by time, so messages and parts are sorted by id. */
async function* readFolder(files: readonly InputFile[]): AsyncGenerator<ReadEvent> {
  const rows: Record<Row, StoredRow[]> = { session: [], message: [], part: [] };
  for (const file of files) {
    const { row, findings } = await readRow(file);
    const kind = rowOf(row?.value);
    if (row !== undefined && kind !== undefined) rows[kind].push(row);
    else if (row === undefined) for (const one of findings) yield { type: 'finding', finding: one };
    else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
    yield { type: 'pause' };
  }
  const messages = groupRowsBy(rows.message, 'sessionID');
  const parts = groupRowsBy(rows.part, 'messageID');
  const spawns = new Map(findSpawnedSessions([{ parts: rows.part.map(({ value }) => value) }]));
  const sessions = new Map(rows.session.map((row) => [textAt(row.value, 'id') ?? '', row]));
  for (const id of new Set([...sessions.keys(), ...messages.keys()])) {
    const session = sessions.get(id);
    const found = [...(session?.findings ?? [])];
    if (session === undefined)
      found.push(
        buildFinding(
          'import/inferred',
          'repair',
          messages.get(id)?.[0]?.file.name ?? id,
          buildFindingDetail('session'),
        ),
      );
    const said = (messages.get(id) ?? []).sort(byId).map((message): OpencodeMessage => {
      const own = (parts.get(textAt(message.value, 'id') ?? '') ?? []).sort(byId);
      parts.delete(textAt(message.value, 'id') ?? '');
      return {
        info: message.value,
        parts: own.map(({ value }) => omitKeys(value, 'sessionID', 'messageID')),
        place: message.file.name,
        findings: [message, ...own].flatMap(({ findings }) => findings),
        records: 1 + own.length,
      };
    });
    const info = session?.value ?? { id };
    const place = session?.file.name ?? said[0]?.place ?? id;
    const tree = opencodeToTree(info, said, place, found, spawns);
    yield { type: 'tree', tree: { ...tree, ownRecords: session === undefined ? 0 : 1 } };
  }
  for (const left of parts.values())
    for (const { file } of left)
      yield {
        type: 'finding',
        finding: buildFinding('import/orphan', 'loss', file.name, buildFindingDetail('part-of-missing-message'), 1),
      };
}

async function* read(input: ImportInput): AsyncGenerator<ReadEvent> {
  const rows: InputFile[] = [];
  for (const file of input.files) {
    const [sample] = isMediaFile(file.name) ? [] : (await readSample({ files: [file] })).files;
    const row = sample === undefined ? undefined : rowOf(sample.json);
    if (row !== undefined) rows.push(file);
    else if (sample !== undefined && isDatabase(sample.json)) yield* readDatabase(file);
    // If the input is a single file, it is read even if its beginning is damaged.
    else if (input.files.length === 1 || (sample !== undefined && isExport(sample.json))) yield* readExport(file);
    else yield { type: 'finding', finding: buildFinding('import/skipped', 'note', file.name) };
  }
  if (rows.length > 0) yield* readFolder(rows);
}

/** Imports sessions of opencode. */
export const opencode = defineFormat({
  name: 'opencode',
  label: 'opencode session',
  summary:
    'Sessions of opencode with tools, reasoning and compactions: its export, its database `opencode.db`, or the folder of earlier versions.',
  keeps: ['titles', 'models', 'times', 'reasoning', 'tools', 'pictures', 'usage', 'compactions', 'sub-agents'],
  reader: { detect: ({ files }) => (files.some(isOwn) ? 0.93 : 0), read },
});
