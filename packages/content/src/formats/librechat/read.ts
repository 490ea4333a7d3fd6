import type { Json, JsonObject } from '@coppice/core';
import type { ImportedNode, ImportedTree, ReadEvent, ReadOptions } from '../contract.ts';
import { readProgramFiles } from '../conversation-files.ts';
import { type CooperativeTask, itemsPerPause, runWithPauses } from '../cooperative.ts';
import {
  checkTime,
  getFilledText,
  getTexts,
  isJsonObject,
  listAt,
  numberAt,
  objectAt,
  omitKeys,
  parseIsoTime,
  textAt,
} from '../fields.ts';
import { readDocumentRecords } from '../file-records.ts';
import { buildFindingDetail } from '../finding-details.ts';
import { buildFinding, type ImportFinding } from '../findings.ts';
import type { ImportInput, InputFile, InputSample } from '../input.ts';
import { fromOpenAiToolCall, imageFromUrl } from '../openai-messages.ts';
import { areSameRecords } from '../preserved-lines.ts';
import { buildRecordNodes, type RecordPiece } from '../record-turns.ts';
import { type ReplyAuthor, type ReplyItem, splitReplyItems } from '../reply-items.ts';
import {
  buildNonObjectFinding,
  checkListField,
  checkParentId,
  checkRootCount,
  countRoots,
  findForwardParents,
  findMissingFiles,
} from '../structure-findings.ts';
import { omitUndefinedAttributes } from '../turn-nodes.ts';

/** The null UUID that first messages have as their parent. */
export const nullUuid = '00000000-0000-0000-0000-000000000000';

function isLibrechatMessage(value: Json | undefined): boolean {
  return isJsonObject(value) && typeof value.messageId === 'string';
}

function isLibrechatConversation(value: Json | undefined): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const list = value.messagesTree ?? value.messages;
  if (!Array.isArray(list)) return false;
  return list.some(isLibrechatMessage) || (list.length === 0 && 'conversationId' in value && 'endpoint' in value);
}

function isLibrechatExport(json: Json | undefined): boolean {
  return isLibrechatConversation(json) || (Array.isArray(json) && json.slice(0, 20).some(isLibrechatConversation));
}

/** Returns 0.95 if a file looks like an export of LibreChat, else 0. */
export function detect(sample: InputSample): number {
  return sample.files.some((file) => isLibrechatExport(file.json)) ? 0.95 : 0;
}

const librechatText = (value: string): JsonObject => ({ type: 'text', text: value });

/** Returns a string, or the string under `value` of an object; empty for anything else. */
function fieldValue(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? (textAt(value, 'value') ?? '') : '';
}

function librechatSummary(part: JsonObject): string {
  const { content } = part;
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.map((one) => (isJsonObject(one) ? fieldValue(one.text) : typeof one === 'string' ? one : ''));
  return texts.join('\n') || (textAt(part, 'text') ?? textAt(part, 'summary') ?? '');
}

/**
 * Converts the parts of a message to items, in order. Each call part contains its result; parallel calls are grouped.
 */
class LibrechatParts {
  readonly items: ReplyItem[] = [];
  readonly unknown: string[] = [];
  readonly #id: string;
  #together: ReadonlySet<string> = new Set();
  #calls: Json[] = [];
  #results: ReplyItem[] = [];
  #count = 0;

  constructor(id: string) {
    this.#id = id;
  }

  add(part: Json): void {
    if (!isJsonObject(part)) {
      this.#say(typeof part === 'string' ? librechatText(part) : { type: 'librechat-value', value: part });
      return;
    }
    const type = textAt(part, 'type') ?? 'part';
    if (type === 'tool_call') {
      this.#call(objectAt(part, 'tool_call'));
      return;
    }
    this.#flush();
    if (type === 'text') {
      this.#together = new Set(getTexts(part, 'tool_call_ids'));
      const said = fieldValue(part.text);
      if (said !== '') this.#say(librechatText(said));
    } else if (type === 'think') this.#say({ type: 'thinking', thinking: fieldValue(part.think) });
    else if (type === 'image_url') {
      const url = getFilledText(objectAt(part, 'image_url'), 'url') ?? getFilledText(part, 'image_url');
      this.#say(url === undefined ? { ...part, type: 'librechat-image_url' } : imageFromUrl(url));
    } else if (type === 'summary')
      this.items.push({
        type: 'compaction',
        summary: librechatSummary(part),
        details: omitKeys(part, 'type', 'content'),
      });
    else if (type === 'error') this.#say({ ...part, type: 'librechat-error' });
    else {
      this.unknown.push(type);
      this.#say({ ...part, type: `librechat-${type}` });
    }
  }

  end(): readonly ReplyItem[] {
    this.#flush();
    return this.items;
  }

  #say(block: Json): void {
    this.#flush();
    this.items.push({ type: 'blocks', blocks: [block] });
  }

  #call(call: JsonObject): void {
    const id = getFilledText(call, 'id') ?? `${this.#id}-call-${this.#count}`;
    if (!this.#together.has(id)) this.#flush();
    const made = fromOpenAiToolCall({ id, name: call.name ?? 'unknown', arguments: call.args ?? '' }, this.#count++);
    this.#calls.push(made);
    const { output } = call;
    if (output === undefined || output === null || output === '') return;
    this.#results.push({
      type: 'result',
      callId: id,
      name: getFilledText(call, 'name') ?? 'unknown',
      content: [librechatText(typeof output === 'string' ? output : JSON.stringify(output))],
      isError: false,
    });
  }

  #flush(): void {
    if (this.#calls.length > 0) this.items.push({ type: 'blocks', blocks: this.#calls });
    for (const result of this.#results) this.items.push(result);
    this.#calls = [];
    this.#results = [];
  }
}

function librechatSpeaker(message: JsonObject, agent: string | undefined): ReplyAuthor {
  const user = message.isCreatedByUser === true;
  if (user) return { role: 'user', source: { type: 'user' } };
  const model = agent ?? getFilledText(message, 'model');
  const provider = getFilledText(message, 'endpoint');
  const reason = getFilledText(message, 'finish_reason');
  const count = numberAt(message, 'tokenCount');
  const status =
    message.error === true ? ('error' as const) : message.unfinished === true ? ('interrupted' as const) : undefined;
  return {
    role: 'assistant',
    source: {
      type: 'model',
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model_name: model }),
      ...(reason === undefined ? {} : { finish_reason: reason }),
      ...(count === undefined ? {} : { usage: { outputTokens: count } }),
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** Groups the parts of a message by agent, if several agents answered in parallel. */
function groupByAgent(
  parts: readonly Json[],
): { readonly agent: string | undefined; readonly parts: readonly Json[] }[] {
  const byAgent = new Map<string, Json[]>();
  for (const part of parts) {
    if (!isJsonObject(part) || part.groupId === undefined || part.groupId === null) continue;
    const agent = textAt(part, 'agentId') ?? '';
    const own = byAgent.get(agent);
    if (own === undefined) byAgent.set(agent, [part]);
    else own.push(part);
  }
  if (byAgent.size < 2) return [{ agent: undefined, parts }];
  const [first] = byAgent.keys();
  return [...byAgent].map(([agent, own]) => {
    // Parts without an agent belong to the first agent and keep their order.
    const theirs = new Set(own);
    const shared = (part: Json) => !isJsonObject(part) || part.groupId === undefined || part.groupId === null;
    return { agent, parts: agent === first ? parts.filter((part) => theirs.has(part) || shared(part)) : own };
  });
}

/** Returns blocks with the descriptions of files, because an export does not contain their bytes. */
function librechatFiles(message: JsonObject): Json[] {
  return [...listAt(message, 'files'), ...listAt(message, 'attachments')].map((file) =>
    isJsonObject(file) ? { ...file, type: 'librechat-file' } : { type: 'librechat-value', value: file },
  );
}

/** Returns the pieces of a message, and the unknown types among its parts. */
function contentPieces(
  message: JsonObject,
  id: string,
  parent: string | null,
): { pieces: RecordPiece[]; unknown: string[] } {
  const content = listAt(message, 'content');
  const said = getFilledText(message, 'text');
  const parts = content.length > 0 ? content : said === undefined ? [] : [librechatText(said)];
  const voices = groupByAgent(parts);
  const pieces: RecordPiece[] = [];
  const unknown: string[] = [];
  for (const [index, voice] of voices.entries()) {
    const own = index === 0 ? id : `${id}/agent-${index}`;
    const reader = new LibrechatParts(own);
    for (const part of voice.parts) reader.add(part);
    const items = [...reader.end()];
    for (const type of reader.unknown) unknown.push(type);
    const files = index === 0 ? librechatFiles(message) : [];
    if (files.length > 0) items.push({ type: 'blocks', blocks: files });
    const made = splitReplyItems(
      own,
      parent,
      items,
      librechatSpeaker(message, voice.agent === '' ? undefined : voice.agent),
    );
    for (const [place, piece] of made.entries())
      pieces.push(voices.length > 1 && place === 0 ? { ...piece, group: `parallel-${id}` } : piece);
  }
  return { pieces, unknown };
}

/** Flattens nested messages. Iterative, because messages may be nested arbitrarily deep. */
function* flat(
  messages: readonly Json[],
  place: string,
): Generator<{ message: Json; above: string | null; place: string }> {
  const open: { message: Json; above: string | null; place: string }[] = [];
  for (let index = messages.length - 1; index >= 0; index--)
    open.push({ message: messages[index] ?? null, above: null, place: `${place}[${index}]` });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    if (!isJsonObject(next.message)) continue;
    const above = getFilledText(next.message, 'messageId') ?? null;
    const children = listAt(next.message, 'children');
    for (let index = children.length - 1; index >= 0; index--)
      open.push({ message: children[index] ?? null, above, place: `${place} ${above ?? ''}[${index}]` });
  }
}

/** Converts the messages of a conversation; adds what is unusual about them to `findings`. */
function* librechatMessages(
  messages: readonly Json[],
  place: string,
  findings: ImportFinding[],
): CooperativeTask<readonly ImportedNode[]> {
  const nodes: ImportedNode[] = [];
  const records = new Map<string, JsonObject>();
  const twice = new Map<string, number>();
  const entries = [...flat(messages, `${place}.messages`)];
  const ids = new Set(
    entries.map(({ message }) => (isJsonObject(message) ? getFilledText(message, 'messageId') : undefined)),
  );
  const known = (id: string) => ids.has(id);
  let at = 0;
  for (const { message, above: nested, place: where } of entries) {
    if (!isJsonObject(message)) {
      findings.push(buildNonObjectFinding(where));
      continue;
    }
    const named = getFilledText(message, 'messageId');
    if (named === undefined)
      findings.push(buildFinding('import/inferred', 'repair', where, buildFindingDetail('id-without-message-id')));
    const id = named ?? `message-${at}`;
    findings.push(...checkListField(message, 'children', where));
    const record = omitKeys(message, 'children');
    const before = records.get(id);
    if (before !== undefined && areSameRecords(before, record)) {
      findings.push(buildFinding('import/duplicate', 'repair', where, buildFindingDetail('id', id.slice(0, 80))));
      twice.set(id, (twice.get(id) ?? 0) + 1);
      continue;
    }
    if (before === undefined) records.set(id, record);
    const above = getFilledText(message, 'parentMessageId') ?? nested;
    const parent = above === nullUuid ? null : above;
    for (const one of checkParentId(message.parentMessageId, where)) findings.push(one);
    const createdAt = parseIsoTime(message.createdAt);
    for (const one of checkTime(message.createdAt, createdAt, where)) findings.push(one);
    const { pieces, unknown } = contentPieces(message, id, parent);
    for (const type of unknown) findings.push(buildFinding('import/unknown-type', 'note', where, type));
    for (const node of buildRecordNodes(id, pieces, { record, at: at++, place: where, createdAt, known }))
      nodes.push(node);
    if (at % itemsPerPause === 0) yield;
  }
  return addRepeatedRecords(nodes, twice);
}

function* librechatTree(
  conversation: JsonObject,
  messages: readonly Json[],
  place: string,
  found: readonly ImportFinding[],
  options: ReadOptions,
): CooperativeTask<ImportedTree> {
  const findings = [...found];
  const nodes = yield* librechatMessages(messages, place, findings);
  for (const one of findForwardParents(nodes)) findings.push(one);
  for (const one of checkRootCount(countRoots(nodes), place)) findings.push(one);
  for (const one of findMissingFiles(nodes)) findings.push(one);
  const settings = objectAt(conversation, 'options');
  const id = getFilledText(conversation, 'conversationId');
  return {
    externalId: id ?? nodes[0]?.externalId ?? place,
    scope: id === undefined ? (options.scope ?? '') : '',
    ...omitUndefinedAttributes({
      title: getFilledText(conversation, 'title'),
      systemPrompt: textAt(settings, 'promptPrefix') ?? textAt(settings, 'system'),
    }),
    nodes,
    record: { ...omitKeys(conversation, 'messages', 'messagesTree'), ...formOf(conversation) },
    place,
    findings,
  };
}

/** Adds the number of repeated records to the node that represents them. */
function addRepeatedRecords(nodes: readonly ImportedNode[], twice: Map<string, number>): readonly ImportedNode[] {
  if (twice.size === 0) return nodes;
  return nodes.map((node) => {
    const more = twice.get(node.externalId) ?? 0;
    // Another node with the same id gets a new id; references point to the first node.
    twice.delete(node.externalId);
    return more === 0 ? node : { ...node, records: (node.records ?? 1) + more };
  });
}

/** Returns the name of the field that contained the messages, for writing the file back. */
function formOf(conversation: JsonObject): JsonObject {
  return 'messagesTree' in conversation ? { $key: 'messagesTree' } : {};
}

async function* readLibrechatFile(file: InputFile, options: ReadOptions): AsyncGenerator<ReadEvent> {
  const made = (conversation: JsonObject, messages: readonly Json[], place: string, found: readonly ImportFinding[]) =>
    runWithPauses(librechatTree(conversation, messages, place, found, options), options.rest);
  const messages: Json[] = [];
  const found: ImportFinding[] = [];
  const patterns = [['messages', '*'], ['messagesTree', '*'], ['*']];
  for await (const record of readDocumentRecords(file, patterns)) {
    if (record.type === 'finding') yield record;
    else if (record.type === 'rest') {
      if (messages.length > 0 && !messages.some(isLibrechatMessage))
        yield {
          type: 'finding',
          finding: buildFinding(
            'import/other-format',
            'loss',
            file.name,
            buildFindingDetail('no-message-ids'),
            messages.length,
          ),
        };
      else if (isJsonObject(record.value) && ('messages' in record.value || 'messagesTree' in record.value))
        yield { type: 'tree', tree: await made(record.value, messages, file.name, found) };
      else if (messages.length > 0) yield { type: 'tree', tree: await made({}, messages, file.name, found) };
    } else if (record.pattern < 2) {
      messages.push(record.value);
      for (const one of record.findings) found.push(one);
      if (messages.length % 1000 === 0) yield { type: 'pause' };
    } else if (isLibrechatConversation(record.value)) {
      const list = record.value.messagesTree ?? record.value.messages;
      const own = Array.isArray(list) ? list : [];
      yield { type: 'tree', tree: await made(record.value, own, record.place, record.findings) };
    } else
      yield {
        type: 'finding',
        finding: buildFinding('import/skipped', 'note', record.place, buildFindingDetail('no-messages'), 1),
      };
  }
}

/** Yields the conversations of each file: one or several, flat or nested. */
export function read(input: ImportInput, options: ReadOptions): AsyncGenerator<ReadEvent> {
  return readProgramFiles(
    input,
    ({ json }) => isLibrechatExport(json),
    (file) => readLibrechatFile(file, options),
  );
}
