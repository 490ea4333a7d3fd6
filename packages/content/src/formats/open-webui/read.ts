import type { Json, JsonObject } from '@coppice/core';
import { sha256Hex } from '../../sha256.ts';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { type CooperativeTask, itemsPerPause, runWithPauses } from '../cooperative.ts';
import {
  checkTime,
  getFilledText,
  getTexts,
  isJsonObject,
  listAt,
  objectAt,
  omitKeys,
  parseAnyTime,
  parseSecondsTime,
  textAt,
} from '../fields.ts';
import { readDocumentRecords, readLineRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import { type ImportInput, type InputFile, type InputSample, isJsonLinesFile } from '../input.ts';
import { fromOpenAiMessage, fromOpenAiToolCall, imageFromUrl } from '../openai-messages.ts';
import { buildRecordNodes, type RecordPiece } from '../record-turns.ts';
import { type ReplyItem, splitReplyItems } from '../reply-items.ts';
import {
  buildNonObjectFinding,
  checkKnownValue,
  checkParentId,
  checkRecordKey,
  checkRole,
  checkRootCount,
  countRoots,
  findMissingFiles,
} from '../structure-findings.ts';
import { omitUndefinedAttributes } from '../turn-nodes.ts';
import { splitReplySections } from './details.ts';
import { groupFieldKey, groupOfMessage } from './groups.ts';

/** Whether a value is a chat: it has a history of messages by id. */
function isOpenWebuiChat(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && isJsonObject(value.history) && isJsonObject(value.history.messages);
}

/** Whether a value is a chat, or a database row that contains a chat. */
function isRow(value: Json | undefined): value is JsonObject {
  return isOpenWebuiChat(value) || (isJsonObject(value) && isOpenWebuiChat(value.chat));
}

function isOpenWebuiExport(json: Json | undefined, lines: readonly Json[]): boolean {
  if (isRow(json) || lines.slice(0, 20).some(isRow)) return true;
  return Array.isArray(json) && json.slice(0, 20).some(isRow);
}

/** Returns 0.95 if a file looks like an export of Open WebUI, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some((file) => isOpenWebuiExport(file.json, file.lines)) ? 0.95 : 0;
}

const openWebuiText = (value: string): JsonObject => ({ type: 'text', text: value });

/** Joins the texts of a list of parts, such as reasoning. */
function partTexts(parts: readonly Json[]): string {
  return parts.map((part) => (isJsonObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n');
}

function openWebuiReasoning(item: JsonObject): JsonObject {
  const said = partTexts(listAt(item, 'content'));
  const thinking = said === '' ? partTexts(listAt(item, 'summary')) : said;
  const redacted = getFilledText(item, 'encrypted_content');
  return { type: 'thinking', thinking, ...(redacted === undefined ? {} : { redacted }) };
}

/** Converts the structured output of a reply to items; text outside the output is not included. */
function itemsOf(message: JsonObject, id: string): ReplyItem[] {
  const items: ReplyItem[] = [];
  const names = new Map<string, string>();
  for (const [index, item] of listAt(message, 'output').entries()) {
    if (!isJsonObject(item)) {
      items.push({ type: 'blocks', blocks: [{ type: 'open-webui-value', value: item }] });
      continue;
    }
    const callId = getFilledText(item, 'call_id') ?? getFilledText(item, 'id') ?? `${id}-call-${index}`;
    switch (item.type) {
      case 'message':
        items.push({
          type: 'blocks',
          blocks: listAt(fromOpenAiMessage({ role: 'assistant', content: item.content ?? '' }), 'content'),
        });
        break;
      case 'reasoning':
        items.push({ type: 'blocks', blocks: [openWebuiReasoning(item)] });
        break;
      case 'function_call':
        names.set(callId, getFilledText(item, 'name') ?? 'unknown');
        items.push({ type: 'blocks', blocks: [fromOpenAiToolCall({ ...omitKeys(item, 'type'), id: callId }, index)] });
        break;
      case 'function_call_output':
        items.push({
          type: 'result',
          callId,
          name: names.get(callId) ?? 'unknown',
          content: openWebuiOutput(item.output),
          isError: item.status === 'failed' || item.status === 'incomplete',
        });
        break;
      default:
        items.push({ type: 'blocks', blocks: [{ ...item, type: `open-webui-${textAt(item, 'type') ?? 'item'}` }] });
    }
  }
  return items;
}

function openWebuiOutput(output: Json | undefined): Json[] {
  if (typeof output === 'string') return [openWebuiText(output)];
  if (Array.isArray(output) && output.length > 0)
    return [...listAt(fromOpenAiMessage({ role: 'user', content: output }), 'content')];
  return [
    openWebuiText(output === undefined || output === null || Array.isArray(output) ? '' : JSON.stringify(output)),
  ];
}

/** Returns blocks for images with their URL and for other files with their description. */
function openWebuiFiles(message: JsonObject): Json[] {
  return listAt(message, 'files').map((file) => {
    if (!isJsonObject(file)) return { type: 'open-webui-value', value: file };
    const url = getFilledText(file, 'url');
    if (file.type === 'image' && url !== undefined && /^(?:data:|https?:)/i.test(url)) return imageFromUrl(url);
    return { ...file, type: 'open-webui-file' };
  });
}

function openWebuiModel(message: JsonObject): JsonObject {
  const model = getFilledText(message, 'model') ?? getFilledText(message, 'selectedModelId');
  const usage = isJsonObject(message.usage) ? message.usage : objectAt(message, 'info').usage;
  return {
    type: 'model',
    ...(model === undefined ? {} : { model_name: model }),
    ...(isJsonObject(usage) ? { usage } : {}),
    ...openWebuiError(message),
  };
}

/** Returns the error of a message as a field of its source; empty without an error. */
function openWebuiError({ error }: JsonObject): JsonObject {
  const said = typeof error === 'string' ? error : isJsonObject(error) ? getFilledText(error, 'content') : undefined;
  return said === undefined || said === '' ? {} : { error: said };
}

/** Splits a message into the pieces that become nodes. */
function openWebuiPieces(
  message: JsonObject,
  id: string,
  parent: string | null,
  group: string | undefined,
): RecordPiece[] {
  const role = textAt(message, 'role');
  const { content } = message;
  const said =
    content === '' || content === undefined ? [] : listAt(fromOpenAiMessage({ role: 'user', content }), 'content');
  if (role !== 'assistant') {
    const known = role === 'system' ? 'system' : 'user';
    const blocks = [...said, ...openWebuiFiles(message)];
    const body = blocks.length === 0 ? null : { role: known, content: blocks };
    const source = known === 'user' ? { meta: { source: { type: 'user' } } } : {};
    return [{ id, parent, message: body, ...source, ...(group === undefined ? {} : { group }) }];
  }
  const items = itemsOf(message, id);
  const sections = typeof content === 'string' && items.length === 0 ? splitReplySections(content, id) : undefined;
  const whole: ReplyItem[] = items.length > 0 ? items : (sections ?? [{ type: 'blocks', blocks: said }]);
  const files = openWebuiFiles(message);
  if (files.length > 0) whole.push({ type: 'blocks', blocks: files });
  const failed = isJsonObject(message.error) || typeof message.error === 'string' || message.error === true;
  const status = failed ? ('error' as const) : message.done === false ? ('interrupted' as const) : undefined;
  const pieces = splitReplyItems(id, parent, whole, {
    role: 'assistant',
    source: openWebuiModel(message),
    ...(status === undefined ? {} : { status }),
  });
  // Only the first piece is a sibling of the other answers.
  if (group === undefined) return pieces;
  return pieces.map((piece, index) => (index === 0 ? { ...piece, group } : piece));
}

const roles: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);
const itemTypes: ReadonlySet<string> = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);

/**
 * Reports what is kept only in the original record of a message: a context summary, merged answers, items of unknown
 * types.
 */
function unreadFieldFindings(message: JsonObject, place: string): ImportFinding[] {
  const found: ImportFinding[] = [];
  for (const key of ['contextSummary', 'merged'])
    if (message[key] !== undefined && message[key] !== null)
      found.push(buildFinding('import/unknown-type', 'note', place, key));
  for (const item of listAt(message, 'output'))
    for (const one of checkKnownValue(
      'item',
      isJsonObject(item) ? item.type : undefined,
      (type) => itemTypes.has(type),
      place,
    ))
      found.push(one);
  return found;
}

/** The messages of a chat as nodes, and the order of their children. */
interface ChatMessages {
  readonly nodes: readonly ImportedNode[];
  readonly childOrder: ReadonlyMap<string, readonly string[]>;
  readonly firstId: string | undefined;
}

/** Converts the messages of a chat; adds what is unusual about them to `findings`. */
function* chatMessages(history: JsonObject, place: string, findings: ImportFinding[]): CooperativeTask<ChatMessages> {
  const nodes: ImportedNode[] = [];
  const messages = new Map<string, JsonObject>();
  for (const [id, message] of Object.entries(objectAt(history, 'messages'))) {
    if (isJsonObject(message)) messages.set(id, message);
    else findings.push(buildNonObjectFinding(`${place}.messages.${id}`));
  }
  const heads = new Map<string, string>();
  const known = (id: string) => messages.has(id);
  let at = 0;
  for (const [id, message] of messages) {
    const where = `${place}.messages.${id}`;
    const parent = getFilledText(message, 'parentId') ?? null;
    for (const one of checkParentId(message.parentId, where)) findings.push(one);
    for (const one of checkRecordKey(id, message.id, where)) findings.push(one);
    for (const one of checkRole('role', message.role, (role) => roles.has(role), where)) findings.push(one);
    const parentMessage = parent === null ? {} : (messages.get(parent) ?? {});
    const createdAt = parseAnyTime(message.timestamp);
    for (const one of checkTime(message.timestamp, createdAt, where)) findings.push(one);
    for (const one of unreadFieldFindings(message, where)) findings.push(one);
    const pieces = openWebuiPieces(message, id, parent, groupOfMessage(message, parentMessage));
    heads.set(id, pieces[0]?.id ?? id);
    const record = omitKeys(message, 'parentId', 'childrenIds', 'id', groupFieldKey);
    for (const node of buildRecordNodes(id, pieces, { record, at: at++, place: where, createdAt, known }))
      nodes.push(node);
    if (at % itemsPerPause === 0) yield;
  }
  const childOrder = new Map<string, readonly string[]>();
  for (const [id, message] of messages)
    if (Array.isArray(message.childrenIds))
      childOrder.set(
        id,
        getTexts(message, 'childrenIds').map((child) => heads.get(child) ?? child),
      );
  const [firstId] = messages.keys();
  return { nodes, childOrder, firstId };
}

/** Converts a chat to a tree, and pauses so that other work can run. */
function* openWebuiTree(
  row: JsonObject,
  place: string,
  found: readonly ImportFinding[],
  options: ReadOptions,
): CooperativeTask<ImportedTree> {
  const bare = isJsonObject(row.history);
  const chat = bare ? row : objectAt(row, 'chat');
  const history = objectAt(chat, 'history');
  const findings = [...found];
  const { nodes, childOrder, firstId } = yield* chatMessages(history, place, findings);
  for (const one of checkRootCount(countRoots(nodes), place)) findings.push(one);
  for (const one of findMissingFiles(nodes)) findings.push(one);
  const systemPrompt = textAt(chat, 'system') ?? textAt(objectAt(chat, 'params'), 'system');
  const id = getFilledText(row, 'id') ?? (firstId === undefined ? undefined : `chat-of-${firstId}`);
  const tags = getTexts(objectAt(row, 'meta'), 'tags');
  const current = history.currentId;
  const kept = { ...omitKeys(chat, 'messages'), history: omitKeys(history, 'messages') };
  return {
    externalId: id ?? `sha256:${sha256Hex(place)}`,
    scope: getFilledText(row, 'id') === undefined ? (options.scope ?? '') : '',
    ...omitUndefinedAttributes({
      title: getFilledText(row, 'title') ?? getFilledText(chat, 'title'),
      createdAt: parseSecondsTime(row.created_at) ?? parseAnyTime(chat.timestamp),
      updatedAt: parseSecondsTime(row.updated_at),
    }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    attributes: { ...(row.pinned === true ? { pinned: true } : {}), ...(tags.length > 0 ? { tags } : {}) },
    nodes,
    childOrder,
    ...(typeof current === 'string' ? { activeExternalId: current } : {}),
    record: bare ? { $form: 'chat', chat: kept } : { ...row, chat: kept },
    place,
    findings,
  };
}

async function* readOpenWebuiFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const records = (await isJsonLinesFile(file)) ? readLineRecords(file) : readDocumentRecords(file, [['*']]);
  for await (const record of records) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (isRow(record.value))
        yield {
          type: 'tree',
          tree: await runWithPauses(openWebuiTree(record.value, file.name, [], options), options.rest),
        };
    } else if (isRow(record.value))
      yield {
        type: 'tree',
        tree: await runWithPauses(openWebuiTree(record.value, record.place, record.findings, options), options.rest),
      };
    else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'note', record.place, buildFindingDetail('no-history'), 1),
      };
  }
}

/** Yields the chats of each file: a list of rows, one row per line, or a single chat. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(
    input,
    ({ json, lines }) => isOpenWebuiExport(json, lines),
    (file) => readOpenWebuiFile(file, options),
  );
}
