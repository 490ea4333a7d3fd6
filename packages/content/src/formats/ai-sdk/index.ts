// Messages of the AI SDK (`UIMessage[]`), and the repository of assistant-ui, which stores them with their branches.
import type { Json, JsonObject } from '@coppice/core';
import { canonicalJson } from '../../canonical-json.ts';
import { sha256Hex } from '../../sha256.ts';
import { defineFormat, type ImportedNode, type ImportedTree, type ReadEvent } from '../contract.ts';
import { getFilledText, isJsonObject, listAt, objectAt, omitKeys, parseAnyTime } from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, type InputSample, isJsonLinesFile } from '../input.ts';
import {
  checkKnownValue,
  checkMessageLinks,
  checkParentId,
  checkRole,
  checkRootCount,
  checkWireBlocks,
  countRoots,
  findForwardParents,
  hasMessageLinks,
} from '../structure-findings.ts';
import { splitUiMessage } from '../ui-messages.ts';

const name = 'ai-sdk';

function isUiMessage(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && typeof value.role === 'string' && Array.isArray(value.parts);
}

function isEntry(value: Json | undefined): value is JsonObject {
  return (
    isJsonObject(value) && 'parentId' in value && isJsonObject(value.message) && typeof value.message.role === 'string'
  );
}

function detect(sample: InputSample): number {
  const [file] = sample.files;
  if (file === undefined || sample.files.length > 1) return 0;
  const json = file.lines.length > 1 ? file.lines : file.json;
  const list = isJsonObject(json) ? listAt(json, 'messages') : Array.isArray(json) ? json : [];
  const [first] = list;
  if (isEntry(first)) return 0.9;
  if (isUiMessage(first)) return hasMessageLinks(list) ? 0 : 0.85;
  const inner = isJsonObject(first) ? listAt(first, 'messages') : [];
  return isUiMessage(inner[0]) && !hasMessageLinks(inner) ? 0.85 : 0;
}

interface AiSdkEntry {
  readonly message: JsonObject;
  /** Undefined makes the entry a child of the previous entry. */
  readonly parentId: string | null | undefined;
  readonly record: JsonObject;
  readonly place: string;
}

function aiSdkTree(
  entries: readonly AiSdkEntry[],
  record: JsonObject,
  place: string,
  found: readonly ImportFinding[],
): ImportedTree {
  const findings = [...found];
  const nodes: ImportedNode[] = [];
  let previous: string | null = null;
  for (const [index, { message, parentId, record: own, place: at }] of entries.entries()) {
    const externalId = getFilledText(message, 'id') ?? `${index}`;
    let parent: string | null = parentId === undefined ? previous : parentId;
    for (const one of checkParentId(own.parentId, at)) findings.push(one);
    for (const one of checkRole('role', message.role, (role) => roles.has(role), at)) findings.push(one);
    for (const one of checkWireBlocks(message.content, at)) findings.push(one);
    for (const part of listAt(message, 'parts')) {
      const type = isJsonObject(part) ? part.type : undefined;
      for (const one of checkKnownValue('part', type, isPartType, at)) findings.push(one);
    }
    const createdAt = parseAnyTime(message.createdAt ?? objectAt(message, 'metadata').createdAt);
    const ranges = splitUiMessage(message, externalId);
    const last = Math.max(0, ranges.length - 1);
    for (let part = 0; part <= last; part++) {
      const range = ranges[part];
      const id = part === last ? externalId : `${externalId}/${part}`;
      nodes.push({
        externalId: id,
        parentExternalId: parent,
        message: range?.message ?? null,
        records: part === last ? 1 : 0,
        place: at,
        ...(part === last ? { record: own } : {}),
        ...(createdAt === undefined ? {} : { createdAt }),
        ...(range?.meta === undefined ? {} : { meta: range.meta }),
      });
      parent = id;
    }
    previous = externalId;
  }
  for (const one of findForwardParents(nodes)) findings.push(one);
  for (const one of checkRootCount(countRoots(nodes), place)) findings.push(one);
  const head = getFilledText(record, 'headId');
  const [first] = entries;
  const title = getFilledText(record, 'title');
  return {
    externalId:
      getFilledText(record, 'id') ??
      getFilledText(record, 'chatId') ??
      `first:${getFilledText(first?.message ?? {}, 'id') ?? sha256Hex(canonicalJson(entries.map((one) => one.record)))}`,
    scope: '',
    ...(title === undefined ? {} : { title }),
    nodes,
    activeExternalId: head ?? previous,
    record,
    place,
    findings,
  };
}

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant']);
const partTypes: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'file',
  'image',
  'reasoning-file',
  'source',
  'source-url',
  'source-document',
  'step-start',
  'custom',
  'dynamic-tool',
]);

function isPartType(type: string): boolean {
  return partTypes.has(type) || /^(?:tool|data)-/.test(type);
}

function aiSdkEntry(value: Json, place: string): AiSdkEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isJsonObject(value.message))
    return { message: value.message, parentId: getFilledText(value, 'parentId') ?? null, record: value, place };
  const parent = getFilledText(objectAt(value, 'metadata'), 'parentId');
  return typeof value.role === 'string' ? { message: value, parentId: parent, record: value, place } : undefined;
}

/** Returns the tree of a list, or a finding if its messages belong to a tree of another program. */
function eventOf(
  entries: readonly AiSdkEntry[],
  record: JsonObject,
  place: string,
  found: readonly ImportFinding[],
): ReadEvent {
  // Only messages of plain lists are checked, because entries of a repository name their parents by design.
  const messages = entries.map(({ message, record: own }) => (message === own ? own : null));
  const linked = checkMessageLinks(messages, place);
  if (linked !== undefined) return { type: 'finding', finding: linked };
  return { type: 'tree', tree: aiSdkTree(entries, record, place, found) };
}

async function* readAiSdkFile(file: InputFile): AsyncGenerator<ReadEvent> {
  const lines = await isJsonLinesFile(file);
  const loose: AiSdkEntry[] = [];
  const found: ImportFinding[] = [];
  let rest: JsonObject = {};
  for await (const record of lines ? readLineRecords(file) : readDocumentRecords(file, [['*'], ['messages', '*']])) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isJsonObject(record.value)) rest = omitKeys(record.value, 'messages');
    } else if (isJsonObject(record.value) && Array.isArray(record.value.messages)) {
      const { messages } = record.value;
      const inner: ImportFinding[] = [...record.findings];
      const entries: AiSdkEntry[] = [];
      for (const [index, one] of messages.entries()) {
        const at = `${record.place}.messages[${index}]`;
        const entry = aiSdkEntry(one, at);
        if (entry === undefined)
          inner.push(buildFinding('import/record-unreadable', 'loss', at, buildFindingDetail('not-a-message'), 1));
        else entries.push(entry);
      }
      yield eventOf(entries, omitKeys(record.value, 'messages'), record.place, inner);
    } else {
      const entry = aiSdkEntry(record.value, record.place);
      if (entry === undefined)
        yield {
          type: 'finding',
          finding: buildFinding(
            'import/record-unreadable',
            'loss',
            record.place,
            buildFindingDetail('not-a-message'),
            1,
          ),
        };
      else loose.push(entry);
      for (const one of record.findings) found.push(one);
    }
  }
  if (loose.length > 0) yield eventOf(loose, rest, file.name, found);
}

async function* read(input: ImportInput): AsyncGenerator<ReadEvent> {
  for (const file of input.files) yield* readAiSdkFile(file);
}

/** Imports messages of the AI SDK, as a list or with branches in assistant-ui's repository. */
export const aiSdk = defineFormat({
  name,
  label: 'AI SDK messages',
  summary: 'UIMessage lists of the AI SDK, and repositories of assistant-ui with their branches.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning', 'tools', 'pictures'],
  reader: { detect, read },
});
